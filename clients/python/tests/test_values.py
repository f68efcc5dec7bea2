"""Numbers and names are those of the sources: the published files, the API's own JSON, and other commands."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import CUTOFF, MANAGER, REPOSITORY, Server
from cuota import Client

WINDOWS = ["1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"]


def cartola() -> dict[tuple[str, str, str], float]:
    """Read RUN, series and day with their quota from the demo's files of the funds 9809 and 9810."""
    quotas = {}
    for path in sorted((REPOSITORY / "demo" / "files" / "cartola").glob("cartola_9809_9810_*.txt")):
        with open(path, encoding="latin-1", newline="") as file:
            for row in csv.DictReader(file, delimiter=";"):
                day = row["FECHA_INF"]
                date = f"{day[:4]}-{day[4:6]}-{day[6:]}"
                if float(row["VALOR_CUOTA"] or 0) > 0:
                    quotas[row["RUN_FM"], row["SERIE"], date] = float(row["VALOR_CUOTA"])
    return quotas


def test_all_quotas_of_a_manager_are_those_of_its_files(client: Client) -> None:
    frame = client.days(manager=MANAGER)
    got = {(row["run"][:-2], row["serie"], row["date"].isoformat()): row["quota"] for row in frame.to_pylist()}
    assert len(got) == len(frame)
    stated = cartola()
    wanted = {key: quota for key, quota in stated.items() if key[2] <= CUTOFF}
    assert len(wanted) > 10_000
    assert {key: quota for key, quota in got.items() if key[0] in ("9809", "9810")} == wanted
    assert min(key[2] for key in wanted) < "2019-12-31"


def test_a_part_of_the_history_of_a_fund_has_only_its_days(client: Client) -> None:
    frame = client.days(run="9809", from_date="2023-01-01", to_date=datetime.date(2025, 1, 31))
    got = {(row["serie"], row["date"].isoformat()) for row in frame.to_pylist()}
    wanted = {(serie, day) for run, serie, day in cartola() if run == "9809" and "2023-01-01" <= day <= "2025-01-31"}
    assert got == wanted


def test_a_one_year_return_is_the_quotient_of_two_quotas(client: Client) -> None:
    quotas = cartola()
    wanted = quotas["9809", "B", "2025-06-30"] / quotas["9809", "B", "2024-06-30"] - 1
    rows = client.returns(date="2025-06-30", series=[1161378270]).to_pylist()
    assert [row["return_1y"] for row in rows] == [pytest.approx(wanted, rel=1e-12)]
    between = client.returns(from_="2024-06-30", to="2025-06-30", series=["1161378270"]).to_pylist()
    assert [row["value"] for row in between] == [pytest.approx(wanted, rel=1e-12)]


def test_returns_are_those_of_the_raw_json(demo: Server, client: Client) -> None:
    wanted = {}
    for item in demo.all_raw(f"/api/returns?date={CUTOFF}&limit=1000"):
        said = item["attributes"]
        for window in WINDOWS:
            one = said["returns"][window]
            wanted[int(said["serieId"]), window] = (one["value"], one["reason"], one["effective_start"])
    frame = client.returns()
    got = {
        (row["series_id"], w): (row[f"return_{w}"], row[f"reason_{w}"], row[f"start_{w}"] and str(row[f"start_{w}"]))
        for row in frame.to_pylist()
        for w in WINDOWS
    }
    assert len(frame) == 2840
    assert got == wanted
    assert sum(value is not None for value, _, _ in got.values()) > 30


def test_returns_between_two_days_are_all_pages_of_the_raw_json(demo: Server, client: Client) -> None:
    items = demo.all_raw(f"/api/returns?from=2025-01-01&to={CUTOFF}&limit=1000")
    frame = client.returns(from_="2025-01-01", to=datetime.date.fromisoformat(CUTOFF))
    assert client.quota.used == 1
    assert len(items) == len(frame) > 2000  # three pages
    got = [{k: str(v) if isinstance(v, datetime.date) else v for k, v in row.items()} for row in frame.to_pylist()]
    assert got == [{"id": item["id"], "type": item["type"], **item["attributes"]} for item in items]
    assert frame.units == {"value": "fraction"}
    assert frame.meanings["reason"]
    assert {row["reason"] for row in got} >= {None, "missing_start_quote"}
    assert frame.as_of_date == CUTOFF
    some = [row["id"] for row in got[:12]]
    named = client.returns(from_="2025-01-01", to=CUTOFF, series=some, batch_id=frame.batch_id)
    assert {row["id"]: row["value"] for row in named.to_pylist()} == {
        r["id"]: r["value"] for r in got if r["id"] in some
    }
    assert client.quota.used == 3  # ten named series count as one request
    dollars = client.returns(from_="2025-01-01", to=CUTOFF, currency="DOLAR", limit=5)
    assert {row["currency"] for row in dollars.to_pylist()} == {"DOLAR"}


def test_the_screener_is_the_raw_json_in_both_forms(demo: Server, client: Client) -> None:
    items = demo.all_raw("/api/screener?category=balanced&limit=200&sort=tac")
    table = client.screener(category="balanced", sort="tac").to_pylist()
    pages = client.screener(category="balanced", sort="tac", fields=[]).to_pylist()
    assert len(items) > 500
    assert [row["series_id"] for row in table] == [int(item["id"]) for item in items] == [int(r["id"]) for r in pages]
    for item, row, page in zip(items, table, pages, strict=True):
        said = item["attributes"]
        assert row["tac"] == page["tac"] == said["tac"]
        assert row["fund"] == page["fundName"] == said["fundName"]
        assert row["equity"] == pytest.approx(said["patrimony"] * 1e6, rel=1e-12)  # one in units, one in millions
        assert page["patrimony"] == said["patrimony"]
        assert row["spheres"] == page["cmf_spheres.value"] == said["cmf_spheres"]["value"]
        assert row["return_1m"] == page["returns.periods.1m.value"] == said["returns"]["periods"]["1m"]["value"]


def test_screens_and_comparisons_are_the_single_answers(client: Client) -> None:
    fields = ["fundName", "returns.periods.1y.value"]
    first = {"currency": "PESOS", "sort": "1y", "order": "desc", "limit": 3}
    one, two = client.screens([{**first, "fields": fields}, {"q": "9809", "limit": 20}])
    assert one.to_pylist() == client.screener(**first, fields=fields).to_pylist()
    assert two.to_pylist() == client.screener(q="9809", fields=[]).to_pylist()
    assert two.meta["total"] == len(two)
    ids = [2322559342, 1161378270]
    compared = client.compare(ids)
    assert [row["id"] for row in compared.to_pylist()] == [str(one) for one in ids]
    assert "comparability" in compared.meta
    many = client.series(limit=12, status="current", vehicle="mutual_fund").table.column("series_id").to_pylist()
    assert len(client.compare(many)) == 12


def test_a_screen_of_a_past_date_is_of_that_date(client: Client) -> None:
    past = datetime.date(2025, 6, 30)
    (screened,) = client.screens([{"q": "9809-B", "as_of_date": past, "fields": ["price"]}])
    (compared,) = client.compare([1161378270], as_of_date=past, fields=["price"]).to_pylist()
    assert screened.as_of_date == "2025-06-30"
    assert screened.to_pylist()[0]["price"] == compared["price"] == cartola()["9809", "B", "2025-06-30"]


def test_spanish_names_arrive_intact(client: Client) -> None:
    wanted = set()
    with open(REPOSITORY / "demo" / "files" / "fi" / "fondos_inversion.csv", encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            wanted |= {cell for cell in row if any(letter in cell for letter in "ñÑáéíóúÁÉÍÓÚ")}
    for frame in (client.bulk_table("funds"), client.sql("SELECT * FROM funds")):
        names = {value for row in frame.to_pylist() for value in row.values() if isinstance(value, str)}
        spanish = {name for name in names if any(letter in name for letter in "ñÑáéíóúÁÉÍÓÚ")}
        assert spanish
        assert len(spanish & wanted) > 3


def test_a_spanish_filter_is_sent_intact(client: Client) -> None:
    answer = client.sql("SELECT {name:String} AS name, length({name:String}) AS bytes", name="Año & Ñuñoa, 50 %")
    assert answer.to_pylist() == [{"name": "Año & Ñuñoa, 50 %", "bytes": len("Año & Ñuñoa, 50 %".encode())}]
    with_accents = client.screener(administrator="Administradóra General", limit=3)
    assert len(with_accents) == 3


@pytest.mark.parametrize("universe", ["then", "current"])
def test_month_ends_are_those_of_the_summary_command(market: Server, tmp_path: Path, universe: str) -> None:
    begin = "2015-07-01" if universe == "then" else "2024-08-01"
    market.run(
        "backtest", "summary", "--from", begin, "--to", "2025-07-31", "--step", "month", "--universe", universe,
        "--tables", "families", "--out", str(tmp_path / "market.parquet"),
    )  # fmt: skip
    columns = ["asked_date", "date", "family", "currency", "equity", "equity_clp", "series", "daily_return"]
    columns += ["eligible_series", "month_return", "month_series", "month_share"]

    def rows(table: list[dict[str, object]]) -> Iterator[tuple[object, ...]]:
        for row in sorted(table, key=lambda r: (r["asked_date"], r["family"], r["currency"])):
            yield tuple(float(f"{v:.12g}") if isinstance(v, float) else v for v in (row[name] for name in columns))

    wanted = list(rows(pq.read_table(tmp_path / "market-families.parquet").to_pylist()))
    with market.client() as client:
        frame = client.market_summaries(begin, "2025-07-31", every="month", universe=universe)
    got = list(rows(frame.to_pylist()))
    assert len({row[0] for row in wanted}) == (120 if universe == "then" else 11)
    assert got == wanted


def test_days_of_the_market_are_those_of_the_raw_json(demo: Server, client: Client) -> None:
    frame = client.market_summaries("2025-05-25", "2025-08-20")
    wanted = {}
    for begin, end in (("2025-05-25", "2025-06-20"), ("2025-06-21", CUTOFF)):
        for day in demo.raw(f"/api/market-summaries?from_date={begin}&to_date={end}")["data"]:
            for family in day["families"]:
                for currency, said in family["byCurrency"].items():
                    wanted[day["meta"]["date"], family["family"], currency] = (said["patrimony"], said["seriesCount"])
    got = {
        (str(row["date"]), row["family"], row["currency"]): (row["equity"], row["series"]) for row in frame.to_pylist()
    }
    assert got.keys() == wanted.keys()
    assert len({day for day, _, _ in got}) > 50
    for key, (equity, series) in got.items():
        assert math.isclose(equity, wanted[key][0] * 1e6, rel_tol=1e-12)
        assert series == wanted[key][1]


def test_movers_are_those_of_the_raw_json(demo: Server, client: Client) -> None:
    said = demo.raw("/api/market-summary")
    frame = client.market_movers()
    got = [(row["list"], row["serieId"], row["monthlyChange"]) for row in frame.to_pylist()]
    assert got
    assert got == [
        (name, row["serieId"], row["monthlyChange"]) for name in said if name.startswith("top") for row in said[name]
    ]
    assert frame.units["patrimony"] == "millions of the currency"


def test_a_backtest_has_its_curve_and_the_dates_of_it(demo: Server, client: Client) -> None:
    done = client.backtest(
        {"name": "año", "from": datetime.date(2023, 6, 30), "to": "2025-06-30", "rebalance": "quarterly", "sort": "tac",
         "top": 2, "benchmark": "uf"}
    )  # fmt: skip
    curve = done.curve.to_pylist()
    assert done.reply["strategy"]["name"] == "año"
    assert (curve[0]["date"], curve[0]["value"]) == (datetime.date(2023, 6, 30), 100)
    assert [(str(row["date"]), row["value"]) for row in curve] == [
        (day["date"], day["value"]) for day in done.reply["curve"]
    ]
    assert done.curve.batch_id == demo.raw("/api/screener?limit=1")["meta"]["batch_id"]
    growth = curve[-1]["value"] / 100 - 1
    assert done.statistics["total_return"] == pytest.approx(growth, rel=1e-9)


def test_a_whole_table_is_the_same_over_sql(client: Client) -> None:
    whole = client.bulk_table("costs_monthly").to_pylist()
    asked = client.sql("SELECT * FROM costs_monthly").to_pylist()
    order = ("series_id", "month", "tac_kind")
    key = lambda row: tuple(row[name] for name in order)  # noqa: E731
    assert len(whole) > 1000
    assert sorted(whole, key=key) == sorted(asked, key=key)
