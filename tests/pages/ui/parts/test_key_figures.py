"""What is not final does not look final: figures are bounds, and no badge is green."""

import pytest

from core.data import DataSpec
from core.scenario import Scenario, evaluate
from pages.ui.parts.key_figures import AT_LEAST, badge, rows


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_what_a_first_glance_keeps_is_at_least_that(unit):
    result = evaluate(Scenario(data=DataSpec("example:parity"), eps=0.3, mechanism="watchdog"))
    glance, final = (rows(result, unit, provisional=waits) for waits in (True, False))
    assert [one.label for one in glance] == [one.label for one in final]
    changed = {a.label: (a.value, b.value) for a, b in zip(glance, final, strict=True) if a != b}
    assert set(changed) == {f"I(X;Y), {unit}", "NMI"}
    assert all(now == AT_LEAST + then for now, then in changed.values())
    assert not any(one.value.startswith(AT_LEAST) for one in final)


@pytest.mark.parametrize("notion", ["lip", "ldp", "pml"])
def test_the_badge_of_a_first_glance_is_not_green(notion):
    data = DataSpec("german_credit", ("credit",), ("purpose",))
    result = evaluate(Scenario(data=data, notion=notion, eps=0.3, mechanism="watchdog"))
    glance, final = (badge(result, "nats", provisional=waits) for waits in (True, False))
    assert (glance.color, glance.text) == ("gray", "first glance, not the answer")
    assert final.color != "gray"
    assert final.text.startswith("audit: ")
