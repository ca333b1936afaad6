"""Phrases that docs/voice.md replaces stay out of the interface, the messages and the documents."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

GONE = (
    r"\bin print\b",
    r"\bbeside print\b",
    r"\b[Pp]rint (?:says|has|needs|names|is wrong)\b",
    r"\bprint's\b",
    "could not be told",
    "which are told of",
    "there is nothing to be known",
    "stood empty",
    "First glance",
    "better answer is being worked out",
    "What looks alike",
    "How far beliefs move",
    "Records with a value that was not counted",
    "not as it should be",
    "is ringed where",
    "Bring all columns to",
    "what X says",
    "times less likely",
    r"of what \w+ says",
    "No bit of",
    "How many times as likely [a-z ]*the secret",
    r"has no column \{[^}]*\}: ",
    "more than ×",
    "Target kept",
    "There are no names",
)
"""What is no longer said, as regular expressions."""


@cache
def texts() -> dict[str, str]:
    """Return what people read, by path: code with its strings, and documents."""
    places = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    places += [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    places += (ROOT / "docs").rglob("*.ipynb")
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in places
        if path.name != "voice.md"
    }


@pytest.mark.parametrize("phrase", GONE)
def test_a_phrase_that_is_gone_stays_gone(phrase):
    pattern = re.compile(phrase)
    assert [path for path, text in texts().items() if pattern.search(text)] == []


def test_pages_say_notion_where_they_mean_one():
    """Certificates promise; a mechanism satisfies a notion."""
    result = {
        (path, message)
        for path, text in texts().items()
        if path.startswith("pages") and not path.endswith("address.py")  # keys of links
        for message in set(strings(text)) - documented(text)
        if re.search(r"Promise|\bpromises?\b", message) and not re.fullmatch(r"[a-z_]+", message)
    }
    assert result == set()


def test_every_phrase_of_the_voice_is_looked_for():
    table = (ROOT / "docs" / "voice.md").read_text(encoding="utf-8").partition("## Instead of")[2]
    left = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(left) >= 10
    missed = [item for item in left if not any(re.search(phrase, item) for phrase in GONE)]
    assert missed == []


@cache
def nodes(code: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(code)))


def strings(code: str) -> Iterator[str]:
    """Yield the strings of a program, with 0 for what is put into them."""
    for node in nodes(code):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def documented(code: str) -> set[str]:
    """Return what a program says in strings that stand by themselves: its documentation."""
    alone = [node.value for node in nodes(code) if isinstance(node, ast.Expr)]
    return {str(item.value) for item in alone if isinstance(item, ast.Constant)}


def test_no_percentage_has_a_blank_before_its_sign():
    result = {
        line.strip()
        for path, text in texts().items()
        for message in (strings(text) if path.endswith(".py") else [text])
        for line in message.splitlines()
        if re.search(r"\d %(?!\{)", line)
    }
    assert result == set()


def test_numbers_begin_with_a_digit():
    written = {
        path: re.sub("```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
        for path, text in texts().items()
        if path.endswith(".md") and path != "docs/benchmarks.md"
    }
    for path in (ROOT / "core" / "papers").rglob("*.json"):
        written[path.name] = path.read_text(encoding="utf-8")
    assert [path for path, text in written.items() if re.search(r"(?<![\w.])\.\d", text)] == []


PARTS = {"found", "told", "said", "asked"}
"""Words that say nothing of what a name holds, alone or in a compound."""

SETTINGS = {"told_a", "told_b"}
"""Parameters of links, which do not change."""


def says_nothing(name: str) -> bool:
    """Return whether a name is "one", or has one of PARTS as a word: `is_found`, `toldOf`."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name.removesuffix("Error").removesuffix("NotFound"))
    return name == "one" or not PARTS.isdisjoint(word.lower() for word in words)


def test_names_say_what_they_hold():
    result = {
        (path, node.lineno, name)
        for path, text in texts().items()
        if path.endswith(".py")
        for node in nodes(text)
        if says_nothing(name := named(node)) and name not in SETTINGS
    }
    assert result == set()


@pytest.mark.parametrize("name", ["one", "is_found", "told_if_cut", "_ASKED", "askedKinds", "Told"])
def test_a_compound_says_no_more_than_its_word(name):
    assert says_nothing(name)
    assert not says_nothing("one_of")
    assert not says_nothing("foundation")


def test_names_in_scripts_say_what_they_hold():
    result = {
        (path.name, name)
        for path in (ROOT / "pages").rglob("*.js")
        for line in path.read_text(encoding="utf-8").splitlines()
        for name in re.findall(r"[\w$]+", re.sub(r"(?<!:)//.*", "", line))
        if says_nothing(name)
    }
    assert result == set()


def named(node: ast.AST) -> str:
    """Return the name that a node of a program gives or asks for; "" for other nodes."""
    for field in ("id", "attr", "arg", "name"):
        if isinstance(name := getattr(node, field, None), str):
            return name
    return ""


def test_budgets_are_written_as_in_the_papers():
    written = {path: text for path, text in texts().items() if path.endswith(".md")}
    written |= {
        path: "\n".join(set(strings(text)) - documented(text))
        for path, text in texts().items()
        if path.endswith(".py")
    }
    for path in (ROOT / "core" / "papers").rglob("*.json"):
        written[path.name] = path.read_text(encoding="utf-8")
    assert [path for path, text in written.items() if re.search("ε_[lu]", text)] == []
