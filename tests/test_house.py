"""What breaks a rule of the house is found; `make test` asks the house itself with its lint."""

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "house.py"


@pytest.fixture(scope="module")
def house():
    spec = importlib.util.spec_from_file_location("house", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["house"]


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_every_room_has_its_floor(house):
    assert house.place("core.optimal.bounds") == (house.place("core.optimal")[0], "core.optimal")
    assert house.place("core.optimal")[0] > house.place("core.notions")[0]  # it knows none of them
    assert house.place("core.joint")[1] == "core"
    assert house.place("core.joint")[0] > house.place("pages.ui.frame")[0]
    assert house.place("pages.explore") == (0, "pages")


def test_a_circle_is_found_through_what_a_folder_offers(house, tmp_path):
    write(
        tmp_path,
        {
            "core/data/__init__.py": "from core.data.spec import Spec\n",
            "core/data/spec.py": "from core.joint import joint\nclass Spec: ...\n",
            "core/joint.py": "def joint():\n    from core.data import Spec\n    return Spec\n",
        },
    )
    assert house.circles(house.survey(tmp_path).imports) == [["core.data", "core.joint"]]
    assert house.faults(tmp_path) == [
        "These import from each other: core.data, core.joint.",
        "These import from each other: core.data.spec, core.joint.",
        "core.joint imports from core.data, which is on a higher floor.",
    ]


def test_a_circle_within_a_room_is_found_though_it_is_for_type_checks_alone(house, tmp_path):
    write(
        tmp_path,
        {
            "core/data/spec.py": "if TYPE_CHECKING:\n    from core.data.count import count\n",
            "core/data/count.py": "from core.data.spec import Spec\n",
        },
    )
    assert house.circles(house.survey(tmp_path).imports) == []
    assert house.faults(tmp_path) == [
        "These import from each other: core.data.count, core.data.spec."
    ]


def test_the_size_of_a_package_is_counted(house, tmp_path):
    write(
        tmp_path,
        {
            "core/joint.py": "A = 1\nB: float = -2.5\nC = (1, 2**3)\nD = (1, 'x')\nE = True\n",
            "core/data/spec.py": "from core.joint import A\n\ndef f():\n    inner = 3\n",
            "core/data/__init__.py": "",
        },
    )
    assert house.size("core", tmp_path) == house.Size(lines=9, files=3, constants=4, floors=2)


def test_long_functions_are_named_unless_their_docstring_makes_them_long(house, tmp_path):
    lines = "    pass\n" * house.MOST_STEPS
    reported = '    """Say it.\n' + "\n" * 40 + '    """\n'
    write(
        tmp_path, {"core/joint.py": f"def told():\n{reported}{lines[9:]}\n\ndef long():\n{lines}"}
    )
    assert house.overlong(tmp_path) == ["core.joint.long has 61 lines beside its docstring."]


def test_every_folder_is_named_in_the_architecture():
    root = SCRIPT.parents[1]
    text = (SCRIPT.parent / "architecture.md").read_text(encoding="utf-8")
    folders = {
        path.parent.name for top in ("core", "pages/ui") for path in (root / top).rglob("*.py")
    }
    assert {name for name in folders if not re.search(rf"\b{name}\b", text)} == set()


def test_rooms_are_modules_where_they_lie_beside_folders(house, tmp_path):
    write(
        tmp_path,
        {
            "core/optimal/solve.py": "import core.optimal.bounds.prover\n",
            "core/optimal/bounds/prover.py": "from core.optimal.bounds import pairs\n",
            "core/optimal/bounds/pairs.py": "",
        },
    )
    result = house.survey(tmp_path)
    assert result.modules == {"core.optimal.solve": 1, "core.optimal.bounds": 2}
    assert result.imports == Counter({("core.optimal.solve", "core.optimal.bounds"): 1})
    assert result.overview().modules == {"core.optimal": 3}
    svg = house.drawing(result)
    assert svg.count('class="line"') == 1
    assert ">bounds</text>" in svg
