"""What a promise means, on Explore: what it implies of others, and what drawing again does."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.data import DataSpec
from core.errors import SolverError
from core.jobs import carry_out
from core.joint import Joint
from core.notions import LIP, Average
from core.release import RepeatedLevel, implications, implied, second_release
from core.release.repeats import Redrawn, redrawn
from core.scenario import Scenario, evaluate
from core.scenario.purpose import Promise
from pages.ui.explore import again, meaning
from pages.ui.report import lower_cards
from pages.ui.style.units import level
from tests.pages.sent import texts
from tests.pages.test_explore import QUICK, opened

pytestmark = pytest.mark.usefixtures("no_lines")

LIP_QUARTER = {"notion": "lip", "eps": "0.25", **QUICK}
ALSO = json.dumps({"notion": "ldp", "eps": 0.1})


def page_text(app):
    """Return the page's texts without their Markdown escapes."""
    return " ".join([*texts(app), *(text.value for text in app.caption)]).replace("\\", "")


def written(figure):
    """Return the words in a diagram."""
    return [words for trace in figure["data"] for words in trace.get("text", ())]


@pytest.fixture
def cards(monkeypatch):
    """Keep the figures of the two cards by their chart's key."""
    figures = {}

    def keep(figure, *, key, faded=False, **_more):
        figures[key] = (figure() if callable(figure) else figure, faded)

    monkeypatch.setattr(meaning, "chart", keep)
    monkeypatch.setattr(again, "chart", keep)
    return figures


@pytest.mark.usefixtures("afresh")
def test_the_diagram_has_the_numbers_of_the_promise_and_of_the_release(cards):
    app = opened(**LIP_QUARTER)
    assert not app.exception
    result = evaluate(Scenario(notion="lip", eps=0.25, mechanism="subset_merging"))
    levels = implied(result.joint, LIP(0.25))
    words = written(cards["implied"][0])
    for key in ("ldp", "pml", "mutual_information"):
        assert level(levels[key], "nats") in words
    own = level(result.after.achieved["ldp"], "nats")
    assert any(text.startswith("LDP") and own in text for text in words)
    assert f"I(S;Y) ≤ {levels['mutual_information']:.4f} nats" in page_text(app)
    app.segmented_control(key="unit").set_value("bits").run()
    words = written(cards["implied"][0])
    assert level(levels["ldp"], "bits") in words


JOINT = Joint.from_counts([[3, 1], [1, 3]])


def promised(key, **numbers):
    """Return the promise of this notion, and how its level is told."""
    scenario = Scenario(notion=key, **numbers)
    return lower_cards.requested_notion(scenario, scenario.build_notion(JOINT))


OF_LIP = lower_cards.Requested("LIP", "nats")


@pytest.mark.usefixtures("afresh")
def test_drawing_again_tells_the_levels_and_the_advice(cards):
    app = opened(**LIP_QUARTER)
    result = evaluate(Scenario(notion="lip", eps=0.25, mechanism="subset_merging"))
    answer = redrawn(result.joint, result.mechanism.kernel, LIP(0.25))
    lip = cards["again"][0]["data"][0]
    assert lip["text"] == [level(item.lip.level, "nats") for item in answer]
    assert lower_cards.advice(answer, "nats", OF_LIP) in page_text(app)


@pytest.mark.usefixtures("afresh")
def test_a_second_release_is_designed_on_request(solves):
    app = opened(**LIP_QUARTER)
    app.segmented_control(key="second_times").set_value(1.5)
    app.toggle(key="second_wanted").set_value(True).run()
    assert any(function.__name__ == "second_release" for _, function, _ in solves.open)
    solves.finish_all()
    app.run()
    assert not app.exception
    result = evaluate(Scenario(notion="lip", eps=0.25, mechanism="subset_merging"))
    made = second_release(result.joint, LIP(0.375), result.mechanism.kernel)
    assert f"A second release keeps {100 * made.nmi:.1f}% of X" in page_text(app)
    (verdict,) = [item.value for item in app.markdown if "A second release keeps" in item.value]
    assert verdict.startswith(":small[")  # as large as the sentences of the card beside it
    assert "0.375-LIP" in page_text(app)


def test_a_promise_without_eps_has_no_multiple_of_it_to_choose():
    app = opened(notion="guess", bound="0.7", mech="subset_merging")
    assert not app.exception
    assert "second_wanted" in {item.key for item in app.toggle}
    assert "second_times" not in {item.key for item in app.segmented_control}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"notion": "average_mi", "eps": "0.01", "mech": "optimal"}, "average budget"),
        (
            {"notion": "lip_delta", "eps": "0.25", "delta": "0.05", "mech": "optimal"},
            "exceptions of probability δ",
        ),
        ({"notion": "chi2", **QUICK}, "set of allowed outputs is not convex"),
    ],
)
@pytest.mark.usefixtures("solves", "sweeps")
def test_what_has_no_second_release_says_so_before_anything_is_clicked(query, reason):
    app = opened(**query)
    assert not app.exception
    assert "second_wanted" not in {item.key for item in app.toggle}
    reported = [
        item.value for item in app.caption if "second release cannot be designed" in item.value
    ]
    assert len(reported) == 1
    assert reason in reported[0]


@pytest.mark.usefixtures("solves", "sweeps")
def test_perfect_privacy_has_a_second_release():
    app = opened(notion="average_mi", eps="0", x="race")
    assert not app.exception
    assert "second_wanted" in {item.key for item in app.toggle}


def test_nothing_more_can_be_released_only_where_that_is_proven():
    request = Scenario(eps=0.5)
    result = evaluate(replace(request, mechanism="constant"))
    made, both = result.mechanism, request.build_notion(result.joint)
    reported = again.second_sentence(replace(made, upper_bound=0.0, gap=0.0), both, "nats")
    assert reported.startswith("Nothing more can be released: the first release used all of ")
    reported = again.second_sentence(replace(made, upper_bound=0.2, gap=0.2), both, "nats")
    assert reported.startswith("A second release keeps ")
    assert reported.endswith("No other keeps more than 0.2 nats of I(X;Y₂).")


@pytest.mark.usefixtures("afresh")
def test_a_design_that_time_cut_short_is_one_sessions_and_may_be_searched_on(solves):
    def done():
        job, function, arguments = solves.open[0]
        result = carry_out(function, arguments, job.note)
        status = "optimal" if arguments[-1] > 5.0 else "time limit"
        job.succeed(replace(result, status=status))

    first = opened(**LIP_QUARTER)
    first.toggle(key="second_wanted").set_value(True).run()
    done()
    first.run()
    assert "The search stopped at its time limit of 5 s." in page_text(first)
    second = opened(**LIP_QUARTER)
    second.toggle(key="second_wanted").set_value(True).run()
    assert len(solves.open) == 1
    first.button(key="second_on").click().run()
    assert "A second release keeps" in page_text(first)  # the last one stays meanwhile
    assert [item[2][-1] for item in solves.open] == [5.0, 10.0]
    solves.open[0][0].cancel()
    done()
    first.run()
    assert "cut off" not in page_text(first)
    assert "A second release keeps" in page_text(second.run())
    assert "cut off" not in page_text(second)


@pytest.mark.usefixtures("solves")
def test_a_promise_with_another_beside_it_is_its_own(cards, sweeps):
    both = opened(**LIP_QUARTER | {"mech": "optimal"}, also=ALSO)
    sweeps.finish_all()
    both.run()
    narrow = written(cards["implied"][0])
    opened(**LIP_QUARTER)
    wide = written(cards["implied"][0])
    levels = implied(evaluate(Scenario(mechanism="identity")).joint, LIP(0.25))
    assert level(levels["ldp"], "nats") in wide
    assert level(levels["ldp"], "nats") not in narrow


@pytest.mark.usefixtures("afresh")
def test_a_design_that_failed_says_so_and_starts_again(solves):
    app = opened(**LIP_QUARTER)
    app.toggle(key="second_wanted").set_value(True).run()
    solves.fail(SolverError("The solver gave up."))
    app.run()
    assert not app.exception
    assert "The solver gave up." in page_text(app)
    app.button(key="second_again").click().run()
    assert len(solves.open) == 1


@pytest.mark.usefixtures("afresh")
def test_long_work_is_awaited_and_can_be_stopped(sweeps):
    query = {"s": "race", "x": "education", **LIP_QUARTER}
    app = opened(**query)
    assert not app.exception
    names = [function.__name__ for _, function, _ in sweeps.open]
    assert "implications" in names
    app.button(key="implied_cancel").click().run()
    assert "The work was canceled." in page_text(app)
    app.button(key="implied_again").click().run()
    place = [function.__name__ for _, function, _ in sweeps.open].index("implications")
    sweeps.finish(place)
    app.run()
    assert "With any mechanism that satisfies this notion, I(S;Y) ≤" in page_text(app)


def test_what_has_no_answer_says_why():
    app = opened(notion="chi2", **QUICK)
    assert not app.exception
    assert any("not convex" in caption.value for caption in app.caption)
    app = opened(mech="identity")
    assert not app.exception
    assert any("has no privacy notion" in caption.value for caption in app.caption)
    app = opened(mech="secret_rr", sx="1", notion="ldp")
    assert not app.exception


def drawn(*levels, exact=True, kept=False, most=None):
    item = [RepeatedLevel(value, value if most is None else most, exact=exact) for value in levels]
    return tuple(
        Redrawn(k, each, each, each, kept=kept or k == 1) for k, each in enumerate(item, start=1)
    )


def test_advice_says_only_what_was_found():
    assert lower_cards.advice(drawn(0.5, 0.5, 0.5, kept=True), "nats", OF_LIP) == (
        "Further draws do not raise the level of LIP. These levels are exact."
    )
    assert lower_cards.advice(drawn(0.1, 0.2, 0.3, kept=True), "nats", OF_LIP).startswith(
        "Two and three draws are within the budget: the level of LIP is at most 0.300 nats."
    )
    reported = lower_cards.advice(drawn(0.5, 0.9, 1.2, exact=False, most=2.0), "nats", OF_LIP)
    assert reported.startswith(
        "Two draws may exceed the budget: the level of LIP is 0.900 nats; with "
        "one draw it is 0.500 nats."
    )
    assert "no number of draws exceeds 2.000 nats of LIP" in reported
    exact = lower_cards.advice(drawn(0.5, 0.9, 1.2), "nats", OF_LIP)
    assert "Two draws exceed the budget" in exact
    first = drawn(np.inf, np.inf, np.inf)
    first = (replace(first[0], kept=False), *first[1:])
    assert lower_cards.advice(first, "bits", OF_LIP) == (
        "One draw exceeds the budget: its level of LIP is ∞ bits. These levels are exact."
    )
    of_alip = promised("alip", eps=0.0)
    assert "ALIP is unbounded; with one draw it is 0.0% of its budgets." in (
        lower_cards.advice(drawn(0.0, np.inf, np.inf), "nats", of_alip)
    )
    assert "no finite bound on LIP" in lower_cards.advice(
        drawn(0.5, 0.9, 1.2, exact=False, most=np.inf), "nats", OF_LIP
    )


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ({"notion": "ldp"}, "the level of LDP is 0.900 nats; with one draw it is 0.500 nats."),
        (
            {"notion": "pml"},
            "the level of Max-lift (PML) is 0.900 nats; with one draw it is 0.500 nats.",
        ),
        (
            {"notion": "alip"},
            "ALIP is 90.0% of its budgets; with one draw it is 50.0% of its budgets.",
        ),
        (
            {"notion": "guess", "bound": 0.6},
            "from one output is 0.9000; with one draw it is 0.5000.",
        ),
        ({"notion": "robust_ldp"}, "the level of RLDP for S – X – Y is 0.900 nats; with"),
        (
            {"notion": "lip", "also": (Promise(notion="ldp"),)},
            "the level of LIP and LDP is 90.0% of its budgets; with one draw it is 50.0%",
        ),
    ],
)
def test_what_draws_tell_is_told_of_the_promise_that_was_asked(numbers, sentence):
    lip, other = (RepeatedLevel(value, value, exact=True) for value in (0.1, 0.2))
    levels = [RepeatedLevel(value, value, exact=True) for value in (0.5, 0.9, 1.2)]
    result = tuple(Redrawn(k, lip, other, item, kept=k == 1) for k, item in enumerate(levels, 1))
    scenario = Scenario(**numbers)
    request = lower_cards.requested_notion(scenario, scenario.build_notion(JOINT))
    assert sentence in lower_cards.advice(result, "nats", request)
    kept = tuple(replace(item, kept=True) for item in result)
    assert request.reached(1.2, "nats") in lower_cards.advice(kept, "nats", request)
    figure = lower_cards.bars(result, "nats", request)
    names = {line["name"]: line["text"][0] for line in figure["data"]}
    expected = {"LIP": "0.100", "LDP": "0.200"}
    if request.unit == "nats" and request.title != "LDP":
        expected |= {request.title: "0.500"}
    assert names == expected
    assert all(name in lower_cards.repeats_table(result, "nats", request) for name in names)


@pytest.fixture
def in_a_hurry(monkeypatch):
    """Leave one level open wherever a search has not twice the time of the first."""

    def cut(joint, notion, seconds):
        result = implications(joint, notion)
        if seconds < 2 * meaning.DEFAULT_SECONDS:
            result["kl"] = replace(result["kl"], level=1.0, reached=0.5)
        return result

    monkeypatch.setattr(meaning, "implications", cut)


@pytest.mark.parametrize("query", [{}, {"s": "race", "x": "education"}])
@pytest.mark.usefixtures("afresh", "in_a_hurry")
def test_levels_that_time_cut_short_are_one_sessions_and_may_be_searched_on(sweeps, cards, query):
    def done():
        work = [item for item in sweeps.open if item[1].__name__ == "cut"]
        for job, function, arguments in work:
            job.succeed(carry_out(function, arguments, job.note))
        return len(work)

    request = {**LIP_QUARTER, **query}
    first = opened(**request)
    in_place = done() == 0
    first.run()
    assert any("≤ 1.000" in words for words in written(cards["implied"][0]))
    assert meaning.OPEN in page_text(first)
    second = opened(**request)
    assert done() == (0 if in_place else 1)  # nobody else is given what was cut short
    first.button(key="implied_on").click().run()
    assert meaning.OPEN not in page_text(first)
    assert "implied" in cards  # what was found before stays meanwhile
    assert done() == 1
    first.run()
    assert meaning.OPEN not in page_text(first)
    assert "implied_on" not in {button.key for button in first.button}
    second.run()
    assert meaning.OPEN not in page_text(second)  # what is final is everybody's


def test_what_draws_tell_under_an_average_budget_is_told_of_that_average():
    result = drawn(0.03, 0.05, 0.07)
    mi, tv = promised("average_mi"), promised("average_tv")
    said_so = lower_cards.advice(result, "nats", mi)
    assert "Two draws exceed the budget: I(S;Y) is 0.0500 nats; with one draw" in said_so
    assert "0.0721 bits; with one draw it is 0.0433 bits" in lower_cards.advice(result, "bits", mi)
    assert "Total variation is 0.0500; with one draw it is 0.0300" in lower_cards.advice(
        result, "bits", tv
    )


@pytest.mark.usefixtures("afresh")
def test_several_draws_break_perfect_privacy_and_the_card_says_so(sweeps):
    app = opened(notion="average_mi", eps="0", x="race")
    while sweeps.open:
        sweeps.finish()
    app.run()
    assert not app.exception
    request = Scenario(data=DataSpec(released=("race",)), notion="average_mi", eps=0.0)
    result = evaluate(request)
    answer = redrawn(result.joint, result.mechanism.kernel, Average("mutual_information", 0.0))
    assert [item.kept for item in answer] == [True, False, False]
    assert lower_cards.advice(answer, "nats", promised("average_mi")) in page_text(app)
    assert "are within the budget" not in page_text(app)


@pytest.mark.parametrize("lam", [0.0, 1.0])
@pytest.mark.usefixtures("afresh")
def test_the_ends_of_lambda_have_their_levels_and_a_second_visit_has_them_too(cards, lam):
    request = Scenario(notion="alip", eps=1.0, lam=lam, mechanism="subset_merging")
    app = opened(notion="alip", eps="1", lam=str(lam), **QUICK)
    assert not app.exception
    result = evaluate(request)
    levels = implied(result.joint, request.build_notion(result.joint))
    assert levels["lip" if lam else "min_lift"] >= 0

    def shown():
        words = written(cards["implied"][0])
        return words, cards["again"][0]["data"][0]["text"], page_text(app)

    first = shown()
    for key in ("ldp", "pml", "min_lift", "mutual_information"):
        assert level(levels[key], "nats") in first[0]
    answer = redrawn(result.joint, result.mechanism.kernel, request.build_notion(result.joint))
    assert first[1] == [level(item.lip.level, "nats") for item in answer]
    app.slider(key="lam").set_value(0.5).run()
    assert shown()[0] != first[0]
    app.slider(key="lam").set_value(lam).run()
    assert not app.exception
    assert shown() == first


@pytest.mark.usefixtures("afresh", "solves", "sweeps")
def test_the_table_of_what_is_implied_has_its_numbers_beside_short_names(monkeypatch):
    request = Scenario(notion="lip", eps=0.25, mechanism="subset_merging")
    monkeypatch.setattr(meaning.state, "scenario", lambda: request)
    reported = meaning.table()
    levels = implied(evaluate(request).joint, LIP(0.25))
    assert list(reported.columns[:3]) == ["level", "implied", "this_release"]
    assert reported["level"].str.len().max() <= 21
    for key, row in zip(meaning.NAMES, reported.itertuples(), strict=True):
        assert row.implied == pytest.approx(levels[key], abs=1e-6)
        assert row.this_release <= row.implied + 1e-9
        assert row.unit == ("" if key in meaning.PLAIN else "nats")
