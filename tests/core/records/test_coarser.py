"""Releases of columns at a level of their hierarchy, and with rare levels of their own."""

import json

import pytest

from core.data import Hierarchy, RareLevels
from core.records.draws import Keyed, Seeded
from core.records.verifying import failed
from tests.core.records.makers import SEED, answer_on, keeping, people, read, write
from tests.core.records.test_verifying import certified, outcomes

NOTES = tuple((f"n{i}", f"{'odd' if i % 2 else 'even'} n", "any n") for i in range(40))

SPECS = {
    "prefixes": {"hierarchies": (Hierarchy("town", "prefix", 2, steps=(3, 1)),)},
    "a table": {"released": ("note",), "hierarchies": (Hierarchy("note", "table", 1, rows=NOTES),)},
    "intervals": {
        "released": ("age", "note"),
        "hierarchies": (Hierarchy("age", "interval", 1, steps=(15, 30), start=5),),
    },
    "intervals with decimal edges": {
        "released": ("age",),
        "hierarchies": (Hierarchy("age", "interval", 1, steps=(0.7, 2.1), start=-0.3),),
    },
    "level 0": {
        "released": ("note",),
        "hierarchies": (
            Hierarchy("age", "interval", 0, steps=(15,)),
            Hierarchy("note", "prefix", 0, steps=(1,)),
        ),
    },
    "rare": {
        "released": ("town", "note"),
        "rare_levels": (RareLevels("town", 420), RareLevels("note", 600)),
    },
    "rare, missing left out": {
        "released": ("town", "note"),
        "missing": "drop",
        "rare_levels": (RareLevels("town", 420), RareLevels("note", 600)),
    },
}


@pytest.mark.parametrize("name", ["records.csv", "records.parquet"])
@pytest.mark.parametrize("spec", SPECS)
def test_every_treatment_is_counted_again(spec, name, tmp_path):
    columns = people(2_000)
    columns["age"][::9] = [None] * len(columns["age"][::9])
    columns["note"][5] = None
    original = write(columns, tmp_path / name)
    result, _ = answer_on(original, **{"mechanism": "watchdog"} | SPECS[spec])
    plan = keeping(Seeded(SEED), unknown="drop")
    body, path = certified(tmp_path, result, original, plan, "out.parquet")
    answer = outcomes(body, path, original)
    assert failed(list(answer.values())) == []
    assert answer["data"].passed
    assert answer["levels"].passed
    assert answer["draw"].passed


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_new_values_join_their_columns_rare_ones_and_a_table_knows_them_or_not(kind, tmp_path):
    spec = {
        "released": ("town", "note"),
        "hierarchies": (Hierarchy("note", "table", 1, rows=NOTES),),
        "rare_levels": (RareLevels("town", 420),),
        "mechanism": "identity",
    }
    result, _ = answer_on(write(people(2_000), tmp_path / "a.csv"), **spec)
    columns = people(300, seed=8)
    columns["town"][3], columns["note"][4], columns["note"][5] = "Ys", "n7", "nobody's"
    fresh = write(columns, tmp_path / f"fresh.{kind}")
    plan = keeping(Keyed(b"k" * 20, "id"), unknown="drop")
    body, path = certified(tmp_path, result, fresh, plan, same=False)
    assert body["unknown"]["records"] == 1  # only what the table lacks
    assert failed(list(outcomes(body, path, fresh).values())) == []
    y = read(path)[body["released"]["column"]]
    assert y[3].startswith("(rare: ")
    assert y[4].endswith("odd n")


def test_a_certificate_with_groups_that_its_scenario_does_not_ask_for_fails(tmp_path):
    original = write(people(2_000), tmp_path / "a.csv")
    result, _ = answer_on(original, **SPECS["rare"])
    body, path = certified(tmp_path, result, original)
    assert outcomes(body, path, original)["codings"].passed
    wrong = json.loads(json.dumps(body))
    del wrong["scenario"]["data"]["rare_levels"]
    answer = outcomes(wrong, path, original)["codings"]
    assert not answer.passed
    assert "are grouped, but not in the scenario" in answer.sentence
