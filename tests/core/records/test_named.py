"""A certificate names the promise that was asked, with units; none passes for an older one."""

import json

import pytest

from core.errors import InvalidInputError
from core.notions.base import OF_BUDGETS
from core.records.draws import Keyed
from core.records.verifying import failed
from tests.core.records.makers import SEED, answer_on, keeping, people, write
from tests.core.records.test_verifying import certified, outcomes


def sentences_of(body):
    return {item["about"]: item["sentence"] for item in body["promises"]}


def written(level, unit):
    text = f"{100 * level:.4g}%" if unit == OF_BUDGETS else f"{level:.4g}"
    return f"{text} {unit}".strip()


@pytest.mark.parametrize(
    ("notion", "title", "unit"),
    [
        ("alip", "ALIP, λ = 0.5", " nats"),
        ("ldp", "LDP", " nats"),
        ("pml", "Max-lift (PML)", " nats"),
        ("average_tv", "Total variation", ""),
    ],
)
def test_other_records_have_the_level_of_what_was_asked(notion, title, unit, tmp_path):
    design = write(people(600), tmp_path / "design.csv")
    mechanism = "optimal" if notion.startswith("average") else "watchdog"
    result, _ = answer_on(design, notion=notion, mechanism=mechanism)
    fresh = write(people(300, seed=5), tmp_path / "fresh.csv")
    body, _ = certified(tmp_path, result, fresh, keeping(Keyed(b"k" * 20, "id")), same=False)
    level = body["levels"]["records"][notion]
    reported = sentences_of(body)["fresh records"]
    assert f"by their own distribution it reaches {title}: {level:.4g}{unit}." in reported
    assert "LIP at" not in reported
    over = sentences_of(body)["sampling error"]
    assert ("itself only the level of the counted distribution is known" in over) == (
        notion not in ("ldp", "pml")
    )
    assert "With 95% confidence (exact only for many records), the records" in over


def test_levels_have_units_and_those_of_two_budgets_are_a_share(tmp_path):
    original = write(people(600), tmp_path / "people.csv")
    for notion, unit in (("alip", OF_BUDGETS), ("lip", "nats"), ("guess", "")):
        result, _ = answer_on(original, notion=notion, eps=0.3, mechanism="subset_merging")
        body, path = certified(tmp_path, result, original)
        assert body["levels"]["asked"]["unit"] == unit
        twice = written(body["levels"]["repeated"]["2"]["level"], unit)
        once = written(body["levels"]["asked"]["achieved"], unit)
        assert f"(level reached: {once})" in sentences_of(body)["one record"]
        assert (
            f"seen together, 2 reach {twice} and 3 reach" in sentences_of(body)["repeated releases"]
        )
        assert body["levels"]["units"]["lip"] == "nats"
        assert body["levels"]["units"]["guess"] == ""
        assert failed(list(outcomes(body, path, original, str(SEED)).values())) == []
    for part, name, value, check in (
        ("asked", "unit", "bits", "notion"),
        ("units", "lip", "", "numbers"),
    ):
        forged = json.loads(json.dumps(body))
        forged["levels"][part][name] = value
        assert outcomes(forged, path, original)[check].passed is False


def test_a_certificate_of_today_does_not_pass_for_an_older_one(tmp_path):
    original = write(people(600), tmp_path / "people.csv")
    body, path = certified(tmp_path, answer_on(original)[0], original)
    assert outcomes(body, path, original)["code"].passed is True
    forged = json.loads(json.dumps(body)) | {"version": 2}
    forged["original"] = forged["original"] | {"sha256": "0" * 64}
    del forged["original"]["commitment"]
    result = outcomes(forged, path, original)["code"]
    assert result.passed is False
    assert result.sentence == "This code writes certificates of version 6, not 2."
    forged["version"] = 1
    with pytest.raises(InvalidInputError, match="version must be 2, 3, 4, 5, 6, 7 or 8, got 1"):
        outcomes(forged, path, original)


def test_under_rldp_the_promise_is_what_was_asked_whatever_the_mechanism_was_made_for(tmp_path):
    design = write(people(600), tmp_path / "design.csv")
    kept = {}
    for mechanism in ("polyopt", "robust_optimal", "non_robust"):
        result, _ = answer_on(
            design, notion="rldp", eps=1.0, mechanism=mechanism, secret_released=True
        )
        target = f"{mechanism}.csv"
        body, path = certified(tmp_path, result, design, target=target)
        promised = body["levels"]["asked"]
        assert promised["notion"] == "1-RLDP"
        kept[mechanism] = promised["holds"]
        assert promised["holds"] == (promised["achieved"] <= 1 + 1e-9)
        words = sentences_of(body)
        over = f"LDP holds at {promised['achieved']:.4g} nats"
        assert over in words["sampling error"]
        if promised["holds"]:
            assert failed(list(outcomes(body, path, design, str(SEED)).values())) == []
        else:
            assert words["one record"].endswith("1-RLDP was requested, but does not hold.")
            assert [
                item.name for item in failed(list(outcomes(body, path, design, str(SEED)).values()))
            ]
    assert kept == {"polyopt": True, "robust_optimal": True, "non_robust": False}


def test_a_scenario_that_releases_no_column_is_one_sentence(tmp_path):
    design = write(people(300), tmp_path / "people.csv")
    result, _ = answer_on(design)
    body, path = certified(tmp_path, result, design)
    body["scenario"]["data"]["released"] = [""]
    answer = outcomes(body, path, design, str(SEED))
    assert failed(list(answer.values())) != []
