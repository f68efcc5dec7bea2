"""A batch that is published while a client reads, and a local copy that follows it.

These tests have a server of their own, because they change what it publishes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cuota
from conftest import REPOSITORY, Server
from cuota.bulk import BulkFile, BulkList, BulkTable
from cuota.replica import Change, Replica
from faults import Proxy, cut, drop, refuse

LATER = REPOSITORY / "testdata" / "later" / "cartola" / "cartola_9809_9810_20250721_20250831.txt"


class Story:
    """A server with the demo, which publishes a second batch when it is told to."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.first = server.client().batch().id
        self.second: str | None = None

    def publish(self) -> None:
        self.server.run("ingest", "cartola", str(LATER), "--wait")
        self.second = self.server.client().batch().id


def rows_of(directory: Path, table: str) -> list[str]:
    rows = []
    for path in (directory / table).glob("*.parquet"):
        rows += [json.dumps(row, default=str, sort_keys=True) for row in pq.read_table(path).to_pylist()]
    return sorted(rows)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    server = Server(tmp_path_factory.mktemp("story"))
    yield Story(server)
    server.stop()


# The tests of one server stand in the order of its story.


@pytest.fixture(scope="module")
def copies(story: Story, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Copies of the first batch: one that will follow, and others that will be in the way of faults."""
    directory = tmp_path_factory.mktemp("copies")
    paths = [directory / name for name in ("follows", "interrupted", "cut", "gone")]
    assert story.second is None
    with story.server.client() as client:
        done = client.sync(paths[0])
    assert (done.batch_id, done.previous_batch_id) == (story.first, None)
    assert done.downloaded_files > 30
    for path in paths[1:]:
        shutil.copytree(paths[0], path)
    return paths


@pytest.fixture(scope="module")
def second(story: Story, copies: list[Path]) -> str:
    """The second batch, which is published once the copies of the first are made."""
    story.publish()
    assert story.second not in (None, story.first)
    return str(story.second)


def test_a_copy_follows_by_the_rows_that_differ(story: Story, second: str, copies: list[Path], tmp_path: Path) -> None:
    with story.server.client() as client:
        client.sync(tmp_path)  # all from the files of the second batch
        listed = client.bulk()
        used = client.quota.used
        done = client.sync(copies[0])
        assert (done.batch_id, done.previous_batch_id) == (story.second, story.first)
        assert done.changed_rows > 300
        # The tables that changed came as rows. A table whose first rows these are comes as a file.
        assert done.downloaded_files <= 3
        assert client.quota.used - used <= 2 + done.downloaded_files
        for table in listed.tables:
            assert rows_of(copies[0], table.name) == rows_of(tmp_path, table.name), table.name
            for path in (tmp_path / table.name).glob("*.parquet"):
                assert pq.read_schema(copies[0] / table.name / path.name).equals(pq.read_schema(path))
        assert client.sync(copies[0]).changed_rows == 0


def test_an_interrupted_copy_compares_its_files(story: Story, second: str, copies: list[Path]) -> None:
    with Proxy(story.server.url) as proxy:
        once = cuota.Retry(attempts=1)
        with story.server.client(base_url=proxy.url, retry=once) as client:
            proxy.inject("/api/changes", drop(), times=100)
            proxy.inject("/api/bulk/", drop(), skip=3, times=100)
            with pytest.raises(cuota.ConnectionFailed):
                client.sync(copies[1])
        assert json.loads((copies[1] / "copy.json").read_text())["updating"] is True
    with story.server.client() as client:
        done = client.sync(copies[1])
        assert done.changed_rows == 0
        for table in ("daily", "screener", "series"):
            assert rows_of(copies[1], table) == rows_of(copies[0], table)


def test_a_feed_that_is_cut_is_read_table_by_table(story: Story, second: str, copies: list[Path]) -> None:
    with Proxy(story.server.url) as proxy:
        once = cuota.Retry(attempts=1)
        with story.server.client(base_url=proxy.url, retry=once) as client:
            proxy.inject("/api/changes", cut(3000))
            done = client.sync(copies[2], ["daily", "screener"])
        feeds = [seen.path for seen in proxy.requests if seen.path.startswith("/api/changes")]
    assert len(feeds) == 3
    assert done.changed_rows > 100
    for table in ("daily", "screener"):
        assert rows_of(copies[2], table) == rows_of(copies[0], table)


def test_a_copy_of_a_batch_that_is_gone_comes_from_files(story: Story, second: str, copies: list[Path]) -> None:
    with Proxy(story.server.url) as proxy, story.server.client(base_url=proxy.url) as client:
        proxy.inject("/api/changes", refuse(410, "other_rules"))
        done = client.sync(copies[3])
    assert (done.batch_id, done.changed_rows) == (story.second, 0)
    assert done.downloaded_files > 5
    for table in ("daily", "returns_daily", "screener", "calendar"):
        assert rows_of(copies[3], table) == rows_of(copies[0], table)


def test_changes_are_the_rows_that_differ(story: Story, second: str) -> None:
    with story.server.client() as client:
        changed = list(client.changes(story.first, tables=["daily"]))
        new = client.sql("SELECT count() AS n FROM daily WHERE date > '2025-07-20'").to_pylist()[0]["n"]
        added = [one for one in changed if one.was is None and one.key["date"] > "2025-07-20"]
        assert len(added) == new > 100
        assert all(one.row and one.row["quota"] is not None for one in added[:5])
        with pytest.raises(cuota.BatchGone):
            next(client.changes("20200101-1-000000000000"))


def test_month_ends_are_of_one_batch(story: Story, second: str) -> None:
    with story.server.client() as client:
        frame = client.market_summaries("2025-01-01", "2025-12-31", every="month")
        assert frame.batch_id == story.second


def test_rows_that_went_are_deleted_and_others_stay(tmp_path: Path) -> None:
    """Most publications add rows, so a feed with each kind of change is written here."""
    columns = ({"name": "key", "type": "String"}, {"name": "date", "type": "Date"}, {"name": "n", "type": "UInt64"})

    def table(rows: int) -> BulkList:
        files = (BulkFile("things", "/things_2024.parquet", 2024, rows, 1, "0" * 64),)
        return BulkList(f"batch{rows}", "", (BulkTable("things", "Key: key, date.", columns, files),))

    schema = pa.schema([("key", pa.string()), ("date", pa.date32()), ("n", pa.uint64())])
    days = pa.array(["2024-01-01", "2024-01-02"]).cast(pa.date32())

    def fetch(file: BulkFile, path: Path) -> Path:
        pq.write_table(pa.table([["ñ", "ñ"], days, [1, 2]], schema=schema), path)
        return path

    def change(day: str, row: dict[str, Any] | None) -> Change:
        return Change("things", {"key": "ñ", "date": day}, None, row)

    def changes(since: str, batch: str, names: list[str]) -> Iterator[Change]:
        assert (since, names) == ("batch2", ["things"])
        yield change("2024-01-01", None)
        yield change("2024-01-02", {"key": "ñ", "date": "2024-01-02", "n": "18446744073709551615"})
        yield change("2024-01-03", {"key": "ñ", "date": "2024-01-03", "n": 3})
        yield change("2024-01-04", {"key": "ñ", "date": "2024-01-04", "n": 4})

    replica = Replica(tmp_path, fetch, changes)
    replica.update(table(2), None)
    done = replica.update(table(3), None)
    assert (done.changed_rows, done.downloaded_files) == (4, 0)
    result = pq.read_table(tmp_path / "things" / "2024.parquet")
    assert result.schema.equals(schema)
    assert [(row["date"].day, row["n"]) for row in result.to_pylist()] == [(2, 18446744073709551615), (3, 3), (4, 4)]


def test_a_copy_that_does_not_become_the_list_comes_from_files(tmp_path: Path) -> None:
    columns = ({"name": "key", "type": "UInt32"},)

    def table(rows: int) -> BulkList:
        files = (BulkFile("things", "/things.parquet", None, rows, 1, "0" * 64),)
        return BulkList(f"batch{rows}", "", (BulkTable("things", "Key: key.", columns, files),))

    fetched = []

    def fetch(file: BulkFile, path: Path) -> Path:
        fetched.append(file.rows)
        pq.write_table(pa.table({"key": pa.array(range(file.rows), pa.uint32())}), path)
        return path

    replica = Replica(
        tmp_path, fetch, lambda since, batch, names: iter([Change("things", {"key": 7}, None, {"key": 7})])
    )
    replica.update(table(2), None)
    replica.update(table(9), None)  # the feed gives one row of seven
    assert fetched == [2, 9]
    assert pq.read_metadata(tmp_path / "things" / "all.parquet").num_rows == 9
