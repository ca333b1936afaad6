"""Charts of Explore that many sessions see are drawn once for what they show, and anew for more."""

from dataclasses import replace

import pytest
import streamlit as st

from core.data import DataSpec
from core.scenario import Scenario, answer, measured
from pages.ui.chart import component
from pages.ui.explore import again, charts, meaning
from pages.ui.work import derived, progress, store

SCENARIO = Scenario(DataSpec("example:parity", (), ()), notion="lip", eps=0.5)


@pytest.fixture
def sent(monkeypatch):
    """Keep what browsers are sent, and begin without kept charts."""
    outcome = []
    monkeypatch.setattr(component, "_COMPONENT", lambda **reported: outcome.append(reported))
    monkeypatch.setattr(store, "SHARED", store.Store(50))
    for name in ("markdown", "caption"):
        monkeypatch.setattr(st, name, lambda *_, **__: None)
    monkeypatch.setattr(again, "_second", lambda *_: "")
    monkeypatch.setattr(progress.st, "container", None)
    return outcome


def result(eps):
    scenario = replace(SCENARIO, eps=eps)
    return answer(scenario, derived.counted(scenario.data))


@pytest.mark.parametrize(("card", "name"), [(meaning, "diagram"), (again, "bars")])
def test_a_card_is_drawn_once_for_what_it_shows(sent, monkeypatch, card, name):
    drawn, draw = [], getattr(card, name)
    monkeypatch.setattr(card, name, lambda *reported: drawn.append(reported) or draw(*reported))
    first, other = result(0.5), result(0.25)
    for shown, unit in ((first, "nats"), (first, "nats"), (other, "nats"), (first, "bits")):
        card.show(shown, unit)
    card.show(result(0.5), "nats")  # another session's answer, with the same numbers
    assert len(drawn) == 3
    assert sent[0]["data"] == sent[1]["data"] == sent[4]["data"]
    assert len({item["data"] for item in sent}) == 3


@pytest.mark.usefixtures("sent")
def test_the_matrix_of_another_release_with_the_same_names_is_drawn_anew():
    first = result(0.5)
    made = replace(first.mechanism, kernel=first.mechanism.kernel[::-1])
    other = measured(first.scenario, first.counted, made)
    item, again, another = (charts.mechanism(shown).sent() for shown in (first, first, other))
    assert item is again
    assert item != another
