"""Requests and replies: the key, retries, the cache of replies, and what is left of the quota.

Everything that is sent goes through Transport.
"""

from __future__ import annotations

import contextlib
import email.utils
import hashlib
import json
import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import unquote, urlencode, urlsplit

import httpx

from . import errors
from .cache import Cache, Entry

log = logging.getLogger("cuota")

Parameters = Mapping[str, Any]

# Answered without being counted.
KEY_INFO = "/api/key/info"

# The largest body that is read into memory. The server stops at two million rows.
_LARGEST_BODY = 2 << 30
# Of an error that is no JSON of the API, such as the page of a proxy.
_LARGEST_ERROR = 1 << 20


@dataclass(frozen=True)
class Retry:
    """How long a request is tried: at most so many attempts, and at most so many seconds of waiting in all.

    A 429 or 503 waits for as long as its Retry-After says. If that is longer than what is left, it is raised at once.
    """

    attempts: int = 20
    seconds: float = 120.0
    sleep: Callable[[float], None] = time.sleep


@dataclass
class Quota:
    """What the server last said of the quota of the key, and what this client has used.

    limit and remaining are requests a day in Santiago, reset is the Unix time of the next day; None before the first
    reply, or if nothing limits the key. used counts as the server does: a reply costs what its X-Request-Cost states,
    else one request; 304, a refusal with Retry-After, and replies that need no key cost nothing.
    """

    limit: int | None = None
    remaining: int | None = None
    reset: int | None = None
    used: int = 0


@dataclass(frozen=True)
class Reply:
    """A reply that has arrived whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise errors.IncompleteReply(f"The reply is no JSON: {error}") from None

    @property
    def batch_id(self) -> str | None:
        return self.headers.get("x-batch-id")

    @property
    def next_page(self) -> str | None:
        """Path and query of the next page, from the header Link."""
        for link in self.headers.get("link", "").split(", "):
            address, _, relation = link.partition(">; ")
            if relation == 'rel="next"' and address.startswith("<"):
                return own_path(address[1:])
        return None


def own_path(address: str) -> str:
    """Refuse an address that is none of the server that was asked: the key must go nowhere else."""
    if not address.startswith("/") or address.startswith("//"):
        raise errors.CuotaError(f"The server names an address that is not its own: {address!r}")
    return address


class _Key(httpx.Auth):
    """Puts the key into its header when the request is sent, so that no object that is shown holds it."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if self._key is not None:
            request.headers["X-Api-Key"] = self._key
        yield request

    def name_of(self, text: str) -> str:
        return hashlib.sha256(f"{self._key}\n{text}".encode()).hexdigest()

    def __repr__(self) -> str:
        return "<key>" if self._key else "<no key>"


class Transport:
    """Sends requests to one server."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        cache: Cache | None,
        timeout: float,
        retry: Retry,
        user_agent: str,
    ) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError("base_url must be the address of a server, such as https://funds.example.org")
        if api_key is not None and not (api_key.isascii() and api_key.isprintable() and api_key.strip() == api_key):
            raise ValueError("api_key has characters that no key has: check it for line breaks and blanks")
        if address.query or address.fragment:
            raise ValueError("the address of a server has no query and no fragment: leave it out")
        # httpx logs addresses, so that a password must not stay in one.
        self._base = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl().rstrip("/")
        self._key = _Key(api_key)
        auth: httpx.Auth = self._key
        if api_key is None and address.username is not None:
            auth = httpx.BasicAuth(unquote(address.username), unquote(address.password or ""))
        self._cache = cache
        self._retry = retry
        self._http = httpx.Client(timeout=timeout, headers={"User-Agent": user_agent}, auth=auth)
        self.quota = Quota()

    @property
    def address(self) -> str:
        """The address of the server, without a user and a password."""
        return self._base

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, parameters: Parameters | None = None, *, cached: bool = True) -> Reply:
        """Send a GET. If the cache has the reply, the server is asked whether it is still the same."""
        address = _with_query(path, parameters)
        cache = self._cache if cached else None
        name = self._key.name_of(f"{self._base}{address}")
        entry = cache.find(name) if cache else None
        headers = {"If-None-Match": entry.etag} if entry else {}

        def read(response: httpx.Response) -> Reply:
            if response.status_code == 304 and entry:
                return Reply(200, {**entry.headers, **_lower(response.headers)}, entry.body)
            return Reply(response.status_code, _lower(response.headers), _body(response))

        reply = self._attempts("GET", address, headers, None, read)
        if cache and reply.status == 200 and "etag" in reply.headers and not (entry and entry.body is reply.body):
            kept = ("etag", "content-type", "x-batch-id", "x-total-count", "link")
            cache.store(name, Entry({k: v for k, v in reply.headers.items() if k in kept}, reply.body))
        return reply

    def post(self, path: str, body: object, parameters: Parameters | None = None, *, is_json: bool = True) -> Reply:
        """Send a POST. Every POST of the API only reads, so it is tried again like a GET."""
        content = json.dumps(body).encode() if is_json else str(body).encode()
        headers = {"Content-Type": "application/json" if is_json else "text/plain; charset=utf-8"}

        def read(response: httpx.Response) -> Reply:
            return Reply(response.status_code, _lower(response.headers), _body(response))

        return self._attempts("POST", _with_query(path, parameters), headers, content, read)

    def into_file(self, path: str, file: IO[bytes], parameters: Parameters | None = None) -> Reply:
        """Write the body of a reply into a file, from its beginning. A body that has begun is not asked for again."""

        def read(response: httpx.Response) -> Reply:
            file.seek(0)
            file.truncate()
            try:
                for chunk in response.iter_bytes():
                    file.write(chunk)
            except httpx.TransportError as error:
                # The server cuts replies of over a minute off, and would do so again.
                raise errors.IncompleteReply(f"{path} was cut off after {file.tell()} bytes") from error
            return Reply(response.status_code, _lower(response.headers), b"")

        return self._attempts("GET", _with_query(path, parameters), {}, None, read)

    def append(self, path: str, etag: str, size: int, file: IO[bytes]) -> None:
        """Go on writing a file that does not change under its address, from where it ends, until it has size bytes.

        Each attempt goes on where the one before ended. If the server has another file by now, or answers no ranges,
        the file begins again.
        """

        def read(response: httpx.Response) -> Reply:
            if response.status_code == 206:
                stated = response.headers.get("content-range", "")
                if not stated.startswith(f"bytes {file.tell()}-"):
                    raise errors.IncompleteReply(f"The server sent the range {stated!r} instead of the rest of {path}")
            else:
                file.seek(0)
                file.truncate()
            for chunk in response.iter_raw():
                if file.tell() + len(chunk) > size:
                    raise errors.ChecksumMismatch(f"{path} is longer than the {size} bytes that the list states")
                file.write(chunk)
            return Reply(response.status_code, _lower(response.headers), b"")

        def headers() -> dict[str, str]:
            said = {"Accept-Encoding": "identity"}
            if file.tell():
                said |= {"Range": f"bytes={file.tell()}-", "If-Range": etag}
            return said

        self._attempts("GET", path, headers, None, read)

    def _attempts(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str] | Callable[[], Mapping[str, str]],
        content: bytes | None,
        read: Callable[[httpx.Response], Reply],
    ) -> Reply:
        waited = 0.0
        for attempt in range(1, self._retry.attempts + 1):
            failure: errors.CuotaError
            try:
                with self._sent(method, address, headers() if callable(headers) else headers, content) as response:
                    if address != KEY_INFO:
                        self._count(response)
                    if response.status_code in (200, 206, 304):
                        return read(response)
                    failure = _refusal(response)
                if not isinstance(failure, errors.RateLimited | errors.Unavailable):
                    raise failure
                if failure.retry_after is None and failure.code is not None:
                    raise failure  # the API says when it is of use to ask again
                wait = failure.retry_after
            except httpx.TransportError as error:
                reason = str(error) or type(error).__name__
                failure = errors.ConnectionFailed(f"{method} {address}: {reason}, after {attempt} attempts")
                failure.__cause__ = error
                wait = None
            if wait is None:
                wait = min(8.0, 0.25 * 2**attempt)
            if attempt == self._retry.attempts or waited + wait > self._retry.seconds:
                raise failure
            log.info("%s %s: %s; waiting %.1f s", method, address, failure, wait)
            self._retry.sleep(wait)
            waited += wait
        raise ValueError("Retry.attempts must be at least 1")

    @contextlib.contextmanager
    def _sent(
        self, method: str, address: str, headers: Mapping[str, str], content: bytes | None
    ) -> Iterator[httpx.Response]:
        request = self._http.build_request(method, self._base + address, headers=dict(headers), content=content)
        response = self._http.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()

    def _count(self, response: httpx.Response) -> None:
        left = response.headers.get("x-ratelimit-remaining")
        free = response.status_code == 304 or "retry-after" in response.headers
        if left is not None:
            self.quota.limit = _number(response.headers.get("x-ratelimit-limit"))
            self.quota.remaining = _number(left)
            self.quota.reset = _number(response.headers.get("x-ratelimit-reset"))
        if not free and (left is not None or "x-request-cost" in response.headers):
            self.quota.used += _number(response.headers.get("x-request-cost")) or 1


def _with_query(path: str, parameters: Parameters | None) -> str:
    given = {}
    for name, value in (parameters or {}).items():
        if value is None:
            continue
        given[name] = str(value).lower() if isinstance(value, bool) else value
    if not given:
        return path
    return path + ("&" if "?" in path else "?") + urlencode(given, doseq=True)


def _lower(headers: httpx.Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _body(response: httpx.Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > _LARGEST_BODY:
            raise errors.CuotaError(f"The reply has more than {_LARGEST_BODY} bytes: ask for fewer rows")
    return bytes(body)


def _refusal(response: httpx.Response) -> errors.ApiError:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > _LARGEST_ERROR:
            break
    said: object = None
    with contextlib.suppress(ValueError):
        said = json.loads(bytes(body))
    if said is None and body:
        said = {"detail": bytes(body[:2000]).decode("utf-8", "replace").strip()}
    headers = response.headers
    refused = errors.from_reply(
        response.status_code, said, headers.get("x-request-id"), _retry_after(headers.get("retry-after"))
    )
    refused.headers = _lower(headers)
    return refused


def _retry_after(text: str | None) -> float | None:
    """Read Retry-After: seconds, or the date until which to wait."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
