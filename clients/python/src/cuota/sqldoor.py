"""SQL: statements over the read-only HTTP interface of ClickHouse."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from . import errors
from .frame import Frame
from .transport import Transport

_AS_ARROW = {
    "default_format": "ArrowStream",
    "output_format_arrow_string_as_string": 1,
    "output_format_arrow_low_cardinality_as_dictionary": 0,
}


def ask(transport: Transport, text: str, parameters: Mapping[str, Any]) -> Frame:
    """Run a statement. {name:Type} in it takes a value of parameters, so that no value is written into the text."""
    bound = {f"param_{name}": value for name, value in parameters.items()}
    try:
        reply = transport.post("/", text, {**_AS_ARROW, **bound}, is_json=False)
    except errors.ApiError as error:
        number = re.match(r"Code: (\d+)\.", error.detail)
        raise errors.SqlError(error.detail, int(number[1]) if number else None) from None
    if not reply.body:
        return Frame(pa.table({}))
    try:
        return Frame(pa.ipc.open_stream(pa.py_buffer(reply.body)).read_all())
    except pa.ArrowInvalid:
        raise errors.SqlError("The reply is no Arrow stream: leave FORMAT out of the statement", None) from None
