"""A mechanism for each value that others know, on Mechanisms and Compare."""

from dataclasses import replace

import pytest

from core.jobs.work import find_for_each
from core.mechanisms import optimal_for_each
from core.mechanisms.optima import for_each
from core.notions import LIP, Given
from core.scenario import evaluate
from pages.ui.parts.for_each import KEPT, LEAST, RARE
from tests.pages.sent import texts
from tests.pages.test_also_known import KNOWN, linked

ASKED = replace(KNOWN, eps=0.3, mechanism="optimal")


def searched(app, sweeps):
    """Do the searches that the page has asked for; return the tables that have them."""
    place = next(i for i, item in enumerate(sweeps.open) if item[1] is find_for_each)
    sweeps.finish(place)
    app.run()
    assert not app.exception
    return [item.value for item in app.dataframe if KEPT[0] in item.value]


@pytest.fixture(scope="module")
def result():
    return evaluate(ASKED)


def test_each_known_value_has_its_own_on_mechanisms(sweeps, result):
    app = linked(ASKED, "pages/mechanisms.py")
    app.toggle(key="for_each").set_value(True).run()
    (table,) = searched(app, sweeps)
    each = optimal_for_each(
        result.joint, Given(LIP(0.3), result.joint.known), least=RARE, time_limit=60
    )
    message = next(text for text in texts(app) if "separate mechanisms keep" in text)
    assert f"{each.information:.3f} nats, proven" in message.replace("\\", "")
    assert table["records"].sum() == result.joint.n
    races = {"White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"}
    assert set(table["race"]) == races
    assert table["records"].is_monotonic_decreasing
    assert (table[KEPT[0]] >= table[KEPT[1]] - 1e-6).all()
    app.number_input(key=LEAST).set_value(1_000).run()
    (table,) = searched(app, sweeps)
    assert list(table["race"])[2:] == ["Asian-Pac-Islander", "2 rare values together"]


def test_the_number_of_searches_and_their_time_are_said_before(sweeps):
    app = linked(ASKED, "pages/mechanisms.py")
    assert "5 searches, at most 60 s together." in app.toggle(key="for_each").help
    assert find_for_each not in [item[1] for item in sweeps.open]
    app.toggle(key="for_each").set_value(True).run()
    job = next(item[0] for item in sweeps.open if item[1] is find_for_each)
    assert job.time_limit >= 60


def test_too_many_are_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(for_each, "MOST_GROUPS", 4)
    app = linked(ASKED, "pages/mechanisms.py")
    refused = "5 values with their own mechanisms; at most 4"
    assert refused in app.toggle(key="for_each").help
    app.toggle(key="for_each").set_value(True).run()
    assert not app.exception
    assert any(refused in item.value.replace("\\", "") for item in app.caption)


def test_nothing_is_offered_where_nothing_is_known():
    app = linked(replace(ASKED, data=replace(ASKED.data, known=())), "pages/mechanisms.py")
    assert not [item for item in app.toggle if item.key == "for_each"]


def test_compare_says_it_in_a_line_for_each_column(sweeps):
    app = linked(ASKED, "pages/compare.py")
    assert not app.exception
    switch = next(item for item in app.toggle if str(item.key).startswith("for_each_"))
    switch.set_value(True).run()
    assert searched(app, sweeps) == []
    assert any("separate mechanisms keep" in text for text in texts(app))
