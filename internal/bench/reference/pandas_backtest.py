"""Selects series and sums up the market with pandas, over files that the program gives.

    python pandas_backtest.py FOLDER < order.json > outcome.json

FOLDER has the files series, discontinuities, family_daily and daily_YEAR of /api/bulk. The order has the
first and the last day, and strategies: sort (a window), order, top and currency. The outcome has the time
and the processor time of each part in seconds, what each strategy selects on each month end, and how many
changes of families equal those of family_daily.

A strategy selects, on each month end, the series of its currency with the best (or worst) return over its
window, at most one of each fund, with equal weights until the next month end. The returns are computed from
the quotes by the rule of the program: a quote stands for 7 days, and there is no return across a break. The
summary has each family in each currency on each day: equity, number of series, and the mean change of the
day and of the month, weighted by the equity before it, without outliers. Changes, outliers and families are
those that the files have.

It does less than cuota backtest. It leaves out:
- the bias ledger, that is three more runs of each strategy, and the rank among all series;
- what was known on each date: it takes every quote as it was corrected later;
- why a series was not selected, other filters, weights and groups, and the rates and ratings behind them;
- lags, delays, costs, the money between, and what happens to a series that closes, breaks or is exchanged:
  its value stays where it is until the next month end;
- the curve of each day, the benchmark and the statistics;
- of the summary the indices, the rises and falls, the number of funds, and series that are not quoted on the day.
"""

import functools
import json
import pathlib
import sys
import time

import numpy
import pandas
import pyarrow.dataset

MONTHS = {"1m": 1, "3m": 3, "6m": 6, "1y": 12, "3y_ann": 36, "5y_ann": 60}
YEARS = {"3y_ann": 3, "5y_ann": 5}
STANDS = 7  # days for which a quote stands


def read(folder, table, columns):
    """Reads columns of all files of a table. Texts become categories."""
    files = sorted(folder.glob(f"{table}_[0-9]*.parquet")) or [folder / f"{table}.parquet"]
    rows = pyarrow.dataset.dataset(files, format="parquet").to_table(columns=columns)
    return rows.to_pandas(date_as_object=False, strings_to_categorical=True)


class Grid:
    """Tables with a row for each calendar day and a column for each series, by ascending id."""

    def __init__(self, rows):
        self.days = pandas.date_range(rows["date"].min(), rows["date"].max())
        self.ids = numpy.sort(rows["series_id"].unique())
        self.row, self.column = self.row_of(rows["date"]), self.column_of(rows["series_id"])

    def row_of(self, dates):
        return (dates - self.days[0]).dt.days.to_numpy()

    def column_of(self, ids):
        return numpy.searchsorted(self.ids, ids)

    def of(self, values, empty=numpy.nan):
        table = numpy.full((len(self.days), len(self.ids)), empty)
        table[self.row, self.column] = values
        return table


class Market:
    """What strategies select from, on the month ends of a period."""

    def __init__(self, daily, series, breaks, first, last):
        grid = Grid(daily)
        self.days, self.ids = grid.days, grid.ids
        self.dates = pandas.date_range(first, min(pandas.Timestamp(last), grid.days[-1]), freq="ME")
        self.last = pandas.Timestamp(last)
        # A row without a quote hides the quotes before it.
        quotes = pandas.DataFrame(grid.of(daily["quota"].fillna(0))).ffill(limit=STANDS)
        self.quotes = quotes.where(quotes > 0).to_numpy()
        breaks = breaks[breaks["series_id"].isin(grid.ids) & breaks["date"].between(grid.days[0], grid.days[-1])]
        broken = numpy.zeros(self.quotes.shape, dtype="int16")
        broken[grid.row_of(breaks["date"]), grid.column_of(breaks["series_id"])] = 1
        self.breaks = broken.cumsum(axis=0, dtype="int16")
        series = series.set_index("series_id").loc[grid.ids]
        self.funds, self.currencies = series["fund_id"].to_numpy(), series["currency"].array
        value = numpy.nan_to_num(grid.of(daily["daily_return"])) + 1
        ends = value.cumprod(axis=0)[self.places(self.dates.union([self.last]))]
        self.growth = ends[1:] / ends[:-1] - 1
        self.sorted = functools.cache(self.sort)  # strategies share it

    def places(self, dates):
        """Gives the rows of dates; dates outside the history have the nearest one."""
        return numpy.clip((dates - self.days[0]).days, 0, len(self.days) - 1)

    def returns(self, window):
        """Gives the returns over a window until each month end; NaN where there is none."""
        if window == "ytd":
            begin = self.dates - pandas.offsets.YearEnd(1)
        elif window == "last_closed_month":
            begin = self.dates - pandas.offsets.MonthEnd(1)
        else:
            begin = self.dates - pandas.DateOffset(months=MONTHS[window])
        start, end = self.places(begin), self.places(self.dates)
        returns = (self.quotes[end] / self.quotes[start]) ** (1 / YEARS.get(window, 1)) - 1
        returns[(self.breaks[start] != self.breaks[end]) | (begin < self.days[0]).reshape(-1, 1)] = numpy.nan
        return returns

    def sort(self, window, order):
        """Gives the series of each month end that have a return, sorted."""
        returns = self.returns(window)
        at, column = numpy.nonzero(~numpy.isnan(returns))
        return pandas.DataFrame({
            "date": at, "value": returns[at, column], "series_id": self.ids[column],
            "fund_id": self.funds[column], "currency": self.currencies[column], "growth": self.growth_of(at, column),
        }).sort_values(["date", "value", "series_id"], ascending=[True, order == "asc", True], ignore_index=True)

    def growth_of(self, at, column):
        """Gives the growth until the next month end, or until the last day; 0 if that is the month end."""
        growth = numpy.vstack([self.growth, numpy.zeros(len(self.ids))])
        return growth[at, column]


def select(market, strategy):
    """Gives what a strategy selects and its growth over the period."""
    series = market.sorted(strategy["sort"], strategy["order"])
    series = series[series["currency"] == strategy["currency"]]
    chosen = series.drop_duplicates(["date", "fund_id"]).groupby("date").head(strategy["top"])
    monthly = chosen.groupby("date")["growth"].mean()
    return chosen, (1 + monthly).prod()


def summarize(daily):
    """Gives each family in each currency on each day."""
    grid = Grid(daily)
    equity = grid.of(daily["equity"])
    rows = daily[daily["quota"].notna() & daily["family"].notna() & daily["currency"].isin(["PESOS", "DOLAR"])].copy()
    rows["series"] = 1
    changes = {"day": ("daily_return", "previous_date", "outlier"), "month": ("month_return", "month_date", "month_outlier")}
    column = grid.column_of(rows["series_id"])
    for name, (change, before, outlier) in changes.items():
        counts = (rows[change].notna() & rows[before].notna() & (rows[outlier] == "")).to_numpy()
        weight = numpy.zeros(len(rows))
        since = grid.row_of(rows.loc[counts, before]).astype("int64")
        before_all = since < 0  # no row of the equities: the change does not count
        weight[counts] = numpy.where(before_all, 0, numpy.nan_to_num(equity[numpy.maximum(since, 0), column[counts]]))
        weight[weight < 0] = 0
        rows[f"{name}_weight"] = weight
        rows[f"{name}_part"] = weight * rows[change].fillna(0)
    sums = ["equity", "equity_clp", "series", "day_weight", "day_part", "month_weight", "month_part"]
    families = rows.groupby(["date", "family", "currency"], observed=True)[sums].sum()
    families["daily_return"] = families["day_part"] / families["day_weight"]
    families["month_return"] = families["month_part"] / families["month_weight"]
    return families[["equity", "equity_clp", "series", "daily_return", "month_return"]]


def share_of_equal(families, folder, first, last):
    """Gives the share of the changes of families that equal those of the program to 1e-9. A change that
    only one of the two has is not equal."""
    theirs = read(folder, "family_daily", ["date", "family", "currency", "daily_return", "month_return"])
    theirs = theirs[theirs["date"].between(first, last)].astype({"family": str, "currency": str})
    ours = families.reset_index().astype({"family": str, "currency": str})
    ours = ours[ours["date"].between(first, last)]
    both = theirs.merge(ours, on=["date", "family", "currency"], how="outer", suffixes=("", "_ours"))
    equal = counted = 0
    for change in ["daily_return", "month_return"]:
        known = both[both[change].notna() | both[f"{change}_ours"].notna()]
        equal += int(((known[change] - known[f"{change}_ours"]).abs() <= 1e-9).sum())
        counted += len(known)
    return {"equal": equal, "of": counted}


def timed(work):
    """Does some work; gives its result, and its time and processor time in seconds."""
    began, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}


def main(folder, order):
    first, last, strategies = order["from"], order["to"], order["strategies"]

    def files():
        return [
            read(folder, "daily", ["series_id", "date", "quota", "daily_return"]),
            read(folder, "series", ["series_id", "fund_id", "currency"]),
            read(folder, "discontinuities", ["series_id", "date"]),
        ]

    def run_first():
        market = Market(*tables, first, last)
        return market, select(market, strategies[0])

    tables, reading = timed(files)
    (market, result), one = timed(run_first)
    others, further = timed(lambda: [select(market, strategy) for strategy in strategies[1:]])
    results = [result, *others]
    del tables
    dates = market.dates.strftime("%Y-%m-%d")
    selections = [
        {dates[at]: ids.tolist() for at, ids in chosen.groupby("date")["series_id"]} for chosen, _ in results
    ]
    daily, reading_summary = timed(lambda: read(folder, "daily", [
        "series_id", "date", "currency", "quota", "equity", "equity_clp", "previous_date", "daily_return", "outlier",
        "month_date", "month_return", "month_outlier", "family",
    ]))
    # A change of a month begins up to 31 + 7 days before; the equity of that day is its weight.
    within = daily["date"].between(pandas.Timestamp(first) - pandas.Timedelta(days=38), last)
    families, summary = timed(lambda: summarize(daily[within]))
    return {
        "read": reading, "one": one, "further": further, "read_summary": reading_summary, "summary": summary,
        "rows": len(daily), "growth": [growth for _, growth in results], "selections": selections,
        "families": share_of_equal(families, folder, first, last),
    }


if __name__ == "__main__":
    json.dump(main(pathlib.Path(sys.argv[1]), json.load(sys.stdin)), sys.stdout)
