# %% [markdown]
# The study of tutorial-backtest.md in Python. It needs pandas and pyarrow,
# and the variable CUOTA_KEY with an API key:
#   python3 docs/tutorial_backtest.py http://localhost:8080 study
# Its parts begin with "# %%", so that editors run them like the cells of a notebook.

# %%
import json
import os
import pathlib
import sys
import urllib.request

import pandas

address, folder, key = sys.argv[1], pathlib.Path(sys.argv[2]), os.environ["CUOTA_KEY"]
name = "best-year-one-of-each-manager"

# %% The result of the command: the curve, the trades and the ledger.
curve = pandas.read_parquet(folder / f"{name}.parquet").set_index("date")
trades = pandas.read_parquet(folder / f"{name}-trades.parquet")
ledger = pandas.read_parquet(folder / f"{name}-ledger.parquet").set_index("run")
strategy = json.loads((folder / f"{name}-run.json").read_text())["strategy"]
print(ledger[["total_return", "return_difference", "rank", "ranked"]])

# %% The same strategy over HTTP. It counts as ten requests.
request = urllib.request.Request(
    f"{address}/api/backtests",
    data=json.dumps(strategy).encode(),
    headers={"X-Api-Key": key, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)
served = pandas.DataFrame(result["curve"])
served["date"] = pandas.to_datetime(served["date"]).dt.date
served = served.set_index("date")
assert (served["value"] - curve["value"]).abs().max() < 1e-9, "the command and the API differ"

# %% Figures that the result does not have: the worst quarter, and how much was traded of each series.
quarters = curve["value"].set_axis(pandas.to_datetime(curve.index)).resample("QE").last().pct_change()
print(f"worst quarter: {quarters.min():.2%}, ending on {quarters.idxmin():%Y-%m-%d}")
traded = trades[trades["kind"].isin(["buy", "sell"])]
print(traded.pivot_table(index="series_id", columns="kind", values="amount", aggfunc="sum").tail(3))

# %% Where the strategy stands among rules that were drawn blindly.
drawn = pandas.read_csv(folder / "random.csv")
better = (drawn["total_return"] > ledger.loc["as_stated", "total_return"]).mean()
print(f"{better:.0%} of {len(drawn)} random rules were better")

# %% How many families grew in each month, counted in each currency, with the funds of then and with those of today.
for universe in ["market", "survivors"]:
    families = pandas.read_parquet(folder / f"{universe}-families.parquet")
    print(universe, families.groupby("date")["month_return"].apply(lambda r: int((r > 0).sum())).tail(3).to_dict())
