"""The API reference lists every room of core, and every page of it is on the site."""

import re
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]

INNER = {
    "core.command": "the command line, which `--help` explains",
    "core.jobs": "processes of the dashboard",
    "core.optimal.bounds": "a room of core.optimal.solve",
    "core.optimal.budgets": "a room of core.optimal.solve",
    "core.optimal.columns": "a room of core.optimal.solve",
    "core.optimal.oracles": "a room of core.optimal.solve",
    "core.optimal.polytopes": "a room of core.optimal.solve",
    "core.optimal.programs": "a room of core.optimal.solve",
    "core.remote": "processes of the dashboard, on a cluster",
    "core.stored": "what servers of the dashboard share",
    "core.papers.experiments": "entries of core.papers.catalogue",
}
"""Rooms that nobody imports from outside, and why."""


def listed():
    """Return the modules that the reference's pages are about."""
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    return {
        module
        for page in pages
        for module in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.M)
    }


def rooms():
    """Return the folders of core that hold modules."""
    folders = {path.parent for path in (ROOT / "core").rglob("*.py") if path.name != "__init__.py"}
    return {".".join(path.relative_to(ROOT).parts) for path in folders}


def test_every_public_room_is_in_the_reference():
    inside = {module.rpartition(".")[0] for module in listed()} | listed()
    assert rooms() - inside == set(INNER)


def test_all_that_it_lists_exists():
    assert {module for module in listed() if find_spec(module) is None} == set()


def test_every_page_is_on_the_site():
    pages = {f"reference/{path.name}" for path in (ROOT / "docs" / "reference").glob("*.md")}
    told = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"reference/\w+\.md", told)) == pages


def test_every_check_of_a_certificate_is_in_it():
    folder = ROOT / "core" / "records" / "checking"
    found = {f"core.records.checking.{path.stem}" for path in folder.glob("[!_]*.py")}
    assert found <= listed()
