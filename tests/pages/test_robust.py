"""The Robust page through Streamlit's own test harness."""

import html
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data import count
from core.data.spec import DataSpec
from core.errors import SolverError
from core.mechanisms import polyopt
from core.scenario import Scenario
from core.scenario.snippet import robust_snippet
from core.studies.robust_designs import (
    BETAS,
    BUDGETS,
    DESIGNS,
    QUICK,
    Drawn,
    compare_designs,
    design_all,
    study_beta,
    study_draws,
    take_sample,
)
from pages.ui.robust import board, results, studies
from pages.ui.robust.board import outcome_table
from pages.ui.style.labels import markdown
from pages.ui.style.units import share
from pages.ui.work import frames, long_answer
from pages.ui.work.frames import Offer
from tests.pages import sent
from tests.pages.waiting import PATIENCE, busy

PAGE = Path(__file__).parents[2] / "pages" / "robust.py"
SMALL = {"x": "race", "n": "300"}
RACE = DataSpec(released=("race",))


def opened(**query):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def after(app, kind):
    """Wait for work of a kind and show what came of it."""
    job = app.session_state[f"_robust_{kind}"].job
    if job is not None:  # else it has ended before the page was whole
        job.result(PATIENCE)
    return app.run()


def figures(app):
    return sent.figures(app)


def page_text(app):
    return " ".join([*sent.texts(app), *(text.value for text in app.caption)])


@pytest.fixture(scope="module")
def sample():
    return take_sample(count(RACE).joint.p, 300, seed=0)


def test_by_default_the_designer_sees_as_many_records_as_the_data_has():
    with busy(long_answer.WORKERS):
        app = opened()
        assert not app.exception
        assert not app.error
        assert figures(app)["Records observed"] == "32,561"
        assert not app.toggle  # S is always released here, so that is no choice
        assert "S is always released with them" in page_text(app)
        app.session_state["_robust_designs"].job.cancel()


def test_a_secret_among_the_columns_of_x_is_no_part_of_u():
    of_u = DataSpec(secret=("sex",), released=("race",))
    for released in (("sex", "race"), ("race", "sex")):
        overlapping = replace(of_u, released=released)
        assert results.true_joint(overlapping).x_labels == results.true_joint(of_u).x_labels
        assert results.question("designs", Scenario(overlapping)).data == of_u
        assert "released=('race',)" in robust_snippet(Scenario(overlapping), 300, "polyopt")
        sample = results.sample(Scenario(overlapping, n=300))
        shown = board._answer(Scenario(overlapping, n=300), "nats", sample)["sentences"]
        assert shown[0].endswith("a mechanism that hides sex in race.")


def test_what_is_released_of_the_secret_itself_is_not_said_to_hide_it_in_itself():
    """The page said "hides sex in sex", and that pairs that cannot occur were never observed."""
    itself = Scenario(DataSpec(secret=("sex",), released=("sex",)), n=300)
    sample = results.sample(itself)
    (sentence,) = board._answer(itself, "nats", sample)["sentences"]
    assert sentence.endswith("a mechanism that reports sex itself, privately.")
    made = polyopt(sample.counts, 1.0, sample.ball)
    assert made.notes == ("2 cells never observed: treated as typical of the secret.",)
    assert board._notes(itself, made) == []
    beside = replace(itself, data=replace(itself.data, released=("race",)))
    assert board._notes(beside, made) == list(made.notes)


def test_a_frame_is_what_the_page_shows_at_rest_at_its_place(monkeypatch):
    monkeypatch.setattr(results, "designs", lambda request, _: results.Designs((), request.eps))
    app = opened(**SMALL, beta="0.2")
    assert not app.exception
    followed = {item["slider"]: item for item in sent.sliders(app)}
    assert list(followed) == ["records", "beta", "alpha"]
    assert followed["records"]["now"] == "300"
    assert followed["beta"]["now"] == "0.200"
    view, data = board.View(0, 0, "nats"), replace(RACE, secret_released=True)
    request = Scenario(data, notion="rldp", mechanism="polyopt", n=300, beta=0.2)
    offered = Offer((request,), (0.1, 0.2), lambda result: board.frame(result, view), name="beta")
    made = frames.ready(replace(offered, find=partial(board._sampled, "beta")), 1, {})
    assert made.keys() == {0, 1}
    reported, shown = made[1]["answers"][""], sent.answer(app)
    assert reported == {name: shown[name] for name in reported}
    assert reported != made[0]["answers"][""]
    part, chart = made[1]["charts"]["intervals"], sent.charts(app)["intervals"]
    assert part == {name: chart[name] for name in part}


def test_a_permalink_sets_the_sample_and_its_designs_follow():
    app = opened(**SMALL, beta="0.2", seed="4", alpha="1.5", eps="0.5")
    assert not app.exception
    request = take_sample(count(RACE).joint.p, 300, 0.2, 1.5, 4)
    assert figures(app)["B, nats"] == f"{request.ball.bound:.4f}"
    assert figures(app)["Truth in the set"] == ("yes" if request.covered else "no")
    app = after(app, "designs")
    outcomes = app.session_state["_robust_designs"].answer
    assert [item.key for item in outcomes] == list(DESIGNS)
    table = outcome_table(outcomes).set_index("design")
    assert table.loc["PolyOpt", "worst-case ε*, nats"] <= 0.5 + 1e-9
    assert table.loc["Non-robust optimum", "ε* at P*, nats"] > 0.5
    assert "exceeds the budget" in page_text(app)
    assert share(table.loc["Robust optimum", "kept at P̂"]) in page_text(app)


def test_a_design_is_exported_with_the_program_that_makes_it_and_a_report():
    app = opened(**SMALL, eps="0.5", seed="4")
    app.session_state["robust_export"] = True
    app = after(app, "designs")
    assert not app.exception
    (program,) = (item.value for item in app.code if "take_sample" in item.value)
    made = {}
    exec(compile(program, "program", "exec"), made)
    robust = next(
        item for item in app.session_state["_robust_designs"].answer if item.key == "exact"
    )
    assert made["mechanism"].utility == pytest.approx(robust.mechanism.utility, abs=1e-6)
    assert "robust optimum keeps" in page_text(app)


def test_the_report_has_the_sentences_charts_and_tables_of_the_page(sample):
    request = Scenario(RACE, n=300, eps=0.5)
    outcomes = compare_designs(sample, 0.5, 1.0, QUICK, report=lambda _: None)
    view, designs = board.View(0, 0, "nats"), results.Designs(outcomes, 0.5)
    made = board._report(request, sample, designs, view, {"S": "sex"})
    assert html.escape(board._finding(designs, "nats")) in made
    for text in ("Budget versus realized level", board.LEAVES, *(DESIGNS[key] for key in QUICK)):
        assert text in made
    assert made.count('class="chart"') == 2
    assert "/robust?x=race&amp;" in made
    program = html.unescape(re.search(r"<pre>(from .*?)</pre>", made, re.DOTALL)[1])
    assert "take_sample(joint.p, 300" in program


def test_what_takes_a_moment_is_there_at_once_and_never_stale():
    app = after(opened(**SMALL), "designs")
    with busy(long_answer.WORKERS):
        app.slider(key="eps").set_value(2.0).run()
        assert "stale" not in page_text(app)
        assert "the budget is 2 nats. PolyOpt, which is robust, keeps" in page_text(app)
        assert (
            "Robust optimum is still being designed; showing PolyOpt, which is also robust"
            in page_text(app)
        )
        app.button(key="designs_cancel").click().run()
        assert (
            "Robust optimum was not designed; showing PolyOpt, which is also robust"
            in page_text(app)
        )
    app.button(key="designs_start").click().run()
    app = after(app, "designs")
    assert "PolyOpt, which is also robust" not in page_text(app)
    assert "the budget is 2 nats. The robust optimum keeps" in page_text(app)
    # all are there; on a busy machine some may have been cut short
    ended = ("All designs use the settings in the sidebar.", "Unfinished")
    assert any(text.value.startswith(ended) for text in app.caption)


def test_where_a_moment_is_too_little_the_last_designs_stay(monkeypatch):
    app = after(opened(**SMALL), "designs")

    class Hasty:
        def get(self, *_):
            raise SolverError("The polytope gave no proper vertex to start from.")

    monkeypatch.setattr(results, "visit", lambda: SimpleNamespace(store=Hasty()))
    with busy(long_answer.WORKERS):
        app.slider(key="eps").set_value(2.0).run()
        assert not app.exception
        assert not app.error
        assert "stale: for ε = 1 nat" in page_text(app)
        app.segmented_control(key="unit").set_value("bits").run()
        assert "stale: for ε = 1.443 bits" in page_text(app)
        app.segmented_control(key="unit").set_value("nats").run()
    app = after(app, "designs")
    assert "the budget is 2 nats. The robust optimum keeps" in page_text(app)


def test_an_answer_of_a_large_alphabet_is_marked_stale_while_the_next_is_worked_out():
    app = after(opened(s="race", x="occupation", n="300000"), "designs")
    assert not app.error
    with busy(long_answer.WORKERS):
        app.slider(key="eps").set_value(2.0).run()
        assert "stale: for ε = 1" in page_text(app)
        assert "the budget is 1 nat." in page_text(app)
        app.session_state["_robust_designs"].job.cancel()


def test_a_design_that_its_time_limit_cut_short_is_shown_as_unfinished_and_can_go_on():
    with busy(long_answer.WORKERS):
        app = opened(**SMALL)
        desk = app.session_state["_robust_designs"]
        desk.job.cancel()
        made = compare_designs(
            take_sample(count(RACE).joint.p, 300), 1.0, 0.05, QUICK, report=lambda _: None
        )
        desk.answer = tuple(
            replace(item, mechanism=replace(item.mechanism, status="time limit", upper_bound=0.5))
            if item.key == "polyopt"
            else item
            for item in made
        )
        desk.answered, desk.work, desk.job = desk.question, None, None
        app.run()
        assert not app.exception
        at_most = share(next(item for item in desk.answer if item.key == "polyopt").most_nmi)
        assert f"Unfinished: up to {at_most} may be possible." in page_text(app)
        captions = [text.value for text in app.caption]
        assert markdown("Unfinished: PolyOpt.") in captions
        assert not any("All designs use" in text for text in captions)
        app.button(key="designs_on").click().run()
        assert not app.exception
        assert desk.job is not None
        assert desk.answer is not None  # the last designs stay until there are better ones
        desk.job.cancel()


def test_designs_can_be_cancelled_and_begun_again():
    with busy(long_answer.WORKERS):
        app = opened(**SMALL)
        app.button(key="designs_cancel").click().run()
    assert not app.exception
    assert app.session_state["_robust_designs"].job is None
    app.button(key="designs_start").click().run()
    app = after(app, "designs")
    assert not app.error
    assert len(app.session_state["_robust_designs"].answer) == len(DESIGNS)


def test_matrices_are_of_the_designs_chosen():
    app = after(opened(**SMALL), "designs")
    app.selectbox(key="robust_matrix_0_design").set_value("secret_rr").run()
    assert not app.exception
    assert any("closed form" in caption.value for caption in app.caption)


def test_many_samples_say_who_breaks_the_promise():
    app = opened(**SMALL)
    app.select_slider(key="robust_draws").set_value(5).run()
    app.pills(key="robust_designs").set_value(["secret_rr", "independent"]).run()
    app.button(key="draws_start").click().run()
    app = after(app, "draws")
    assert not app.exception
    drawn = Drawn(300, 0.05, 2.0, 0, 5, False)
    result = study_draws(
        count(RACE).joint.p, 1.0, drawn, ("independent", "secret_rr"), 0.3, report=lambda _: None
    )
    used = 5 - result.skipped
    assert f"contained the truth in {result.covered} of {used} draws" in page_text(app)
    assert f"Secret randomized response 0 of {used}" in page_text(app)
    app.slider(key="beta").set_value(0.1).run()
    assert "stale: for β = 0.05" in page_text(app)


@pytest.fixture
def charts(monkeypatch):
    """Note what the studies draw, by the chart's key: the figure and what it is said to show."""
    seen = {}
    monkeypatch.setattr(
        studies,
        "chart",
        lambda figure, *, key, alt, **_: seen.__setitem__(key, (figure, alt)),
    )
    return seen


def test_frontiers_are_those_of_core_and_fall_for_no_search(charts, sample):
    app = opened(**SMALL)
    app.button(key="frontiers_start").click().run()
    app = after(app, "frontiers")
    assert not app.exception
    answer = app.session_state["_robust_frontiers"].answer
    assert list(answer) == list(DESIGNS)
    figure, alt = charts["robust_frontier"]
    for line in figure["data"]:
        key = line["meta"][1] if line.get("meta") else None
        if key in answer:
            np.testing.assert_allclose(line["y"], answer[key][0], atol=1e-5)
    for key in ("exact", "polyopt", "non_robust"):
        assert (np.diff(answer[key][0]) >= 0).all()
    for key, mechanism in design_all(sample, 1.0, 1.0, ("independent", "secret_rr")).items():
        assert answer[key][0][BUDGETS.index(1.0)] == pytest.approx(mechanism.nmi)
    assert f"Secret randomized response {share(float(answer['secret_rr'][0][-1]))}" in alt
    app.segmented_control(key="unit").set_value("bits").run()
    inside, _ = charts["robust_frontier"]
    assert "in bits" in inside["layout"]["xaxis"]["title"]["text"]
    np.testing.assert_allclose(
        inside["data"][0]["x"], np.array(figure["data"][0]["x"]) / np.log(2), rtol=1e-4
    )
    assert inside["layout"]["xaxis"]["range"][1] == pytest.approx(8 / np.log(2))
    assert "(S, U)" in inside["layout"]["yaxis"]["title"]["text"]
    app.segmented_control(key="unit").set_value("nats").run()
    app.slider(key="eps").set_value(2.0).run()
    assert "stale" not in page_text(app)  # they are for every ε
    app.slider(key="beta").set_value(0.1).run()
    assert "stale: for β = 0.05" in page_text(app)


def test_varying_beta_says_what_being_surer_costs(charts):
    app = opened(**SMALL)
    app.select_slider(key="robust_draws").set_value(5).run()
    app.button(key="betas_start").click().run()
    app = after(app, "betas")
    assert not app.exception
    truth, drawn = count(RACE).joint.p, Drawn(300, 0.05, 2.0, 0, 5, False)
    seconds = results.SECONDS["betas"]
    expected = study_beta(truth, 1.0, drawn, seconds, BETAS, report=lambda _: None)
    answer = app.session_state["_robust_betas"].answer
    assert list(answer) == list(expected)
    for key, values in expected.items():
        np.testing.assert_allclose(answer[key], values, atol=1e-9)
    reported = f"{share(float(values[0]))} to {share(float(values[-1]))}"
    assert charts["robust_beta"][1].endswith(reported)
    flat = answer["secret_rr"]
    assert flat == pytest.approx(np.full(len(BETAS), flat[0]))
    captions = " ".join(caption.value for caption in app.caption)
    assert "Over 5 samples at ε = " in captions


def test_no_design_chosen_is_said():
    app = opened(**SMALL)
    app.pills(key="robust_designs").set_value([]).run()
    assert not app.exception
    assert "at least one design" in app.info[0].value


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"data": "example:nonesuch"}, "nonesuch"),
        ({**SMALL, "alpha": "inf"}, "alpha"),
        ({"s": "race", "x": "sex", "n": "30", "seed": "1"}, "never observed in this sample"),
    ],
)
def test_bad_input_is_one_sentence_and_the_page_goes_on(query, word):
    app = opened(**query)
    assert not app.exception
    assert word in app.error[0].value


def test_what_a_link_has_wrong_is_told():
    with busy(long_answer.WORKERS):
        app = opened(**SMALL | {"n": "0"}, beta="2", seed="-1")
        assert not app.exception
        reported = " ".join(warning.value for warning in app.warning)
        for part in ("n=0", "beta=2", "seed"):
            assert part in reported
        app.session_state["_robust_designs"].job.cancel()


@pytest.mark.parametrize(
    "query",
    [
        {"eps": "0"},
        {"eps": "8"},
        {"beta": "0.5"},
        {"n": "1000000"},
        {"alpha": "0.5"},
        {"alpha": "1"},
    ],
)
def test_extremes_have_an_answer(query):
    app = after(opened(**SMALL | query), "designs")
    assert not app.exception
    assert not app.error


def test_the_page_designs_what_core_designs(sample):
    app = after(opened(**SMALL), "designs")
    made = {item.key: item.mechanism for item in app.session_state["_robust_designs"].answer}
    for key, mechanism in design_all(sample, 1.0, 1.0, ("independent", "secret_rr")).items():
        assert made[key].utility == pytest.approx(mechanism.utility)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("2x2", "up to about 18 s"),
        ("2x200", "up to about 48 s"),
        ("5x120", "up to about 2 minutes"),
        ("5x400", "with this many levels probably more than the limit of 15 minutes"),
    ],
)
@pytest.mark.usefixtures("solves")
def test_how_long_a_study_takes_is_estimated_from_the_size(size, message):
    app = opened(data=f"random:uniform:{size}:1", n="1000000")
    assert not app.exception
    assert f"Six mechanisms at 10 budgets; {message}" in page_text(app)
