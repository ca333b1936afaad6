"""The notebooks of the documents, and those that are exported, print what `core` computes."""

import json
import os
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from core.papers.catalogue import entry
from core.scenario import Scenario, evaluate
from core.scenario.snippet import notebook

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
NAMES = ("own_data", "what_if", "reproduce_a_figure")

PATIENCE = 1200
"""Seconds that a cell may take on a busy machine."""


def ran(text, folder, monkeypatch):
    """Run a notebook and return what its cells print and show, as one text."""
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    result = nbformat.reads(text, as_version=4)
    nbformat.validate(result)
    client = NotebookClient(
        result,
        timeout=PATIENCE,
        startup_timeout=PATIENCE,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT)}},
    )
    client.execute()
    outputs = [output for cell in result.cells for output in cell.get("outputs", ())]
    assert not [item for item in outputs if item.output_type == "error"]
    return "\n".join(
        item.text if item.output_type == "stream" else item.data.get("text/plain", "")
        for item in outputs
    )


def of_documents(name):
    return (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")


def test_every_notebook_is_listed_and_kept_without_outputs():
    listed = re.findall(r"\((\w+)\.ipynb\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(listed) == set(NAMES)
    for name in NAMES:
        cells = json.loads(of_documents(name))["cells"]
        assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")


def test_own_data_satisfies_its_notion(tmp_path, monkeypatch):
    text = ran(of_documents("own_data"), tmp_path, monkeypatch)
    assert "audit: LIP holds: True" in text
    level = float(re.search(r"level reached: ([\d.]+)", text)[1])
    assert 0.29 < level <= 0.3


def test_what_if_says_what_the_dashboard_says(tmp_path, monkeypatch):
    text = ran(of_documents("what_if"), tmp_path, monkeypatch)
    request = Scenario(notion="lip", eps=0.5)
    assert f"{evaluate(request).mechanism.nmi:.1%} kept; optimal" in text
    assert "{'notion': ['lip'], 'eps': ['0.5']}" in text


def test_the_figure_comes_out_with_its_verdicts(tmp_path, monkeypatch):
    text = ran(of_documents("reproduce_a_figure"), tmp_path, monkeypatch)
    item = entry("lift_2")
    assert item.claim in text
    assert "50 draws" in text
    assert "reproduced" in text


def test_the_notebook_of_a_question_prints_what_its_answer_is(tmp_path, monkeypatch):
    request = Scenario(notion="lip", eps=0.5, mechanism="watchdog")
    text = ran(notebook(request), tmp_path, monkeypatch)
    made = evaluate(request).mechanism
    assert f"I(X;Y) {made.information:.6f} nats, NMI {made.nmi:.6f}" in text
    assert made.y_labels[0][:8] in text


def test_the_notebook_of_an_upload_has_a_place_for_its_path():
    source = "upload:" + "0" * 64
    request = Scenario.from_json(
        json.dumps({"data": {"source": source, "secret": ["a"], "released": ["b"]}})
    )
    text = notebook(request)
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert "PATH OF YOUR FILE" in text
