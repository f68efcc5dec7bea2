"""What a healthy server does not show: refusals, cuts, and batches that go, each injected into real traffic."""

from __future__ import annotations

import email.utils
import time

import pytest

import cuota
from conftest import Server
from faults import Passed, Proxy, change, cut, drop, refuse


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_is_waited_for_as_long_as_it_says(
    demo: Server, behind: cuota.Client, proxy: Proxy, waits: list[float], status: int
) -> None:
    proxy.inject("/api/series", refuse(status, "too_many_requests", Retry_After="7"), times=2)
    frame = behind.series(limit=3)
    assert waits == [7, 7]
    with demo.client() as direct:
        assert frame.to_pylist() == direct.series(limit=3).to_pylist()


def test_a_date_in_retry_after_is_waited_for(behind: cuota.Client, proxy: Proxy, waits: list[float]) -> None:
    when = email.utils.formatdate(time.time() + 60, usegmt=True)
    proxy.inject("/api/series", refuse(503, "starting", Retry_After=when))
    behind.series(limit=1)
    assert len(waits) == 1
    assert 30 < waits[0] <= 60


def test_waiting_ends_with_the_attempts(demo: Server, proxy: Proxy, waits: list[float]) -> None:
    proxy.inject("/api/series", refuse(503, "overloaded", Retry_After="1"), times=100)
    with (
        demo.client(base_url=proxy.url, retry=cuota.Retry(attempts=4, sleep=waits.append)) as client,
        pytest.raises(cuota.Unavailable) as caught,
    ):
        client.series(limit=1)
    assert waits == [1, 1, 1]
    assert len(proxy.requests) == 4
    assert (caught.value.status, caught.value.code, caught.value.retry_after) == (503, "overloaded", 1)
    assert "An injected refusal." in str(caught.value)
    assert "INJECTED" in str(caught.value)


def test_waiting_ends_with_the_time(behind: cuota.Client, proxy: Proxy, waits: list[float]) -> None:
    proxy.inject("/api/series", refuse(429, "too_many_requests", Retry_After="50"), times=100)
    with pytest.raises(cuota.RateLimited):
        behind.series(limit=1)
    assert waits == [50, 50]  # of 120 seconds


def test_an_exhausted_quota_is_raised_at_once(behind: cuota.Client, proxy: Proxy, waits: list[float]) -> None:
    proxy.inject("/api/series", refuse(429, "quota_exhausted", Retry_After="30000"))
    with pytest.raises(cuota.QuotaExhausted) as caught:
        behind.series(limit=1)
    assert waits == []
    assert caught.value.retry_after == 30000


def test_a_503_that_names_no_time_is_not_repeated(behind: cuota.Client, proxy: Proxy, waits: list[float]) -> None:
    proxy.inject("/api/backtests", refuse(503, "backtest_too_long"))
    with pytest.raises(cuota.Unavailable):
        behind.backtest({"from": "2024-01-01", "to": "2025-01-01", "sort": "tac", "top": 1})
    assert waits == []


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


def test_pages_begin_again_once_when_their_batch_goes(demo: Server, behind: cuota.Client, proxy: Proxy) -> None:
    proxy.inject("/api/screener", refuse(410, "batch_gone"), skip=2)
    frame = behind.screener(fields=["tac"], currency="DOLAR")
    pages = [seen for seen in proxy.requests if seen.path.startswith("/api/screener")]
    assert len(frame) == demo.raw("/api/screener?currency=DOLAR&limit=1")["meta"]["total"] > 400
    assert [seen.status for seen in pages] == [200, 200, 410] + [200] * (len(pages) - 3)
    assert "batch_id" not in pages[0].path
    assert "batch_id" in pages[1].path
    assert "batch_id" not in pages[3].path
    assert len(set(frame.table.column("id").to_pylist())) == len(frame)


def test_a_batch_that_goes_twice_is_an_error(behind: cuota.Client, proxy: Proxy) -> None:
    proxy.inject("/api/days", refuse(410, "batch_gone"), skip=1, times=1)
    proxy.inject("/api/days", refuse(410, "batch_gone"), skip=1, times=1)
    with pytest.raises(cuota.BatchGone):
        behind.days(run="9809", from_date="2022-01-01", to_date="2025-01-01")
    assert [seen.status for seen in proxy.requests].count(410) == 2


def test_a_batch_that_the_caller_names_is_not_replaced(behind: cuota.Client, proxy: Proxy) -> None:
    current = behind.batch().id
    with pytest.raises(cuota.BatchGone) as caught:
        behind.screener(batch_id="20200101-1-000000000000", fields=["tac"])
    assert caught.value.current_batch_id == current
    assert caught.value.code == "batch_gone"
    assert len([seen for seen in proxy.requests if seen.path.startswith("/api/screener")]) == 1
    assert behind.screener(batch_id=current, limit=1).batch_id == current


def test_what_the_api_says_of_a_mistake_is_in_the_error(client: cuota.Client) -> None:
    with pytest.raises(cuota.InvalidRequest) as caught:
        client.screener(limit=1000, sort="1y")
    assert {problem["loc"][-1] for problem in caught.value.problems} >= {"limit"}
    assert "limit" in str(caught.value)
    with pytest.raises(cuota.NotFound) as missing:
        client.compare([1])
    assert missing.value.code == "not_found"
    assert missing.value.request_id in str(missing.value)
    with pytest.raises(cuota.SqlError, match="UNKNOWN_TABLE") as refused:
        client.sql("SELECT * FROM no_such_table")
    assert refused.value.code == 60
    with pytest.raises(cuota.SqlError, match="FORMAT"):
        client.sql("SELECT 1 FORMAT JSON")
    with pytest.raises(cuota.SqlError):
        client.sql("INSERT INTO screener VALUES (1)")


def test_an_answer_that_is_not_the_apis_is_shown(behind: cuota.Client, proxy: Proxy) -> None:
    page = b"<html>Bad gateway: ma\xc3\xb1ana</html>"
    proxy.inject("/api/series", lambda forward: Passed(502, {"Content-Length": str(len(page))}, page))
    with pytest.raises(cuota.ServerError, match="mañana") as caught:
        behind.series()
    assert (caught.value.status, caught.value.code) == (502, None)
