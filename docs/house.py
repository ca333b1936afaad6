"""Draw the rooms of the code and the imports between them: `python docs/house.py` (make house).

A room is a folder of modules; a module that lies beside folders is a room of its own. Rooms stand
in rows: each is above all that it imports from, so every line leads down. Rooms that import from
each other in a circle cannot be drawn so: they are named, and the exit status is 1. What a
folder's `__init__` imports in order to offer it is not counted.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[1]

PACKAGES = ("core", "pages")
"""What is drawn; tests and benchmarks import everything and are imported by nothing."""

ROW, WIDTH, BOX = 92, 1180, (118, 46)
"""Height of a row, width of the drawing, and size of a room, in pixels."""


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

    def circles(self) -> list[list[str]]:
        """Return the sets of rooms that import from each other, directly or not."""
        parts = nx.strongly_connected_components(self.graph())
        return sorted(sorted(part) for part in parts if len(part) > 1)


def survey(root: Path = ROOT) -> House:
    """Return the house as the files' own imports describe it; those for type checks alone too."""
    files = {
        ".".join(path.relative_to(root).with_suffix("").parts): path
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    names = {name.removesuffix(".__init__") for name in files}
    split = {name.rpartition(".")[0] for name in names - files.keys()}
    modules: Counter[str] = Counter()
    imports: Counter[tuple[str, str]] = Counter()
    for name, path in files.items():
        if path.name == "__init__.py":
            continue
        here = room(name, split)
        modules[here] += 1
        for target in imported(path, names):
            there = room(target, split) if target in files else target
            if there != here:
                imports[here, there] += 1
    return House(dict(modules), imports)


def room(module: str, split: set[str]) -> str:
    """Return the room of a module: itself where its folder is split into folders."""
    folder = module.rpartition(".")[0]
    return module if folder in split else folder


def imported(path: Path, names: set[str]) -> set[str]:
    """Return which of the named modules a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & names
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found |= {full} if full in names else {node.module} & names
    return found


def rows(graph: nx.DiGraph[str]) -> list[list[str]]:
    """Return the rooms row by row, each below all that import from it."""
    return [sorted(row) for row in nx.topological_generations(graph)]


def drawing(house: House) -> str:
    """Return the house as SVG: one box a room, one line for all imports from one to another."""
    graph = nx.transitive_reduction(house.graph())
    levels = rows(house.graph())
    place: dict[str, tuple[float, float]] = {}
    for depth, row in enumerate(levels):
        if depth:  # under the middle of what imports from it: fewer lines cross
            row = sorted(row, key=lambda name: _middle(graph, name, place))
        for i, name in enumerate(row):
            place[name] = (WIDTH * (i + 0.5) / len(row), ROW * (depth + 0.5))
    lines = [
        f'<path d="M{place[a][0]:.0f} {place[a][1] + BOX[1] / 2:.0f} '
        f"C{place[a][0]:.0f} {place[a][1] + ROW * 0.6:.0f} "
        f"{place[b][0]:.0f} {place[b][1] - ROW * 0.6:.0f} "
        f'{place[b][0]:.0f} {place[b][1] - BOX[1] / 2:.0f}" class="line"/>'
        for a, b in sorted(graph.edges)
    ]
    boxes = [_box(name, house.modules.get(name, 0), *place[name]) for name in sorted(place)]
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


def _middle(graph: nx.DiGraph[str], name: str, place: dict[str, tuple[float, float]]) -> float:
    above = [place[one][0] for one in graph.predecessors(name) if one in place]
    return sum(above) / len(above) if above else WIDTH / 2


def _box(name: str, count: int, x: float, y: float) -> str:
    kind, _, rest = name.partition(".")
    said = "module" if count == 1 else "modules"
    return (
        f'<g><rect x="{x - BOX[0] / 2:.0f}" y="{y - BOX[1] / 2:.0f}" width="{BOX[0]}" '
        f'height="{BOX[1]}" rx="6" class="{kind}"/>'
        f'<text x="{x:.0f}" y="{y - 2:.0f}">{escape(rest or kind)}</text>'
        f'<text x="{x:.0f}" y="{y + 14:.0f}" class="small">{count} {said}</text></g>'
    )


def main() -> int:
    """Draw the house into docs/house.svg; return 1 where it has a circle."""
    house = survey()
    for circle in house.circles():
        print(f"These rooms import from each other: {', '.join(circle)}.", file=sys.stderr)
    if house.circles():
        return 1
    (ROOT / "docs" / "house.svg").write_text(drawing(house), encoding="utf-8")
    print(f"docs/house.svg: {len(house.modules)} rooms, {len(house.imports)} ways between them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
