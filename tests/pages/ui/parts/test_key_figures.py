"""Key figures and badge: bounds while a better answer may come, and what exactly is kept."""

import pytest

from core.data import DataSpec
from core.release.sentences import caution_of
from core.scenario import Scenario, evaluate
from pages.ui.frame.page_frame import sentences
from pages.ui.parts.key_figures import at_least, badge, rows

COUNTED = DataSpec("adult", ("sex",), ("race",))
PAIR = DataSpec("adult", ("sex",), ("race",), secret_released=True)
KNOWN = DataSpec("random:uniform:3x5:0", (), ())
SPARSE = DataSpec("adult", ("native-country",), ("occupation",))


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_what_a_first_glance_keeps_is_at_least_that(unit):
    data = DataSpec("example:parity")
    result = evaluate(Scenario(data=data, notion="ldp", eps=0.02, mechanism="grr"))
    glance, final = (rows(result, unit, provisional=waits) for waits in (True, False))
    assert [item.label for item in glance] == [item.label for item in final]
    changed = {a.label: (a.value, b.value) for a, b in zip(glance, final, strict=True) if a != b}
    assert set(changed) == {f"I(X;Y), {unit}", "NMI"}
    assert {now for now, _ in changed.values()} == {f"≥ {changed[f'I(X;Y), {unit}'][1]}", "> 0%"}
    assert not any(item.value.startswith("≥ ") for item in final)


@pytest.mark.parametrize("notion", ["lip", "ldp", "pml"])
def test_the_badge_of_a_first_glance_is_not_green(notion):
    data = DataSpec("german_credit", ("credit",), ("purpose",))
    result = evaluate(Scenario(data=data, notion=notion, eps=0.3, mechanism="watchdog"))
    glance, final = (badge(result, "nats", provisional=waits) for waits in (True, False))
    assert (glance.color, glance.text) == ("gray", "quick estimate, not final")
    assert final.color != "gray"
    assert final.text.startswith("audit: ")


@pytest.mark.parametrize("notion", ["lip", "ldp", "pml", "l1"])
def test_of_counts_a_promise_is_kept_at_the_counted_distribution(notion):
    made = evaluate(Scenario(data=COUNTED, notion=notion, mechanism="watchdog"))
    assert (
        badge(made, "nats", provisional=False).text == "audit: holds for the counted distribution"
    )


@pytest.mark.parametrize(
    ("data", "notion", "mechanism"),
    [(KNOWN, "lip", "watchdog"), (PAIR, "rldp", "secret_rr")],
)
def test_of_a_known_distribution_or_a_whole_set_a_promise_is_kept(data, notion, mechanism):
    made = evaluate(Scenario(data=data, notion=notion, mechanism=mechanism))
    assert badge(made, "nats", provisional=False).text == "audit: notion holds"


@pytest.mark.parametrize(("data", "few"), [(SPARSE, True), (COUNTED, False)])
def test_few_records_are_cautioned_of_below_the_sentence(data, few):
    made = evaluate(Scenario(data=data, mechanism="identity"))
    _, *small = sentences(made, "nats", provisional=False)
    assert (caution_of(made) in small) == few
    assert bool(caution_of(made)) == few


@pytest.mark.parametrize(
    ("text", "shown"), [("93%", "≥ 93%"), (">99.9%", ">99.9%"), ("<1%", "> 0%")]
)
def test_a_share_that_is_above_a_figure_is_so_for_good(text, shown):
    assert at_least(text, provisional=True) == shown
    assert at_least(text, provisional=False) == text
