"""A promise given columns that others know: links, answers, proofs, programs and sentences."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, Sources, count
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import optimal
from core.notions import LIP, Given, Intersection
from core.release.sentences import finding, question
from core.scenario import Promise, Scenario, answer, evaluate
from core.scenario.context import context
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query
from core.stored import from_bytes, to_bytes

KNOWN = Scenario(DataSpec(known=("race",)), notion="lip", eps=1.0)


def adult(*names):
    """Count columns of Adult with pandas: the second route."""
    table = Sources().open("adult")
    frame = pd.read_parquet(table.paths[0])
    codes = [pd.factorize(frame[name], sort=True, use_na_sentinel=False) for name in names]
    cube = np.zeros([len(levels) for _, levels in codes])
    np.add.at(cube, tuple(index for index, _ in codes), 1)
    return cube


def worst(cube, kernel):
    """Return the largest |log P(s | y, k) / P(s | k)| over all s, y and k, by its definition."""
    result = 0.0
    for k in range(cube.shape[2]):
        p = cube[:, :, k] / cube[:, :, k].sum()
        both = p @ kernel
        for s, y in np.ndindex(both.shape):
            before, of_y = p[s].sum(), both[:, y].sum()
            if before > 0 and of_y > 0:
                lift = both[s, y] / (before * of_y)
                result = max(result, abs(math.log(lift)) if lift > 0 else math.inf)
    return result


@pytest.fixture(scope="module")
def result():
    return evaluate(KNOWN)


def test_value_and_proof_are_those_of_the_notion_on_a_count_by_other_code(result):
    cube = adult("sex", "occupation", "race")
    best = optimal(Joint.from_counts(cube.sum(axis=2)), Given(LIP(1), cube))
    assert result.mechanism.status == best.status == "optimal"
    assert result.mechanism.utility == pytest.approx(best.utility, abs=1e-6)
    assert result.mechanism.upper_bound == pytest.approx(best.upper_bound, abs=2e-6)
    assert worst(cube, result.mechanism.kernel) == pytest.approx(1, abs=1e-9)
    assert result.lip == pytest.approx(1, abs=1e-9)
    without = evaluate(replace(KNOWN, data=DataSpec())).mechanism
    assert result.mechanism.upper_bound < without.utility
    assert worst(cube, without.kernel) > 1.0 + 1e-6  # who does not ask for it does not get it


def test_further_notions_hold_given_it_too():
    also = replace(KNOWN, also=(Promise(notion="ldp", eps=0.5),))
    result = evaluate(also)
    notion = result.mechanism.notion
    assert isinstance(notion, Given)
    assert isinstance(notion.notion, Intersection)
    assert worst(adult("sex", "occupation", "race"), result.mechanism.kernel) <= 0.5 + 1e-9


@pytest.mark.parametrize("known", [(), ("race",), ("race", "age")])
def test_it_survives_link_and_json(known):
    scenario = replace(KNOWN, data=DataSpec(known=known))
    query = to_query(scenario)
    assert query.get("k", []) == list(known)
    assert from_query(query) == (scenario, ())
    assert Scenario.from_json(scenario.to_json()) == scenario


def test_a_question_without_it_is_written_and_hashed_as_before():
    assert "known" not in Scenario().to_dict()["data"]
    assert Scenario().content_hash() != KNOWN.content_hash()
    assert "k" not in to_query(Scenario())


def test_a_joint_without_it_is_refused():
    with pytest.raises(InvalidInputError, match="lacks 'race', given which the promise"):
        KNOWN.build_notion(count(DataSpec()).joint)


@pytest.mark.parametrize(
    ("notion", "why"),
    [
        ("rldp", "cannot consider known columns"),
        ("average_mi", "cannot consider known columns"),
        ("lip_delta", "cannot consider known columns"),
    ],
)
def test_notions_that_are_not_about_each_output_are_refused(notion, why):
    pair = notion == "rldp"
    data = DataSpec(released=("income",), known=("race",), secret_released=pair)
    with pytest.raises(InvalidInputError, match=why):
        evaluate(replace(KNOWN, data=data, notion=notion))


def test_a_mechanism_for_another_kind_of_notion_is_refused():
    with pytest.raises(InvalidInputError, match="does not work under a notion given what is known"):
        evaluate(replace(KNOWN, mechanism="watchdog"))


def test_with_the_secret_released_it_holds_by_its_definition():
    data = DataSpec(released=("income",), known=("race",), secret_released=True)
    result = evaluate(replace(KNOWN, data=data, eps=0.5))
    cube = adult("sex", "income", "race")
    n_s, n_u, n_k = cube.shape
    pairs = np.zeros((n_s, n_s * n_u, n_k))
    for s in range(n_s):
        pairs[s, s * n_u : (s + 1) * n_u] = cube[s]
    assert worst(pairs, result.mechanism.kernel) == pytest.approx(0.5, abs=1e-9)


def test_the_finding_is_about_those_who_know_it(result):
    text = finding(result)
    assert "knows only the distribution of these records and a person's race, Y shifts" in text
    assert "a factor of 2.72" in text
    assert "Y alone" not in text
    assert question(KNOWN) == "Does publishing occupation give away sex if others know race?"
    assert context(KNOWN)["known"] == "race"


def test_a_mechanism_without_a_promise_is_measured_given_it():
    result = evaluate(replace(KNOWN, mechanism="identity"))
    assert result.lip == worst(adult("sex", "occupation", "race"), np.eye(15)) == math.inf
    assert "rule out a value of sex for certain to someone who knows race" in finding(result)


def test_records_whose_secret_follows_are_told_with_the_level():
    data = DataSpec(known=("age",))
    counted = count(data)
    cube = adult("sex", "occupation", "age")
    alone = cube.sum(axis=(0, 1))[(cube.sum(axis=1) > 0).sum(axis=0) == 1].sum()
    assert counted.report.determined == alone == 2
    assert any("'sex' for 2 records" in text for text in counted.report.sentences())
    made = answer(replace(KNOWN, data=data, mechanism="constant"), counted)
    assert "For 2 records, age alone determines sex." in finding(made)


def test_its_program_gives_the_same(result, capsys):
    exec(snippet(KNOWN), {})
    text = capsys.readouterr().out
    assert f"I(X;Y) {result.mechanism.utility:.4f}" in text
    assert "achieved 1.000000" in text


def test_an_answer_survives_bytes_and_processes(result):
    for again in (from_bytes(to_bytes(result)), pickle.loads(pickle.dumps(result))):
        assert again.scenario == result.scenario
        assert again.lip == result.lip
        notion = again.scenario.build_notion(again.joint)
        assert notion.holds(again.joint, again.mechanism.kernel)
