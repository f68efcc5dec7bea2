"""Real servers for the tests: cuota up with the demo market, and with an invented market of ten years.

CUOTA_BINARY names the program; without it, it is bin/cuota of this repository (make build).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cuota
from faults import Proxy

# The repository; CUOTA_REPOSITORY names it where the package was copied away.
REPOSITORY = Path(os.environ.get("CUOTA_REPOSITORY", Path(__file__).resolve().parents[3]))
PATIENCE = 240.0

# The last day of both markets, and a manager of the demo with series that have years of history.
CUTOFF = "2025-07-20"
MANAGER = "SoyFocus"


def program() -> str:
    path = os.environ.get("CUOTA_BINARY") or str(REPOSITORY / "bin" / "cuota")
    if not Path(path).exists():
        pytest.skip(f"there is no {path}: run make build, or set CUOTA_BINARY")
    return path


class Server:
    """A cuota up on free ports."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.data = directory / "data"
        ports = ["--listen", "--clickhouse-listen", "--clickhouse-native-listen", "--kafka-listen"]
        listen = [word for flag in ports for word in (flag, "127.0.0.1:0")]
        self._output = directory / "output"
        with open(self._output, "wb") as output:
            self._process = subprocess.Popen(
                [program(), "up", "--data", str(self.data), "--admin", "none", *listen, *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        greeting = self._greeting()
        self.url = self._named(greeting, r"  API +(http://\S+)")
        self.sql_url = self._named(greeting, r"  ClickHouse +(http://\S+)")
        self.key = (self.data / "first-key").read_text().strip()

    def _greeting(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            text = self._output.read_text(errors="replace")
            if "FROM+screener" in text:
                return text
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            break
        self.stop()
        raise RuntimeError("cuota up did not greet:\n" + self._output.read_text(errors="replace")[-4000:])

    @staticmethod
    def _named(text: str, pattern: str) -> str:
        found = re.search(pattern, text)
        assert found, pattern
        return found[1]

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def run(self, *arguments: str) -> str:
        """Run a command of the program on the data of this server."""
        done = subprocess.run(
            [program(), *arguments, "--data", str(self.data)], capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def raw(self, address: str) -> Any:
        """Read JSON without the client."""
        request = urllib.request.Request(self.url + address, headers={"X-Api-Key": self.key})
        while True:
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    raise
                time.sleep(float(error.headers["Retry-After"]))  # many tests ask from one address

    def all_raw(self, address: str) -> list[dict[str, Any]]:
        """Read the items of all pages without the client."""
        items: list[dict[str, Any]] = []
        while address:
            page = self.raw(address)
            items += page["data"]
            address = page.get("links", {}).get("next", "")
        return items

    def counted(self) -> int:
        """Return the number of requests that the server has counted today. Asking is not counted."""
        return int(self.raw("/api/key/info")["requests_today"])

    def client(self, **options: Any) -> cuota.Client:
        given = {"base_url": self.url, "api_key": self.key, "sql_url": self.sql_url, **options}
        return cuota.Client(**given)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("demo"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An invented market of few series and more than ten years."""
    directory = tmp_path_factory.mktemp("market")
    files = directory / "files"
    subprocess.run(
        [program(), "synth", "--series", "12", "--days", "3700", "--end", CUTOFF, "--out", str(files)],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    server = Server(directory, "--no-demo", "--market", str(files))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def listed(demo: Server) -> cuota.BulkList:
    """The list of the files of the demo, once they are made."""
    with demo.client() as client:
        return client.bulk()


@pytest.fixture
def client(demo: Server) -> Iterator[cuota.Client]:
    with demo.client() as client:
        yield client


@pytest.fixture
def proxy(demo: Server) -> Iterator[Proxy]:
    with Proxy(demo.url) as proxy:
        yield proxy


@pytest.fixture
def waits() -> list[float]:
    """The seconds that a client would have waited."""
    return []


@pytest.fixture
def behind(demo: Server, proxy: Proxy, waits: list[float]) -> Iterator[cuota.Client]:
    """A client behind the proxy. It does not wait, and notes for how long it would have."""
    with demo.client(base_url=proxy.url, retry=cuota.Retry(sleep=waits.append)) as client:
        yield client
