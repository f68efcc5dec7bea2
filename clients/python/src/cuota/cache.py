"""Replies on disk, each under its address, so that an unchanged one is answered by 304 and not sent again.

An entry is one file: a line of JSON about the reply, and the body. Its name is a hash of the address and the key, so
two keys share nothing, and the key cannot be read from it. The least used entries are removed when the directory
would exceed its bound.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SUFFIX = ".reply"


@dataclass(frozen=True)
class Entry:
    """A reply that the server can confirm by its ETag."""

    headers: Mapping[str, str]
    body: bytes

    @property
    def etag(self) -> str:
        return self.headers["etag"]


class Cache:
    """A directory of replies of at most limit bytes."""

    def __init__(self, directory: str | os.PathLike[str], limit: int) -> None:
        self._directory = Path(directory)
        self._limit = limit
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)

    def find(self, name: str) -> Entry | None:
        """Return an entry, or None if there is none or it is damaged."""
        path = self._directory / (name + _SUFFIX)
        try:
            head, body = path.read_bytes().split(b"\n", 1)
            about = json.loads(head)
            if hashlib.sha256(body).hexdigest() != about["sha256"]:
                raise ValueError("the body is not the one that was stored")
            entry = Entry(dict(about["headers"]), body)
            entry.etag  # noqa: B018 - an entry without it is of no use
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of the last use
        return entry

    def store(self, name: str, entry: Entry) -> None:
        """Store an entry and remove what is used least. A full or read-only disk is no error: nothing is stored."""
        about = {"headers": dict(entry.headers), "sha256": hashlib.sha256(entry.body).hexdigest()}
        head = json.dumps(about).encode() + b"\n"
        if len(head) + len(entry.body) > self._limit:
            return
        with contextlib.suppress(OSError):
            self._make_room(len(head) + len(entry.body), name)
            handle, temporary = tempfile.mkstemp(dir=self._directory)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(head)
                    file.write(entry.body)
                os.replace(temporary, self._directory / (name + _SUFFIX))
            except OSError:
                os.unlink(temporary)
                raise

    def _make_room(self, wanted: int, name: str) -> None:
        entries = []
        for path in self._directory.glob("*" + _SUFFIX):
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                state = path.stat()
                entries.append((state.st_mtime_ns, state.st_size, path))
        used = sum(size for _, size, path in entries if path.name != name + _SUFFIX)
        for _, size, path in sorted(entries):
            if used + wanted <= self._limit:
                return
            if path.name != name + _SUFFIX:
                path.unlink(missing_ok=True)
                used -= size
