"""Explore through Streamlit's own test harness: what the page says for each question."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.release.sentences import finding
from core.scenario import Scenario, evaluate
from core.scenario.url import to_query
from pages.ui.style.labels import markdown
from pages.ui.style.units import to_nats
from pages.ui.work import store
from tests.pages.picking import chosen
from tests.pages.sent import answers, charts, figures, key_figures, texts
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[2]
PAGE = "pages/explore.py"
QUICK = {"mech": "subset_merging"}


def opened(page=PAGE, **query):
    app = AppTest.from_file(ROOT / page, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


@pytest.mark.parametrize("query", [{"notion": "guess"}, {"mech": "identity"}])
def test_without_a_budget_no_point_is_ringed(query):
    frontier = charts(opened(**query))["frontier"]
    assert frontier["now"] is None
    assert "now ε is" not in frontier["alt"]


def test_it_opens_with_the_default_question():
    app = opened()
    assert not app.exception
    assert app.title[0].value == "Does publishing occupation give away sex?"
    assert app.slider(key="eps").value == Scenario().eps
    assert chosen(app, "notion") == Scenario().notion
    assert chosen(app, "mech") == Scenario().mechanism
    result = evaluate(Scenario())
    assert figures(app)["I(X;Y), nats"] == f"{result.mechanism.utility:.3f}"
    assert figures(app)["NMI"] == f"{100 * result.mechanism.nmi:.1f}%"
    assert markdown(finding(result)) in texts(app)


def test_app_py_opens_on_explore():
    app = opened("app.py")
    assert not app.exception
    assert app.title[0].value == "Does publishing occupation give away sex?"


def test_a_slider_changes_the_figures():
    app = opened(**QUICK)
    app.slider(key="eps").set_value(0.25).run()
    request = Scenario(mechanism="subset_merging", eps=0.25)
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"


def test_bits_are_nats_over_log_2():
    app = opened(**QUICK)
    app.segmented_control(key="unit").set_value("bits").run()
    utility = evaluate(Scenario(mechanism="subset_merging")).mechanism.utility
    assert figures(app)["I(X;Y), bits"] == f"{utility * 1.442695040888963:.3f}"


def test_a_permalink_opens_its_question():
    request = Scenario(notion="alpha", eps=0.75, lam=0.6, alpha=3.7, mechanism="watchdog")
    app = opened(**{key: values[0] for key, values in to_query(request).items()})
    assert not app.exception
    assert not app.warning
    assert app.slider(key="eps").value == 0.75
    assert app.slider(key="lam").value == 0.6
    assert app.select_slider(key="alpha").value == 3.7
    assert figures(app)["I(X;Y), nats"] == f"{evaluate(request).mechanism.utility:.3f}"


def test_what_a_link_has_wrong_is_told_and_falls_back():
    app = opened(eps="99", notion="nonsense", lam="x", mech="<b>magic</b>", rare="-1", alpha="0")
    assert not app.exception
    reported = " ".join(warning.value for warning in app.warning)
    for name in ("eps=99", "notion=nonsense", "lam=x", "rare="):
        assert markdown(name) in reported
    assert "<b>" not in reported
    assert app.slider(key="eps").value == Scenario().eps
    assert chosen(app, "mech") == Scenario().mechanism


def test_a_slider_without_effect_is_disabled_and_says_why():
    app = opened(notion="lip", **QUICK)
    assert not app.slider(key="eps").disabled
    assert app.slider(key="lam").disabled
    assert app.select_slider(key="alpha").disabled
    assert app.slider(key="beta").disabled
    assert "Off: LIP does not use it." in [caption.value for caption in app.caption]


def test_every_slider_rests_under_identity():
    app = opened(mech="identity")
    assert not app.exception
    assert all(slider.disabled for slider in app.slider)
    assert figures(app)["NMI"] == "100.0%"
    assert "no privacy notion" in " ".join(texts(app))


@pytest.mark.parametrize(
    "query",
    [
        {"eps": "0"},
        {"eps": "8"},
        {"lam": "0", "eps": "0.5"},
        {"lam": "1", "eps": "0.5"},
        {"notion": "alpha", "alpha": "inf"},
        {"notion": "alpha", "alpha": "1.05"},
        {"notion": "chi2", "eps": "0.1"},
    ],
)
def test_the_ends_of_every_slider_have_an_answer(query):
    app = opened(**QUICK, **query)
    assert not app.exception
    assert not app.error
    assert figures(app)["NMI"]


def test_a_mechanism_that_does_not_work_under_a_promise_says_so():
    app = opened(notion="l1", mech="optimal")
    assert not app.exception
    assert app.error[0].value
    assert not figures(app)


def test_a_column_that_is_not_there_is_one_sentence():
    app = opened(s="no such column", **QUICK)
    assert not app.exception
    assert "no such column" in app.error[0].value


def test_an_upload_of_another_session_asks_for_it_again():
    app = opened(data="upload:0123456789abcdef", s="a", x="b", **QUICK)
    assert not app.exception
    assert "upload it again" in app.error[0].value


ROBUST = {"notion": "rldp", "sx": "1", "x": "race", "mech": "independent_reporting"}
PAIR = DataSpec(released=("race",), secret_released=True)


def test_a_robust_promise_has_its_own_numbers():
    app = opened(**ROBUST)
    assert not app.exception
    assert not app.error
    assert app.select_slider(key="records").value == 32_561
    assert not app.slider(key="beta").disabled
    assert app.select_slider(key="alpha").label == "α · order of the uncertainty set"
    assert "∞" not in app.select_slider(key="alpha").options
    result = evaluate(Scenario(data=PAIR, notion="rldp", mechanism="independent_reporting"))
    assert figures(app)["NMI"] == f"{100 * result.mechanism.nmi:.1f}%"
    assert markdown(finding(result)) in " ".join(texts(app))
    app.select_slider(key="records").set_value(300).run()
    request = replace(result.scenario, n=300)
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"
    app.select_slider(key="records").set_value(32_561).run()
    assert app.session_state["_n"] is None


def test_a_robust_permalink_opens_its_question():
    request = Scenario(
        data=PAIR, notion="rldp", eps=0.75, n=300, beta=0.2, alpha=3.7, mechanism="secret_rr"
    )
    app = opened(**{key: values[0] for key, values in to_query(request).items()})
    assert not app.exception
    assert not app.warning
    assert app.session_state["_n"] == 300
    assert app.slider(key="beta").value == 0.2
    assert app.select_slider(key="alpha").value == 3.7
    assert app.slider(key="beta").disabled  # this mechanism is robust for every distribution
    assert figures(app)["I(X;Y), nats"] == f"{evaluate(request).mechanism.utility:.3f}"


def test_what_a_robust_link_has_wrong_is_told():
    app = opened(**ROBUST | {"n": "0", "beta": "2", "alpha": "-1", "mech": "polyoptic"})
    assert not app.exception
    reported = " ".join(warning.value for warning in app.warning)
    for name in ("n=0", "beta=2", "alpha=", "mech=polyoptic"):
        assert markdown(name) in reported


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"sx": "0"}, "also release S"),
        ({"alpha": "inf"}, "finite order"),
        ({"mech": "watchdog"}, "does not work under RLDP"),
        ({"notion": "ldp"}, "does not work under LDP"),
        ({"x": "no such column"}, "no such column"),
    ],
)
def test_what_a_robust_promise_needs_is_one_sentence(query, sentence):
    app = opened(**ROBUST | query)
    assert not app.exception
    assert sentence in app.error[0].value.replace("\\", "")
    assert not figures(app)


@pytest.mark.parametrize(
    "query",
    [
        {"eps": "0"},
        {"eps": "8"},
        {"n": "1"},
        {"n": "10000000"},
        {"beta": "0.001"},
        {"beta": "0.5"},
        {"alpha": "0.05"},
        {"alpha": "1"},
        {"alpha": "100"},
        {"mech": "non_robust"},
        {"mech": "pair_rr"},
        {"mech": "identity"},
        {"data": "example:rldp_estimate"},
        {"data": "random:uniform:2x3:0"},
    ],
)
def test_the_ends_of_a_robust_promise_have_an_answer(query):
    app = opened(**ROBUST | query)
    assert not app.exception
    assert not app.error
    assert figures(app)["NMI"]


@pytest.mark.usefixtures("sweeps")
def test_the_robust_optimum_has_a_first_answer_and_a_better_one(solves):
    app = opened(**ROBUST | {"mech": "optimal", "n": "300"})
    assert not app.exception
    assert "time limit" in [item.delta for item in key_figures(app)]
    assert len(solves.open) == 1


def test_a_mechanism_that_trusts_the_estimate_does_not_wear_the_badge():
    app = opened(**ROBUST | {"mech": "non_robust", "n": "300"})
    reported = " ".join(texts(app))
    assert "audit: 1-LDP holds, RLDP does not" in reported
    assert "audit: promise kept" not in reported
    assert "holds for the counted distribution" not in reported
    assert "its level reaches" in reported


def test_robust_and_explore_say_why_their_numbers_differ():
    explore = opened(**ROBUST)
    assert "The Robust page treats it as the truth P" in " ".join(texts(explore))
    robust = opened("pages/robust.py", **ROBUST)
    assert "Explore treats the data as the estimate" in str(answers(robust))
    other = opened(**QUICK)
    assert "The Robust page" not in " ".join(texts(other))


def test_a_link_in_bits_has_its_budget_in_bits():
    app = opened(**QUICK, eps="1.45", unit="bits")
    assert not app.warning
    assert app.slider(key="eps_bits").value == pytest.approx(1.45)
    assert "in bits" in app.slider(key="eps_bits").label
    request = Scenario(mechanism="subset_merging", eps=to_nats(1.45, "bits"))
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"
    app.slider(key="eps_bits").set_value(0.5).run()
    assert app.session_state["eps"] == to_nats(0.5, "bits")
    app.segmented_control(key="unit").set_value("nats").run()
    assert app.slider(key="eps").value == to_nats(0.5, "bits")


def test_the_promise_is_written_in_the_unit_shown():
    text = " ".join(texts(opened(unit="bits"))).replace("\\", "")
    assert "(0.72135, 0.72135)-ALIP in bits keeps more without reading sex" in text


def test_what_a_link_in_bits_has_wrong_is_told_in_bits():
    app = opened(**QUICK, eps="99", unit="bits")
    assert "eps=99, which is not in" in app.warning[0].value
    assert "72.13" in app.warning[0].value.replace("\\", "")
    assert app.session_state["eps"] == Scenario().eps
    app = opened(**QUICK, unit="shannons")
    assert "unit=shannons" in app.warning[0].value
    assert app.slider(key="eps").value == Scenario().eps


def test_where_memory_is_short_one_sentence_says_so_and_the_next_question_is_answered(monkeypatch):
    def exhausted(*_):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("pages.ui.work.answers.take", exhausted)
        app = opened(**QUICK, eps="3.21")
        assert not app.exception
        assert [error.value for error in app.error] == [markdown(store.NO_MEMORY)]
    app.slider(key="eps").set_value(3.2).run()
    assert not app.error
