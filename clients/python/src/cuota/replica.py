"""A local copy of the tables as Parquet files, and how it follows the batches.

The copy begins with the files of /api/bulk. Later it takes the rows of /api/changes. What the feed cannot give, because
the old batch is gone, the rules of a new version differ, or a table has other columns, comes from the files again.

copy.json in the directory names the batch. It is written last. Before the first file changes it says "updating", so
that a copy that was interrupted compares every file with the list of files the next time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import errors
from .bulk import BulkFile, BulkList, BulkTable, read_parquet, sha256_of
from .frame import column_of

_STATE = "copy.json"
_LOCK = ".lock"


@dataclass(frozen=True)
class Change:
    """A row that differs between two batches: was in the older, row in the newer one; None where there is none."""

    table: str
    key: Mapping[str, Any]
    was: Mapping[str, Any] | None
    row: Mapping[str, Any] | None


@dataclass
class Synced:
    """What a sync did: the batch of the copy, and how many rows and files it took."""

    batch_id: str
    previous_batch_id: str | None
    changed_rows: int = 0
    downloaded_files: int = 0
    tables: list[str] = field(default_factory=list)


def read_changes(lines: Iterator[bytes]) -> Iterator[Change]:
    """Read the feed of changes. It must have its last line, with the number of rows before it."""
    rows = 0
    for text in lines:
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except ValueError:
            raise errors.IncompleteReply("The feed of changes ends within a line") from None
        if "end" in line:
            if line["end"]["rows"] != rows:
                raise errors.IncompleteReply(f"The feed of changes has {rows} rows of {line['end']['rows']}")
            return
        if "table" not in line or "key" not in line:
            continue  # progress, or something new that is no row
        rows += 1
        yield Change(line["table"], line["key"], line.get("was"), line.get("is"))
    raise errors.IncompleteReply("The feed of changes has no last line: ask for some tables at a time")


# The names of files of a copy, and of their parts.
_OF_A_COPY = re.compile(r"(all|\d{4})\.parquet(\.new|\.[0-9a-f]{16}\.part)?")


class Replica:
    """The directory of a copy. One process at a time may bring it up to date."""

    def __init__(
        self,
        directory: Path,
        fetch: Callable[[BulkFile, Path], Path],
        changes: Callable[[str, str, list[str]], Iterator[Change]],
    ) -> None:
        self._directory = directory
        self._fetch = fetch
        self._changes = changes

    def update(self, listed: BulkList, tables: list[str] | None) -> Synced:
        """Bring the copy to the batch of a list of files. Only the named tables are kept, or all."""
        unknown = set(tables or ()) - {table.name for table in listed.tables}
        if unknown:
            there = ", ".join(table.name for table in listed.tables)
            raise ValueError(f"there is no table {', '.join(sorted(unknown))}; there are {there}")
        self._directory.mkdir(parents=True, exist_ok=True)
        with _locked(self._directory / _LOCK):
            state = self._state()
            previous = state.get("batch_id")
            wanted = [table for table in listed.tables if tables is None or table.name in tables]
            done = Synced(listed.batch_id, previous)
            if previous == listed.batch_id and not state.get("updating"):
                fresh = [t for t in wanted if t.name in state["tables"] and self._has_files(t)]
            elif previous and not state.get("updating"):
                self._say(state | {"updating": True})
                fresh = self._follow(previous, listed, [t for t in wanted if t.name in state["tables"]], done)
            else:
                fresh = []
            kept = {table.name for table in fresh}
            missing = [table for table in wanted if table.name not in kept]
            if missing:
                self._say(state | {"updating": True})
            for table in missing:
                self._copy(table, done)
            # A table that is no longer wanted stays, but nobody says any more of which batch it is.
            self._say({"batch_id": listed.batch_id, "tables": [table.name for table in wanted]})
            return done

    def _follow(self, since: str, listed: BulkList, tables: list[BulkTable], done: Synced) -> list[BulkTable]:
        """Apply changes, and return the tables that are those of the list now."""
        names = [table.name for table in tables]
        groups = [names]
        followed: list[BulkTable] = []
        while groups:
            group = groups.pop(0)
            if not group:
                continue
            try:
                with tempfile.TemporaryDirectory(dir=self._directory) as place:
                    spread = _spread(self._changes(since, listed.batch_id, group), Path(place))
                    for table in [table for table in tables if table.name in group]:
                        if self._apply(table, spread.get(table.name), done):
                            followed.append(table)
            except errors.BatchGone:
                return followed  # neither the feed nor a part of it: the rest comes from the files
            except (errors.IncompleteReply, errors.ConnectionFailed, errors.InvalidRequest):
                # A reply of over a minute is cut off, and a table may not be in the feed.
                groups = [[name] for name in group] + groups if len(group) > 1 else groups
        return followed

    def _apply(self, table: BulkTable, changed: Path | None, done: Synced) -> bool:
        """Apply the changes of a table. False if the result is not what the list states, so that files must come."""
        rows = _lines(changed) if changed else []
        years = {file.year for file in table.files}
        for year in sorted(years, key=lambda y: y or 0):
            here = [row for row in rows if year is None or _year_of(row.key, table) == year]
            path = self._path(table, year)
            if here and not self._rewrite(table, path, here):
                return False
        if rows and not table.files:
            return False
        stated = {file.year: file.rows for file in table.files}
        for year, number in stated.items():
            path = self._path(table, year)
            if not path.exists():
                return False
            file = pq.ParquetFile(path)
            if file.metadata.num_rows != number or file.schema_arrow.names != [c["name"] for c in table.columns]:
                return False
        self._remove_others(table)
        if rows:
            done.changed_rows += len(rows)
            done.tables.append(table.name)
        return True

    def _rewrite(self, table: BulkTable, path: Path, rows: list[Change]) -> bool:
        """Replace rows in a file: those with the keys of the changes go, and those that are there now come."""
        if not path.exists():
            return False  # the first rows of a year: only a file has the types
        before = read_parquet(path)
        names = before.column_names
        new = [row.row for row in rows if row.row is not None]
        if any(set(row) != set(names) for row in new):
            return False  # other columns than those of the file
        key = list(rows[0].key)
        if not set(key) <= set(names):
            return False
        kinds = {f.name: f.type for f in before.schema}
        keys = pa.table({name: column_of([row.key[name] for row in rows], kinds[name]) for name in key})
        come = pa.table({name: column_of([row[name] for row in new], kinds[name]) for name in names})
        if come.schema.types != before.schema.types or any(keys.schema.field(name).type != kinds[name] for name in key):
            return False  # a value is none of its column any more
        stay = before.join(keys, keys=key, join_type="left anti", use_threads=False).select(names)
        after = pa.concat_tables([stay.cast(before.schema), come.cast(before.schema)]).sort_by(
            [(name, "ascending") for name in key]
        )
        with _replaced(path) as place:
            pq.write_table(after, place)
        return True

    def _copy(self, table: BulkTable, done: Synced) -> None:
        """Fetch the files of a table, except those that are here already."""
        for file in table.files:
            path = self._path(table, file.year)
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and sha256_of(path) == file.sha256:
                continue
            self._fetch(file, path)
            done.downloaded_files += 1
        self._remove_others(table)
        done.tables.append(table.name)

    def _remove_others(self, table: BulkTable) -> None:
        """Remove the files of years of which the table has no rows any more, and parts of earlier downloads.

        Files with other names than those of a copy are of somebody else, and stay.
        """
        own = {self._path(table, file.year) for file in table.files}
        for path in (self._directory / table.name).glob("*"):
            if path not in own and _OF_A_COPY.fullmatch(path.name):
                path.unlink()

    def _has_files(self, table: BulkTable) -> bool:
        return all(self._path(table, file.year).exists() for file in table.files)

    def _path(self, table: BulkTable, year: int | None) -> Path:
        if not table.name.isidentifier():
            raise errors.CuotaError(f"The server names a table {table.name!r}, which is no name of a table")
        return self._directory / table.name / f"{'all' if year is None else year}.parquet"

    def _state(self) -> dict[str, Any]:
        try:
            state = json.loads((self._directory / _STATE).read_text(encoding="utf-8"))
            return state if isinstance(state, dict) and isinstance(state.get("tables"), list) else {}
        except (FileNotFoundError, ValueError):
            return {}

    def _say(self, state: Mapping[str, Any]) -> None:
        with _replaced(self._directory / _STATE) as place:
            place.write_text(json.dumps({"tables": [], **state}) + "\n", encoding="utf-8")


def _spread(changes: Iterator[Change], place: Path) -> dict[str, Path]:
    """Write the changes of each table into a file, so that the tables can be taken one after another."""
    files: dict[str, Path] = {}
    with contextlib.ExitStack() as stack:
        sinks: dict[str, Any] = {}
        for change in changes:
            if change.table not in sinks:
                files[change.table] = place / str(len(files))
                sinks[change.table] = stack.enter_context(open(files[change.table], "w", encoding="utf-8"))
            sinks[change.table].write(json.dumps([change.key, change.row]) + "\n")
    return files


def _lines(path: Path) -> list[Change]:
    with open(path, encoding="utf-8") as lines:
        return [Change("", key, None, row) for key, row in map(json.loads, lines)]


def _year_of(key: Mapping[str, Any], table: BulkTable) -> int:
    """Return the year of a row of a table whose files are by year: that of the date in its key."""
    for column in table.columns:
        if column["name"] in key and str(column["type"]).startswith("Date"):
            return int(str(key[column["name"]])[:4])
    raise errors.CuotaError(f"The key of {table.name} has no date, though its files are by year")


@contextlib.contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Give a path to write to, and put what was written in place of the file."""
    place = path.with_name(path.name + ".new")
    try:
        yield place
        with open(place, "rb") as written:
            os.fsync(written.fileno())
        os.replace(place, path)
    finally:
        place.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a directory. On systems without flock nothing is locked."""
    with open(path, "w") as lock:
        try:
            import fcntl
        except ImportError:
            yield
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise errors.CuotaError(f"Another process is bringing {path.parent} up to date") from None
        yield
