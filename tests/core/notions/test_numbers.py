"""A number of a notion is declared once, and is everywhere."""

import json
from dataclasses import fields

import pytest

from core.notions import catalogue
from core.notions.numbers import Numbers, declared
from core.scenario import DOMAINS, Scenario
from core.scenario.url import NUMBERS, from_query, to_query
from pages.ui.frame.controls import SLIDERS
from pages.ui.style import glossary


def test_every_number_is_declared_and_used_by_a_notion():
    assert list(declared()) == [item.name for item in fields(Numbers)]
    used = {name for entry in catalogue.ALL for name in entry.parameters}
    assert used == set(declared())


@pytest.mark.parametrize("name", declared())
def test_a_number_is_in_scenario_json_address_and_sliders(name):
    domain = declared()[name]
    assert DOMAINS[name] is domain
    other = Scenario(**{name: domain.low})
    assert getattr(other.numbers, name) == domain.low
    assert Scenario.from_json(other.to_json()) == other
    key = next(key for key, item in NUMBERS.items() if item == name)
    assert to_query(other)[key] == [f"{domain.low:g}"]
    assert from_query(to_query(other)) == (other, ())
    assert domain.title or name == "n"  # n has a control of its own
    if domain.title:
        assert SLIDERS[name] == domain.title
        assert glossary.meaning(name)


def test_json_begins_with_version_data_and_notion():
    assert list(json.loads(Scenario().to_json()))[:4] == [
        "version",
        "data",
        "notion",
        "eps",
    ]
