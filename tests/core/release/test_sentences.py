"""Sentences about a result say what it proves, once and in words that fit together."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.data.spec import Binning, DataSpec
from core.joint import Joint
from core.learning.lessons import lesson
from core.notions import LIP, EpsDelta, GuessingProbability
from core.notions import catalogue as notions
from core.release.confusability import range_release
from core.release.sentences import caution, finding, knowable, promise_text, question
from core.scenario import Scenario, evaluate

DATA = DataSpec("example:rldp_estimate", (), (), secret_released=True)
RESULT = evaluate(Scenario(data=DATA, notion="lip", eps=0.2))


@given(nmi=st.floats(1e-9, 1), gap=st.floats(0, 1))
@example(nmi=0.97, gap=0.0299)
@example(nmi=0.995, gap=0.004)
@example(nmi=0.004, gap=0.002)
def test_what_is_kept_and_what_can_be_kept_fit_into_one_sentence(nmi, gap):
    entropy = RESULT.mechanism.utility / RESULT.mechanism.nmi
    most = min(1.0, nmi + gap)
    made = replace(RESULT.mechanism, nmi=nmi, utility=nmi * entropy, upper_bound=most * entropy)
    reported = finding(replace(RESULT, mechanism=made))
    assert not re.search(r"than (more|less|<|>)", reported, re.IGNORECASE)
    assert len(re.findall("keeps more", reported)) <= 1
    if bound := re.search(r"keeps more than ([\d.]+)%", reported):
        assert float(bound[1]) / 100 >= most - 1e-6
        assert float(bound[1]) < 100


@pytest.mark.parametrize(
    ("released", "purpose", "sentence"),
    [
        (("race",), "information", "of the information in race survives"),
        (("race", "sex"), "information", "of the information in race and sex survives"),
        (("race", "sex"), "task", "of the information in race and sex about income survives"),
        (("race", "sex"), "guess", "The best guess of income is right with probability"),
        (("race", "sex"), "guess", "from race and sex and 0."),
        (("race",), "guess", "from race and 0."),
    ],
)
def test_columns_are_named_in_what_is_kept(released, purpose, sentence):
    task = ("income",) if purpose != "information" else ()
    data = DataSpec("adult", ("relationship",), released, task=task)
    result = evaluate(Scenario(data=data, notion="lip", mechanism="watchdog", purpose=purpose))
    assert sentence in finding(result)


@pytest.mark.parametrize("n_s", [1, 2, 3])
def test_values_are_counted_in_the_right_number(n_s):
    joint = Joint.from_counts([[1, 1]] * n_s)
    reported = knowable(range_release(joint, [(0, 1)]), "age")
    assert "1 values" not in reported
    assert ("the only value" in reported) == (n_s == 1)
    assert ("both values" in reported) == (n_s == 2)


@pytest.mark.parametrize("level", [0.0, 1e-17, 3e-16])
def test_a_belief_that_moves_by_rounding_alone_does_not_move(level):
    achieved = RESULT.after.achieved | {"lip": level}
    reported = finding(replace(RESULT, after=replace(RESULT.after, achieved=achieved)))
    assert reported.startswith("The release reveals nothing about")


@pytest.mark.parametrize("notion", ["lip", "ldp", "pml", "l1"])
@pytest.mark.parametrize(
    ("data", "known"),
    [
        (DataSpec("adult", ("sex",), ("race",)), "these records"),
        (DataSpec("random:uniform:3x5:0", (), ()), "the data"),
    ],
)
def test_a_finding_is_about_someone_who_knows_only_the_distribution(notion, data, known):
    result = evaluate(Scenario(data=data, notion=notion, mechanism="watchdog"))
    reported = finding(result)
    who = f"For someone who knows only the distribution of {known}, Y alone shifts "
    assert reported.startswith(who)
    assert (result.joint.n is None) == (known == "the data")


def test_a_question_lists_its_columns():
    data = DataSpec("adult", ("sex",), ("age", "education", "occupation"))
    asks = "Does publishing age, education and occupation give away sex?"
    assert question(Scenario(data=data)) == asks


OVERSTATED = ("nobody's belief", "no one's belief", "every guesser", "any guesser")
"""What no text may say: a promise is kept towards someone who starts from P(S)."""


def test_no_text_says_again_what_no_result_proves():
    root = Path(__file__).parents[3]
    files = [root / "README.md", *root.glob("docs/*.md")]
    files += [
        *root.glob("core/**/*.py"),
        *root.glob("pages/**/*.py"),
        *root.glob("docs/**/*.ipynb"),
    ]
    for path in files:
        text = " ".join(path.read_text(encoding="utf-8").split()).lower().replace("’", "'")
        assert [item for item in OVERSTATED if item in text] == [], path


def test_exceptions_are_not_called_by_the_name_of_the_standard_notion():
    for item in notions.EXCEPTIONS:
        assert "(ε, δ)" not in item.title
        assert "(ε, δ)-LDP" not in item.meaning.replace("not the standard (ε, δ)-LDP", "")
        assert r"\ge 1 - \delta" in item.formula  # δ is a probability of outputs, under P(Y)
    (ldp,) = [item for item in notions.EXCEPTIONS if item.key == "ldp_delta"]
    assert "not the standard (ε, δ)-LDP" in ldp.meaning


def test_pml_is_taught_of_someone_who_starts_from_the_prior():
    item = lesson("pml")
    assert "starts from P(S)" in item.idea
    assert "starts from P(S)" in " ".join(item.use)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "lip_delta",
            "for someone who knows only the distribution of the data, Y alone shifts no belief "
            "about sex by more than a factor of 1.11.",
        ),
        (
            "pml_delta",
            "for someone who knows only the distribution of the data, Y alone raises no belief "
            "about sex by more than a factor of 1.11.",
        ),
        (
            "ldp_delta",
            "no output is more than 1.11 times as likely under one value of sex as under",
        ),
    ],
)
def test_exceptions_are_told(key, message):
    reported = finding(evaluate(Scenario(notion=key, eps=0.1, delta=0.01)))
    assert reported.startswith(
        f"Except for releases of total probability 0.01, which may reveal everything, {message}"
    )
    plain = finding(evaluate(Scenario(notion="lip", eps=0.1)))
    assert finding(evaluate(Scenario(notion="lip_delta", eps=0.1, delta=0.0))).startswith(
        plain.split(".")[0]
    )
    assert EpsDelta(GuessingProbability(0.8), 0.1).in_words(0.7, "sex", 10) is None
    assert promise_text(EpsDelta(LIP(1), 0.1), "bits") == "1.4427-LIP in bits with δ = 0.1"


def test_a_small_error_with_a_trivial_bound_is_not_proven():
    ages = DataSpec(released=("age",), binnings=(Binning("age"),))
    request = Scenario(data=ages, purpose="distortion", mechanism="subset_merging", eps=1.0)
    result = evaluate(request)
    low, high = result.mechanism.purpose.range(result.joint)
    least = 1e-4 * (high - low)  # of an error that nothing published makes 1
    near = replace(result.mechanism, utility=high - least, upper_bound=high, gap=least, kept=0.9999)
    reported = finding(replace(result, mechanism=replace(near, status="repaired")))
    assert "Proven" not in reported
    assert "Proven" in finding(replace(result, mechanism=replace(near, gap=least / 20)))
    assert "Proven" in finding(replace(result, mechanism=replace(near, status="optimal")))


@pytest.mark.parametrize("few", [1, 4, 8])
def test_counts_that_chance_explains_are_told(few):
    counts = np.full((4, 5), 100)
    counts[:, :few] = 1  # at least two of five values expect few in every cell, or one does
    joint = Joint.from_counts(counts)
    expected = joint.n * joint.p_s[:, None] * joint.p_x
    share = np.count_nonzero(expected < 5) / expected.size
    reported = caution(joint)
    assert (reported != "") == (share > 0.2)
    assert bool(reported) == (few > 1)
    if reported:
        assert f"{100 * share:.0f}%" in reported
        assert "robust privacy notion" in reported
    robust = caution(joint, of_estimate=True)
    assert bool(robust) == bool(reported)
    assert "robust privacy notion" not in robust
    assert ("may miss the true distribution more often" in robust) == bool(robust)


def test_a_distribution_without_records_has_no_caution():
    assert caution(Joint.from_counts([[0.375, 0.125], [0.125, 0.375]])) == ""
