"""The tasks of the README, as they are written there, and what they cost."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest

import cuota
from conftest import CUTOFF, REPOSITORY, Server

README = Path(__file__).resolve().parents[1] / "README.md"


def tasks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def run_tasks(server: Server, monkeypatch: pytest.MonkeyPatch, manager: str) -> tuple[dict[str, Any], int]:
    """Run the three tasks with one client each, and return their variables and the requests that these counted."""
    monkeypatch.setenv("CUOTA_URL", server.url)
    monkeypatch.setenv("CUOTA_API_KEY", server.key)
    names: dict[str, Any] = {"cuota": cuota}
    used = 0
    for task in tasks():
        assert len(task.strip().splitlines()) == 3
        exec(task.replace("SoyFocus", manager), names)
        used += names["client"].quota.used
        names["client"].close()
    return names, used


def test_the_three_tasks_take_ten_requests(demo: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with demo.client() as client:
        client.bulk()  # the files of the first minute
    before = demo.counted()
    names, used = run_tasks(demo, monkeypatch, "SoyFocus")
    assert used == demo.counted() - before <= 10
    assert len(names["year"]) == 2840
    assert names["year"]["return_1y"].notna().sum() >= 5
    assert names["returns"].units["return_1y"] == "fraction"
    assert len(names["wide"]) == 1826  # five years
    assert {"9809-4", "9810-8"} <= set(names["wide"].columns.get_level_values("run"))
    assert names["summaries"].as_of_date == CUTOFF


def test_the_code_of_the_guide_takes_ten_requests(
    demo: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = REPOSITORY / "internal/site/docspages/reference/guides/clientes.es.md"
    (code,) = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    with demo.client() as client:
        client.bulk()  # the files of the first minute
    monkeypatch.setenv("CUOTA_API_KEY", demo.key)
    before = demo.counted()
    names: dict[str, Any] = {}
    exec(code.replace("{base}", demo.url), names)
    assert demo.counted() - before == 10
    assert "requests: 10" in capsys.readouterr().out
    assert len(names["year"]) == 2840
    names["client"].close()


def test_there_are_120_month_ends_in_ten_years(market: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with market.client() as client:
        client.bulk()
        manager = client.series(limit=1).to_pylist()[0]["manager"]
    before = market.counted()
    names, used = run_tasks(market, monkeypatch, manager)
    assert used == market.counted() - before <= 10
    ends = list(names["equity"].index)
    assert len(ends) == 120
    assert all((day + datetime.timedelta(days=1)).day == 1 for day in ends)
    assert (ends[0], ends[-1]) == (datetime.date(2015, 7, 31), datetime.date(2025, 6, 30))
    assert (names["equity"] > 0).all()
    assert len(names["wide"]) > 1500


def test_costs_are_those_that_the_server_counts(demo: Server) -> None:
    with demo.client() as client:
        known = client.series(limit=25, status="current", vehicle="mutual_fund")
        ids = known.table.column("series_id").to_pylist()
        strategy = {"name": "one", "from": "2024-06-30", "to": "2025-06-30", "sort": "tac", "top": 1}
        steps = [
            (lambda: client.compare(ids), 3),
            (lambda: client.returns(date=CUTOFF, series=ids), 3),
            (lambda: client.screens([{"limit": 1}] * 21), 3),
            (lambda: client.backtest(strategy), 10),
            (client.batch, 0),
            (client.key_info, 0),
            (lambda: client.sql("SELECT 1"), 0),
        ]
        for ask, cost in steps:
            before, used = demo.counted(), client.quota.used
            ask()
            assert (demo.counted() - before, client.quota.used - used) == (cost, cost)
        assert client.quota.remaining == client.quota.limit - demo.counted()
