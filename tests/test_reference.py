"""The API reference lists what exists and is described, and every page of it is on the site."""

import ast
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


def undescribed(page, nodes, wanted, path=()):
    """Yield public names under nodes of a module without a docstring; `wanted` of its own."""
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if path or wanted is None or node.name in wanted:
            if ast.get_docstring(node) is None:
                yield ".".join((page, *path, node.name))
            if isinstance(node, ast.ClassDef):
                yield from undescribed(page, node.body, wanted, (*path, node.name))


def shown():
    """Yield each module of the reference with the names that it shows, None for all."""
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        for block in page.read_text(encoding="utf-8").split("\n::: ")[1:]:
            module, _, options = block.partition("\n")
            members = options.partition("members:")[2]
            yield module, set(re.findall(r"\w+", members)) if members else None


def test_every_public_name_has_a_docstring():
    result = []
    for module, wanted in shown():
        text = Path(find_spec(module).origin).read_text(encoding="utf-8")
        result += undescribed(module, ast.parse(text).body, wanted)
    assert result == []


def test_all_that_it_lists_exists():
    assert {module for module in listed() if find_spec(module) is None} == set()


def test_every_page_is_on_the_site():
    pages = {f"reference/{path.name}" for path in (ROOT / "docs" / "reference").glob("*.md")}
    reported = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"reference/\w+\.md", reported)) == pages
