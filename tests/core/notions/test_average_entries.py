import numpy as np
import pytest

from core import notions
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.notions import Average, catalogue
from core.notions.numbers import Numbers
from core.scenario import Scenario, evaluate
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query

NUMBERS = Numbers(eps=0.3, alpha=2.5, bound=0.8)
JOINT = Joint.from_counts([[3, 1], [1, 3]])
BUILT = {
    "average_mi": Average("mutual_information", 0.3),
    "average_tv": Average("total_variation", 0.3),
    "average_chi2": Average("chi2", 0.3),
    "average_leakage": Average("maximal_leakage", 0.3),
    "average_sibson": Average("sibson", 0.3, 2.5),
    "average_arimoto": Average("arimoto", 0.3, 2.5),
    "average_guess": Average("guessing", 0.8),
}


@pytest.mark.parametrize("key", BUILT)
def test_scenarios_links_and_programs_carry_a_budget(key):
    entry = catalogue.entry(key)
    assert entry.make(JOINT, NUMBERS) == BUILT[key]
    assert eval(entry.code(NUMBERS), vars(notions) | {"inf": np.inf}) == BUILT[key]
    scenario = Scenario(notion=key, eps=0.3, alpha=2.5, bound=0.8)
    assert Scenario.from_json(scenario.to_json()) == scenario
    used = {name: getattr(scenario, name) for name in entry.parameters}
    request = Scenario(notion=key, **used)
    assert from_query(to_query(request)) == (request, ())
    assert "import Average\n" in snippet(scenario)
    assert f"notion = Average(measure='{BUILT[key].measure}'" in snippet(scenario)


def test_they_are_a_family_of_their_own():
    assert {entry.key for entry in catalogue.AVERAGES} == set(BUILT)
    assert catalogue.of_family("average") == catalogue.AVERAGES


@pytest.mark.parametrize("key", ["lip_delta", "ldp_delta", "pml_delta"])
def test_scenarios_links_and_programs_carry_exceptions(key):
    scenario = Scenario(notion=key, eps=0.3, delta=0.02)
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert from_query(to_query(scenario)) == (scenario, ())
    assert to_query(scenario)["delta"] == ["0.02"]
    program = snippet(scenario)
    inner = catalogue.entry(key).make(JOINT, scenario.numbers).notion
    names = ", ".join(sorted([type(inner).__name__, "EpsDelta"]))
    assert f"from core.notions import {names}\n" in program
    assert f"notion = EpsDelta(notion={inner!r}, delta=0.02)" in program


def test_exceptions_are_answered_and_a_program_finds_the_same(capsys):
    scenario = Scenario(notion="lip_delta", eps=0.1, delta=0.01)
    result = evaluate(scenario)
    assert result.mechanism.status == "optimal"
    assert result.mechanism.audit.achieved <= 0.1 + 1e-12
    assert result.after.achieved["lip"] > 0.1  # an exception tells more
    assert result.mechanism.nmi > evaluate(Scenario(notion="lip", eps=0.1)).mechanism.nmi
    exec(snippet(scenario), {})
    assert f"NMI {result.mechanism.nmi:.6f}" in capsys.readouterr().out


def test_delta_outside_its_domain_is_refused():
    for delta in (-0.01, 1.0, float("nan")):
        with pytest.raises(InvalidInputError, match="delta"):
            Scenario(delta=delta)
    scenario, notices = from_query({"notion": "lip_delta", "delta": "1"})
    assert scenario.delta == 0.05
    assert notices == ("The link has delta=1, which is not in [0, 0.999]; 0.05 is used.",)


def test_a_guess_below_the_prior_says_what_the_least_is():
    for scenario in (
        Scenario(notion="average_guess", bound=0.3),
        Scenario(notion="guess", bound=0.3),
    ):
        with pytest.raises(InfeasibleError, match=r"probability 0\.6[67]"):
            evaluate(scenario)


def test_the_privacy_funnel_is_answered():
    result = evaluate(Scenario(notion="average_mi", eps=0.02))
    assert result.mechanism.status == "optimal"
    assert result.after.averages["mutual_information"] == pytest.approx(0.02, abs=1e-6)
    assert result.mechanism.nmi == pytest.approx(0.9078, abs=2e-3)  # Adult, sex | occupation


@pytest.mark.parametrize("key", ["watchdog", "subset_merging", "grr", "conditional_reporting"])
def test_other_mechanisms_say_the_least_too(key):
    with pytest.raises(
        InfeasibleError, match=r"0\.3: even the constant one breaks it, at 0\.669205"
    ):
        evaluate(Scenario(notion="guess", bound=0.3, mechanism=key))
