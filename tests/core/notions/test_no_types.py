"""No module asks a notion for its type: what others need to know, the notion says of itself."""

import ast
from pathlib import Path

import pytest

import core
import pages
from core import notions
from core.notions import Notion, PointwiseNotion

OWN = {
    name
    for name, kind in vars(notions).items()
    if isinstance(kind, type) and issubclass(kind, Notion) and kind not in (Notion, PointwiseNotion)
}
ROOMS = Path(core.__file__).parent, Path(next(iter(pages.__path__)))


def names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }


def asked_by_type(source):
    """Return the notions whose type a program asks for, and the lines."""
    for node in ast.walk(ast.parse(source)):
        request = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass"):
                request = node.args[1:]
        elif isinstance(node, ast.MatchClass):
            request = [node.cls]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            typed = any("type" in names_in(side) or "kind" in names_in(side) for side in sides)
            request = sides if typed else []
        for name in sorted(OWN & set().union(*map(names_in, request))):
            yield name, node.lineno


def test_the_notions_are_those_of_the_catalogue_and_their_intersection():
    assert {"LIP", "LDP", "SRLIP", "RLDP", "Average", "Intersection"} <= OWN
    assert "Notion" not in OWN


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(notion, LIP)",
        "issubclass(kind, (Purpose, notions.LDP))",
        "isinstance(notion, LIP | ALIP)",
        "type(notion) is SRLIP",
        "entry.kind == RLDP",
        "match notion:\n    case LIP():\n        pass",
    ],
)
def test_each_way_to_ask_is_seen(source):
    assert list(asked_by_type(source))


def test_no_module_asks_a_notion_for_its_type():
    for room in ROOMS:
        for path in room.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            own = {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
            result = [(name, line) for name, line in asked_by_type(text) if name not in own]
            assert not result, f"{path}: {result}"
