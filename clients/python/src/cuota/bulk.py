"""Files of whole tables: what /api/bulk lists, and how one is fetched."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import errors
from .document import Notes
from .frame import with_notes
from .transport import Transport, own_path

_PART = ".part"


@dataclass(frozen=True)
class BulkFile:
    """A Parquet file of one batch. It never changes under its address."""

    table: str
    address: str
    year: int | None  # calendar year of its rows; None where it has all rows of the table
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        return self.address.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class BulkTable:
    """A table of the batch, its columns in the order of the files, and its files."""

    name: str
    meaning: str
    columns: tuple[Mapping[str, Any], ...]
    files: tuple[BulkFile, ...]

    @property
    def notes(self) -> Notes:
        return with_notes(self.columns)


@dataclass(frozen=True)
class BulkList:
    """All tables of one batch."""

    batch_id: str
    made_at: str
    tables: tuple[BulkTable, ...]

    def __getitem__(self, name: str) -> BulkTable:
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"no table {name!r}; there are {', '.join(table.name for table in self.tables)}")


def read_list(said: Mapping[str, Any]) -> BulkList:
    """Read the reply of /api/bulk. What it says beyond the fields that are known stays in columns, or is left out."""
    tables = []
    for table in said["data"]:
        files = tuple(
            BulkFile(
                table["table"],
                own_path(f["address"]),
                None if f["year"] is None else int(f["year"]),
                int(f["rows"]),
                int(f["bytes"]),
                str(f["sha256"]),
            )
            for f in table["files"]
        )
        tables.append(BulkTable(table["table"], table["meaning"], tuple(table["columns"]), files))
    return BulkList(said["meta"]["batch_id"], said["meta"]["made_at"], tuple(tables))


def download(transport: Transport, file: BulkFile, to: Path) -> Path:
    """Fetch a file, and return its path: to, or the name of the file in the directory to.

    What has arrived is kept beside it with the ending .part. A later call goes on there. The file appears under its
    name only with the sha256 that the list states, and a file that is there already with this sha256 is not fetched.
    """
    if to.is_dir():
        to = to / file.name
    if to.exists() and sha256_of(to) == file.sha256:
        return to
    part = to.with_name(f"{to.name}.{file.sha256[:16]}{_PART}")
    with open(part, "ab") as sink:
        sink.seek(0, os.SEEK_END)
        if sink.tell() > file.bytes:
            sink.truncate(0)
            sink.seek(0)
        if sink.tell() < file.bytes:
            transport.append(file.address, f'"{file.sha256}"', file.bytes, sink)
        size = sink.tell()
        sink.flush()
        os.fsync(sink.fileno())
    if size < file.bytes:
        raise errors.IncompleteReply(f"{file.address} ended after {size} of {file.bytes} bytes; ask again to go on")
    if sha256_of(part) != file.sha256:
        part.unlink()
        raise errors.ChecksumMismatch(f"{file.address} has not the sha256 {file.sha256} of the list; it was removed")
    os.replace(part, to)
    return to


def read_parquet(source: Any) -> pa.Table:
    """Read a Parquet file, from its path or from a buffer of Arrow.

    Threads are not used: a process that ends soon after they have begun may abort (pyarrow 26).
    """
    return pq.ParquetFile(source, pre_buffer=False).read(use_threads=False)


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
