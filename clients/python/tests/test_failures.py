"""What a healthy server does not show, each injected into real traffic.

What every client must do then is in clients/conformance.
"""

from __future__ import annotations

import pytest

import cuota
from faults import Passed, Proxy, change, cut, drop, refuse


def test_waiting_ends_with_the_time(behind: cuota.Client, proxy: Proxy, waits: list[float]) -> None:
    proxy.inject("/api/series", refuse(429, "too_many_requests", Retry_After="50"), times=100)
    with pytest.raises(cuota.RateLimited):
        behind.series(limit=1)
    assert waits == [50, 50]  # of 120 seconds


def test_a_connection_that_is_cut_is_tried_again(behind: cuota.Client, proxy: Proxy, waits: list[float]) -> None:
    proxy.inject("/api/screener", drop(), times=2)
    proxy.inject("/api/screener", cut(2000))
    frame = behind.screener(q="focus")
    assert len(frame) > 5
    assert len(waits) == 3
    assert waits == sorted(waits)


def test_a_server_that_is_not_there_is_named(waits: list[float]) -> None:
    with (
        cuota.Client("http://127.0.0.1:9", "key", retry=cuota.Retry(attempts=3, sleep=waits.append)) as client,
        pytest.raises(cuota.ConnectionFailed, match="after 3 attempts"),
    ):
        client.batch()
    assert len(waits) == 2


def test_a_table_with_fewer_rows_than_stated_is_refused(behind: cuota.Client, proxy: Proxy) -> None:
    def edit(passed: Passed) -> None:
        passed.headers["X-Total-Count"] = str(int(passed.headers["X-Total-Count"]) + 1)

    proxy.inject("/api/series", change(edit))
    with pytest.raises(cuota.IncompleteReply):
        behind.series()


def test_a_batch_that_goes_twice_is_an_error(behind: cuota.Client, proxy: Proxy) -> None:
    proxy.inject("/api/days", refuse(410, "batch_gone"), skip=1, times=1)
    proxy.inject("/api/days", refuse(410, "batch_gone"), skip=1, times=1)
    with pytest.raises(cuota.BatchGone):
        behind.days(run="9809", from_date="2022-01-01", to_date="2025-01-01")
    assert [seen.status for seen in proxy.requests].count(410) == 2


def test_what_clickhouse_says_of_a_mistake_is_in_the_error(client: cuota.Client) -> None:
    with pytest.raises(cuota.SqlError, match="UNKNOWN_TABLE") as refused:
        client.sql("SELECT * FROM no_such_table")
    assert refused.value.code == 60
    with pytest.raises(cuota.SqlError, match="FORMAT"):
        client.sql("SELECT 1 FORMAT JSON")
    with pytest.raises(cuota.SqlError):
        client.sql("INSERT INTO screener VALUES (1)")
