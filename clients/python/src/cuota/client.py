"""Client: the questions that can be asked."""

from __future__ import annotations

import datetime
import hashlib
import logging
import os
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote

import pyarrow as pa

from . import bulk, errors, replica, sqldoor
from .bulk import BulkFile, BulkList
from .cache import Cache
from .document import Document, Note, Notes
from .frame import Frame, framed, table_of
from .replica import Change, Synced
from .transport import KEY_INFO, Parameters, Quota, Reply, Retry, Transport

log = logging.getLogger("cuota")

Day = datetime.date | str
Result = TypeVar("Result")

# The most that the API takes in one request.
_DAYS_OF_QUOTAS = 366
_DAYS_OF_MARKET = 31
_COMPARED_BY_GET = 10

# Columns of returns between two days that have one name in JSON and in the table, in the order of JSON.
_OF_PERIODS = ("valuation", "currency", "value", "reason", "effective_start", "effective_end")


class Batch(NamedTuple):
    """A batch, and its cutoff: the latest complete day (YYYY-MM-DD), None if its name states none."""

    id: str
    as_of_date: str | None


@dataclass(frozen=True)
class Backtest:
    """The result of a strategy. reply has all of it, as the API gave it."""

    curve: Frame
    months: Frame
    ledger: Frame
    statistics: Mapping[str, Any]
    notes: Sequence[Mapping[str, Any]]
    reply: Mapping[str, Any]


class Client:
    """Asks a cuota server.

    base_url is its address (environment: CUOTA_URL), api_key the key that /register gave (CUOTA_API_KEY), and sql_url
    the HTTP address of its ClickHouse, for sql (CUOTA_SQL_URL). With cache_dir, replies are kept in that directory, at
    most cache_bytes of them, and a reply that is still the same is neither sent nor counted again. timeout is the
    number of seconds to wait for the next bytes of a reply; retry bounds how often a request is tried.

    quota says what is left of the quota of the key.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        timeout: float = 70.0,
        *,
        sql_url: str | None = None,
        cache_bytes: int = 256 << 20,
        retry: Retry | None = None,
    ) -> None:
        base_url = base_url or os.environ.get("CUOTA_URL")
        if not base_url:
            raise ValueError("base_url is missing: give it, or set CUOTA_URL")
        self._timeout = timeout
        self._retry = retry or Retry()
        self._sql_url = sql_url or os.environ.get("CUOTA_SQL_URL")
        self._sql: Transport | None = None
        self._agent = f"cuota-python/{metadata.version('cuota')}"
        self._transport = Transport(
            base_url,
            api_key or os.environ.get("CUOTA_API_KEY") or None,
            Cache(cache_dir, cache_bytes) if cache_dir is not None else None,
            timeout,
            self._retry,
            self._agent,
        )
        self._document: Document | None = None

    # The connection.

    @property
    def quota(self) -> Quota:
        """The quota of the key as the newest reply states it, and how much of it this client has used."""
        return self._transport.quota

    def close(self) -> None:
        self._transport.close()
        if self._sql:
            self._sql.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def key_info(self) -> dict[str, Any]:
        """Return the key's name, tier, quota and requests of today. It is not counted."""
        info: dict[str, Any] = self._transport.get(KEY_INFO, cached=False).json()
        return info

    def batch(self) -> Batch:
        """Return the batch that answers now. It is not counted."""
        name = self._transport.get("/health", cached=False).batch_id
        if name is None:
            raise errors.CuotaError("The server has no batch yet: wait until its first start has ended")
        return Batch(name, _cutoff(name))

    # Series and the market of a day.

    def screener(self, *, fields: Sequence[str] | None = None, **filters: Any) -> Frame:
        """Return every series that passes the filters of GET /api/screener.

        Without fields it is one request, and the columns are those of the table screener. With fields, as
        ["tac", "returns.periods.1y.value"], the attributes of JSON are read page by page, all of one batch; fields=[]
        gives all of them. limit and offset choose a part.
        """
        if fields is None:
            return self._table("/api/screener", filters)
        asked = {"limit": 200, **filters, "fields": ",".join(fields) or None}
        if "limit" in filters:
            reply = self._transport.get("/api/screener", asked)
            return self._of_items([reply], "/api/screener", "get")
        return self._of_items(self._pages("/api/screener", asked), "/api/screener", "get")

    def screens(self, screens: Sequence[Mapping[str, Any]], *, batch_id: str | None = None) -> list[Frame]:
        """Answer up to 200 screens from one batch in one request, of which ten count as one request.

        A screen has the parameters of the screener; its meta has total. Its page has limit rows, 50 if it names none.
        """
        asked = [
            {
                name: value.isoformat()
                if isinstance(value, datetime.date)
                else ",".join(value)
                if name == "fields" and not isinstance(value, str)
                else value
                for name, value in screen.items()
            }
            for screen in screens
        ]
        reply = self._transport.post("/api/screens", {"screens": asked}, {"batch_id": batch_id}).json()
        notes = self._notes_of_items("/api/screener", "get")
        name = reply["meta"].get("batch_id")
        return [_of_answer(answer["data"], answer["meta"], notes, name) for answer in reply["data"]]

    def compare(
        self,
        series: Sequence[int | str],
        *,
        as_of_date: Day | None = None,
        fields: Sequence[str] | None = None,
        batch_id: str | None = None,
    ) -> Frame:
        """Compare 1 to 500 series. meta says which returns may be compared, and why others may not."""
        ids = [str(one) for one in series]
        chosen = ",".join(fields) if fields else None
        if len(ids) <= _COMPARED_BY_GET:
            asked = {"series": ",".join(ids), "as_of_date": as_of_date, "fields": chosen, "batch_id": batch_id}
            return self._of_items([self._transport.get("/api/compare", asked)], "/api/compare", "get")
        body: dict[str, Any] = {"series": ids}
        if as_of_date is not None:
            body["as_of_date"] = str(as_of_date)
        if chosen:
            body["fields"] = chosen
        reply = self._transport.post("/api/compare", body, {"batch_id": batch_id})
        return self._of_items([reply], "/api/compare", "post")

    def series(self, **filters: Any) -> Frame:
        """Return the series of which a file ever had a row, alive or closed: the filters of GET /api/series."""
        return self._table("/api/series", filters)

    # Days.

    def returns(
        self,
        date: Day | None = None,
        *,
        from_: Day | None = None,
        to: Day | None = None,
        from_date: Day | None = None,
        to_date: Day | None = None,
        series: Sequence[int | str] | None = None,
        batch_id: str | None = None,
        **filters: Any,
    ) -> Frame:
        """Return the returns of every series, of the named ones, or of those that pass filters of the screener.

        date: all eight windows that end on that day; without any date the cutoff. from_date and to_date: the same for
        each day of at most 31. from_ and to: the one return between two days, in the valuation of the filters.
        """
        named = ",".join(str(one) for one in series) if series is not None else None
        asked: dict[str, Any] = {**filters, "series": named}
        if from_ is not None or to is not None:
            return self._returns_between(from_, to, asked, batch_id)
        if from_date is not None or to_date is not None:
            asked |= {"from_date": from_date, "to_date": to_date}
        elif date is not None:
            asked["date"] = date
        else:
            batch_id, asked["date"] = self.batch() if batch_id is None else Batch(batch_id, _cutoff(batch_id))
        return self._table("/api/returns", asked, batch_id)

    def _returns_between(self, from_: Day | None, to: Day | None, asked: Parameters, batch_id: str | None) -> Frame:
        """Read the table, in one request, and give it the columns of the JSON of the operation, with their units."""
        read = self._table("/api/returns", {**asked, "from": from_, "to": to}, batch_id)
        notes = self._notes_of_items("/api/returns", "get", "application/vnd.cuota.period+json")
        table, rows = read.table, len(read)
        ids = table.column("series_id").cast(pa.string())
        columns: dict[str, Any] = {"id": ids, "type": pa.array(["series_period_return"] * rows, pa.string())}
        columns |= {"serieId": ids, "run": table.column("run"), "serie": table.column("serie")}
        columns["fundName"] = table.column("fund")
        for name, day in (("from", from_), ("to", to)):
            columns[name] = pa.array([_a_day(day) if day is not None else None] * rows, pa.date32())
        known = {"series_id", "fund", *columns}
        columns |= {name: table.column(name) for name in _OF_PERIODS if name in table.column_names}
        columns |= {name: table.column(name) for name in table.column_names if name not in known | set(_OF_PERIODS)}
        return framed(pa.table(columns), notes, read.batch_id, read.as_of_date)

    def days(
        self,
        *,
        manager: int | str | None = None,
        run: str | int | None = None,
        from_date: Day | None = None,
        to_date: Day | None = None,
        batch_id: str | None = None,
    ) -> Frame:
        """Return the daily quotas of all series of a manager or a fund, closed ones included.

        manager is the id of a manager or its name or a part of it, whatever case and accents. Without from_date and
        to_date it is the whole history. A request gives 366 days; one more is needed if a name or a date is missing.
        """
        if (manager is None) == (run is None):
            raise ValueError("give one of manager and run")

        def read(batch: str | None) -> Frame:
            who: dict[str, Any] = {"run": run} if run is not None else {}
            first = _a_day(from_date) if from_date is not None else None
            last = _a_day(to_date) if to_date is not None else None
            named = isinstance(manager, str) and not manager.isdigit()
            if manager is not None and not named:
                who["provider_id"] = manager
            if named or first is None or last is None:
                known = self._table("/api/series", who, batch)
                batch = known.batch_id
                rows = known.to_pylist()
                if named:
                    who["provider_id"] = _manager(str(manager), rows)
                    rows = [row for row in rows if row["manager_id"] == who["provider_id"]]
                of_cutoff = _a_day(known.as_of_date or datetime.date.today())
                first = first or min((row["first_date"] for row in rows if row["first_date"]), default=of_cutoff)
                last = last or max((row["last_date"] for row in rows if row["last_date"]), default=of_cutoff)
            parts = []
            for begin, end in _parts(first, last, _DAYS_OF_QUOTAS):
                part = self._table("/api/days", {**who, "from_date": begin, "to_date": end}, batch)
                batch = part.batch_id
                parts.append(part)
            return _joined(parts)

        return self._in_one_batch(read, batch_id)

    # The market as a whole.

    def market_summary(self, date: Day | None = None, **parameters: Any) -> Frame:
        """Return the families of a day, by default the cutoff: equity, and changes of a day and a month."""
        return self._table("/api/market-summary", {"date": date, **parameters})

    def market_movers(self, date: Day | None = None, **parameters: Any) -> Frame:
        """Return the rises and falls of a day. The column list says which list a row is of; meta is that of the day."""
        reply = self._transport.get("/api/market-summary", {"date": date, **parameters})
        said = reply.json()
        rows: list[dict[str, Any]] = []
        notes: dict[str, Note] = {}
        for name, value in said.items():
            if name.startswith("top") and isinstance(value, list):
                rows += [{"list": name, **row} for row in value]
                notes |= self._said.fields("/api/market-summary", "get", "application/json", name)
        table = table_of(rows, {"list": Note("", pa.string()), **notes})
        return framed(table, notes, reply.batch_id, said["meta"].get("date"), said["meta"])

    def market_summaries(
        self,
        from_date: Day,
        to_date: Day,
        *,
        every: Literal["day", "month"] = "day",
        universe: Literal["then", "current"] | None = None,
    ) -> Frame:
        """Return the families of each day, or of each month end, of a period up to the cutoff.

        universe="current" counts the series alive today, as market_summary does: one request for each 31 days, or for
        each month. universe="then" counts the series of then, also those that have closed since: three requests for
        any period, because two files of /api/bulk have all of it. Days have "current" by default, and month ends
        "then".

        If a month end has no data, the latest complete day before it answers; asked_date is the month end.
        """
        first, last = _a_day(from_date), _a_day(to_date)
        if every not in ("day", "month"):
            raise ValueError('every must be "day" or "month"')
        universe = universe or ("then" if every == "month" else "current")
        if universe == "then":
            return self._families_then(first, last, every)
        for attempt in (1, 2):
            parts = list(self._families_current(first, last, every))
            if len({part.batch_id for part in parts}) == 1:
                return _joined(parts)
            log.info("a batch was published between two requests (attempt %d); beginning again", attempt)
        raise errors.CuotaError("Batches are published faster than the period can be read: ask for a shorter one")

    def _families_current(self, first: datetime.date, last: datetime.date, every: str) -> Iterator[Frame]:
        # These operations take no batch_id, so the caller compares the batches of the parts.
        last = max(first, min(last, _a_day(self.batch().as_of_date or last)))
        if every == "day":
            for begin, end in _parts(first, last, _DAYS_OF_MARKET):
                yield self._table("/api/market-summaries", {"from_date": begin, "to_date": end})
            return
        ends: list[datetime.date | None] = [*_month_ends(first, last)]
        for asked in ends or [None]:
            part = self._table("/api/market-summary", {"date": asked})
            if asked is None:  # no month ends in the period: the columns without rows
                part = Frame(part.table.slice(0, 0))
            column = pa.array([asked] * len(part), pa.date32())
            yield Frame(part.table.add_column(0, "asked_date", column))

    def _families_then(self, first: datetime.date, last: datetime.date, every: str) -> Frame:
        families, calendar = self._bulk_tables("family_daily", "calendar")
        days = {row["date"]: row for row in calendar.table.select(["date", "has_data", "complete"]).to_pylist()}
        cutoff = _a_day(families.as_of_date or max(days, default=first))
        answers: list[tuple[datetime.date, datetime.date]] = []  # asked, answering
        if every == "day":
            answers = [(d, d) for d in sorted(days) if first <= d <= min(last, cutoff) and days[d]["has_data"]]
        else:
            complete = sorted(d for d in days if days[d]["complete"])
            for asked in _month_ends(first, min(last, cutoff)):
                before = [d for d in complete if d < asked]
                if asked in days and days[asked]["has_data"]:
                    answers.append((asked, asked))
                elif before:
                    answers.append((asked, before[-1]))
        table = families.table
        order = [("asked_date", "ascending"), ("family", "ascending"), ("currency", "ascending")]
        asked_dates = pa.table(
            {
                "date": pa.array([answer for _, answer in answers], pa.date32()),
                "asked_date": pa.array([asked for asked, _ in answers], pa.date32()),
            }
        )
        joined = table.join(asked_dates, keys="date", join_type="inner", use_threads=False).sort_by(order)
        columns = [name for name in table.column_names if name != "asked_date"]
        if every == "month":
            columns = ["asked_date", *columns]
        schema = pa.schema(
            [table.schema.field(name) if name in table.column_names else joined.schema.field(name) for name in columns],
            metadata=table.schema.metadata,
        )
        return Frame(joined.select(columns).cast(schema))

    def backtest(self, strategy: Mapping[str, Any], *, batch_id: str | None = None) -> Backtest:
        """Run a strategy over the history of the market. It counts as ten requests.

        strategy has the fields of POST /api/backtests: at least name, from, to, sort, and top or quantile.
        """
        reply = self._transport.post("/api/backtests", _plain(strategy), {"batch_id": batch_id})
        said = reply.json()
        batch = said.get("batch", {})

        def part(name: str) -> Frame:
            notes = self._said.fields("/api/backtests", "post", "application/json", name)
            return framed(table_of(said[name], notes), notes, batch.get("id"), batch.get("cutoff"))

        return Backtest(part("curve"), part("months"), part("ledger"), said["statistics"], said["notes"], said)

    # Whole tables.

    def bulk(self) -> BulkList:
        """Return the list of the Parquet files of the published batch. It waits while they are being made."""
        return bulk.read_list(self._transport.get("/api/bulk").json())

    def download(self, file: BulkFile, to: str | os.PathLike[str]) -> Path:
        """Fetch a file, and return its path: to, or its name in the directory to.

        A download that was cut goes on where it ended, in the same call and in a later one. The file appears under
        its name only with the sha256 of the list.
        """
        return bulk.download(self._transport, file, Path(to))

    def bulk_table(self, name: str) -> Frame:
        """Read a whole table of the published batch, with the units of its columns."""
        return self._bulk_tables(name)[0]

    def changes(
        self, since: str, *, tables: Sequence[str] | None = None, batch_id: str | None = None
    ) -> Iterator[Change]:
        """Return the rows that differ since a batch. The reply is kept on disk until it has been read whole."""
        with tempfile.TemporaryFile() as lines:
            asked = {"since": since, "tables": ",".join(tables) if tables else None, "batch_id": batch_id}
            self._transport.into_file("/api/changes", lines, asked)
            lines.seek(0)
            yield from replica.read_changes(iter(lines))

    def sync(self, directory: str | os.PathLike[str], tables: Sequence[str] | None = None) -> Synced:
        """Bring a local copy of the tables to the published batch: directory/TABLE/all.parquet or YEAR.parquet.

        The first call fetches the files. Later ones take the rows that differ, and the files where that cannot be.
        """
        copy = replica.Replica(
            Path(directory),
            self.download,
            lambda since, batch, names: self.changes(since, tables=names, batch_id=batch),
        )
        if isinstance(tables, str):
            raise TypeError("tables must be a list of names")
        wanted = list(tables) if tables is not None else None
        try:
            return copy.update(self.bulk(), wanted)
        except (errors.NotFound, errors.BatchGone) as error:
            log.info("%s; beginning again with the current batch", error)
            return copy.update(self.bulk(), wanted)

    # SQL.

    def sql(self, text: str, **parameters: Any) -> Frame:
        """Run a statement over the read-only HTTP interface of ClickHouse, at sql_url. It counts no request.

        {name:Type} in the text takes the value of the parameter of that name. Columns have no units here: DESCRIBE
        TABLE and docs/schema.md say them. FORMAT is left out.
        """
        if self._sql is None:
            if not self._sql_url:
                raise ValueError("sql needs sql_url or CUOTA_SQL_URL, as http://127.0.0.1:8123")
            self._sql = Transport(self._sql_url, None, None, self._timeout, self._retry, self._agent)
        return sqldoor.ask(self._sql, text, parameters)

    # What the methods above are made of.

    def get(self, path: str, parameters: Parameters | None = None) -> Any:
        """Return the JSON of any path of the API, one page of a list.

        parameters has the names in braces of the path too, as in get("/api/real_assets/{asset_id}", {"asset_id": 7}).
        """
        return self._transport.get(*_filled(path, parameters or {})).json()

    def post(self, path: str, body: Mapping[str, Any], parameters: Parameters | None = None) -> Any:
        """Return the JSON that a POST of the API answers. Each of them only reads, and is tried again like a GET."""
        return self._transport.post(path, _plain(body), parameters).json()

    def pages(self, path: str, parameters: Parameters | None = None) -> Iterator[dict[str, Any]]:
        """Return the JSON of each page of any list of the API, all of one batch.

        The pages are read before the first is returned: if the batch of the first page is gone when a later one is
        asked for, all are read again from the current batch, once.
        """
        for reply in self._pages(path, parameters or {}):
            yield reply.json()

    def __repr__(self) -> str:
        return f"<cuota.Client of {self._transport.address}>"

    def _pages(self, path: str, parameters: Parameters) -> list[Reply]:
        def read(batch: str | None) -> list[Reply]:
            replies = [self._transport.get(path, {**parameters, "batch_id": batch})]
            batch = replies[0].batch_id
            seen: set[str] = set()
            while address := replies[-1].next_page:
                if address in seen:
                    raise errors.CuotaError(f"The pages of {path} lead back to {address}")
                seen.add(address)
                reply = self._transport.get(address, None if "batch_id=" in address else {"batch_id": batch})
                if reply.batch_id != batch:
                    raise errors.CuotaError(f"A page of {path} is of batch {reply.batch_id} and not of {batch}")
                replies.append(reply)
            return replies

        return self._in_one_batch(read, parameters.get("batch_id"))

    def _in_one_batch(self, read: Callable[[str | None], Result], batch_id: str | None) -> Result:
        """Read something that takes several requests. If its batch goes meanwhile, begin once again.

        A batch that the caller has named is not replaced by another one.
        """
        try:
            return read(batch_id)
        except errors.BatchGone as error:
            if batch_id is not None:
                raise
            log.info("%s; beginning again with the current batch", error)
            return read(None)

    def _table(self, path: str, parameters: Parameters, batch_id: str | None = None) -> Frame:
        asked = {**parameters, "format": "arrow"}
        if batch_id is not None:
            asked["batch_id"] = batch_id
        reply = self._transport.get(path, asked)
        try:
            table = pa.ipc.open_stream(pa.py_buffer(reply.body)).read_all()
        except pa.ArrowInvalid as error:
            raise errors.IncompleteReply(f"{path} is no complete Arrow stream: {error}") from None
        stated = reply.headers.get("x-total-count")
        whole = not {"limit", "offset"} & set(parameters)
        if whole and stated is not None and int(stated) != table.num_rows:
            raise errors.IncompleteReply(f"{path} has {table.num_rows} of {stated} rows")
        notes = self._said.table(path, table.column_names)
        as_of = _cutoff(reply.batch_id)
        if parameters.get("as_of_date"):
            as_of = None  # another day answers, which the table does not name
        elif parameters.get("date"):
            as_of = _one_day(table)
        return framed(table, notes, reply.batch_id, as_of)

    def _bulk_tables(self, *names: str) -> list[Frame]:
        """Read whole tables of one batch. The files go through the cache of replies."""

        def read(_: str | None) -> list[Frame]:
            listed = self.bulk()
            frames = []
            for table in (listed[name] for name in names):
                parts = []
                for file in table.files:
                    body = self._transport.get(file.address).body
                    if hashlib.sha256(body).hexdigest() != file.sha256:
                        raise errors.ChecksumMismatch(f"{file.address} has not the sha256 of the list of files")
                    parts.append(bulk.read_parquet(pa.BufferReader(body)))
                if not parts:
                    raise errors.CuotaError(f"{table.name} has no rows in this batch, and so no file")
                rows = pa.concat_tables(parts)
                frames.append(framed(rows, table.notes, listed.batch_id, _cutoff(listed.batch_id)))
            return frames

        return self._in_one_batch(read, None)

    def _of_items(self, replies: Sequence[Reply], path: str, method: str) -> Frame:
        """Make a Frame of the items of pages. meta is that of the first page."""
        pages = [reply.json() for reply in replies]
        notes = self._notes_of_items(path, method)
        items = [item for page in pages for item in page["data"]]
        return _of_answer(items, pages[0].get("meta", {}), notes, replies[0].batch_id)

    def _notes_of_items(self, path: str, method: str, media_type: str = "application/json") -> Notes:
        notes = self._said.fields(path, method, media_type, "data")
        return {name.removeprefix("attributes."): note for name, note in notes.items()}

    @property
    def _said(self) -> Document:
        """The document of the API. It needs no key and is not counted."""
        if self._document is None:
            self._document = Document(self._transport.get("/openapi.json").json())
        return self._document


def _of_answer(items: Sequence[Mapping[str, Any]], meta: Mapping[str, Any], notes: Notes, batch: str | None) -> Frame:
    rows = [{**{k: v for k, v in item.items() if k != "attributes"}, **item.get("attributes", {})} for item in items]
    batch = meta.get("batch_id") or batch
    return framed(table_of(rows, notes), notes, batch, meta.get("as_of_date") or _cutoff(batch), meta)


def _joined(parts: Sequence[Frame]) -> Frame:
    """Put the tables of one batch one behind another."""
    return Frame(pa.concat_tables([part.table for part in parts]).combine_chunks(), parts[0].meta)


def _one_day(table: pa.Table) -> str | None:
    """Return the one day that all rows of a table are of, and None if it names none or several."""
    days = set(table.column("date").to_pylist()) if "date" in table.column_names else set()
    return str(days.pop()) if len(days) == 1 else None


def _cutoff(batch_id: str | None) -> str | None:
    """Return the cutoff with which the public name of a batch begins (glossary of cuota, batch_id)."""
    stated = re.match(r"(\d{4})(\d{2})(\d{2})-", batch_id or "")
    return "-".join(stated.groups()) if stated else None


def _filled(path: str, parameters: Parameters) -> tuple[str, dict[str, Any]]:
    """Put parameters into the braces of a path. The others are those of the query."""
    left = {name: value for name, value in parameters.items() if value is not None}

    def of(found: re.Match[str]) -> str:
        value = str(left.pop(found[1], ""))
        if value in ("", ".", ".."):  # an address with such a part would lead to another path
            raise ValueError(f"{path} needs a {found[1]}, not {value!r}")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", of, path), left


def _a_day(given: Day) -> datetime.date:
    return given if isinstance(given, datetime.date) else datetime.date.fromisoformat(given)


def _parts(first: datetime.date, last: datetime.date, length: int) -> Iterator[tuple[datetime.date, datetime.date]]:
    """Cut a period into parts of at most length days. A period that ends before it begins is left to the API."""
    begin = first
    while True:
        end = min(last, begin + datetime.timedelta(days=length - 1))
        yield begin, end
        begin = end + datetime.timedelta(days=1)
        if begin > last:
            return


def _month_ends(first: datetime.date, last: datetime.date) -> list[datetime.date]:
    ends: list[datetime.date] = []
    year, month = first.year, first.month
    while True:
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        end = datetime.date(year, month, 1) - datetime.timedelta(days=1)
        if end > last:
            return ends
        ends.append(end)


def _plain(value: Any) -> Any:
    """Write the dates of a strategy as JSON has them."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def _folded(text: str) -> str:
    """Return a text without case and accents, for comparing names."""
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def _manager(name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Return the id of the only manager with this name, or with this part of a name."""
    names = {row["manager_id"]: row["manager"] for row in rows if row["manager_id"] is not None and row["manager"]}
    found = {one: full for one, full in names.items() if _folded(full) == _folded(name)}
    found = found or {one: full for one, full in names.items() if _folded(name) in _folded(full)}
    if len(found) == 1:
        return int(next(iter(found)))
    if not found:
        raise ValueError(f"no manager has {name!r} in its name; client.series() lists them")
    raise ValueError(f"{name!r} is part of several names: " + "; ".join(f"{full} ({i})" for i, full in found.items()))
