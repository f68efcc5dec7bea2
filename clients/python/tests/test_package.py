"""The package itself: types, style, and what it says of itself."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import cuota

PACKAGE = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "command", [["mypy"], ["ruff", "check", "--no-cache", "."], ["ruff", "format", "--no-cache", "--check", "."]]
)
def test_types_and_style_are_clean(command: list[str]) -> None:
    pytest.importorskip(command[0])
    done = subprocess.run([sys.executable, "-m", *command], cwd=PACKAGE, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_part_of_the_package() -> None:
    files = metadata.files("cuota")
    assert files is not None
    assert metadata.metadata("cuota")["Requires-Python"] == ">=3.10"
    assert (Path(cuota.__file__).parent / "py.typed").exists()


def test_pandas_and_polars_are_not_needed() -> None:
    program = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "polars"):
            raise ImportError(name)

sys.meta_path.insert(0, Without())
from cuota.frame import Frame, table_of

frame = Frame(table_of([{"a": 1}], {}))
print(frame.to_pylist())
for ask in (frame.to_pandas, frame.to_polars):
    try:
        ask()
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    first, *others = done.stdout.splitlines()
    assert first == "[{'a': 1}]", done.stderr
    assert ["pandas" in others[0], "polars" in others[1]] == [True, True]


def test_a_process_that_has_read_a_file_ends_well(listed: cuota.BulkList, client: cuota.Client, tmp_path: Path) -> None:
    path = client.download(listed["screener"].files[0], tmp_path)
    program = (
        "import sys, pyarrow as pa; from cuota.bulk import read_parquet; "
        "print(len(read_parquet(pa.BufferReader(open(sys.argv[1], 'rb').read()))))"
    )
    for _ in range(10):  # with threads, about one of ten such processes aborted
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, "2840\n"), done.stderr
