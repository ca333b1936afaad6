"""What should survive, on Explore: its picker, link, strip, sentence, axis and bad input."""

from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from core.data.spec import Binning, DataSpec
from core.release.sentences import finding, question
from core.scenario import Scenario, evaluate
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query
from pages.ui.explore import charts
from pages.ui.frame import purpose
from pages.ui.style.labels import markdown
from tests.pages.sent import key_figures, texts
from tests.pages.test_explore import QUICK, figures, opened

pytestmark = pytest.mark.usefixtures("no_lines")

INCOME = Scenario(data=DataSpec(task=("income",)), purpose="task", mechanism="subset_merging")
AGES = DataSpec(released=("age",), binnings=(Binning("age"),))


def page_text(app):
    others = (item.value for item in (*app.caption, *app.error))
    return " ".join([*texts(app), *others]).replace("\\", "")


def opened_on(request):
    return opened(**to_query(request))


def test_all_of_x_survives_by_default():
    app = opened(**QUICK)
    assert app.selectbox(key="for").value == "information"
    assert "Kept for this purpose" not in figures(app)
    assert "(?t=income&for=task)" in page_text(app).replace(
        "for=task&t=income", "t=income&for=task"
    )


def test_the_example_in_the_sidebar_is_about_the_data_on_screen():
    app = opened(data="german_credit", s="credit", x="purpose", mech="watchdog")
    (example,) = [item.value for item in app.markdown if "others can predict" in item.value]
    assert "occupation" not in example
    link = example.rpartition("(?")[2].partition(")]")[0]
    request, notices = from_query(parse_qs(link))
    assert not notices
    assert (request.data.source, request.purpose) == ("german_credit", "task")
    (task,) = request.data.task
    plain = example.replace("\\", "")
    assert f"Publish purpose so that others can predict {task} but not credit" in plain
    assert evaluate(request).mechanism.kept > 0
    joint = opened(data="random:uniform:2x3:1", mech="watchdog")
    assert "others can predict" not in page_text(joint)
    assert "others can predict" not in page_text(opened(sx="1", **QUICK))
    assert "others can predict" not in page_text(opened(s="race", x="race", **QUICK))


@pytest.mark.usefixtures("afresh")
def test_a_link_asks_for_a_task(drawn):
    app = opened_on(INCOME)
    assert not app.exception
    assert not app.warning
    result = evaluate(INCOME)
    assert app.title[0].value == markdown(question(INCOME))
    assert (
        "Can occupation predict income without giving away sex?"
        in page_text(app) + app.title[0].value
    )
    reported = figures(app)
    assert reported["I(T;Y), nats"] == f"{result.mechanism.utility:.3f}"
    assert reported["I(X;Y), nats"] == f"{result.mechanism.information:.3f}"
    assert reported["Kept for this purpose"] == f"{100 * result.mechanism.kept:.1f}%"
    assert "of the information in occupation about income survives" in finding(result)
    assert finding(result).split(". ")[1] in page_text(app)
    figure, _ = drawn["frontier"]
    assert figure["layout"]["yaxis"]["title"]["text"].startswith(
        "share of the information about T kept"
    )
    assert figure["layout"]["meta"]["now"][1] == pytest.approx(result.mechanism.kept, abs=1e-4)
    here = next(line for line in figure["data"] if line.get("meta") == ["alip", "subset_merging"])
    at = here["x"].index(1.0)
    assert here["y"][at] == pytest.approx(result.mechanism.kept, abs=1e-4)
    assert "Task(counted.task.p_t_given_x)" in snippet(INCOME)


def test_pickers_ask_for_a_task_and_leave_it_again():
    app = opened(**QUICK)
    app.selectbox(key="for").set_value("task").run()
    assert "To keep a task, choose the column of T." in page_text(app)
    app.multiselect(key="data_task").set_value(["income"]).run()
    assert not app.exception
    assert figures(app)["I(T;Y), nats"] == f"{evaluate(INCOME).mechanism.utility:.3f}"
    app.selectbox(key="for").set_value("information").run()
    assert "I(T;Y), nats" not in figures(app)
    assert app.session_state["_data"].task == ()


def test_a_guess_is_of_x_where_no_task_is_chosen():
    request = Scenario(purpose="guess", mechanism="subset_merging")
    app = opened_on(request)
    made = evaluate(request).mechanism
    assert figures(app)["X guessed right"] == f"{100 * made.utility:.1f}%"
    assert "is right with probability" in page_text(app)


def test_an_error_counts_numbers_and_says_where_there_are_none():
    request = Scenario(data=AGES, purpose="distortion", mechanism="subset_merging")
    app = opened_on(request)
    assert not app.exception
    made = evaluate(request).mechanism
    assert figures(app)["Expected error"] == f"{0 - made.utility:.4g}"
    assert "If they are codes, such as ZIP codes" in page_text(app)
    app.selectbox(key="loss").set_value("hamming").run()
    assert "ZIP codes" not in page_text(app)
    app.selectbox(key="loss").set_value("squared").run()
    made = evaluate(replace(request, loss="squared")).mechanism
    assert figures(app)["Expected error"] == f"{0 - made.utility:.4g}"
    app = opened_on(replace(request, mechanism="identity"))
    assert "at least 0" in [item.delta for item in key_figures(app)]
    app = opened(**{"for": "distortion"}, **QUICK)
    assert "needs numbers, and X is not numeric here" in page_text(app)
    app.button(key="remedy_0").click().run()
    assert not app.exception
    assert app.selectbox(key="for").value == "information"


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"t": "sex", "for": "task"}, "The task T and S are both 'sex'"),
        ({"t": "occupation", "for": "task"}, "The task T and X are both 'occupation'"),
        ({"for": "distortion", "loss": "table", "table": "[[0,1],[1,0]]"}, "must have 15 rows"),
        ({"for": "distortion", "loss": "table"}, "The loss table is empty"),
    ],
)
def test_what_cannot_be_kept_is_told_in_a_sentence(query, part):
    app = opened(**query, **QUICK)
    assert not app.exception
    assert part in page_text(app)


def test_what_a_link_has_wrong_falls_back_with_a_notice():
    app = opened(**{"for": "fun", "loss": "-1", "table": "[[0,"}, **QUICK)
    assert not app.exception
    reported = " ".join(warning.value for warning in app.warning).replace("\\", "")
    assert "for=fun" in reported
    assert "loss=-1" in reported
    assert "table=" in reported
    assert app.selectbox(key="for").value == "information"


class File:
    def __init__(self, content):
        self._content = content

    def getvalue(self):
        return self._content


def test_an_uploaded_table_is_taken_and_a_bad_one_told(monkeypatch):
    state = {"loss_file": File(b"0,1\n1,0")}
    monkeypatch.setattr(purpose.st, "session_state", state)
    purpose._take()
    assert state["_table"] == ((0.0, 1.0), (1.0, 0.0))
    state["loss_file"] = File(b"0,x\n1,0")
    purpose._take()
    assert "row 1, column 2" in state["_loss_problem"]
    assert state["_table"] == ((0.0, 1.0), (1.0, 0.0))
    state["loss_file"] = None
    purpose._take()
    assert state["_loss_problem"] == ""


def cards(app):
    """Return the titles of the cards on the page."""
    titles = {"Cost of privacy", charts.MECHANISM, charts.CONFUSABILITY, "Repeated releases"}
    return titles & {item.value.strip("*") for item in app.markdown}


@pytest.mark.parametrize("mechanism", ["optimal_reading_secret", "conditional_reporting"])
@pytest.mark.usefixtures("afresh", "solves", "sweeps")
def test_a_link_to_what_reads_s_and_a_task_opens_on_the_reason_without_empty_cards(mechanism):
    app = opened(mech=mechanism, t="income", **{"for": "task"})
    assert not app.exception
    assert app.title[0].value == "Can occupation predict income without giving away sex?"
    assert "read S" in app.error[0].value or "reads S" in app.error[0].value
    assert not cards(app)
    {item.label: item for item in app.button}["Subset merging"].click().run()
    assert not app.exception
    assert not app.error
    assert len(cards(app)) == 4
    assert figures(app)["I(T;Y), nats"] == f"{evaluate(INCOME).mechanism.utility:.3f}"
    app.selectbox(key="for").set_value("distortion").run()  # later errors keep the last charts
    assert app.error
    assert len(cards(app)) == 4
