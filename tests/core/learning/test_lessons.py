"""The lessons: each is whole, its numbers are read from texts, and its link asks its question."""

import math
from urllib.parse import parse_qs

import pytest

from core.errors import InvalidInputError
from core.learning import LESSONS, SETTINGS, defaults, lesson
from core.learning.examples import flipped, of_test, revealed
from core.learning.lessons import opens
from core.learning.settings import written
from core.measures import catalogue as measures
from core.nonstochastic import catalogue as ranges
from core.notions import catalogue as notions
from core.scenario import evaluate
from core.scenario.url import KEYS, from_query


def test_every_notion_that_the_issue_names_has_a_lesson():
    wanted = ("lift", "lip", "alip", "ldp", "warner", "pml", "alpha", "rldp", "funnel", "maximin")
    assert tuple(item.key for item in LESSONS) == wanted
    assert lesson("alpha").title == "α-lift"


@pytest.mark.parametrize("topic", LESSONS, ids=lambda item: item.key)
def test_every_lesson_is_whole(topic):
    assert topic.idea.endswith(".")
    assert len(topic.use) >= 2
    assert len(topic.limits) >= 2
    assert set(topic.settings) <= SETTINGS.keys()
    result = {
        "measure": lambda key: measures.entry(key),
        "notion": lambda key: notions.entry(key),
        "range": lambda key: ranges.entry(key, ranges.MEASURE),
    }
    for named in topic.formulas:
        kind, _, key = named.partition(":")
        assert result[kind](key).formula


def test_no_number_of_the_lessons_has_the_key_of_a_question():
    assert not SETTINGS.keys() & set(KEYS)


@pytest.mark.parametrize("topic", LESSONS, ids=lambda item: item.key)
@pytest.mark.parametrize("which", ["default", "low", "high"])
def test_every_link_asks_a_question_that_has_an_answer(topic, which):
    values = defaults()
    if which != "default":
        for key in topic.settings:
            setting = SETTINGS[key]
            ends = setting.choices or (setting.low, setting.high)
            values[key] = ends[0] if which == "low" else ends[-1]
    link = opens(topic.key, values).link
    request, notices = from_query(parse_qs(link.partition("?")[2]))
    assert notices == ()
    assert request == opens(topic.key, values).scenario
    if topic.key != "maximin":
        assert evaluate(request).mechanism.status in ("optimal", "exact", "heuristic", "given")


def test_the_link_of_ldp_asks_for_what_its_release_reaches():
    request = opens("ldp", defaults()).scenario
    reached = revealed(of_test(), flipped(0.8)).ldp
    assert request.eps - 0.01 < reached <= request.eps


@pytest.mark.parametrize(
    ("key", "text"),
    [("truth", "0.4"), ("order", "4"), ("merged", "1.5"), ("ill", "nan"), ("hit", "x")],
)
def test_a_number_that_is_not_allowed_is_told(key, text):
    with pytest.raises(InvalidInputError, match=f"{key} must be "):
        SETTINGS[key].read(text)


def test_numbers_are_read_back_as_they_were_written():
    for setting in SETTINGS.values():
        for value in setting.choices or (setting.low, setting.default, setting.high):
            assert setting.read(written(value)) == value
    assert math.isinf(SETTINGS["order"].read("inf"))
