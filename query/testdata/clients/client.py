"""Reads the API with the client that was generated from its document, as a
user's program would, and prints what it read."""

import datetime
import importlib
import json
import os
import sys

import httpx

from generated import AuthenticatedClient
from generated.api.funds import get_days, get_real_assets
from generated.api.market import get_screener
from generated.models import Error, GetScreenerOrder, GetScreenerSort, HTTPValidationError

address, series, day, document = sys.argv[1:]
client = AuthenticatedClient(
    base_url=address, token=os.environ["CUOTA_KEY"], prefix="", auth_header_name="X-Api-Key"
)

page = get_screener.sync(
    client=client, currency="PESOS", sort=GetScreenerSort.ONE_YEAR, order=GetScreenerOrder.DESC, limit=3
)
days = get_days.sync(int(series), client=client, from_date=datetime.date.fromisoformat(day))
unknown = get_real_assets.sync_detailed(1, client=client)
assert isinstance(unknown.parsed, Error), unknown
invalid = get_screener.sync_detailed(client=client, limit=-1)
assert isinstance(invalid.parsed, HTTPValidationError), invalid


def examples():
    """Gives every example, as the generated client reads it."""
    with open(document, encoding="utf-8") as file:
        contract = json.load(file)
    for methods in contract["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                content = answer.get("content", {}).get("application/json", {})
                if "examples" not in content:
                    continue
                value = contract["components"]["examples"][operation["operationId"]]["value"]
                tag = operation["tags"][0].lower().replace(" ", "_")
                module = importlib.import_module(f"generated.api.{tag}.{operation['operationId']}")
                read = module._parse_response(client=client, response=httpx.Response(int(status), json=value))
                assert read is not None, operation["operationId"]
                yield read


print(json.dumps({
    "total": page.meta.total,
    "best": [
        [row.attributes.run, row.attributes.serie, row.attributes.returns.periods.field_1y.value] for row in page.data
    ],
    "days": [[row.attributes.date.isoformat(), row.attributes.price] for row in days.data],
    "unknown": [int(unknown.status_code), unknown.parsed.code],
    "invalid": [int(invalid.status_code), invalid.parsed.detail[0].loc[-1]],
    "examples": len(list(examples())),
}))
