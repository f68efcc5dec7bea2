"""The notebooks run from the first cell to the last."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import Server

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, demo: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUOTA_URL", demo.url)
    monkeypatch.setenv("CUOTA_API_KEY", demo.key)
    monkeypatch.setenv("CUOTA_SQL_URL", demo.sql_url)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs, "notebooks are stored without results"
    NotebookClient(notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    results = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert len(results) >= 4
    shown = str([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])
    assert demo.key not in shown


def test_there_is_a_notebook_for_each_kind_of_user() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["research", "screening", "sql"]
