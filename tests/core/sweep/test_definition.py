import json

import numpy as np
import pytest

from core.data import DataSpec
from core.errors import InvalidInputError
from core.scenario import Scenario
from core.sweep import MAX_POINTS, MEASURES, Draws, Sweep
from core.sweep.points import BATCH, SINGLE, chunks

MERGING = ("watchdog", "subset_merging")
BUDGETS = (0.5, 1.0, 2.0)


def test_questions_are_all_combinations_and_the_last_field_changes_fastest():
    sweep = Sweep(vary=(("mechanism", MERGING), ("notion", ("lip", "ldp")), ("eps", BUDGETS)))
    request = [(item.mechanism, item.notion, item.eps) for item in sweep.questions]
    assert request == [(m, n, e) for m in MERGING for n in ("lip", "ldp") for e in BUDGETS]
    assert sweep.size == sweep.largest == 12
    assert sweep.described == "2 mechanisms × 2 notions × 3 budgets"


def test_values_without_effect_make_no_further_question():
    sweep = Sweep(vary=(("notion", ("lip", "alip")), ("lam", (0.2, 0.5, 0.8))))
    assert [(item.notion, item.lam) for item in sweep.questions] == [
        ("lip", 0.2),
        ("alip", 0.2),
        ("alip", 0.5),
        ("alip", 0.8),
    ]
    ends = Sweep(vary=(("mechanism", ("identity", "constant")), ("eps", BUDGETS)))
    assert ends.size == 2


def test_cases_hold_fields_that_belong_together():
    text = json.dumps(
        {
            "cases": [
                {"notion": "alip", "lam": 0.3, "mechanism": "watchdog"},
                {"notion": "lip", "mechanism": "subset_merging"},
            ],
            "vary": {"eps": {"from": 0.5, "to": 2, "count": 4}},
            "random": {"draws": 10, "n_s": 2, "n_x": 5, "seed": 7},
            "measures": ["level_lip", "kept"],
        }
    )
    sweep = Sweep.from_json(text)
    assert sweep.size == 80
    assert sweep.measures == ("kept", "level_lip")
    assert [item.eps for item in sweep.questions[:4]] == [0.5, 1.0, 1.5, 2.0]
    assert {item.lam for item in sweep.questions[:4]} == {0.3}
    assert Sweep.from_json(sweep.to_json()) == sweep


def test_data_sets_promises_and_infinite_numbers_survive_json():
    data = (DataSpec("german_credit", ("credit",), ("purpose",)), DataSpec())
    sweep = Sweep(vary=(("data", data), ("eps_l", (0.5, np.inf))), scenario=Scenario(notion="alip"))
    assert Sweep.from_json(sweep.to_json()) == sweep
    text = '{"vary": {"also": [[], [{"notion": "ldp", "eps": 1}]], "alpha": [2, "inf"]}}'
    sweep = Sweep.from_json(text)
    assert Sweep.from_json(sweep.to_json()).questions == sweep.questions


def test_equal_sweeps_have_equal_hashes_and_others_do_not():
    item = Sweep(vary=(("eps", (0.5, 1.0)),))
    assert item.content_hash() == Sweep.from_json(item.to_json()).content_hash()
    hashes = {
        Sweep(vary=(("eps", (0.5,)),)).content_hash(),
        Sweep(vary=(("eps", (0.5,)),), draws=Draws(2, 2, 3)).content_hash(),
        Sweep(vary=(("eps", (0.5,)),), draws=Draws(2, 2, 3, seed=1)).content_hash(),
        Sweep(vary=(("eps", (0.5,)),), measures=("kept",)).content_hash(),
        item.content_hash(),
    }
    assert len(hashes) == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "must be a JSON object"),
        ('{"version": 2}', "version must be 1"),
        ('{"vary": {"colour": [1]}}', "got 'colour'"),
        ('{"vary": {"eps": []}}', "no value of 'eps'"),
        ('{"vary": {"eps": 3}}', "values of eps must be a list"),
        ('{"vary": {"eps": [51]}}', "eps must be"),
        ('{"vary": {"eps": [[1]]}}', "eps must be"),
        ('{"vary": {"eps": {"from": 0, "to": 1, "count": 0}}}', "count of eps"),
        ('{"vary": {"notion": ["none"]}}', "notion must be one of"),
        ('{"cases": []}', "at least one case"),
        ('{"cases": [{"eps": 1}], "vary": {"eps": [1]}}', "'eps' varies twice"),
        ('{"cases": [{"colour": 1}]}', "colour"),
        ('{"measures": []}', "at least one measure"),
        ('{"measures": ["beauty"]}', "There is no measure 'beauty'"),
        ('{"random": {"draws": 3, "n_s": 2}}', "must have an entry 'n_x'"),
        ('{"random": {"draws": 0, "n_s": 2, "n_x": 2}}', "count must be"),
        ('{"random": {"draws": 1, "n_s": 99999, "n_x": 2}}', "levels of S"),
        ('{"random": {"draws": 1, "n_s": 2, "n_x": 2, "law": "cauchy"}}', "LAW:N_SxN_X"),
        ('{"random": {"draws": 1, "n_s": 2, "n_x": 2, "law": 3}}', "law of draws must be a text"),
        ('{"random": {"draws": 1, "n_s": 2, "n_x": 2, "colour": 3}}', "unknown entry 'colour'"),
        ('{"random": 3}', "random must be a JSON object"),
        (
            '{"random": {"draws": 1, "n_s": 2, "n_x": 2}, "vary": {"data": [{}]}}',
            "random joints or several data sets",
        ),
        ('{"colour": 1}', "unknown entry 'colour'"),
    ],
)
def test_what_is_no_sweep_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(InvalidInputError, match=sentence) as reported:
        Sweep.from_json(text)
    assert "\n" not in str(reported.value)


def test_a_sweep_of_a_thousand_million_points_says_its_size():
    with pytest.raises(InvalidInputError) as reported:
        Sweep(vary=(("eps", tuple(np.linspace(0.1, 2, 20))),), draws=Draws(50_000_000, 5, 17))
    assert str(reported.value) == (
        "The sweep has 1,000,000,000 points (20 budgets × 50,000,000 draws), but at most "
        f"{MAX_POINTS:,} are allowed: choose fewer values or draws."
    )
    many = tuple(np.linspace(0, 8, 150).tolist())
    with pytest.raises(InvalidInputError, match="22,500 questions"):
        Sweep(Scenario(notion="alip"), (("eps", many), ("lam", tuple(np.linspace(0, 1, 150)))))


def test_each_draw_has_a_seed_of_its_own():
    specs = {Draws(1, 5, 17, seed=seed).spec(number) for seed in range(20) for number in range(50)}
    assert len(specs) == 1000
    assert Draws(1, 5, 17).spec(3) == Draws(99, 5, 17).spec(3)


@pytest.mark.parametrize(
    ("mechanisms", "draws"), [(MERGING, 1500), (("grr",), 700), ((*MERGING, "grr"), 3000)]
)
def test_chunks_have_every_point_once(mechanisms, draws):
    sweep = Sweep(
        vary=(("notion", ("lip", "ldp")), ("mechanism", mechanisms), ("eps", BUDGETS)),
        draws=Draws(draws, 2, 3),
    )
    result = list(chunks(sweep))
    points = [point for chunk in result for point in chunk.points]
    assert sorted(points) == list(range(sweep.size))
    assert [chunk.number for chunk in result] == list(range(len(result)))
    assert max(len(chunk.points) for chunk in result if chunk.at_once or mechanisms == ("grr",))
    for chunk in result:
        assert chunk.at_once == (chunk.questions[0].mechanism in MERGING)
        assert len(chunk.points) <= (BATCH if chunk.at_once else SINGLE)
        assert chunk.points[0] // sweep.n_draws == chunk.first
        assert sweep.questions[chunk.first] == chunk.questions[0]


def test_questions_on_data_are_chunks_of_one():
    sweep = Sweep(vary=(("eps", BUDGETS), ("mechanism", MERGING)))
    assert [chunk.points for chunk in chunks(sweep)] == [[at] for at in range(6)]


def test_slow_levels_are_measured_only_when_asked_for():
    assert "level_lip" in MEASURES
    assert "level_robust_ldp" not in MEASURES
    assert Sweep(measures=("level_robust_ldp",)).measures == ("level_robust_ldp",)
    merging = Sweep(Scenario(mechanism="watchdog"), measures=("level_rldp",), draws=Draws(2, 2, 3))
    assert not any(chunk.at_once for chunk in chunks(merging))


def test_what_others_see_of_a_sweep_names_no_file_by_its_hash():
    first, second = DataSpec("upload:" + "ab" * 32), DataSpec("upload:" + "cd" * 32)
    pasted = DataSpec("matrix:" + "ef" * 32)
    sweeps = (
        Sweep(Scenario(first), (("eps", (0.5, 1.0)),)),
        Sweep(Scenario(pasted), (("data", (first, DataSpec())),)),
        Sweep(Scenario(second), cases=((("data", first),), (("data", second),))),
        Sweep(Scenario(first), draws=Draws(2, 2, 3)),
    )
    for sweep in sweeps:
        for called in ({}, {first.source: "people.csv"}):
            reported = sweep.undisclosed(called)
            assert not any(spec.hashed in reported.to_json() for spec in (first, second, pasted))
            assert reported.size == sweep.size
            assert (first.source in sweep.to_json() and "people.csv" in called.values()) == (
                "people.csv" in reported.to_json()
            )
            assert reported.undisclosed() == reported
    both = sweeps[2].undisclosed(dict.fromkeys((first.source, second.source), "a.csv"))
    assert {case[0][1].source for case in both.cases} == {"a.csv", "a.csv (2)"}
    plain = Sweep(Scenario(), (("eps", (0.5, 1.0)),))
    assert plain.undisclosed() == plain
