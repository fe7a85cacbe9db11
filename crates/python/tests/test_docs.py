"""The pages and the notebook run as they are."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", ["python.md", "store.md"])
def test_pages(page, folder, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    blocks = [block for block in blocks if not block.startswith("# not run here")]
    assert blocks
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    printed = capsys.readouterr().out
    if page == "python.md":
        assert "13 of 101" in printed and "org.loom.reader" in printed
    else:
        assert "('1.4', 'org.loom.reader', 23.681)" in printed


def test_notebook(folder):
    notebook = nbformat.read(DOCS / "python.ipynb", as_version=4)
    nbformat.validate(notebook)
    before = [outputs(cell) for cell in notebook.cells]
    # Sockets in files, because another program may take a number of a port before the kernel does.
    config = Config({"KernelManager": {"transport": "ipc"}})
    resources = {"metadata": {"path": str(folder)}}
    options = {"kernel_name": "python3", "startup_timeout": 300, "timeout": 300, "resources": resources}
    NotebookClient(notebook, config=config, **options).execute()
    assert [outputs(cell) for cell in notebook.cells] == before


def outputs(cell):
    """The texts that a cell shows, which the notebook in docs/ has too."""
    shown = []
    for output in cell.get("outputs", []):
        shown.append(output.get("text") or output.get("data", {}).get("text/plain"))
    return shown
