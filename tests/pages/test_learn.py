"""The Learn page through Streamlit's own test harness."""

import math
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.learning import LESSONS, SETTINGS, defaults, exercises, words
from core.learning.examples import of_test, revealed
from core.learning.exercises import NEEDED
from core.learning.lessons import opens
from pages.ui.frame import numbers
from pages.ui.learn import pictures, query
from pages.ui.learn.board import sought
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from tests.pages.waiting import PATIENCE

PAGE = Path(__file__).parents[2] / "pages" / "learn.py"


def opened(**link):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in link.items():
        app.query_params[key] = value
    return app.run()


def text(app):
    return " ".join(item.value for item in app.markdown)


def test_the_bare_page_is_the_lesson_on_lift_in_the_table_of_the_lessons():
    app = opened()
    assert not app.exception
    assert not app.warning
    assert app.title[0].value == "Learn: Lift"
    for sentence in words.of_lift(revealed(of_test())):
        assert markdown(sentence) in text(app)
    assert not {"topic", *SETTINGS} & set(app.query_params)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda item: item.key)
@pytest.mark.parametrize("which", ["default", "low", "high"])
def test_every_lesson_has_its_words_and_its_link_at_the_ends_of_all_sliders(lesson, which):
    values = defaults()
    if which != "default":
        for key in lesson.settings:
            setting = SETTINGS[key]
            ends = setting.choices or (setting.low, setting.high)
            values[key] = ends[0] if which == "low" else ends[-1]
    app = opened(topic=lesson.key, **{key: repr(values[key]) for key in lesson.settings})
    assert not app.exception
    assert not app.warning
    assert app.title[0].value == f"Learn: {lesson.title}"
    made = pictures.made(lesson, values)
    for sentence in getattr(words, f"of_{lesson.key}")(made):
        assert markdown(sentence) in text(app)
    for message in (*lesson.use, *lesson.limits):
        assert markdown(message) in text(app)
    if lesson.key != "lift":
        (button,) = app.get("link_button")
        assert button.proto.url == opens(lesson.key, values).link


def test_a_permalink_opens_its_topic_with_its_numbers_and_is_written_again():
    app = opened(topic="alpha", clue="4", order="inf", hit="0.3")
    assert app.select_slider(key="learn_order").value == math.inf
    assert app.slider(key="learn_clue").value == 4.0
    assert markdown("Their mean of order α = ∞ is the largest, 4.") in text(app)
    assert app.query_params["order"] == "inf"
    app.slider(key="learn_clue").set_value(2.0).run()
    assert app.query_params["clue"] == "2"
    app.button(key="learn_back").click().run()
    assert app.query_params["topic"] == "pml"
    assert "clue" not in app.query_params


def test_a_bad_link_falls_back_and_says_so():
    app = opened(topic="alchemy", ill="7", hit="x")
    assert not app.exception
    assert app.title[0].value == "Learn: Lift"
    (box,) = app.warning
    assert box.value.replace("\\", "").split("  \n") == [
        "The link has topic=alchemy, which is not known; Lift is shown.",
        "The link has an error: ill must be in [0.01, 0.99], got '7'; 0.2 is used.",
        "The link has an error: hit must be in [0, 1], got 'x'; 0.9 is used.",
    ]


def test_topics_are_turned_and_picked_and_a_slider_keeps_its_value_meanwhile():
    app = opened()
    app.slider(key="learn_ill").set_value(0.5).run()
    assert markdown(words.of_lift(revealed(of_test(0.5)))[0]) in text(app)
    app.button(key="learn_on").click().run()
    assert app.title[0].value == "Learn: LIP"
    assert app.radio(key="learn_topic").value == "lip"
    app.radio(key="learn_topic").set_value("ldp").run()
    assert app.slider(key="learn_ill").value == 0.5  # the share of the ill is one number
    app.radio(key="learn_topic").set_value("lift").run()
    assert app.slider(key="learn_ill").value == 0.5
    assert "learn_back" not in {item.key for item in app.button}


def test_next_leads_through_the_lessons_and_the_page_says_how_far_one_is():
    app = opened()
    for place, item in enumerate(LESSONS, 1):
        assert app.title[0].value == f"Learn: {item.title}"
        assert f"Lesson {place} of {len(LESSONS)}" in text(app)
        app.button(key="learn_next").click().run()
    assert app.title[0].value == "Learn: Exercises"
    assert "Lesson " not in text(app)
    app.button(key="learn_next").click().run()
    assert app.title[0].value == "Learn: Glossary"
    assert "learn_next" not in {item.key for item in app.button}


def test_what_was_dragged_moves_the_sliders_and_nonsense_does_not(monkeypatch):
    state = {
        "_learn_values": defaults(),
        pictures._PART: {"moved": {"ill": 0.5, "hit": 7, "alarm": "x"}},
    }
    for module in (pictures, numbers):
        monkeypatch.setattr(module.st, "session_state", state)
    pictures._moved()
    assert state["learn_ill"] == query.NUMBERS.values()["ill"] == 0.5
    assert query.NUMBERS.values()["hit"] == 0.9
    assert "learn_hit" not in state
    for moved in (None, "x", [0.1], {"ill": True}, {"serial": "9"}, {"serial": True}):
        state[pictures._PART] = {"moved": moved}
        pictures._moved()
        assert query.NUMBERS.values()["ill"] == 0.5
        assert pictures._SERIAL not in state
    state[pictures._PART] = {"moved": {"alarm": 0.4, "serial": 3}}
    pictures._moved()
    assert query.NUMBERS.values()["alarm"] == 0.4
    assert state[pictures._SERIAL] == 3  # the part is told which of its messages was the last


def test_a_result_that_never_occurs_is_left_out():
    app = opened(hit="0", alarm="0")
    assert not app.exception
    assert "After “positive”" not in text(app)
    assert "After “negative”" in text(app)
    assert "as likely as before" in text(app)


def test_what_is_believed_is_shown_after_either_result(monkeypatch):
    shown = []
    monkeypatch.setattr(
        "pages.ui.learn.pictures.still", lambda _, **more: shown.append(more["alt"])
    )
    app = opened()
    assert shown[-1] == "After positive: ill from 20% to 60%, well from 80% to 40%"
    app.segmented_control(key="learn_seen").set_value("negative").run()
    assert shown[-1] == "After negative: ill from 20% to 2.9%, well from 80% to 97.1%"


def test_exercises_are_checked_and_counted():
    app = opened(topic="exercises")
    assert not app.exception
    total = len(exercises(0))
    assert f"**0 of {total} exercises right.**" in text(app)
    app.text_input(key="learn_lift_0_answer").set_value("3").run()
    assert app.success[0].value == markdown("Right.")
    assert f"**1 of {total} exercises right.**" in text(app)
    app.text_input(key="learn_posterior_0_answer").set_value("0,9").run()
    assert "the reverse of the question" in app.info[0].value
    app.text_input(key="learn_pml_0_answer").set_value("three").run()
    assert "An answer must be a number" in app.warning[0].value
    assert f"**1 of {total} exercises right.**" in text(app)
    app.text_input(key="learn_pml_0_answer").set_value("ln 3").run()
    assert f"**2 of {total} exercises right.**" in text(app)


def test_a_variant_has_its_own_table_in_the_link_and_its_own_answers():
    app = opened(topic="exercises", variant="7")
    assert app.number_input(key="learn_variant").value == 7
    by_key = {item.key: item for item in exercises(7)}
    app.text_input(key="learn_lift_7_answer").set_value(by_key["lift"].shown).run()
    assert app.success[0].value == markdown("Right.")
    app.number_input(key="learn_variant").set_value(0).run()
    assert not app.success
    assert "variant" not in app.query_params
    app.number_input(key="learn_variant").set_value(7).run()
    assert app.query_params["variant"] == "7"


def test_the_exercises_say_how_many_digits_an_answer_needs():
    assert f"Answers need {NEEDED} digits" in text(opened(topic="exercises"))


def test_the_glossary_is_shown_whole_and_searched():
    app = opened(topic="exercises")
    app.button(key="learn_on").click().run()
    assert app.query_params["topic"] == "glossary"
    assert len(app.table[0].value) == len(glossary.terms())
    app.text_input(key="learn_look").set_value("LIFT largest").run()
    result = [term.replace("\\", "") for term in app.table[0].value["term"]]
    assert "Λ(y)" in result
    assert len(result) < 10
    app.text_input(key="learn_look").set_value("no such words").run()
    assert not app.table
    assert app.info[0].value == "No entry matches these words."
    assert len(sought("")) == len(glossary.terms())
    assert (
        not sought("").map(lambda message: "`" in message).to_numpy().any()
    )  # no Markdown in the table


def test_another_session_begins_with_the_numbers_of_the_lessons():
    first = opened()
    first.slider(key="learn_ill").set_value(0.9).run()
    assert opened().slider(key="learn_ill").value == 0.2


def test_the_question_of_the_other_pages_stays_in_the_address():
    app = opened(topic="lip", eps="0.3", budget="2")
    assert app.query_params["eps"] == "0.3"
    assert app.slider(key="learn_budget").value == 2.0
    assert app.session_state["eps"] == 0.3


def test_a_number_that_is_moved_just_before_another_topic_is_chosen_is_kept():
    app = opened(topic="alip")
    app.slider(key="learn_share").set_value(0.9)
    app.radio(key="learn_topic").set_value("ldp").run()  # both reach the server at once
    assert "ldp" in app.query_params["topic"]
    app.radio(key="learn_topic").set_value("alip").run()
    assert app.slider(key="learn_share").value == 0.9
    assert app.query_params["share"] == "0.9"
