import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from core.data import Sources
from core.data.spec import Binning, DataSpec, Filter
from core.errors import InvalidInputError, NotConvexError
from core.mechanisms import catalogue as mechanism_catalogue
from core.notions import LIP, RLDP, SRLIP, MetricLDP
from core.notions import catalogue as notion_catalogue
from core.release.sentences import finding, question
from core.scenario import Scenario, evaluate, measured
from core.scenario.snippet import notebook, snippet
from core.studies.frontier import GRID, sweep

NOTIONS = {"lip": LIP, "srlip": SRLIP, "metric_ldp": MetricLDP, "rldp": RLDP}
ESTIMATE = DataSpec("example:rldp_estimate", (), (), secret_released=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"eps": -1}, r"eps must be in \[0, 50\], got -1"),
        ({"eps": float("nan")}, r"eps must be in \[0, 50\], got nan"),
        ({"lam": 1.5}, r"lam must be in \[0, 1\], got 1\.5"),
        ({"alpha": 0}, r"alpha must be in \[0\.05, inf\], got 0"),
        ({"beta": 0}, "beta must be in"),
        ({"notion": "dp"}, "'dp'"),
        ({"mechanism": "magic"}, "'magic'"),
    ],
)
def test_a_value_outside_its_domain_is_refused(change, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Scenario(**change)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not valid JSON"),
        ("[]", "must be a JSON object"),
        ('{"version": 99}', "version must be 1, got 99"),
        ('{"epsilon": 1}', "unknown entry 'epsilon'"),
        ('{"data": 3}', "data must be a JSON object"),
        ('{"data": {"file": 1}}', "data has an unknown entry 'file'"),
    ],
)
def test_bad_json_is_refused(text, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Scenario.from_json(text)


def test_what_has_no_effect_does_not_change_the_hash():
    lip = Scenario(notion="lip")
    assert lip.content_hash() == replace(lip, lam=0.9, alpha=7.0).content_hash()
    assert lip.content_hash() != replace(lip, eps=0.5).content_hash()
    assert lip.content_hash() != replace(lip, data=DataSpec(rare_below=5)).content_hash()
    identity = Scenario(mechanism="identity")
    assert identity.content_hash() == replace(identity, eps=3.0).content_hash()
    assert "Identity" in identity.without_effect()["eps"]


def test_evaluate_counts_makes_audits_and_measures():
    result = evaluate(Scenario(notion="lip", eps=0.4))
    assert result.joint.n == 32_561
    assert (result.joint.n_s, result.joint.n_x) == (2, 15)
    kernel = result.mechanism.kernel
    np.testing.assert_allclose(result.after.joint_sy, result.joint.p @ kernel)
    assert result.after.achieved["lip"] <= 0.4 + 1e-12 < result.before.achieved["lip"]
    assert result.mechanism.audit.holds
    assert 0 < result.mechanism.nmi < 1
    assert result.seconds > 0


@pytest.mark.parametrize("secret_released", [False, True])
@pytest.mark.parametrize("notion", [entry.key for entry in notion_catalogue.ENTRIES])
def test_every_pair_of_notion_and_mechanism_answers_or_says_why_not(notion, secret_released):
    kind = notion_catalogue.entry(notion).kind
    for mechanism, entry in mechanism_catalogue.CATALOGUE.items():
        scenario = Scenario(
            data=DataSpec("random:uniform:2x3:1", (), (), secret_released),
            notion=notion,
            mechanism=mechanism,
            eps=0.5,
            time_limit=0.5,
        )
        fits = entry.works_under(kind) and (secret_released or kind is not RLDP)
        if entry.uses_notion and not fits:
            with pytest.raises((InvalidInputError, NotConvexError), match=r"^[^\n]*\.$"):
                evaluate(scenario)
            continue
        result = evaluate(scenario)  # whatever it raises here is a failure of ours
        made = result.mechanism
        if entry.uses_notion:
            assert made.notion.holds(result.joint, made.kernel), mechanism
        assert -1e-12 <= made.utility <= made.upper_bound + 1e-12, mechanism
        assert finding(result), mechanism


def test_the_question_in_words():
    assert question(Scenario()) == "Does publishing occupation give away sex?"
    both = DataSpec(secret=("sex", "race"), released=("education",), secret_released=True)
    assert question(Scenario(data=both)) == (
        "How much of sex and race and education can be published while still hiding sex and race?"
    )


def test_the_finding_says_what_the_result_proves():
    private = evaluate(Scenario(notion="lip", eps=0.4, mechanism="watchdog"))
    factor = float(finding(private).split("a factor of ")[1].split()[0].rstrip("."))
    assert np.exp(private.after.achieved["lip"]) <= factor <= np.exp(0.4) + 0.01
    assert "survives" in finding(private)
    constant = evaluate(Scenario(mechanism="constant"))
    assert finding(constant).startswith("The release reveals nothing about sex.")
    joint = DataSpec("random:uniform:2x2:0", (), ())
    revealing = evaluate(Scenario(data=replace(joint, secret_released=True), mechanism="identity"))
    assert "rule out a value" in finding(revealing)
    assert "100% of the information in S and U survives." in finding(revealing)


@pytest.mark.parametrize("mechanism", list(mechanism_catalogue.CATALOGUE))
def test_the_snippet_runs_and_prints_what_the_scenario_gives(mechanism, capsys):
    entry = mechanism_catalogue.entry(mechanism)
    notion = next(key for key, kind in NOTIONS.items() if entry.works_under(kind))
    data = ESTIMATE if notion == "rldp" else DataSpec()
    gap = 0.05 if notion == "rldp" else 1e-6  # which the robust optimum reaches in time
    scenario = Scenario(
        data=data, notion=notion, eps=0.5, mechanism=mechanism, gap=gap, time_limit=60
    )
    exec(compile(snippet(scenario), "snippet", "exec"), {})
    printed = capsys.readouterr().out
    result = evaluate(scenario)
    made = result.mechanism
    assert f"I(X;Y) {made.utility:.6f} nats, NMI {made.nmi:.6f}" in printed
    if entry.uses_notion:
        achieved = scenario.build_notion(result.joint).achieved(result.joint, made.kernel)
        assert f"achieved {achieved:.6f}" in printed
    else:
        assert "achieved" not in printed


CHANGES = (
    {"eps": 0.0, "lam": 0.0, "alpha": 10.0, "beta": 0.5, "n": 1},
    {"eps": 8.0, "lam": 1.0, "alpha": 1.5, "utility": "distortion"},
    {"data": DataSpec("example:lift_proposition1", (), ()), "alpha": 0.3},
)


@pytest.mark.parametrize("notion", notion_catalogue.ENTRIES, ids=lambda entry: entry.key)
def test_a_snippet_runs_whenever_there_is_an_answer(notion, subtests):
    quick = [
        key
        for key, entry in mechanism_catalogue.CATALOGUE.items()
        if entry.works_under(notion.kind) and "time_limit" not in entry.parameters
    ]
    assert quick
    data = DataSpec("random:uniform:3x4:2", (), (), notion.key == "rldp")
    for mechanism, change in itertools.product(quick, CHANGES):
        with subtests.test(mechanism=mechanism, **change):
            request = {"data": data, "mechanism": mechanism, "notion": notion.key} | change
            scenario = Scenario(**request)
            try:
                evaluate(scenario)
            except InvalidInputError:
                continue
            exec(compile(snippet(scenario), "snippet", "exec"), {})


@pytest.mark.parametrize("kind", ["upload", "matrix"])
def test_a_program_names_no_hash_of_what_a_user_gave_and_reads_it_anew(kind, tmp_path, capsys):
    path, sources = tmp_path / "own.csv", Sources()
    if kind == "upload":
        path.write_text("sex,job\n" + "f,a\nf,b\nm,a\n" * 9, encoding="utf-8")
        request = DataSpec(sources.add_file(path), ("sex",), ("job",))
    else:
        path.write_text("0.1 0.4\n0.3 0.2\n", encoding="utf-8")
        request = DataSpec(sources.add_matrix(path.read_text(encoding="utf-8")), (), ())
    for mechanism in ("watchdog", "merge_maximin"):  # the second reads the values of X
        scenario = Scenario(data=request, notion="lip", eps=0.2, mechanism=mechanism)
        program = snippet(scenario)
        assert request.hashed not in program + notebook(scenario)
        assert snippet(replace(scenario, data=request.undisclosed())) == program
    scenario = replace(scenario, mechanism="watchdog")
    program = re.sub(r"PATH OF YOUR \w+", path.as_posix(), snippet(scenario))
    exec(compile(program, "snippet", "exec"), {})
    made = evaluate(scenario, sources).mechanism
    assert f"I(X;Y) {made.utility:.6f} nats" in capsys.readouterr().out


def test_a_snippet_writes_numbers_of_numpy_as_plain_ones():
    data = DataSpec(
        released=("age",),
        binnings=(Binning("age", "edges", edges=tuple(np.array([20.0, 40.0, 60.0]))),),
        filters=(Filter("age", low=np.float64(18)), Filter("sex", tuple(np.array(["Male"])))),
    )
    assert "np." not in snippet(Scenario(data=data, eps=np.float64(0.5), seed=np.int64(3)))


def test_rldp_takes_its_numbers_from_the_scenario():
    scenario = Scenario(data=ESTIMATE, notion="rldp", eps=float(np.log(2)), mechanism="polyopt")
    result = evaluate(scenario)
    ball = result.mechanism.notion.uncertainty
    assert ball.bound == pytest.approx(0.07524, abs=1e-5)  # [RLDP] Example 1
    assert result.mechanism.utility == pytest.approx(0.5630, abs=1e-4)
    other = replace(scenario, n=1000, beta=0.2, alpha=3.0)
    wider = other.build_notion(result.joint).uncertainty
    assert wider.alpha == 3.0
    assert wider.bound == pytest.approx(np.log1p(3 * stats.chi2.ppf(0.8, 3) / 1000) / 2)
    assert evaluate(other).mechanism.utility > result.mechanism.utility
    assert Scenario.from_json(other.to_json()) == other
    assert len({item.content_hash() for item in (scenario, other, replace(scenario, n=1000))}) == 3


@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_sets_of_orders_up_to_1_are_for_rldp_and_not_for_the_lift(alpha):
    scenario = Scenario(data=ESTIMATE, notion="rldp", alpha=alpha, mechanism="polyopt")
    made = evaluate(scenario).mechanism
    assert made.notion.uncertainty.alpha == alpha
    assert made.audit.holds
    with pytest.raises(InvalidInputError, match=r"alpha must be in \(1, inf\]"):
        evaluate(replace(scenario, notion="alpha", mechanism="optimal"))


def test_what_rldp_uses_and_what_it_does_not():
    scenario = Scenario(data=ESTIMATE, notion="rldp")
    never = ["bound", "delta", "eps_l", "eps_u", "lam", "loss", "table", "utility", "weight"]
    assert sorted(scenario.without_effect()) == never
    anyway = replace(scenario, mechanism="secret_rr")
    assert sorted(anyway.without_effect()) == sorted([*never, "alpha", "beta", "n"])
    assert "for every distribution" in anyway.without_effect()["beta"]
    assert anyway.content_hash() == replace(anyway, beta=0.3, n=7, alpha=5.0).content_hash()
    assert scenario.content_hash() != replace(scenario, beta=0.3).content_hash()


def test_rldp_without_the_secret_released_says_what_is_needed():
    with pytest.raises(InvalidInputError, match=r"also release S, so that X = \(S, U\)\.$"):
        evaluate(Scenario(notion="rldp"))
    plain = evaluate(Scenario(notion="rldp", mechanism="identity"))  # no promise, no need
    assert plain.mechanism.nmi == 1.0


def test_the_finding_under_rldp_is_about_all_that_the_records_leave_possible():
    request = Scenario(data=ESTIMATE, notion="rldp", eps=0.7, mechanism="independent_reporting")
    result = evaluate(request)
    reported = finding(result)
    assert reported.startswith(
        "Whatever distribution the 100 records leave possible, no output is "
    )
    factor = float(reported.split(" more than ")[1].split(" ")[0])
    assert np.exp(result.mechanism.audit.achieved) <= factor <= np.exp(0.7) + 0.01
    trusting = finding(evaluate(replace(request, mechanism="non_robust")))
    assert trusting.startswith(
        "For someone who knows only the distribution of these records, Y alone "
    )
    anyway = finding(evaluate(replace(request, mechanism="secret_rr")))
    assert anyway.startswith("Whatever the true distribution, no output is more than 2.02 times ")
    polytopes = finding(evaluate(replace(request, mechanism="polyopt")))
    assert "Proven: no mechanism under 0.7-RLDP over polytopes keeps more." in polytopes


def test_a_sweep_is_the_scenario_at_every_budget():
    scenario = Scenario(notion="ldp", mechanism="subset_merging")
    joint = evaluate(scenario).joint
    line = sweep(scenario, joint, [0.1, 0.5, 8.0])
    alone = [evaluate(replace(scenario, eps=eps)).mechanism.utility for eps in (0.1, 0.5, 8.0)]
    np.testing.assert_array_equal(line.utility, alone)
    assert (np.diff(line.utility) > 0).all()
    assert (line.utility <= line.upper_bound + 1e-12).all()
    assert (GRID[0], GRID[-1], len(GRID)) == (0.25, 8.0, 32)


@pytest.mark.parametrize("budgets", [[], [1.0, 1.0], [2.0, 1.0], [[1.0]]])
def test_the_budgets_of_a_sweep_increase(budgets):
    scenario = Scenario()
    with pytest.raises(InvalidInputError, match="increasing numbers"):
        sweep(scenario, evaluate(scenario).joint, budgets)


def test_json_writes_infinite_orders():
    assert json.loads(Scenario(alpha=np.inf).to_json())["alpha"] == "inf"
    assert Scenario.from_json('{"alpha": "inf"}').alpha == np.inf


@pytest.mark.parametrize("mechanism", ["optimal", "polyopt", "secret_rr", "non_robust"])
def test_a_sweep_under_rldp_never_falls(mechanism):
    scenario = Scenario(data=ESTIMATE, notion="rldp", mechanism=mechanism, time_limit=0.5)
    line = sweep(scenario, evaluate(scenario).joint, [0.25, 0.75, 2.0])
    assert (np.diff(line.utility) >= 0).all()
    assert line.utility[-1] > line.utility[0]
    assert (line.utility <= line.upper_bound + 1e-12).all()


def test_an_answer_is_known_by_its_release_not_by_its_question():
    quick = evaluate(Scenario(mechanism="watchdog"))
    same = evaluate(Scenario(mechanism="watchdog"))
    finer = evaluate(Scenario(mechanism="subset_merging"))
    assert quick.content_id == same.content_id
    assert quick.content_id != finer.content_id
    # the same question, another release: what is derived from one says nothing of the other
    assert measured(quick.scenario, quick.counted, finer.mechanism).content_id == finer.content_id
