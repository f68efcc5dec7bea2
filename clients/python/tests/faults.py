"""A proxy in front of a real server that injects one fault at a time, which a healthy server does not show."""

from __future__ import annotations

import gzip
import http.client
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Passed:
    """A reply of the real server on its way."""

    status: int
    headers: dict[str, str]
    body: bytes
    send: int | None = None  # number of bytes after which the connection is cut
    drop: bool = False  # cut before anything is sent


Fault = Callable[[Callable[[], Passed]], Passed]


@dataclass
class Seen:
    """A request that the proxy has passed on or answered."""

    method: str
    path: str
    headers: Mapping[str, str]
    status: int


@dataclass
class _Planned:
    path: str
    fault: Fault
    skip: int
    times: int


@dataclass
class Proxy:
    """Use it with with. inject plans a fault; requests has what came."""

    upstream: str
    requests: list[Seen] = field(default_factory=list)
    _planned: list[_Planned] = field(default_factory=list)
    _lock: Any = field(default_factory=Lock)

    def inject(self, path: str, fault: Fault, *, skip: int = 0, times: int = 1) -> None:
        """Apply a fault to requests whose address begins with path, after the first ones, and so many times."""
        self._planned.append(_Planned(path, fault, skip, times))

    def fault_of(self, path: str) -> Fault | None:
        with self._lock:
            for planned in self._planned:
                if not path.startswith(planned.path) or planned.times == 0:
                    continue
                if planned.skip:
                    planned.skip -= 1
                    continue
                planned.times -= 1
                return planned.fault
        return None

    def __enter__(self) -> Proxy:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy._answer(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        content = handler.rfile.read(length)

        headers = {k: v for k, v in handler.headers.items() if k.lower() not in ("host", "connection")}

        def forward() -> Passed:
            while True:
                connection = http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=120)
                connection.request(handler.command, handler.path, content or None, headers)
                response = connection.getresponse()
                body = response.read()
                connection.close()
                if response.status != 429:
                    break
                # Many tests ask from one address. Only an injected 429 reaches a client.
                time.sleep(float(response.headers["Retry-After"]))
            kept = {k: v for k, v in response.getheaders() if k.lower() not in ("transfer-encoding", "connection")}
            return Passed(response.status, kept | {"Content-Length": str(len(body))}, body)

        fault = self.fault_of(handler.path)
        passed = fault(forward) if fault else forward()
        seen = {k.lower(): v for k, v in handler.headers.items()}
        self.requests.append(Seen(handler.command, handler.path, seen, passed.status))
        if passed.drop:
            handler.close_connection = True
            return
        handler.send_response_only(passed.status)
        for name, value in passed.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(passed.body[: passed.send])
        if passed.send is not None:
            handler.close_connection = True


def refuse(status: int, code: str, **headers: str) -> Fault:
    """Answer as the API refuses, with headers such as Retry_After."""
    body = json.dumps({"detail": "An injected refusal.", "code": code, "request_id": "INJECTED"}).encode()
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    said |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return lambda forward: Passed(status, said, body)


def drop() -> Fault:
    """Close the connection without an answer."""
    return lambda forward: Passed(0, {}, b"", drop=True)


def cut(after: int) -> Fault:
    """Pass so many bytes of the body on, then close the connection."""

    def fault(forward: Callable[[], Passed]) -> Passed:
        passed = forward()
        assert after < len(passed.body), "nothing would be cut"
        passed.send = after
        return passed

    return fault


def change(edit: Callable[[Passed], None]) -> Fault:
    """Change a reply on its way. Its length is stated anew."""

    def fault(forward: Callable[[], Passed]) -> Passed:
        passed = forward()
        edit(passed)
        passed.headers["Content-Length"] = str(len(passed.body))
        return passed

    return fault


def change_json(edit: Callable[[Any], None]) -> Fault:
    """Change the JSON of a reply on its way."""

    def fault(passed: Passed) -> None:
        packed = passed.headers.pop("Content-Encoding", None)
        body = gzip.decompress(passed.body) if packed else passed.body
        said = json.loads(body)
        edit(said)
        passed.body = json.dumps(said).encode()

    return change(fault)
