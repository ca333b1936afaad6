"""A certificate names the promise that was asked, with units; those of version 1 are accepted."""

import json
from pathlib import Path

import pytest

from core.notions.base import OF_BUDGETS
from core.records.checking import former
from core.records.draws import Keyed
from core.records.plan import Plan
from core.records.verifying import failed, unproven, verify
from tests.core.records.makers import asked, people, write
from tests.core.records.test_verifying import certified, outcomes

OLD = Path(__file__).parent / "version_1"


def said(body):
    return {one["about"]: one["sentence"] for one in body["promises"]}


def written(level, unit):
    text = f"{100 * level:.4g} %" if unit == OF_BUDGETS else f"{level:.4g}"
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
    result, _ = asked(design, notion=notion, mechanism=mechanism)
    fresh = write(people(300, seed=5), tmp_path / "fresh.csv")
    body, _ = certified(tmp_path, result, fresh, Plan(Keyed(b"k" * 20, "id")), same=False)
    level = body["levels"]["records"][notion]
    told = said(body)["fresh records"]
    assert f"by their own distribution it reaches {title}: {level:.4g}{unit}." in told
    assert "LIP at" not in told
    over = said(body)["sampling error"]
    assert ("It is known of LDP and PML only" in over) == (notion not in ("ldp", "pml"))


def test_levels_have_units_and_those_of_two_budgets_are_a_share(tmp_path):
    original = write(people(600), tmp_path / "people.csv")
    for notion, unit in (("alip", OF_BUDGETS), ("lip", "nats"), ("guess", "")):
        result, _ = asked(original, notion=notion, eps=0.3, mechanism="subset_merging")
        body, path = certified(tmp_path, result, original)
        assert body["levels"]["asked"]["unit"] == unit
        twice = written(body["levels"]["repeated"]["2"]["level"], unit)
        once = written(body["levels"]["asked"]["achieved"], unit)
        assert f"(level reached: {once})" in said(body)["one record"]
        assert f"seen together, 2 reach {twice} and 3 reach" in said(body)["repeated releases"]
        assert body["levels"]["units"]["lip"] == "nats"
        assert body["levels"]["units"]["guess"] == ""
        assert failed(list(outcomes(body, path, original, "17").values())) == []
    for part, name, value, check in (
        ("asked", "unit", "bits", "promise"),
        ("units", "lip", "", "numbers"),
    ):
        forged = json.loads(json.dumps(body))
        forged["levels"][part][name] = value
        assert outcomes(forged, path, original)[check].passed is False


@pytest.mark.parametrize(("name", "file"), [("repaired", "people"), ("elsewhere", "fresh")])
def test_a_certificate_of_version_1_is_accepted(name, file):
    text = (OLD / f"{name}.json").read_text(encoding="utf-8")
    assert json.loads(text)["version"] == 1
    found = verify(text, OLD / f"{name}.csv", OLD / f"{file}.csv", "17", design=OLD / "people.csv")
    assert failed(found) == []
    assert unproven(found) == []
    outcome = {one.name: one.passed for one in found}
    assert outcome.pop("code") is None
    assert all(outcome.values())


def test_a_certificate_of_today_does_not_pass_for_one_of_version_1(tmp_path):
    original = write(people(600), tmp_path / "people.csv")
    body, path = certified(tmp_path, asked(original)[0], original)
    assert outcomes(body, path, original)["code"].passed is True
    forged = json.loads(json.dumps(body)) | {"version": 1}
    del forged["levels"]["units"], forged["levels"]["asked"]["unit"]
    rest = {name: value for name, value in forged.items() if name != "promises"}
    forged["promises"] = former._first(rest)
    found = outcomes(forged, path, original)["code"]
    assert found.passed is False
    assert found.sentence == "This code writes certificates of version 2, not 1."


def test_the_words_of_version_1_are_checked_as_they_were():
    body = json.loads((OLD / "repaired.json").read_text(encoding="utf-8"))
    body["promises"][0]["sentence"] += " And of two."
    assert former.stated(body)[0] is False
    assert former.named({"version": 1}, "1-RLDP for S – X – Y") == "1-robust LDP"
    assert former.named({"version": 2}, "1-RLDP for S – X – Y") == "1-RLDP for S – X – Y"


def test_under_rldp_the_promise_is_what_was_asked_whatever_the_mechanism_was_made_for(tmp_path):
    design = write(people(600), tmp_path / "design.csv")
    kept = {}
    for mechanism in ("polyopt", "robust_optimal", "non_robust"):
        result, _ = asked(design, notion="rldp", eps=1.0, mechanism=mechanism, secret_released=True)
        target = f"{mechanism}.csv"
        body, path = certified(tmp_path, result, design, target=target)
        promised = body["levels"]["asked"]
        assert promised["notion"] == "1-RLDP"
        kept[mechanism] = promised["holds"]
        assert promised["holds"] == (promised["achieved"] <= 1 + 1e-9)
        words = said(body)
        over = f"LDP holds at {promised['achieved']:.4g} nats"
        assert over in words["sampling error"]
        if promised["holds"]:
            assert failed(list(outcomes(body, path, design, "17").values())) == []
        else:
            assert words["one record"].endswith("this mechanism does not keep it.")
            assert [one.name for one in failed(list(outcomes(body, path, design, "17").values()))]
    assert kept == {"polyopt": True, "robust_optimal": True, "non_robust": False}


def test_a_scenario_that_releases_no_column_is_one_sentence(tmp_path):
    design = write(people(300), tmp_path / "people.csv")
    result, _ = asked(design)
    body, path = certified(tmp_path, result, design)
    body["scenario"]["data"]["released"] = [""]
    found = outcomes(body, path, design, "17")
    assert failed(list(found.values())) != []
