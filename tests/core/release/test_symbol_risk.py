import numpy as np
import pytest

from core import measures
from core.measures import catalogue
from core.measures.leakage import leakage
from core.notions import ALIP, LDP, LIP, SRLIP
from core.release.posteriors import averages, exposure, pointwise

LEAK = leakage([[0.25, 0.24, 0.0], [0.05, 0.26, 0.2]], ("a", "b", "c"))
SECRETS = ("f", "m")


def test_high_risk_is_what_breaks_the_promise_by_itself():
    result = exposure(LEAK, LIP(1.0), SECRETS)
    assert result.risky.tolist() == [True, False, True]
    assert result.mass.tolist() == pytest.approx([0.3, 0.5, 0.2])
    assert np.isneginf(result.log_lift[0, 2])


def test_why_names_side_level_budget_and_secret():
    result = exposure(LEAK, LIP(1.0), SECRETS)
    lift = 0.05 / 0.3 / 0.51
    assert result.why[0] == (
        f"{-np.log(lift):.3f} nats down, 1 allowed: m {lift:.2f} times as likely"
    )
    assert result.why[1] == "within the budget"
    assert result.why[2] == "∞ nats down, 1 allowed: f impossible"


def test_both_sides_are_named_and_an_infinite_budget_asks_nothing():
    up = np.log(0.25 / 0.3 / 0.49)
    both = exposure(LEAK, ALIP(0.1, 0.1), SECRETS).why[0]
    assert "down, 0.1 allowed: m" in both
    assert f"{up:.3f} nats up, 0.1 allowed: f" in both
    assert not exposure(LEAK, ALIP(np.inf, np.inf), SECRETS).risky.any()


def test_ldp_judges_the_ratio():
    result = exposure(LEAK, LDP(1.0), SECRETS)
    ratio = (0.25 / 0.49) / (0.05 / 0.51)
    assert result.risky.tolist() == [ratio > np.e, False, True]


def test_a_notion_of_groups_judges_no_symbol():
    notion = SRLIP(1.0, (3,))
    result = exposure(LEAK, notion, SECRETS)
    assert not result.risky.any()
    assert result.why[0] == f"not evaluated: {notion} is not one bound on each symbol"


def test_pointwise_holds_every_pointwise_measure():
    result = pointwise(LEAK, 3.0)
    names = [e.title for e in catalogue.ENTRIES if e.kind == catalogue.POINTWISE]
    assert [*result] == [name for name in names if name != "Lift"]
    np.testing.assert_allclose(result["α-lift"], measures.alpha_lift(LEAK.joint_sy, 3.0))


def test_averages_hold_every_average_measure():
    result = averages(LEAK, np.inf)
    assert result["sibson"][0] == pytest.approx(measures.maximal_leakage(LEAK.joint_sy))
    assert result["mutual_information"] == (
        pytest.approx(measures.mutual_information(LEAK.joint_sy)),
        "nats",
    )
    assert result["total_variation"][1] == ""
