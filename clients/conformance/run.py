"""Runs the cases with the Python client, and prints a line for each: {"case", "gives"} or {"case", "error"}.

CUOTA_CASES is the file of cases, CUOTA_URL the address before the name of a case, and CUOTA_KEY the key.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import cuota


def named(frame: cuota.Frame, *columns: str) -> list[list[Any]]:
    return [[row[name] for name in columns] for row in frame.to_pylist()]


def file_of(client: cuota.Client, table: str) -> dict[str, Any]:
    (file,) = client.bulk()[table].files
    with tempfile.TemporaryDirectory() as directory:
        content = client.download(file, directory).read_bytes()
        assert os.listdir(directory) == [file.name]
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def give(client: cuota.Client, what: str, **ask: Any) -> Any:
    match what:
        case "page":
            page = client.screener(fields=["fundName", "tac"], batch_id=ask.get("batch_id"), **ask["filters"])
            return named(page, "id", "fundName", "tac") if len(page) else []
        case "list":
            found = client.screener(fields=["fundName"], **ask["filters"])
            return named(found, "id", "fundName") if len(found) else []
        case "search":
            return [[str(one), name] for one, name in named(client.series(q=ask["q"]), "series_id", "fund")]
        case "compare":
            fields = ["fundName", "tac", "price"]
            return named(
                client.compare(ask["series"], as_of_date=ask.get("as_of_date"), fields=fields), "id", *fields
            )
        case "screens":
            screens = [{**screen, "fields": ["fundName"]} for screen in ask["screens"]]
            return [named(frame, "id", "fundName") for frame in client.screens(screens)]
        case "between":
            frame = client.returns(from_=ask["from"], to=ask["to"], series=ask.get("series"))
            return named(frame, "id", "value", "reason")
        case "market":
            return sorted({name for (name,) in named(client.market_summary(ask["date"]), "family")})
        case "backtest":
            last = client.backtest(ask["strategy"]).curve.to_pylist()[-1]
            return [str(last["date"]), last["value"]]
        case "get":
            return client.get(ask["path"], ask["params"])
        case "days":
            frame = client.days(run=ask["run"], from_date=ask["from"], to_date=ask["to"])
            return [[str(one), str(day), quota] for one, day, quota in named(frame, "series_id", "date", "quota")]
        case "table":
            table = client.bulk_table(ask["name"])
            return {"rows": len(table), "columns": table.column_names}
        case "changes":
            return [[change.table, change.key] for change in client.changes(ask["since"])]
        case "file":
            return file_of(client, ask["table"])
    raise NotImplementedError(what)


def compared_error(error: Exception) -> dict[str, Any]:
    """Return the parts of an error that the cases compare."""
    if isinstance(error, cuota.ApiError):
        return {
            "status": error.status,
            "code": error.code,
            "request_id": error.request_id,
            "retry_after": error.retry_after,
            "current_batch": getattr(error, "current_batch_id", None),
            "fields": sorted(problem["loc"][-1] for problem in getattr(error, "problems", [])),
            "text": str(error),
        }
    kinds = {cuota.IncompleteReply: "incomplete", cuota.ChecksumMismatch: "checksum"}
    return {"kind": kinds.get(type(error), "other"), "text": f"{type(error).__name__}: {error}"}


for case in json.loads(Path(os.environ["CUOTA_CASES"]).read_text(encoding="utf-8"))["cases"]:
    if "python" in case.get("not", {}):
        continue
    ask = dict(case["ask"])
    key = ask.pop("key", os.environ["CUOTA_KEY"])
    line: dict[str, Any] = {"case": case["name"]}
    with cuota.Client(f"{os.environ['CUOTA_URL']}/{case['name']}", key) as client:
        try:
            line["gives"] = give(client, **ask)
        except cuota.CuotaError as error:
            line["error"] = compared_error(error)
    print(json.dumps(line, ensure_ascii=False), flush=True)
