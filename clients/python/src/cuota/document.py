"""What the API's own document says of columns and fields: meaning, unit and type.

Units are phrases of the document, as "fraction" or "full pesos", so that nothing is stated here that the server does
not state. A column of which the document names no unit has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

# The phrases with which the document names units. Longer ones come first.
_UNITS = re.compile(
    r"percent(?:age)? points|fractions?\b|percent a year|percent\b|no unit|full pesos"
    r"|full units of (?:the |its )?(?:currency|pesos)"
    r"|(?:millions|thousands) of (?:the fund's currency|the currency|its currency|currency|pesos|CLP)"
    r"|currency of the series per quota|currency per quota|currency units|in currency|calendar days"
    r"|number(?= of )",
    re.IGNORECASE,
)

_DATE = pa.date32()
_INSTANT = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Note:
    """What is said of one column: its meaning in words, and the Arrow type of a field of JSON (None: as it comes)."""

    meaning: str
    type: Any = None

    @property
    def unit(self) -> str | None:
        found = _UNITS.search(self.meaning)
        if not found:
            return None
        phrase = found[0].lower() if not found[0].endswith("CLP") else found[0]
        return "fraction" if phrase == "fractions" else phrase


Notes = Mapping[str, Note]


class Document:
    """The document at /openapi.json."""

    def __init__(self, text: Mapping[str, Any]) -> None:
        self._text = text

    def table(self, path: str, columns: list[str]) -> dict[str, Note]:
        """Return what x-table says of the columns of a table."""
        answer = self._answer(path, "get")
        listed = self._resolved(answer.get("x-table", {})).get("description", "")
        return notes_of_list(listed, columns)

    def fields(self, path: str, method: str, media_type: str, *inside: str) -> dict[str, Note]:
        """Return what is said of the fields of an object in a reply, with dots between the parts of a name.

        inside are the names that lead from the reply to the object. Lists on the way are entered.
        """
        content = self._answer(path, method).get("content", {})
        schema = self._resolved(content.get(media_type, {}).get("schema", {}))
        for name in inside:
            schema = self._resolved(schema.get("properties", {}).get(name, {}))
            if "items" in schema:
                schema = self._resolved(schema["items"])
        return dict(self._leaves(schema, "", 0))

    def _leaves(self, schema: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Note]]:
        for name, given in schema.get("properties", {}).items():
            field = self._resolved(given)
            if "properties" in field and depth < 10:
                yield from self._leaves(field, f"{prefix}{name}.", depth + 1)
            else:
                meaning = given.get("description") or field.get("description", "")
                yield prefix + name, Note(meaning, _type(field))

    def _answer(self, path: str, method: str) -> Mapping[str, Any]:
        operation = self._text.get("paths", {}).get(path, {}).get(method, {})
        return self._resolved(operation.get("responses", {}).get("200", {}))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow a reference, and take the one alternative that is not null."""
        for _ in range(10):
            if "$ref" in schema:
                found: Any = self._text
                for part in schema["$ref"].removeprefix("#/").split("/"):
                    found = found.get(part, {})
                schema = found
                continue
            choices = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
            if len(choices) != 1:
                break
            schema = choices[0]
        return schema


def _type(field: Mapping[str, Any]) -> Any:
    """Return the Arrow type of a field, or None if its values decide."""
    stated = field.get("type")
    kinds = [kind for kind in (stated if isinstance(stated, list) else [stated]) if kind != "null"]
    if len(kinds) != 1:
        return None
    if kinds[0] == "string":
        return {"date": _DATE, "date-time": _INSTANT}.get(str(field.get("format")), pa.string())
    return {"number": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}.get(str(kinds[0]))


def notes_of_list(text: str, columns: list[str]) -> dict[str, Note]:
    """Read a list of columns as the document writes it.

    "Columns: quota (in currency), a and b (per year, fractions), return_W, reason_W (why return_W is null) for each
    window W of 1m, 1y: price returns, fractions, start_W: the quote with which return_W begins"
    """
    _, _, listed = text.partition("Columns: ")
    windows = re.search(r" for each window W of ([\w, ]+?): ", listed)
    names = windows[1].split(", ") if windows else []
    notes = {}
    for column in columns:
        said = _said(listed, column)
        for window in names if not said else []:
            if column.endswith("_" + window):
                template = column.removesuffix(window) + "W"
                said = _said(listed, template).replace("_W", "_" + window)
                if template == "return_W" and windows:
                    said = _until_a_column(listed[windows.end() :], columns)
        if said:
            notes[column] = Note(said)
    return notes


def _until_a_column(text: str, columns: list[str]) -> str:
    parts = text.split(", ")
    ends = [i for i, part in enumerate(parts) if re.match(r"\w+_W\b", part) or part.split(" ")[0] in columns]
    return ", ".join(parts[: min(ends, default=len(parts))])


def _said(listed: str, name: str) -> str:
    """Return what stands in parentheses or after a colon behind a name, or behind names that are joined to it."""
    behind = re.search(
        rf"(?:^|, | and ){re.escape(name)}(?: and \w+)?(?: \((?P<inside>(?:[^()]|\([^()]*\))*)\)|: (?P<rest>[^,]*))",
        listed,
    )
    return (behind["inside"] or behind["rest"] or "") if behind else ""
