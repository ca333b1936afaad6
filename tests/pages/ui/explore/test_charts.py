"""The caption of the frontier speaks of budgets as they are shown."""

from core.scenario import Scenario, evaluate
from pages.ui.explore import charts


def test_one_nat_is_spoken_of_as_one():
    request = Scenario(mechanism="watchdog", eps=1.0)
    assert "now ε is 1 nat, " in charts._spoken(evaluate(request), "nats")
    assert "now ε is 1.443 bits, " in charts._spoken(evaluate(request), "bits")
