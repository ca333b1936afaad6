import numpy as np
import pytest

from core import notions
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
    asked = Scenario(notion=key, **used)
    assert from_query(to_query(asked)) == (asked, ())
    assert "import Average\n" in snippet(scenario)
    assert f"notion = Average(measure='{BUILT[key].measure}'" in snippet(scenario)


def test_no_page_offers_them_yet():
    assert {entry.key for entry in catalogue.AVERAGES} == set(BUILT)
    assert not set(BUILT) & {entry.key for entry in catalogue.ENTRIES}


def test_the_privacy_funnel_is_answered():
    result = evaluate(Scenario(notion="average_mi", eps=0.02))
    assert result.mechanism.status == "optimal"
    assert result.after.averages["mutual_information"] == pytest.approx(0.02, abs=1e-6)
    assert result.mechanism.nmi == pytest.approx(0.9078, abs=2e-3)  # Adult, sex | occupation
