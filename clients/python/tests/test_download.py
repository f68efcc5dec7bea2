"""Files: a download goes on where it was cut, and only the file of the list gets the name."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import cuota
from conftest import Server
from faults import Passed, Proxy, change, cut


def ranges(proxy: Proxy, name: str) -> list[tuple[int, str | None]]:
    return [(seen.status, seen.headers.get("range")) for seen in proxy.requests if seen.path.endswith(name)]


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
