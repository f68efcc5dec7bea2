"""Replies on disk: an unchanged one is neither sent nor counted again, and the directory stays within its bound."""

from __future__ import annotations

from pathlib import Path

import cuota
from conftest import Server
from faults import Proxy


def size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def test_an_unchanged_reply_is_not_counted_again(demo: Server, proxy: Proxy, tmp_path: Path) -> None:
    with demo.client(base_url=proxy.url, cache_dir=tmp_path) as client:
        first = client.screener(q="focus")
        counted = demo.counted()
        assert client.quota.used == 1
        again = client.screener(q="focus")
        assert demo.counted() == counted
        assert client.quota.used == 1
    # Another process, later.
    with demo.client(base_url=proxy.url, cache_dir=tmp_path) as client:
        later = client.screener(q="focus")
        assert (demo.counted(), client.quota.used) == (counted, 0)
        pages = client.screener(fields=["tac"], currency="DOLAR")
        spent = client.quota.used
        assert spent > 2
        assert client.screener(fields=["tac"], currency="DOLAR").table.equals(pages.table)
        assert client.quota.used == spent
    statuses = [seen.status for seen in proxy.requests if seen.path.startswith("/api/screener?q=")]
    assert statuses == [200, 304, 304]
    assert [seen.status for seen in proxy.requests if seen.path == "/openapi.json"] == [200, 304]
    assert first.table.equals(again.table)
    assert first.table.equals(later.table)
    assert later.batch_id == first.batch_id


def test_the_cache_stays_within_its_bound(demo: Server, tmp_path: Path) -> None:
    bound = 120_000
    with demo.client(cache_dir=tmp_path, cache_bytes=bound) as client:
        for offset in range(8):
            client.screener(fields=[], limit=10, offset=10 * offset)
            assert size(tmp_path) <= bound
        names = {path.name for path in tmp_path.iterdir()}
        assert names
        # The newest is kept, the oldest is not.
        client.screener(fields=[], limit=10, offset=70)
        assert client.quota.used == 8
        client.screener(fields=[], limit=10, offset=0)
        assert client.quota.used == 9


def test_a_damaged_entry_is_read_anew(demo: Server, tmp_path: Path) -> None:
    with demo.client(cache_dir=tmp_path) as client:
        whole = client.series(limit=20)
        for path in tmp_path.iterdir():
            path.write_bytes(path.read_bytes()[:-5])
        assert client.series(limit=20).table.equals(whole.table)
        for path in tmp_path.iterdir():
            path.write_bytes(b"{}\nx")
        assert client.series(limit=20).table.equals(whole.table)


def test_keys_share_nothing_and_are_not_on_disk(demo: Server, tmp_path: Path) -> None:
    other = demo.run("key", "create", "--email", "cache@example.org").strip().splitlines()[-1].split()[-1]
    assert other != demo.key
    with demo.client(cache_dir=tmp_path) as one, demo.client(cache_dir=tmp_path, api_key=other) as two:
        one.series(limit=1)
        two.series(limit=1)
        assert (one.quota.used, two.quota.used) == (1, 1)
    stored = b"".join(path.name.encode() + path.read_bytes() for path in tmp_path.iterdir())
    assert stored
    assert demo.key.encode() not in stored
    assert other.encode() not in stored


def test_without_a_directory_nothing_is_kept(client: cuota.Client) -> None:
    client.series(limit=1)
    client.series(limit=1)
    assert client.quota.used == 2
