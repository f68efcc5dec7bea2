"""What can go wrong. Every error of this package is a CuotaError, and none of them contains the API key."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


class CuotaError(Exception):
    """An error of this package."""


class ConnectionFailed(CuotaError):
    """The server could not be reached, or cut the connection, as often as was tried."""


class IncompleteReply(CuotaError):
    """A reply or a file has fewer rows or bytes than the server announced."""


class ChecksumMismatch(CuotaError):
    """A file does not have the sha256 that the list of files states."""


class SqlError(CuotaError):
    """ClickHouse refused a statement. The text is that of ClickHouse; code is its number."""

    def __init__(self, text: str, code: int | None) -> None:
        super().__init__(text)
        self.code = code


class ApiError(CuotaError):
    """The API refused a request. The text is the API's own explanation.

    status is that of HTTP, code the stable word of the API (None if the reply is not the API's), request_id what to
    quote when reporting, and retry_after the number of seconds after which the API says to try again.
    """

    headers: Mapping[str, str] = MappingProxyType({})  # names in lower case

    def __init__(
        self, status: int, detail: str, code: str | None, request_id: str | None, retry_after: float | None
    ) -> None:
        words = ", ".join(word for word in (code, f"request {request_id}" if request_id else None) if word)
        super().__init__(f"{status}: {detail}" + (f" ({words})" if words else ""))
        self.status = status
        self.detail = detail
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after


class Unauthorized(ApiError):
    """401: the key is missing, invalid or revoked."""


class NotFound(ApiError):
    """404: nothing has this id in the batch."""


class InvalidRequest(ApiError):
    """422: problems lists all parameters that are wrong, each with loc, msg and type."""

    problems: list[dict[str, Any]]


class BatchGone(ApiError):
    """410: the batch is not kept any more. current_batch_id is the batch that answers now."""

    current_batch_id: str | None


class RateLimited(ApiError):
    """429: requests come too fast from one address."""


class QuotaExhausted(RateLimited):
    """429: the quota of the day is used up. retry_after is the number of seconds to the next day."""


class NotOffered(ApiError):
    """501: the operator of the server has not set what this needs."""


class Unavailable(ApiError):
    """503: the server cannot answer now."""


class ServerError(ApiError):
    """Any other status of 500 or above."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    404: NotFound,
    410: BatchGone,
    422: InvalidRequest,
    429: RateLimited,
    501: NotOffered,
    503: Unavailable,
}


def from_reply(status: int, body: object, request_id: str | None, retry_after: float | None) -> ApiError:
    """Make the exception of a refused request from the body of the reply, decoded if it was JSON."""
    said: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    detail = said.get("detail")
    problems: list[dict[str, Any]] = []
    if isinstance(detail, list):
        problems = [problem for problem in detail if isinstance(problem, dict)]
        text = "; ".join(
            f"{'.'.join(str(part) for part in problem.get('loc', []))}: {problem.get('msg')}" for problem in problems
        )
    else:
        text = str(detail) if detail else "the reply has no explanation"
    code = said.get("code")
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    if code == "quota_exhausted":
        kind = QuotaExhausted
    error = kind(status, text, code, said.get("request_id") or request_id, retry_after)
    if isinstance(error, InvalidRequest):
        error.problems = problems
    if isinstance(error, BatchGone):
        error.current_batch_id = said.get("current_batch_id")
    return error
