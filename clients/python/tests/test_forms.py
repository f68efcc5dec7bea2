"""The form of answers: types, units, what a table states of itself, pandas, polars, and fields that are new."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cuota
from conftest import CUTOFF, Server
from cuota.document import notes_of_list
from faults import Passed, Proxy, change, change_json


def test_dates_and_numbers_have_types(client: cuota.Client) -> None:
    for frame in (client.returns(), client.screener(limit=5), client.screener(limit=5, fields=[])):
        for field in frame.table.schema:
            if field.name.endswith("date") or field.name == "effective_end":
                assert field.type == pa.date32(), field
            if frame.units.get(field.name) in ("fraction", "percentage points", "full pesos"):
                assert field.type == pa.float64(), field
    assert client.returns(from_="2025-01-01", to=CUTOFF).table.schema.field("value").type == pa.float64()


def test_every_frame_names_its_batch_and_date(demo: Server, client: cuota.Client) -> None:
    meta = demo.raw("/api/screener?limit=1")["meta"]
    frames = [
        client.returns(),
        client.series(limit=3),
        client.days(run="9809", from_date="2025-06-01", to_date=CUTOFF),
        client.market_summary(),
        client.bulk_table("calendar"),
        client.screener(limit=2, fields=["tac"]),
        client.compare([1161378270]),
        *client.screens([{"limit": 1}]),
    ]
    for frame in frames:
        assert frame.table.schema.metadata[b"cuota.batch_id"].decode() == meta["batch_id"]
        assert frame.table.schema.metadata[b"cuota.as_of_date"].decode() == meta["as_of_date"] == CUTOFF
        assert (frame.batch_id, frame.as_of_date) == client.batch()


def test_units_are_words_of_the_document(demo: Server, client: cuota.Client) -> None:
    document = json.dumps(demo.raw("/openapi.json"), ensure_ascii=False).lower()
    listed = json.dumps(demo.raw("/api/bulk"), ensure_ascii=False).lower()
    screened, summary = client.screener(limit=1), client.market_summary()
    assert screened.units["tac"] == screened.units["return_1y"] == screened.units["volatility_36m"] == "fraction"
    assert screened.units["equity"] == "full units of currency"
    assert screened.units["equity_clp"] == summary.units["equity_clp"] == "full pesos"
    assert client.screener(limit=1, fields=[]).units["patrimony"] == "millions of the currency"
    assert client.screener(limit=1, fields=[]).units["dailyChange"] == "percentage points"
    assert "run" not in screened.units
    for frame, source in ((screened, document), (summary, document), (client.bulk_table("calendar"), listed)):
        assert frame.meanings
        for column, meaning in frame.meanings.items():
            # A list names "return_W" for each window W.
            assert meaning.lower() in source or column.split("_", 1)[1] in meaning
            if column in frame.units:
                assert frame.units[column] in meaning.lower()


def test_a_list_of_columns_is_read_as_it_is_written() -> None:
    listed = (
        "One row. Columns: quota (in currency; of funds (both) the book value), a and b (per year, fractions), date, "
        "return_W, reason_W (why return_W is null) for each window W of 1m, 3y_ann: price returns, fractions, risk, "
        "start_W: the quote with which return_W begins"
    )
    columns = ["quota", "a", "b", "date", "return_3y_ann", "reason_1m", "start_1m", "risk", "new"]
    notes = notes_of_list(listed, columns)
    assert {name: note.meaning for name, note in notes.items()} == {
        "quota": "in currency; of funds (both) the book value",
        "a": "per year, fractions",
        "b": "per year, fractions",
        "return_3y_ann": "price returns, fractions",
        "reason_1m": "why return_1m is null",
        "start_1m": "the quote with which return_1m begins",
    }
    assert notes["b"].unit == notes["return_3y_ann"].unit == "fraction"


def test_pandas_and_polars_have_the_same_rows(client: cuota.Client) -> None:
    frame = client.screener(q="focus")
    rows = frame.to_pylist()
    in_pandas, in_polars = frame.to_pandas(), frame.to_polars()
    assert isinstance(in_pandas, pd.DataFrame)
    assert isinstance(in_polars, pl.DataFrame)
    assert in_polars.to_dicts() == rows
    assert in_pandas["fund"].tolist() == [row["fund"] for row in rows]
    assert in_pandas["quota_date"].tolist() == [row["quota_date"] for row in rows]
    assert in_pandas.attrs["units"]["tac"] == "fraction"
    assert in_pandas.attrs["batch_id"] == frame.batch_id
    assert in_pandas.attrs["as_of_date"] == CUTOFF
    assert pa.table(frame).equals(frame.table)
    assert frame.to_pandas(date_as_object=False)["quota_date"].dtype.kind == "M"


def test_an_empty_answer_has_the_columns_of_a_full_one(client: cuota.Client) -> None:
    empty, full = client.screener(q="no such fund"), client.screener(limit=2)
    assert len(empty) == 0
    assert empty.table.schema.equals(full.table.schema)
    assert len(client.days(manager=1, from_date="2025-01-01", to_date="2025-01-31")) == 0
    assert len(client.days(manager=1)) == 0
    no_pages = client.screener(q="no such fund", fields=[])
    assert len(no_pages) == 0
    assert "returns.periods.1y.value" in no_pages.column_names
    assert len(client.market_summaries("2025-07-01", CUTOFF, every="month", universe="current")) == 0
    assert len(client.market_summaries("1990-01-01", "1990-12-31", every="month")) == 0


def test_new_fields_are_kept(behind: cuota.Client, proxy: Proxy) -> None:
    def edit(said: dict) -> None:
        said["news"] = 1
        said["meta"]["new_meta"] = "ñ"
        for number, item in enumerate(said["data"]):
            item["attributes"] |= {
                "new": number + 0.5,
                "deep": {"new": "ñ", "list": [1, {"a": None}]},
                "sometimes": None,
            }
        said["data"][1]["attributes"]["sometimes"] = 7
        said["data"][1]["attributes"]["tac"] = "now a text"

    proxy.inject("/api/screener", change_json(edit))
    frame = behind.screener(limit=3, fields=[])
    rows = frame.to_pylist()
    assert [row["new"] for row in rows] == [0.5, 1.5, 2.5]
    assert [row["deep.new"] for row in rows] == ["ñ"] * 3
    assert json.loads(rows[0]["deep.list"]) == [1, {"a": None}]
    assert [row["sometimes"] for row in rows] == [None, 7, None]
    assert rows[1]["tac"] == '"now a text"'
    assert frame.meta["new_meta"] == "ñ"


def test_new_columns_of_a_table_are_kept(behind: cuota.Client, proxy: Proxy) -> None:
    def edit(passed: Passed) -> None:
        packed = passed.headers.pop("Content-Encoding", None)
        table = pa.ipc.open_stream(gzip.decompress(passed.body) if packed else passed.body).read_all()
        table = table.append_column("new", pa.array(["ñ"] * len(table)))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        passed.body = sink.getvalue().to_pybytes()

    proxy.inject("/api/series", change(edit))
    frame = behind.series(limit=2)
    assert frame.table.column("new").to_pylist() == ["ñ", "ñ"]
    assert frame.batch_id


def test_new_fields_of_the_list_of_files_are_no_error(
    listed: cuota.BulkList, behind: cuota.Client, proxy: Proxy
) -> None:
    def edit(said: dict) -> None:
        said["data"][0]["new"] = said["data"][0]["files"][0]["new"] = said["meta"]["new"] = 1

    proxy.inject("/api/bulk", change_json(edit))
    assert behind.bulk().tables[0].files


@pytest.mark.parametrize(
    "asked",
    [
        lambda c: c.days(),
        lambda c: c.days(manager="focus", run="9809"),
        lambda c: c.days(manager="no such manager"),
        lambda c: c.days(manager="administradora"),
        lambda c: c.market_summaries("2025-01-01", "2025-02-01", every="year"),
        lambda c: c.bulk()["no such table"],
        lambda c: c.get("/api/real_assets/{asset_id}", {"asset_id": ".."}),
        lambda c: c.get("/api/real_assets/{asset_id}"),
    ],
)
def test_a_question_that_cannot_be_meant_is_refused(client: cuota.Client, asked) -> None:
    with pytest.raises((ValueError, KeyError)):
        asked(client)
