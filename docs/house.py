"""Draw the rooms of the code and the imports between them: `make house`.

A room is a folder of modules, or a module that lies beside folders. An import of a name that a
folder's `__init__` re-exports counts as one from the module that defines it. Rooms are grouped
into floors (`FLOORS`): an import leads to a lower floor or stays on its own, and no two rooms, and
no two modules, import from each other, directly or not. What breaks one of these rules, or a
function that is too long, is printed, and the exit status is 1. Else the size of each package is:
its lines, files, numeric constants (numbers given to a name at a module's top) and floors.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[1]

PACKAGES = ("core", "pages")
"""What is drawn; tests and benchmarks import everything and are imported by nothing."""

FLOORS = (
    ("pages",),
    tuple(f"pages.ui.{page.stem}" for page in sorted((ROOT / "pages").glob("*.py"))),
    ("pages.ui.in_class",),
    ("pages.ui.frame",),
    ("pages.ui.parts",),
    ("pages.ui.report",),
    ("pages.ui.work", "pages.ui.chart", "pages.ui.figures"),
    ("pages.ui.serving",),
    ("pages.ui.style", "pages.ui.command"),
    ("core.__main__", "core.command"),
    ("core.papers", "core.learning", "core.remote"),
    ("core.sweep",),
    ("core.jobs", "core.stored"),
    ("core.records",),
    ("core.studies", "core.release"),
    ("core.scenario",),
    ("core.mechanisms", "core.utilities"),
    ("core.notions", "core.audit"),
    ("core.optimal", "core.allowed"),
    ("core.data", "core.nonstochastic", "core.uncertainty", "core.measures"),
    ("core",),
)
"""Floors from the top: what lies on each; a room belongs to the longest name it begins with."""

MOST_STEPS = 60
"""Lines that a function may have beside its docstring."""

ROW, WIDTH, BOX = 92, 1080, (128, 46)
"""Height of a row, width of a drawing, and size of a room, in pixels."""


@dataclass(frozen=True)
class House:
    """Rooms and the imports between them.

    Attributes
    ----------
    modules : dict
        How many modules each room holds.
    imports : Counter
        How many imports lead from one room to another.
    """

    modules: dict[str, int]
    imports: Counter[tuple[str, str]]

    def graph(self) -> nx.DiGraph[str]:
        """Return the rooms as nodes, an arrow from each to what it imports from."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(sorted(self.modules))
        graph.add_edges_from(sorted(self.imports))
        return graph

    def upwards(self) -> list[tuple[str, str]]:
        """Return the imports that lead to a higher floor."""
        return sorted((a, b) for a, b in self.imports if place(a)[0] > place(b)[0])

    def overview(self) -> House:
        """Return the house with one box for all rooms of a package."""
        modules: Counter[str] = Counter()
        imports: Counter[tuple[str, str]] = Counter()
        for name, count in self.modules.items():
            modules[place(name)[1]] += count
        for (a, b), count in self.imports.items():
            if place(a)[1] != place(b)[1]:
                imports[place(a)[1], place(b)[1]] += count
        return House(dict(modules), imports)


def place(name: str) -> tuple[int, str]:
    """Return a room's floor, counted from the top, and the package that it belongs to there."""
    matches = [
        (len(block), floor, block)
        for floor, blocks in enumerate(FLOORS)
        for block in blocks
        if name == block or name.startswith(f"{block}.")
    ]
    _, floor, block = max(matches)
    return floor, block


def survey(root: Path = ROOT) -> House:
    """Return the house as the files' own imports describe it; those for type checks alone too."""
    ways = module_imports(root)
    split = {module.rpartition(".")[0].rpartition(".")[0] for module in ways}
    modules: Counter[str] = Counter()
    imports: Counter[tuple[str, str]] = Counter()
    for name, targets in ways.items():
        here = room(name, split)
        modules[here] += 1
        for target in targets:
            there = room(target, split) if target in ways else target
            if there != here:
                imports[here, there] += 1
    return House(dict(modules), imports)


def module_imports(root: Path = ROOT) -> dict[str, set[str]]:
    """Return for each module those that it imports from, through whichever package."""
    files = {
        ".".join(path.relative_to(root).with_suffix("").parts): path
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    names = {name.removesuffix(".__init__") for name in files}
    offered = {
        f"{name.removesuffix('.__init__')}.{alias}": source
        for name, path in files.items()
        if path.name == "__init__.py"
        for alias, source in offers(path, names)
    }
    return {
        name: imported(path, names, offered)
        for name, path in files.items()
        if path.name != "__init__.py"
    }


def circles(ways: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the sets of rooms, or modules, that import from each other, directly or not."""
    graph: nx.DiGraph[str] = nx.DiGraph(list(ways))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    parts = nx.strongly_connected_components(graph)
    return sorted(sorted(part) for part in parts if len(part) > 1)


def room(module: str, split: set[str]) -> str:
    """Return the room of a module: itself where its folder is split into folders."""
    folder = module.rpartition(".")[0]
    return module if folder in split else folder


def offers(path: Path, names: set[str]) -> list[tuple[str, str]]:
    """Return the names that an `__init__` imports, and from which module."""
    return [
        (alias.asname or alias.name, node.module)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module in names
        for alias in node.names
    ]


@cache
def parsed(text: str) -> tuple[list[ast.Import | ast.ImportFrom], dict[str, int]]:
    """Return the imports of a file's text, at any depth, and the lines of its functions."""
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    # Nodes of functions are not kept: the collector would walk through all trees again and again.
    return (
        [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)],
        {f"{node.name}:{node.lineno}": steps(node) for node in functions},
    )


def steps(node: ast.FunctionDef) -> int:
    """Return how many lines a function has, its docstring apart."""
    documented = len((ast.get_docstring(node, clean=False) or "").splitlines())
    return node.end_lineno - node.lineno + 1 - documented


def imported(path: Path, names: set[str], offered: dict[str, str]) -> set[str]:
    """Return which of the named modules a file imports, through whichever package."""
    used = set()
    imports, _ = parsed(path.read_text(encoding="utf-8"))
    for node in imports:
        if isinstance(node, ast.Import):
            used |= {alias.name for alias in node.names} & names
        elif node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                while full in offered:  # a folder may offer what another one offers
                    full = f"{offered[full]}.{alias.name}"
                used |= {full} if full in names else {full.rpartition(".")[0]} & names
    return used


def faults(root: Path = ROOT) -> list[str]:
    """Return, as sentences, what breaks a rule of the house."""
    house = survey(root)
    modules = {(name, to) for name, targets in module_imports(root).items() for to in targets}
    return [
        *(
            f"These import from each other: {', '.join(circle)}."
            for circle in circles(house.imports) + circles(modules)
        ),
        *(f"{a} imports from {b}, which is on a higher floor." for a, b in house.upwards()),
        *overlong(root),
    ]


def overlong(root: Path) -> list[str]:
    """Return, as sentences, which functions have more lines than they may, docstrings apart."""
    sentences = []
    for path in sorted(path for top in ("core", "pages") for path in (root / top).rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        _, functions = parsed(path.read_text(encoding="utf-8"))
        for function, lines in functions.items():
            name = f"{module}.{function.partition(':')[0]}"
            if lines > MOST_STEPS:
                sentences.append(f"{name} has {lines} lines beside its docstring.")
    return sentences


def rows(house: House, *, floors: bool) -> list[list[str]]:
    """Return the rooms row by row: by floor, or else each below all that import from it."""
    if not floors:
        return [sorted(row) for row in nx.topological_generations(house.graph())]
    by: dict[int, list[str]] = {}
    for name in sorted(house.modules):
        by.setdefault(place(name)[0], []).append(name)
    return [by[floor] for floor in sorted(by)]


def drawing(house: House, *, floors: bool = False) -> str:
    """Return the house as SVG: a line where one room imports from another.

    A line that follows from others (a room imports from one that imports from a third) is left
    out.
    """
    graph = nx.transitive_reduction(house.graph())
    levels = rows(house, floors=floors)
    spot: dict[str, tuple[float, float]] = {}
    for depth, row in enumerate(levels):
        if depth:  # under the middle of what imports from it: fewer lines cross
            row = sorted(row, key=lambda name: _middle(graph, name, spot))
        for i, name in enumerate(row):
            spot[name] = (WIDTH * (i + 0.5) / len(row), ROW * (depth + 0.5))
    lines = [_line(spot[a], spot[b]) for a, b in sorted(graph.edges)]
    common = _common(list(house.modules))
    boxes = [_box(name, common, house.modules[name], *spot[name]) for name in sorted(spot)]
    height = ROW * len(levels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Rooms of the code, each above what it imports from">\n<style>'
        "text{font:12px sans-serif;text-anchor:middle;fill:#23272f}.small{font-size:10px;"
        "fill:#5b6270}.core{fill:#e8f0f6;stroke:#0b63a5}.pages{fill:#f6ece2;stroke:#b4530a}"
        ".line{fill:none;stroke:#8a93a3;stroke-width:1;opacity:.7}</style>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
        + "\n".join(lines + boxes)
        + "\n</svg>\n"
    )


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    if y == v:  # side by side
        bend = f"{(x + u) / 2:.0f} {y - ROW / 2:.0f}"
        return f'<path d="M{x:.0f} {y:.0f} Q{bend} {u:.0f} {v:.0f}" class="line"/>'
    return (
        f'<path d="M{x:.0f} {y + BOX[1] / 2:.0f} C{x:.0f} {y + ROW * 0.6:.0f} '
        f'{u:.0f} {v - ROW * 0.6:.0f} {u:.0f} {v - BOX[1] / 2:.0f}" class="line"/>'
    )


def _middle(graph: nx.DiGraph[str], name: str, spot: dict[str, tuple[float, float]]) -> float:
    above = [spot[parent][0] for parent in graph.predecessors(name) if parent in spot]
    return sum(above) / len(above) if above else WIDTH / 2


def _common(names: list[str]) -> str:
    """Return the package that all rooms lie in, with a dot; empty where there is none."""
    parts = [name.split(".")[:-1] for name in names]
    shared = [level[0] for level in zip(*parts, strict=False) if len(set(level)) == 1]
    return "".join(f"{part}." for part in shared)


def _box(name: str, common: str, count: int, x: float, y: float) -> str:
    kind, short = name.partition(".")[0], name.removeprefix(common)
    noun = "module" if count == 1 else "modules"
    return (
        f'<g><rect x="{x - BOX[0] / 2:.0f}" y="{y - BOX[1] / 2:.0f}" width="{BOX[0]}" '
        f'height="{BOX[1]}" rx="6" class="{kind}"/>'
        f'<text x="{x:.0f}" y="{y - 2:.0f}">{escape(short)}</text>'
        f'<text x="{x:.0f}" y="{y + 14:.0f}" class="small">{count} {noun}</text></g>'
    )


@dataclass(frozen=True)
class Size:
    """Lines, files and numeric constants of a package, and on how many floors its rooms lie."""

    lines: int
    files: int
    constants: int
    floors: int

    def __str__(self) -> str:
        return (
            f"{self.lines:,} lines, {self.files} files, {self.constants} numeric constants, "
            f"{self.floors} floors"
        )


def size(package: str, root: Path = ROOT) -> Size:
    """Return how large a package is."""
    texts = [path.read_text(encoding="utf-8") for path in (root / package).rglob("*.py")]
    rooms = [name for name in survey(root).modules if name.partition(".")[0] == package]
    return Size(
        sum(len(text.splitlines()) for text in texts),
        len(texts),
        sum(numbers(node) for text in texts for node in ast.parse(text).body),
        len({place(name)[0] for name in rooms}),
    )


def numbers(node: ast.stmt) -> int:
    """Return how many literal numbers a statement gives to names."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return 0
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return len(values) if all(map(_number, values)) else 0


def _number(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        return _number(value.operand)
    if isinstance(value, ast.BinOp):
        return _number(value.left) and _number(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def shapes(svg: str) -> Counter[str]:
    """Return how often each drawn element occurs in a picture, in any order."""
    return Counter(re.findall(r"<[^>]+>[^<]*", svg))


def main() -> int:
    """Draw the house into docs/, or check the picture; return 1 where a rule is broken."""
    picture = ROOT / "docs" / "house.svg"
    house = survey()
    drawn = drawing(house.overview(), floors=True)
    wrong = faults()
    if "--check" not in sys.argv:
        picture.write_text(drawn, encoding="utf-8")
    elif shapes(picture.read_text(encoding="utf-8")) != shapes(drawn):
        wrong.append("docs/house.svg is not current: run make house.")
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    print(f"docs/house.svg: {len(house.modules)} rooms, {len(house.imports)} ways between them.")
    for package in PACKAGES:
        print(f"{package}: {size(package)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
