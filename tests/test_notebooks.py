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
    found = nbformat.reads(text, as_version=4)
    nbformat.validate(found)
    client = NotebookClient(
        found,
        timeout=PATIENCE,
        startup_timeout=PATIENCE,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT)}},
    )
    client.execute()
    outputs = [output for cell in found.cells for output in cell.get("outputs", ())]
    assert not [one for one in outputs if one.output_type == "error"]
    return "\n".join(
        one.text if one.output_type == "stream" else one.data.get("text/plain", "")
        for one in outputs
    )


def of_documents(name):
    return (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")


def test_every_notebook_is_listed_and_kept_without_outputs():
    listed = re.findall(r"\((\w+)\.ipynb\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(listed) == set(NAMES)
    for name in NAMES:
        cells = json.loads(of_documents(name))["cells"]
        assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")


def test_own_data_keeps_its_promise(tmp_path, monkeypatch):
    said = ran(of_documents("own_data"), tmp_path, monkeypatch)
    assert "audit: promise kept: True" in said
    level = float(re.search(r"level reached: ([\d.]+)", said)[1])
    assert 0.29 < level <= 0.3


def test_what_if_says_what_the_dashboard_says(tmp_path, monkeypatch):
    said = ran(of_documents("what_if"), tmp_path, monkeypatch)
    asked = Scenario(notion="lip", eps=0.5)
    assert f"{evaluate(asked).mechanism.nmi:.1%} kept; optimal" in said
    assert "{'notion': ['lip'], 'eps': ['0.5']}" in said


def test_the_figure_comes_out_with_its_verdicts(tmp_path, monkeypatch):
    said = ran(of_documents("reproduce_a_figure"), tmp_path, monkeypatch)
    one = entry("lift_2")
    assert one.claim in said
    assert "50 draws" in said
    assert "reproduced" in said


def test_the_notebook_of_a_question_prints_what_its_answer_is(tmp_path, monkeypatch):
    asked = Scenario(notion="lip", eps=0.5, mechanism="watchdog")
    said = ran(notebook(asked), tmp_path, monkeypatch)
    made = evaluate(asked).mechanism
    assert f"I(X;Y) {made.information:.6f} nats, NMI {made.nmi:.6f}" in said
    assert made.y_labels[0][:8] in said


def test_the_notebook_of_an_upload_has_a_place_for_its_path():
    source = "upload:" + "0" * 64
    asked = Scenario.from_json(
        json.dumps({"data": {"source": source, "secret": ["a"], "released": ["b"]}})
    )
    text = notebook(asked)
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert "PATH OF YOUR FILE" in text
