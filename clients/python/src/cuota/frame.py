"""Frame: the rows of a reply as an Arrow table that states its batch, its date and the units of its columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .document import Note, Notes

if TYPE_CHECKING:
    import pandas
    import polars

_BATCH = b"cuota.batch_id"
_AS_OF = b"cuota.as_of_date"


class Frame:
    """An Arrow table with what it states of itself.

    table has the rows. The metadata of its schema has cuota.batch_id and cuota.as_of_date, and that of a field has
    its unit and its meaning, as far as the API's document states them. meta is what a JSON reply says beside its
    rows. Libraries that read Arrow, such as DuckDB, take a Frame as it is.
    """

    def __init__(self, table: pa.Table, meta: Mapping[str, Any] | None = None) -> None:
        self.table = table
        self.meta: Mapping[str, Any] = meta or {}

    @property
    def batch_id(self) -> str | None:
        """Public name of the batch that the rows are of; None for SQL, which names none."""
        return self._stated(_BATCH)

    @property
    def as_of_date(self) -> str | None:
        """Cutoff of the batch, or the past day that answers if the reply states one (YYYY-MM-DD)."""
        return self._stated(_AS_OF)

    @property
    def units(self) -> dict[str, str]:
        """Units of columns, in the words of the API's document."""
        return self._of_fields(b"unit")

    @property
    def meanings(self) -> dict[str, str]:
        """Meanings of columns, in the words of the API's document."""
        return self._of_fields(b"meaning")

    @property
    def column_names(self) -> list[str]:
        return list(self.table.column_names)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """Return a pandas DataFrame; options are those of pyarrow.Table.to_pandas.

        attrs has batch_id, as_of_date, units and meanings. Dates are Python dates, as Arrow's date32 gives them;
        date_as_object=False makes them datetime64.
        """
        frame = self.table.to_pandas(**options)
        frame.attrs |= {
            "batch_id": self.batch_id,
            "as_of_date": self.as_of_date,
            "units": self.units,
            "meanings": self.meanings,
        }
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a polars DataFrame. It has no place for units: ask the Frame for them."""
        import polars

        frame = polars.from_arrow(self.table)
        if not isinstance(frame, polars.DataFrame):
            raise TypeError("polars made no DataFrame of the table")
        return frame

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<cuota.Frame: {len(self)} rows, {len(self.column_names)} columns, batch {self.batch_id}>"

    def _stated(self, name: bytes) -> str | None:
        value = (self.table.schema.metadata or {}).get(name)
        return value.decode() if value is not None else None

    def _of_fields(self, name: bytes) -> dict[str, str]:
        return {f.name: f.metadata[name].decode() for f in self.table.schema if f.metadata and name in f.metadata}


def framed(
    table: pa.Table,
    notes: Notes,
    batch_id: str | None,
    as_of_date: str | None,
    meta: Mapping[str, Any] | None = None,
) -> Frame:
    """Write the batch, the date, units and meanings into a table."""
    fields = []
    for field in table.schema:
        said = dict(field.metadata or {})
        note = notes.get(field.name)
        if note and note.meaning:
            said[b"meaning"] = note.meaning.encode()
            if note.unit and (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)):
                said[b"unit"] = note.unit.encode()
        fields.append(field.with_metadata(said))
    about = dict(table.schema.metadata or {})
    if batch_id:
        about[_BATCH] = batch_id.encode()
    if as_of_date:
        about[_AS_OF] = as_of_date.encode()
    return Frame(table.cast(pa.schema(fields, metadata=about)), meta)


def table_of(rows: Sequence[Mapping[str, Any]], notes: Notes) -> pa.Table:
    """Make a table of JSON objects.

    Objects in objects become columns with dots in their names. A field that the document knows has the type of the
    document, and without rows there is a column for each of them. A field that it does not know is kept, with the
    type of its values.
    """
    columns: dict[str, list[Any]] = {name: [] for name in notes} if not rows else {}
    for number, row in enumerate(rows):
        for name, value in _flat(row, ""):
            column = columns.setdefault(name, [])
            column.extend([None] * (number - len(column)))
            column.append(value)
    # An object that is null in one row and filled in another has its columns already.
    for name in [name for name in columns if any(other.startswith(name + ".") for other in columns)]:
        if all(value is None for value in columns[name]):
            del columns[name]
    for column in columns.values():
        column.extend([None] * (len(rows) - len(column)))
    arrays = [column_of(column, notes[name].type if name in notes else None) for name, column in columns.items()]
    return pa.table(dict(zip(columns, arrays, strict=True)))


def column_of(values: Sequence[Any], kind: Any = None) -> pa.Array:
    """Make a column of values from JSON. Texts become dates and instants where the type is such."""
    if kind is not None:
        try:
            if pa.types.is_date(kind):
                return pa.array([None if v is None else str(v) for v in values], pa.string()).cast(kind)
            if pa.types.is_timestamp(kind):
                return pa.array([None if v is None else _instant(str(v), kind) for v in values], pa.string()).cast(kind)
            if pa.types.is_integer(kind):  # ClickHouse writes large ones as text
                return pa.array([int(v) if isinstance(v, str) else v for v in values], kind)
            if pa.types.is_floating(kind):
                return pa.array([None if v is None else float(v) for v in values], kind)
            return pa.array(values, kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError, TypeError):
            pass  # the server says something new: the values decide
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    if len(kinds) > 1 or kinds & {dict, list}:
        return pa.array([None if v is None else json.dumps(v, ensure_ascii=False) for v in values], pa.string())
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, OverflowError):
        return pa.array([None if v is None else str(v) for v in values], pa.string())


def _instant(text: str, kind: Any) -> str:
    """Add the offset to an instant that ClickHouse wrote without it: 2026-11-28 16:14:39.711 is UTC."""
    return text + "Z" if kind.tz and re.fullmatch(r"[\d-]+[ T][\d:]+(\.\d+)?", text) else text


def _flat(row: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def with_notes(columns: Iterable[Mapping[str, Any]]) -> dict[str, Note]:
    """Return what the list of bulk files says of the columns of a table."""
    return {str(column["name"]): Note(str(column.get("meaning", ""))) for column in columns}
