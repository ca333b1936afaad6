"""S = X: every promise and every mechanism answers, or says why it means nothing."""

import numpy as np
import pytest

from core.data.spec import DataSpec
from core.errors import CoreError
from core.joint import Joint
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.scenario import Scenario, evaluate
from core.scenario.url import from_query, to_query

ITSELF = DataSpec("heart_hungarian", ("cp",), ("cp",))
ALONE = Joint.from_counts(np.eye(4))


def about_itself(**choices) -> Scenario:
    return Scenario(data=ITSELF, eps=0.5, time_limit=0.5, **choices)


@pytest.mark.parametrize("key", [item.key for item in notions.ALL if not item.kind.secret_released])
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


def test_what_needs_u_names_what_it_is_without():
    with pytest.raises(CoreError, match="where S alone is released, robust LDP is LDP"):
        evaluate(about_itself(notion="rldp", mechanism="robust_optimal"))


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
