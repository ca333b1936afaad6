"""The API reference lists modules that exist, and every page of it is on the site."""

import re
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]


def listed():
    """Return the modules that the reference's pages are about."""
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    return {
        module
        for page in pages
        for module in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.M)
    }


def test_all_that_it_lists_exists():
    assert {module for module in listed() if find_spec(module) is None} == set()


def test_every_page_is_on_the_site():
    pages = {f"reference/{path.name}" for path in (ROOT / "docs" / "reference").glob("*.md")}
    told = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"reference/\w+\.md", told)) == pages
