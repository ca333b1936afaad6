"""What others also know: its picker on Explore and Compare, its links, and what is said then."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, Sources
from core.notions import catalogue as notions
from core.release.sentences import finding, question
from core.scenario import Project, Scenario, evaluate
from core.scenario.url import to_query
from core.studies.advice import consequences
from pages.ui.report import lower_cards
from pages.ui.report.contents import report
from pages.ui.style.labels import markdown
from tests.pages import comparing
from tests.pages.sent import figures, texts, working
from tests.pages.test_explore import opened
from tests.pages.test_pickers import caption_of

pytestmark = pytest.mark.usefixtures("no_lines")

KNOWN = Scenario(DataSpec(known=("race",)), notion="lip")


def kept(app):
    """Return I(X;Y), whether it is proven yet or not."""
    return figures(app)["I(X;Y), nats"].removeprefix("≥ ")


def linked(scenario, page="pages/explore.py", **more):
    return opened(page, **to_query(scenario), **more)


def picker(app):
    return app.multiselect(key="data_known")


def test_nothing_else_is_known_unless_it_is_chosen():
    app = opened()
    assert not app.exception
    assert picker(app).value == []
    assert not {"sex", "occupation"} & {*picker(app).options}
    assert "k" not in app.query_params


def test_the_level_given_what_is_known_is_beside_that_of_y_alone():
    shown = figures(linked(KNOWN))
    assert shown["LIP given K, nats"] == f"{KNOWN.eps:.3f}"
    assert float(shown["LIP reached, nats"]) < KNOWN.eps
    assert "LIP given K, nats" not in figures(opened(notion="lip"))


def test_choosing_a_column_asks_the_promise_given_it():
    app = opened(notion="lip")
    picker(app).select("race").run()
    assert not app.exception
    assert app.query_params["k"] == "race"
    result = evaluate(KNOWN)
    assert app.title[0].value == question(KNOWN)
    assert kept(app) == f"{result.mechanism.utility:.3f}"
    assert markdown(finding(result).partition(".")[0]) in " ".join(texts(app))
    picker(app).unselect("race").run()
    assert "k" not in app.query_params


def test_a_link_and_a_second_visit_ask_the_same():
    app = linked(KNOWN)
    assert not app.exception
    assert picker(app).value == ["race"]
    assert kept(linked(KNOWN)) == kept(app) == f"{evaluate(KNOWN).mechanism.utility:.3f}"


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (("sex",), "is a column of S"),
        (("occupation",), "is a column of X"),
        (("nowhere",), "has no column"),
    ],
)
def test_a_bad_link_is_told_and_a_click_mends_it(known, sentence):
    app = linked(replace(KNOWN, data=DataSpec(known=known)))
    assert not app.exception
    assert any(sentence in error.value for error in app.error)
    assert app.title[0].value == "Explore"  # not a question that cannot be asked
    next(item for item in app.button if item.label == "Without the known columns").click().run()
    assert not app.exception
    assert kept(app) == f"{evaluate(Scenario(notion='lip')).mechanism.utility:.3f}"


def test_ten_thousand_levels_are_refused_in_a_sentence():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"s": rng.integers(0, 2, 20_000), "x": rng.integers(0, 4, 20_000)})
    frame["code"] = [f"c{i % 10_000}" for i in range(len(frame))]
    app = opened()
    app.session_state["_visit"].sources = Sources()
    content = frame.to_csv(index=False).encode()
    key = app.session_state["_visit"].sources.add_bytes(content, "people.csv")
    app.session_state["_data"] = DataSpec(key, ("s",), ("x",), known=("code",))
    app.run()
    assert not app.exception
    assert any("at most 2,000 are allowed" in error.value for error in app.error)


def test_other_data_ask_nothing_of_it():
    app = linked(KNOWN)
    other = next(item for item in app.selectbox(key="data_source").options if "Adult" not in item)
    app.selectbox(key="data_source").set_value(other).run()
    assert not app.exception
    assert not app.session_state["_data"].known
    assert any("no longer assumed to know race" in item.value for item in app.toast)


def test_a_mechanism_that_does_not_work_given_it_is_told_with_what_does():
    app = opened(notion="lip", mech="subset_merging")
    picker(app).select("race").run()
    assert not app.exception
    assert {"Without the known columns", "Optimal"} <= {item.label for item in app.button}
    next(item for item in app.button if item.label == "Optimal").click().run()
    assert kept(app) == f"{evaluate(KNOWN).mechanism.utility:.3f}"


def test_a_notion_that_is_not_about_each_output_cannot_be_chosen_with_it():
    app = linked(KNOWN)
    for key in ("average_mi", "lip_delta"):
        assert "Needs “Also known” empty" in caption_of(app, "notion", key)
    assert caption_of(app, "notion", "ldp").startswith(notions.entry("ldp").meaning)


def test_compare_says_what_is_known_in_each_column():
    alone = replace(KNOWN, data=DataSpec())
    project = Project((KNOWN, alone), ("given race", "alone"))
    app = comparing.opened(project=project)
    assert not app.exception
    assert comparing.text(app).count("Also known: race") == 1
    result = [item.strip("≥ ") for item in comparing.kept(app)]
    assert result == [comparing.share(KNOWN), comparing.share(alone)]
    assert "all_of_this_data" in [item.key for item in app.button]
    assert comparing.text(app).count("each notion holds, for someone who does not know race.") == 1


def test_compare_asks_its_columns_given_what_the_sidebar_names():
    app = comparing.opened(scenario=KNOWN)
    assert not app.exception
    assert picker(app).value == ["race"]
    assert comparing.text(app).count("Also known: race") == 3
    # RLDP, which a known column rules out, has no line
    assert any(item.endswith("Computing LIP, ALIP") for item in working(app))


def test_compare_tells_of_a_bad_link_and_mends_it():
    project = Project((replace(KNOWN, data=DataSpec(known=("sex",))),), ("bad",))
    app = comparing.opened(project=project)
    assert not app.exception
    assert "is a column of S" in " ".join(
        [comparing.text(app), *(item.value for item in app.error)]
    )
    app.button(key="remedy_0_known").click().run()
    assert not app.exception
    assert app.session_state["_project"].scenarios[0].data.known == ()


@pytest.mark.parametrize("page", ["mechanisms", "lift", "release", "frontiers", "robust", "data"])
def test_every_other_page_opens_with_it(page):
    app = linked(KNOWN, f"pages/{page}.py")
    assert not app.exception


@pytest.mark.parametrize("page", ["robust", "confusability"])
def test_a_page_that_does_not_consider_it_says_so(page):
    app = linked(KNOWN, f"pages/{page}.py")
    text = [item.value for item in app.caption]
    assert any("This page ignores that race is known" in item for item in text)


def test_a_report_says_that_its_levels_are_of_y_alone():
    request = replace(KNOWN, mechanism="identity")
    text = report(result := evaluate(request), (), consequences(result))
    assert "each notion holds, for someone who does not know race" in text
    plain = evaluate(replace(request, data=DataSpec()))
    assert "does not know" not in report(plain, (), consequences(plain))


def test_several_draws_are_judged_given_it_beside_y_alone():
    result = evaluate(KNOWN)
    request = lower_cards.requested_notion(KNOWN, result.scenario.build_notion(result.joint))
    drawn = consequences(result).redrawn
    assert request.title == "LIP given race"
    lines = lower_cards.lines(drawn, request)
    assert lines["LIP"][0] < lines["LIP given race"][0] <= KNOWN.eps + 1e-9
