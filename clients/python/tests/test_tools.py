"""The tools for language models, whose definitions a model reads before it asks anything."""

from __future__ import annotations

import json
import os
import subprocess

import bpe_openai
import pytest

from conftest import program

# The most tokens that the definitions of all tools may take.
MOST = 900


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("door", [[], ["--sql", "http://127.0.0.1:8123"]], ids=["without sql", "with sql"])
def test_the_definitions_of_the_tools_are_few_tokens(encoding: str, door: list[str]) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    # The definitions need no service, so none is there.
    with subprocess.Popen(
        [program(), "mcp", "--url", "http://127.0.0.1:9", *door],
        env={**os.environ, "CUOTA_API_KEY": "cuota_key"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as tools:
        assert tools.stdin
        assert tools.stdout
        tools.stdin.write("".join(json.dumps(line) + "\n" for line in asked))
        tools.stdin.flush()
        answers = [json.loads(tools.stdout.readline()) for _ in range(2)]
        tools.stdin.close()
    assert tools.returncode == 0
    (listed,) = [answer["result"]["tools"] for answer in answers if answer["id"] == 2]
    assert len(listed) == 4 + len(door) // 2
    text = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    tokens = len(bpe_openai.get_encoding(encoding).encode(text))
    print(f"{len(listed)} tools: {tokens} tokens of {encoding}, {len(text.encode())} bytes")
    assert 500 < tokens < MOST
