"""S = X: every promise and every mechanism answers, or says why it means nothing."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.spec import DataSpec
from core.errors import CoreError
from core.joint import Joint
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import LDP, RLDP
from core.notions import catalogue as notions
from core.scenario import Scenario, evaluate
from core.scenario.url import from_query, to_query

ITSELF = DataSpec("heart_hungarian", ("cp",), ("cp",))
ALONE = Joint.from_counts(np.eye(4))


def about_itself(**choices) -> Scenario:
    return Scenario(data=ITSELF, eps=0.5, time_limit=0.5, **choices)


@pytest.mark.parametrize("key", [item.key for item in notions.ALL])
def test_every_promise_has_an_optimum_and_a_link(key):
    scenario = about_itself(notion=key)
    assert from_query(to_query(scenario)) == (scenario, ())
    if not notions.build(key, ALONE, scenario.numbers).is_convex():
        with pytest.raises(CoreError, match="does not work under"):
            evaluate(scenario)
        return
    result = evaluate(scenario)
    assert result.joint.is_secret_released
    assert result.mechanism.audit.holds
    assert result.mechanism.utility <= result.mechanism.upper_bound + 1e-9


ROBUST = [item.key for item in mechanisms.CATALOGUE.values() if RLDP in item.notions]


def test_rldp_is_ldp_where_u_is_constant():
    asked = [evaluate(about_itself(notion=key)).mechanism for key in ("ldp", "rldp")]
    plain, robust = asked
    assert robust.status == plain.status == "optimal"
    assert robust.utility == pytest.approx(plain.utility, abs=2e-6)
    assert robust.upper_bound == pytest.approx(plain.upper_bound, abs=2e-6)
    joint = Joint.from_counts(np.diag([5, 3, 9, 1]))
    kernel = np.random.default_rng(0).dirichlet(np.ones(3), 4)
    for alpha in (0.5, 1.0, 2.0, 3.0):
        notion = RLDP.of_joint(joint, 0.5, 100, alpha=alpha)
        for level in (notion, replace(notion, exact=False)):
            assert level.achieved(joint, kernel) == pytest.approx(LDP(0.5).achieved(joint, kernel))


@pytest.mark.parametrize("key", ROBUST)
def test_every_mechanism_of_rldp_answers(key):
    result = evaluate(about_itself(notion="rldp", mechanism=key))
    best = evaluate(about_itself(notion="ldp")).mechanism
    assert result.mechanism.audit.holds
    assert result.mechanism.utility <= best.upper_bound + 1e-6
    if key in ("robust_optimal", "polyopt", "optimal"):
        assert result.mechanism.status == "optimal"
        assert result.mechanism.utility == pytest.approx(best.utility, abs=2e-6)
    else:  # randomized response of S
        assert result.mechanism.utility >= 0.7 * best.utility


def promise_of(entry):
    """Return the notion that a mechanism of X is asked under."""
    return "metric_ldp" if entry.key == "truncated_geometric" else "ldp"


OF_X = [
    item.key
    for item in mechanisms.CATALOGUE.values()
    if not item.reads_secret and not fit.obstacle(item, [notions.entry(promise_of(item)).kind])
]


@pytest.mark.parametrize("key", OF_X)
def test_every_mechanism_of_x_answers(key):
    entry = mechanisms.entry(key)
    notion = promise_of(entry)
    result = evaluate(about_itself(notion=notion, mechanism=key))
    assert np.isfinite(result.mechanism.information)
    if result.mechanism.audit is not None and entry.uses_notion:
        assert result.mechanism.audit.holds
