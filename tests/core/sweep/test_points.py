import math

import numpy as np
import pyarrow as pa
import pytest

from core.data import DataSpec, count
from core.data.joints import drawn
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LIP, SRLIP, Average, EpsDelta
from core.notions.numbers import Numbers
from core.scenario import Scenario, evaluate
from core.studies.side_by_side import levels
from core.sweep import Draws, Sweep
from core.sweep.definition import measured_values
from core.sweep.points import KEPT, answered_at_once, chunks, compute, one_by_one, schema

NOTIONS = ("lip", "alip", "ldp", "l1", "chi2", "alpha", "pml", "kl", "min_lift", "guess")


def points(sweep, counted=None):
    result = [compute(chunk, report=lambda _: None) for chunk in chunks(sweep, counted)]
    return pa.concat_tables(result).sort_by("point").to_pylist()


def same(here, there, slack=0.0):
    assert here.keys() == there.keys()
    for name in here.keys() - {"seconds"}:
        if name in KEPT:
            assert here[name] == there[name], name
        else:
            np.testing.assert_allclose(here[name], there[name], rtol=0, atol=slack, err_msg=name)


def test_a_point_is_what_the_scenario_by_itself_answers():
    draws = Draws(3, 3, 6, law="dirichlet1", seed=4)
    sweep = Sweep(
        Scenario(notion="alip", lam=0.3),
        (("mechanism", ("optimal", "subset_random_response", "oue")), ("eps", (0.0, 0.7))),
        draws=draws,
        measures=("kept", "utility", "upper_bound", "gap", "outputs", "achieved", "level_alip"),
    )
    result = points(sweep)
    assert len(result) == 18
    for at, row in enumerate(result):
        question = sweep.questions[at // 3]
        alone = evaluate(Scenario(**vars(question) | {"data": draws.spec(at % 3)}))
        made = alone.mechanism
        assert row["point"] == at
        assert (row["kept"], row["utility"], row["gap"]) == (made.kept, made.utility, made.gap)
        assert row["upper_bound"] == made.upper_bound
        assert row["outputs"] == made.n_y
        assert row["achieved"] == made.audit.achieved
        reported = levels(alone.joint, made.kernel, Numbers(lam=0.3))
        assert row["level_alip"] == reported["alip"]
        assert (row["status"], row["solver"]) == (made.status, made.solver)
        assert row["proven"] == (made.gap <= question.gap)


@pytest.mark.parametrize("law", ["uniform", "dirichlet0.5"])
@pytest.mark.parametrize("mechanism", ["watchdog", "subset_merging"])
def test_points_at_once_are_those_one_by_one(mechanism, law):
    sweep = Sweep(
        Scenario(mechanism=mechanism),
        (("notion", NOTIONS), ("eps", (0.0, 0.25, 1.0, 4.0))),
        draws=Draws(3, 4, 9, law),
    )
    statuses = set()
    for chunk in chunks(sweep):
        assert chunk.at_once
        together = pa.Table.from_pylist(answered_at_once(chunk), schema=schema(chunk.measures))
        alone = pa.Table.from_pylist(one_by_one(chunk), schema=schema(chunk.measures))
        for here, there in zip(together.to_pylist(), alone.to_pylist(), strict=True):
            same(here, there, 1e-11)
            statuses.add(here["status"])
    assert {"heuristic", "optimal"} <= statuses


def test_a_question_without_an_answer_is_a_point_with_its_reason():
    sweep = Sweep(
        vary=(("mechanism", ("watchdog", "secret_rr")), ("notion", ("lip", "guess"))),
        scenario=Scenario(bound=0.05),
        draws=Draws(2, 3, 4),
    )
    result = points(sweep)
    answered = [row["reason"] == "" for row in result]
    assert answered == [True, True, False, False, False, False, False, False]
    assert "No mechanism satisfies" in result[2]["reason"]
    assert "does not work under" in result[4]["reason"]
    assert math.isnan(result[4]["kept"])
    assert not result[4]["proven"]
    assert result[4]["status"] == ""


@pytest.mark.parametrize("size", [(1, 4), (4, 1), (1, 1)])
@pytest.mark.parametrize("mechanism", ["watchdog", "subset_merging", "grr"])
def test_draws_of_one_symbol_have_no_answer_by_any_route(mechanism, size):
    draws = Draws(3, *size)
    sweep = Sweep(Scenario(mechanism=mechanism), measures=("kept", "level_lip"), draws=draws)
    result = points(sweep)
    assert [row["point"] for row in result] == [0, 1, 2]
    for number, row in enumerate(result):
        with pytest.raises(InvalidInputError) as refused:
            evaluate(Scenario(draws.spec(number), mechanism=mechanism))
        assert row["reason"] == str(refused.value)
        assert (row["status"], row["solver"], row["proven"]) == ("", "", False)
        assert math.isnan(row["kept"])
        assert math.isnan(row["level_lip"])


def test_a_draw_without_an_answer_leaves_the_others_theirs():
    draws = Draws(40, 2, 3, "dirichlet0.01", 1)
    request = (("mechanism", ("watchdog", "grr")), ("eps", (0.5, 1.0)))
    sweep = Sweep(Scenario(notion="lip"), request, measures=("kept", "level_lip"), draws=draws)
    refused = 0
    for row in points(sweep):
        question, number = sweep.questions[row["point"] // 40], row["point"] % 40
        request = Scenario(**vars(question) | {"data": draws.spec(number)})
        if 1 in drawn(request.data.source.partition(":")[2]).weights.shape:
            with pytest.raises(InvalidInputError) as caught:
                evaluate(request)
            assert row["reason"] == str(caught.value)
            assert math.isnan(row["kept"])
            refused += 1
        else:
            assert row["reason"] == ""
            assert row["kept"] == evaluate(request).mechanism.kept
    assert 0 < refused < 160
    assert refused % 4 == 0  # whatever is asked of it


def test_data_sets_are_asked_as_they_were_counted():
    specs = (DataSpec(), DataSpec("german_credit", ("credit",), ("purpose",)))
    sweep = Sweep(Scenario(notion="lip", mechanism="watchdog"), (("data", specs),))
    counted = {spec: count(spec) for spec in specs}
    for row, spec in zip(points(sweep, counted), specs, strict=True):
        made = evaluate(Scenario(spec, notion="lip", mechanism="watchdog")).mechanism
        assert row["kept"] == made.kept
    assert points(sweep)[0]["kept"] == points(sweep, counted)[0]["kept"]


def test_every_measure_has_a_value_of_its_own():
    result = evaluate(Scenario(notion="lip", eps=0.5, mechanism="watchdog"))
    made = result.mechanism
    reported = measured_values(result, ("information", "nmi", "most", "level_ldp"), Numbers())
    assert reported["information"] == made.information
    assert reported["nmi"] == made.nmi
    assert reported["most"] == 1.0
    kernel_ldp = levels(result.joint, made.kernel)["ldp"]
    assert reported["level_ldp"] == kernel_ldp


@pytest.mark.parametrize(
    "notion", [LIP(0.4), Average("mutual_information", 1.0), Average("sibson", 1.0, 2.0)]
)
def test_levels_of_many_releases_are_those_of_each(notion):
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(12), size=5).reshape(5, 3, 4)
    p[2, :, 1] = 0
    p /= p.sum(axis=(1, 2), keepdims=True)
    alone = [
        notion.achieved(Joint.from_counts(item), np.eye((item.sum(0) > 0).sum())) for item in p
    ]
    np.testing.assert_allclose(notion.achieved_by_each(p), alone, rtol=1e-13)


def test_a_notion_of_more_than_the_release_has_no_levels_of_many():
    p = np.full((2, 2, 2), 0.25)
    result = EpsDelta(LIP(1.0), 0.1).achieved_by_each(p)
    assert result.tolist() == [0.0, 0.0]
    with pytest.raises(InvalidInputError, match="more than P"):
        SRLIP(1.0).achieved_by_each(p)
