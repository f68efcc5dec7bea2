"""Files: a download goes on where it was cut, and only the file of the list gets the name."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import cuota
from conftest import Server
from faults import Passed, Proxy, change, cut, refuse


def ranges(proxy: Proxy, name: str) -> list[tuple[int, str | None]]:
    return [(seen.status, seen.headers.get("range")) for seen in proxy.requests if seen.path.endswith(name)]


def test_a_cut_download_goes_on_where_it_ended(
    listed: cuota.BulkList, behind: cuota.Client, proxy: Proxy, tmp_path: Path
) -> None:
    file = listed["screener"].files[0]
    assert file.bytes > 100_000
    proxy.inject(file.address, cut(30_000))
    proxy.inject(file.address, cut(20_000))
    path = behind.download(file, tmp_path)
    assert path == tmp_path / "screener.parquet"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
    assert ranges(proxy, file.name) == [(200, None), (206, "bytes=30000-"), (206, "bytes=50000-")]
    assert pq.read_metadata(path).num_rows == file.rows == 2840
    assert [entry.name for entry in tmp_path.iterdir()] == ["screener.parquet"]


def test_another_process_goes_on_with_a_download(
    listed: cuota.BulkList, demo: Server, proxy: Proxy, tmp_path: Path
) -> None:
    once = cuota.Retry(attempts=1)
    file = listed["screener"].files[0]
    with demo.client(base_url=proxy.url, retry=once) as first:
        proxy.inject(file.address, cut(40_000))
        with pytest.raises(cuota.ConnectionFailed):
            first.download(file, tmp_path / "mine.parquet")
        assert not (tmp_path / "mine.parquet").exists()
    with demo.client(base_url=proxy.url, retry=once) as second:
        path = second.download(file, tmp_path / "mine.parquet")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
        assert ranges(proxy, file.name)[-1] == (206, "bytes=40000-")
        number = len(proxy.requests)
        second.download(file, tmp_path / "mine.parquet")
        assert len(proxy.requests) == number  # the file is there already
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.parquet"]


def test_a_file_with_another_hash_gets_no_name(
    listed: cuota.BulkList, behind: cuota.Client, proxy: Proxy, tmp_path: Path
) -> None:
    def edit(passed: Passed) -> None:
        passed.body = passed.body[:-1] + bytes([passed.body[-1] ^ 1])

    file = listed["screener"].files[0]
    proxy.inject(file.address, change(edit))
    with pytest.raises(cuota.ChecksumMismatch):
        behind.download(file, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert behind.download(file, tmp_path).exists()


def test_a_file_that_is_longer_than_stated_is_refused(
    listed: cuota.BulkList, behind: cuota.Client, proxy: Proxy, tmp_path: Path
) -> None:
    file = listed["screener"].files[0]

    def edit(passed: Passed) -> None:
        passed.body += b"x"

    proxy.inject(file.address, change(edit))
    with pytest.raises(cuota.ChecksumMismatch):
        behind.download(file, tmp_path)
    assert not (tmp_path / file.name).exists()


def test_the_list_is_waited_for_while_files_are_made(
    listed: cuota.BulkList, behind: cuota.Client, proxy: Proxy, waits: list[float]
) -> None:
    proxy.inject("/api/bulk", refuse(503, "files_being_made", Retry_After="5"), times=3)
    assert behind.bulk().tables
    assert waits[:3] == [5, 5, 5]
