"""The Mechanisms page through Streamlit's own test harness."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from core.data.spec import DataSpec
from core.mechanisms import catalogue, subset_merging_steps
from core.mechanisms.merging.subset_merging import replay
from core.mechanisms.outputs import leads
from core.scenario import Scenario, evaluate
from core.studies.comparison import compare
from pages.ui.frame.pickers import PROMISED
from pages.ui.mechanisms import board
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer
from tests.pages import sent
from tests.pages.picking import chosen
from tests.pages.waiting import PATIENCE, busy, finished

PAGE = Path(__file__).parents[2] / "pages" / "mechanisms.py"
TWO = {"s": "income", "x": ["race", "sex"], "notion": "lip", "eps": "0.3"}


def opened(**query):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def page_text(app):
    """Return the page's texts without their Markdown escapes."""
    texts = [*sent.texts(app), *(text.value for text in app.caption)]
    return " ".join(texts).replace("\\", "")


def compared(app):
    """Return the table of all mechanisms, once it is there."""
    finished(app, lambda: app.dataframe)
    return app.dataframe[-1].value


def test_the_default_question_is_taken_apart():
    app = opened()
    assert not app.exception
    assert not app.error
    assert app.title[0].value.replace("\\", "") == "How occupation is released: Optimal"
    assert "reads X only" in page_text(app)
    assert "X is a single column here" in page_text(app)


def test_a_mechanism_that_reads_the_secret_says_so():
    app = opened(mech="conditional_reporting")
    assert not app.exception
    assert "reads S at release time" in page_text(app)
    assert "reads X only" not in page_text(app)
    assert "One row for each pair of secret and input" in page_text(app)


def test_the_output_that_tells_most_comes_first():
    app = opened(mech="subset_merging", eps="0.5", notion="lip")
    result = evaluate(Scenario(mechanism="subset_merging", eps=0.5, notion="lip"))
    level = np.maximum(-result.after.log_min_lift, result.after.log_max_lift)
    picker = next(box for box in app.selectbox if box.label == "Output")
    names = leads(result.mechanism.y_labels)
    assert picker.value == names[level.argmax()]
    assert len(picker.options) == len(level)
    assert f"up to {level.max():.3f} nats" in page_text(app)
    assert "no output shifts them more." in page_text(app)
    picker.set_value(names[level.argmin()]).run()
    assert f"up to {level[level.argmin()]:.3f} nats" in page_text(app)
    assert f"shifts them most, by {level.max():.3f} nats." in page_text(app)


def test_names_of_outputs_have_no_blank_before_the_percent_sign():
    app = opened(eps="0.5", notion="lip")
    mixed = evaluate(Scenario(eps=0.5, notion="lip")).mechanism.y_labels
    assert any("%; " in name for name in mixed)
    whole = json.dumps(
        [*sent.charts(app).values(), page_text(app), app.selectbox(key="output").options]
    )
    assert re.search(r"\d%; ", whole)
    assert re.findall(r".{,20}\d %.{,20}", whole) == []


def test_a_browser_that_still_shows_the_outputs_of_another_mechanism_picks_none(monkeypatch):
    app = opened(mech="subset_merging", eps="0.5", notion="lip")
    picker = app.selectbox(key="output")
    shown = picker.value
    request = Selectbox._widget_state.fget

    def late(box):
        state = request(box)
        if box.key == "output":
            state.string_value = "an output of before (12%)"
        return state

    monkeypatch.setattr(Selectbox, "_widget_state", property(late))
    app.run()
    assert not app.exception
    assert app.selectbox(key="output").value == shown
    assert "what one output reveals" in page_text(app).lower()


def test_algorithm_1_goes_step_by_step():
    app = opened(mech="subset_merging", eps="0.5", notion="lip")
    result = evaluate(Scenario(mechanism="subset_merging", eps=0.5, notion="lip"))
    steps = subset_merging_steps(result.joint, result.mechanism.notion)
    assert app.slider(key="merging_step").value == len(steps)
    merged = [x for item in replay(steps, len(steps)) for x in item.members]
    lift = result.joint.p[:, merged].sum(axis=1) / result.joint.p_s
    lift /= result.joint.p_x[merged].sum()
    least = f"εₗ = {-np.log(lift.min()):.3f} and εᵤ = {np.log(lift.max()):.3f} nats"
    least = f"the {len(merged)} symbols of all sets, ALIP would hold at {least}"
    assert least in page_text(app).replace("\\", "")
    app.slider(key="merging_step").set_value(1).run()
    assert f"step 1 of {len(steps)}" in page_text(app)
    assert "opens a set" in page_text(app)
    app.button(key="merging_next").click().run()
    assert app.slider(key="merging_step").value == 2
    for _ in range(3):
        app.button(key="merging_back").click().run()
    assert app.slider(key="merging_step").value == 0
    assert "Nothing is merged yet" in page_text(app)
    assert replay(steps, 0) == ()


def test_steps_shrink_with_the_question():
    app = opened(mech="subset_merging", eps="0.3", notion="lip")
    before = app.slider(key="merging_step").value
    app.slider(key="eps").set_value(1.0).run()
    assert not app.exception
    assert app.slider(key="merging_step").value < before
    app.slider(key="eps").set_value(8.0).run()
    assert not app.exception


def test_the_table_compares_all_at_the_level_reached():
    app = opened(mech="subset_merging", eps="0.5", notion="lip", x="relationship")
    app.toggle(key="compare_all").set_value(True).run()
    table = compared(app)
    reached = evaluate(
        Scenario.from_json(
            '{"data": {"released": ["relationship"]}, "mechanism": "subset_merging", '
            '"eps": 0.5, "notion": "lip"}'
        )
    ).after.achieved["lip"]
    within = table[table["within"]]
    assert set(table["mechanism"]) >= {"Optimal", "Conditional reporting", "Watchdog"}
    assert (within["LIP, nats"] <= reached + 1e-4).all()
    assert within["X kept"].is_monotonic_decreasing
    assert set(table.loc[table["needs S"], "mechanism"]) == {
        "Optimal, reading S",
        "Conditional reporting",
    }
    bound = table.set_index("mechanism")["at most, nats"]
    assert bound["Watchdog"] == bound["Optimal"]
    assert bound["Conditional reporting"] == bound["Optimal, reading S"] > bound["Optimal"]
    assert bound[["Identity", "Constant"]].isna().all()
    assert not any("side channels" in column for column in table.columns)
    offered = [label for group in app.radio for label in group.options]
    assert {name for name in offered if name.endswith(("needs S", "reading S"))} == {
        f"{entry.title}, needs S".removesuffix(", needs S" * entry.title.endswith("reading S"))
        for entry in catalogue.CATALOGUE.values()
        if entry.reads_secret
    }


def test_a_side_channel_changes_what_an_output_tells():
    app = opened(**TWO)
    assert not app.exception
    assert "someone who knows only the distribution of the data" in page_text(app)
    app.toggle(key="side_channel_on").set_value(True).run()
    app.selectbox(key="known_sex").set_value("Female").run()
    assert not app.exception
    assert "For someone who knows sex = Female" in page_text(app).replace("\\", "")
    app.selectbox(key="known_race").set_value("White").run()
    assert "race = White and sex = Female" in page_text(app).replace("\\", "")


def test_protection_asks_for_the_optimum_under_srlip():
    app = opened(**TWO)
    assert "A side channel raises the level from" in page_text(app)
    app.button(key="protect").click().run()
    assert not app.exception
    assert chosen(app, "notion") == "srlip"
    assert chosen(app, "mech") == "optimal"
    assert "protect" not in {button.key for button in app.button}
    assert "Subset merging has no steps to show under this notion: it needs" in page_text(app)


def test_posteriors_of_x_are_there_too():
    app = opened(mech="grr")
    app.segmented_control(key="posterior_of").set_value("about X").run()
    assert not app.exception
    assert "P(x | y)" in page_text(app)


@pytest.mark.parametrize(
    "query",
    [
        {"eps": "0"},
        {"eps": "8"},
        {"mech": "oue"},
        {"mech": "identity"},
        {"mech": "constant"},
        {"data": "random:uniform:2x2:0", "eps": "0"},
        {"data": "random:uniform:3x60:0", "mech": "subset_merging"},
        {"data": "example:funnel_theorem4", "notion": "srlip", "mech": "srlip_product"},
        {"notion": "l1", "mech": "watchdog"},
        {"sx": "1", "mech": "grr"},
    ],
)
def test_extremes_have_an_answer(query):
    app = opened(**query)
    assert not app.exception
    assert not app.error


def test_a_mechanism_that_does_not_fit_names_those_that_do():
    app = opened(notion="srlip", mech="grr")
    assert not app.exception
    assert "does not work under SRLIP" in app.error[0].value
    assert "Optimal; Attribute by attribute" in page_text(app).replace("\\", "")


def test_what_a_link_has_wrong_is_told():
    app = opened(eps="-1", mech="magic")
    assert not app.exception
    (box,) = app.warning  # several sentences, one box
    assert [("eps" in line, "mech" in line) for line in box.value.splitlines()] == [
        (False, True),
        (True, False),
    ]


def in_link(app, key):
    """Return what the URL says under a key; nothing where it does not stand there."""
    return app.query_params.get(key, "")


def test_the_switches_are_in_the_link_and_a_link_sets_them():
    app = opened(**TWO)
    for key in ("about", "known", "output", "step", "all"):
        assert in_link(app, key) == ""
    app.segmented_control(key="posterior_of").set_value("about X").run()
    app.toggle(key="side_channel_on").set_value(True).run()
    app.selectbox(key="known_sex").set_value("Female").run()
    app.slider(key="merging_step").set_value(2).run()
    picker = app.selectbox(key="output")
    picker.select_index(1).run()
    label = app.selectbox(key="output").options[app.selectbox(key="output").index]
    link = {key: in_link(app, key) for key in ("about", "known", "output", "step")}
    assert link["about"] == "x"
    assert link["known"] == '["sex", "Female"]'
    assert link["step"] == "2"
    assert label.startswith(link["output"])
    again = opened(**TWO, **link)
    assert not again.exception
    assert not again.warning
    assert again.segmented_control(key="posterior_of").value == "about X"
    assert again.selectbox(key="known_sex").value == "Female"
    assert again.selectbox(key="known_race").value is None
    assert again.slider(key="merging_step").value == 2
    assert again.selectbox(key="output").value == app.selectbox(key="output").value
    assert page_text(again) == page_text(app)
    assert {key: in_link(again, key) for key in link} == link


def test_switches_set_back_leave_the_link():
    app = opened(**TWO, about="x", step="1", known='["race", "Black"]')
    app.segmented_control(key="posterior_of").set_value("about S").run()
    app.toggle(key="side_channel_on").set_value(False).run()
    app.slider(key="merging_step").set_value(app.slider(key="merging_step").max).run()
    for key in ("about", "known", "output", "step", "all"):
        assert in_link(app, key) == ""


def test_the_comparison_is_in_the_link():
    app = opened(x="relationship", all="1")
    assert app.toggle(key="compare_all").value
    assert "Watchdog" in set(compared(app)["mechanism"])
    app.toggle(key="compare_all").set_value(False).run()
    assert in_link(app, "all") == ""


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"about": "z"}, "about=z, which is not known; about=s is used"),
        ({"all": "yes"}, "all=yes, which is not 0 or 1; all=0 is used"),
        ({"step": "-1"}, "step=-1, which is not a whole number; the end is shown"),
        ({"step": "99"}, "step=99, but there are 11 steps; showing the last one"),
        (
            {"output": "<b>no</b>"},
            "output=<b>no</b>, which is no output here; showing the worst one",
        ),
        ({"known": "sex"}, 'known=sex, which is not ["COLUMN", "LEVEL"]'),
        ({"known": '["age", "17"]'}, "X has no column 'age'"),
        ({"known": '["sex", "other"]'}, "'sex' has no level 'other'"),
        ({"known": '["sex", "Male"]', "x": "race"}, "X is a single column"),
    ],
)
def test_a_bad_switch_in_a_link_is_told_and_mended(query, sentence):
    app = opened(**(TWO | query))
    assert not app.exception
    assert len(app.warning) == 1
    assert sentence in app.warning[0].value.replace("\\", "")
    (key,) = query.keys() - {"x"}
    assert in_link(app, key) == ""


def test_a_picked_output_stays_picked_while_others_come_and_go():
    app = opened(mech="subset_merging", eps="0.5", notion="lip", output="Sales")
    assert not app.warning
    before = app.selectbox(key="output")
    assert before.options[before.index].startswith("Sales (")
    app.slider(key="eps").set_value(1.5).run()
    now = app.selectbox(key="output")
    assert now.options[now.index].startswith("Sales (")
    assert len(now.options) != len(before.options)


def test_a_comparison_can_be_cancelled_and_started_again():
    with busy(long_answer.WORKERS):
        app = opened(x="marital-status", eps="0.35", notion="lip", mech="watchdog", all="1")
        app.button(key="compared_cancel").click().run()
    assert not app.exception
    assert "The work was canceled" in page_text(app)
    assert not app.dataframe
    app.button(key="compared_again").click().run()
    assert len(compared(app)) > 5


def test_a_comparison_that_time_cut_short_is_one_sessions_and_may_be_searched_on(sweeps):
    def done():
        job, function, arguments = sweeps.open[0]
        data, cut = arguments[1], arguments[-1] < 2 * board.SECONDS
        rows = compare(arguments[0], data, arguments[2])
        job.succeed(tuple(replace(row, cut=cut and row.key == "optimal") for row in rows))
        return function.__name__

    request = {"x": "race", "eps": "0.35", "notion": "lip", "mech": "watchdog", "all": "1"}
    first = opened(**request)
    assert done() == "compare"
    first.run()
    assert "The search stopped after 2 s each for Optimal: more" in page_text(first)
    second = opened(**request)
    assert not second.dataframe
    assert len(sweeps.open) == 1  # nobody else is given what was cut short
    sweeps.open[0][0].cancel()
    first.button(key="compared_on").click().run()
    assert len(first.dataframe[-1].value) > 5  # what was found before stays meanwhile
    done()
    first.run()
    assert "stopped after" not in page_text(first)
    assert len(second.run().dataframe[-1].value) > 5
    assert "stopped after" not in page_text(second)


def test_no_output_is_said_to_shift_beliefs_most_where_none_shifts_any():
    app = opened(notion="lip", eps="0", mech="watchdog")
    assert "No output shifts any belief." in page_text(app)
    assert "shifts beliefs by" not in page_text(app)


ROBUST = {"notion": "rldp", "sx": "1", "x": "race", "n": "300", "eps": "0.5"}


@pytest.mark.parametrize(
    "mech", ["polyopt", "independent_reporting", "secret_rr", "pair_rr", "non_robust"]
)
def test_a_robust_mechanism_is_taken_apart(mech):
    app = opened(mech=mech, **ROBUST)
    assert not app.exception
    assert not app.error
    assert app.title[0].value.endswith(f" {markdown(catalogue.entry(mech).title)}")
    assert ("only at the estimate: over all" in page_text(app)) == (mech == "non_robust")


def test_the_table_has_the_robust_mechanisms_where_they_apply():
    app = opened(mech="independent_reporting", all="1", limit="1", **ROBUST)
    assert not app.exception
    table = compared(app).set_index("mechanism")
    worst = table["RLDP, nats"]
    request = Scenario(
        data=DataSpec(released=("race",), secret_released=True),
        notion="rldp",
        mechanism="independent_reporting",
        n=300,
        eps=0.5,
    )
    level = evaluate(request).after.achieved["lip"]
    for title in ("PolyOpt", "Robust optimum", "Secret randomized response"):
        assert worst[title] <= level + 1e-4
    assert worst["Non-robust optimum"] > level


def test_a_robust_mechanism_without_its_promise_names_those_that_work():
    app = opened(mech="watchdog", **ROBUST)
    assert "does not work under RLDP" in app.error[0].value
    assert "PolyOpt; Independent reporting; Secret randomized response" in page_text(app)


def test_an_average_budget_has_no_steps_of_merging_and_says_so_in_words():
    app = opened(notion="average_mi", eps="0.03", mech="constant")
    assert not app.exception
    text = " ".join(item.value for item in app.caption).replace("\\", "")
    assert (
        "no steps to show under this notion: it needs a single notion that bounds each output"
        in text
    )
    assert "Average(" not in text


@pytest.mark.parametrize("about", ["s", "x"])
def test_a_frame_is_what_the_page_shows_at_rest_at_its_place(about):
    app = opened(mech="subset_merging", eps="0.7", notion="lip", x="race", about=about)
    assert not app.exception
    data = DataSpec(released=("race",))
    result = evaluate(Scenario(data, notion="lip", mechanism="subset_merging", eps=0.7))
    outcome = board.frame([result], board.View(0, about == "x", 0), "nats")
    charts, shown = sent.charts(app), sent.answer(app)
    assert set(outcome["charts"]) == {"kernel", "posteriors"}
    for key, part in outcome["charts"].items():
        assert part == {name: charts[key][name] for name in part}
    reported = outcome["answers"][""]
    assert reported == {name: shown[name] for name in reported}
    (slider,) = sent.sliders(app)
    assert (slider["slider"], slider["now"]) == ("eps", "0.70")
    assert slider["behind"] == [PROMISED, board.BELOW]
