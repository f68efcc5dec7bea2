"""The key is sent in its header, and is seen nowhere else."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest

import cuota
from conftest import Server
from faults import Proxy, refuse


def test_the_key_is_in_the_header_alone(
    demo: Server,
    behind: cuota.Client,
    proxy: Proxy,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    proxy.inject("/api/series", refuse(503, "overloaded", Retry_After="1"))
    frame = behind.series(limit=1)
    assert all(seen.headers["x-api-key"] == demo.key for seen in proxy.requests)
    assert not any(demo.key in seen.path for seen in proxy.requests)
    shown = [repr(behind), repr(vars(behind)), repr(vars(behind._transport)), repr(behind._transport._http.headers)]
    shown += [repr(frame), repr(frame.table.schema), repr(behind.quota), caplog.text, *capfd.readouterr()]
    assert "overloaded" in caplog.text
    assert not [text for text in shown if demo.key in text]


def test_a_key_with_a_line_break_is_refused_and_not_shown(demo: Server) -> None:
    wrong = demo.key[:-4] + "abcd\n"
    with pytest.raises(ValueError, match="line breaks") as refused:
        demo.client(api_key=wrong)
    assert wrong.strip() not in "".join(traceback.format_exception(refused.value, chain=True)[-1:])


def test_a_failed_connection_does_not_show_the_key(demo: Server) -> None:
    with (
        demo.client(base_url="http://127.0.0.1:9", retry=cuota.Retry(attempts=1)) as client,
        pytest.raises(cuota.ConnectionFailed) as caught,
    ):
        client.series()
    assert demo.key not in "".join(traceback.format_exception(caught.value))


def test_the_environment_names_server_and_key(demo: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUOTA_URL", demo.url + "/")
    monkeypatch.setenv("CUOTA_API_KEY", demo.key)
    monkeypatch.setenv("CUOTA_SQL_URL", demo.sql_url)
    with cuota.Client() as client:
        assert len(client.series(limit=1)) == 1
        assert client.sql("SELECT 1 AS one").to_pylist() == [{"one": 1}]
    for name in ("CUOTA_URL", "CUOTA_SQL_URL"):
        monkeypatch.delenv(name)
    with pytest.raises(ValueError, match="CUOTA_URL"):
        cuota.Client()
    with cuota.Client(demo.url) as client, pytest.raises(ValueError, match="CUOTA_SQL_URL"):
        client.sql("SELECT 1")


def test_sql_is_asked_without_the_key(demo: Server, tmp_path: Path) -> None:
    with Proxy(demo.sql_url) as door, demo.client(sql_url=door.url) as client:
        client.sql("SELECT 1")
        assert "x-api-key" not in door.requests[0].headers
