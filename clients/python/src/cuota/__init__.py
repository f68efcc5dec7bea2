"""Client of cuota: Chilean fund data as Arrow tables.

    import cuota

    with cuota.Client("http://127.0.0.1:8080") as client:
        print(client.returns().to_pandas())

Client asks the questions, Frame has the rows of an answer, and CuotaError is what goes wrong.
"""

from .bulk import BulkFile, BulkList, BulkTable
from .client import Backtest, Batch, Client
from .errors import (
    ApiError,
    BatchGone,
    ChecksumMismatch,
    ConnectionFailed,
    CuotaError,
    IncompleteReply,
    InvalidRequest,
    NotFound,
    NotOffered,
    QuotaExhausted,
    RateLimited,
    ServerError,
    SqlError,
    Unauthorized,
    Unavailable,
)
from .frame import Frame
from .replica import Change, Synced
from .transport import Quota, Retry

__all__ = [
    "ApiError",
    "Backtest",
    "Batch",
    "BatchGone",
    "BulkFile",
    "BulkList",
    "BulkTable",
    "Change",
    "ChecksumMismatch",
    "Client",
    "ConnectionFailed",
    "CuotaError",
    "Frame",
    "IncompleteReply",
    "InvalidRequest",
    "NotFound",
    "NotOffered",
    "Quota",
    "QuotaExhausted",
    "RateLimited",
    "Retry",
    "ServerError",
    "SqlError",
    "Synced",
    "Unauthorized",
    "Unavailable",
]
