"""The twenty exercises of docs/exercises.md, asked on the pages as it says there."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data import Sources
from core.measures import catalogue as measures
from pages.ui.work import visits
from tests.pages.picking import chosen, group, keys
from tests.pages.sent import charts, figures, texts
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

PAGES = Path(__file__).parents[2] / "pages"
PRIOR = np.array([0.5, 0.25, 0.25])
CHANNEL = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]])
NOISY = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
COIN = {"notion": "ldp", "eps": repr(float(np.log(3))), "mech": "grr"}
ERROR = {"for": "distortion", "loss": "absolute"}


def pasted(matrix):
    """Return the text of a matrix whose symbols of X are called 0, 1, 2, …"""
    rows = [range(matrix.shape[1]), *matrix.tolist()]
    names = ["", *(f"s{i}" for i in range(len(matrix)))]
    return "\n".join(
        "\t".join([name, *map(str, row)]) for name, row in zip(names, rows, strict=True)
    )


def opened_on(page, matrix, **query):
    """Open a page on a pasted matrix; what the link chooses has to be in the pickers."""
    sources = Sources()
    key = sources.add_matrix(pasted(np.asarray(matrix)))
    app = opened(page, sources, data=key, **query)
    assert app.selectbox(key="data_source").value == key
    assert "Pasted matrix 1" in app.selectbox(key="data_source").options
    return app


def opened(page, sources=None, **query):
    app = AppTest.from_file(PAGES / f"{page}.py", default_timeout=PATIENCE)
    if sources is not None:
        app.session_state["_visit"] = visits.Visit(sources=sources)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert not app.error
    assert not app.warning
    for name in ("notion", "mech"):
        if name in query:
            assert chosen(app, name) == query[name]
            offered = group(app, name, query[name])
            option = offered.options[keys(offered).index(query[name])]
            assert ":material/block:" not in option
    return app


def kernel(app):
    """Return what the card "Mechanism" shows, to four digits."""
    (drawn,) = json.loads(charts(app)["mechanism"]["data"])
    return np.array(drawn["z"])


def page_text(app):
    return " ".join(texts(app)).replace("\\", "")


def averaged(matrix, mech="identity", **query):
    """Return the table of averages on the Lift page, by measure."""
    app = opened_on("lift", matrix, mech=mech, **query)
    table = app.dataframe[1].value.set_index("measure")
    return table[["X itself", "the release"]].astype(float)


def named(key, order=""):
    return measures.entry(key).title + order


def test_1_and_2_warners_coin_and_its_estimator():
    app = opened("learn", topic="warner", truth="0.75")
    assert f"ε = log(p/(1 − p)) = {np.log(3):.3f}" in page_text(app)
    app.slider(key="learn_ill").set_value(0.34).run()  # until 42.0% of the answers are yes
    reported = page_text(app)
    assert "42.0% of the answers are yes." in reported
    assert "estimates the 34.0% without bias" in reported
    error = np.sqrt(0.42 * 0.58 / 1000) / 0.5
    assert f"With 1,000 answers its standard error is {100 * error:.1f}%" in reported


def test_3_k_answers():
    app = opened_on("explore", np.eye(5), notion="ldp", eps="1", mech="grr")
    assert kernel(app)[0, 0] == round(np.e / (np.e + 4), 4)


def test_4_its_variance():
    sources = Sources()
    rows = "".join(f"{answer}\n" * 2000 for answer in "abcde")
    key = sources.add_bytes(f"answer\n{rows}".encode(), "survey.csv")
    query = {"s": "answer", "x": "answer", "notion": "ldp", "eps": "1", "mech": "grr"}
    app = opened("release", sources, data=key, **query)
    app.session_state["release_seed"] = str(2**100 + 7)
    app.run().button(key="release_make").click().run()
    assert not app.exception
    result = app.dataframe[-1].value
    n, p, q = 10_000, np.e / (np.e + 4), 1 / (np.e + 4)
    by_hand = [
        np.sqrt(
            q * (1 - q) / (n * (p - q) ** 2) + f * (1 - p - q) / (n * (p - q)) + f * (1 - f) / n
        )
        for f in result["estimate"]
    ]
    assert result["standard_error"].to_numpy() == pytest.approx(by_hand, rel=1e-3)


def test_5_unary_encoding():
    app = opened_on("explore", np.eye(4), notion="ldp", eps="1", mech="oue")
    assert figures(app)["LDP reached, nats"] == "1.000"


def test_6_subset_selection():
    app = opened_on("explore", np.eye(16), notion="ldp", eps="1", mech="optimal")
    drawn = kernel(app)
    assert set((drawn > 2 * drawn.min(axis=0)).sum(axis=0)) == {5}
    assert "Proven: no mechanism under 1-LDP keeps more" in page_text(app)


def test_7_the_best_two_answers():
    app = opened_on("explore", np.eye(2), notion="ldp", eps="1", mech="optimal")
    truth = np.e / (1 + np.e)
    most = np.log(2) + truth * np.log(truth) + (1 - truth) * np.log(1 - truth)
    assert figures(app)["I(X;Y), nats"] == f"{most:.3f}"
    assert kernel(app).max() == round(truth, 4)
    assert "Proven: no mechanism under 1-LDP keeps more" in page_text(app)


def test_8_and_9_two_answers_and_what_one_makes_of_a_prior():
    app = opened_on("explore", np.diag([0.3, 0.7]), **COIN)
    assert kernel(app).tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert f"LDP {2 * np.log(3):.3f} nats; 3 draws" in charts(app)["again"]["alt"]
    sure = 3 * 0.7 / (3 * 0.7 + 0.3)
    assert f"right with probability at most {100 * sure:.1f}% after any output" in page_text(app)


@pytest.mark.parametrize("mech", ["truncated_geometric", "optimal"])
def test_10_distances(mech):
    app = opened_on("explore", np.eye(9), notion="metric_ldp", eps="0.7", mech=mech, **ERROR)
    assert kernel(app)[4, 4] == round((1 - np.exp(-0.7)) / (1 + np.exp(-0.7)), 4)
    assert "1 draws: LDP by distance 0.700 nats" in charts(app)["again"]["alt"]
    assert figures(app)["Expected error"] == "1.028"
    assert ("Proven" in page_text(app)) == (mech == "optimal")


def test_11_to_13_what_a_channel_leaks():
    result = averaged(PRIOR[:, None] * CHANNEL, "constant", notion="alpha", alpha="inf")
    assert list(result.loc[named("guessing_probability")]) == [
        0.625,
        0.5,
    ]  # after and before an output
    assert result.loc[named("arimoto", ", α = ∞"), "X itself"] == round(np.log(0.625 / 0.5), 4)
    assert result.loc[named("maximal_leakage"), "X itself"] == round(np.log(2), 4)


def test_14_shannon_leakage():
    result = averaged(np.array([[0.9, 0.1], [0.1, 0.9]]) / 2)
    most = np.log(2) + 0.1 * np.log(0.1) + 0.9 * np.log(0.9)
    assert result.loc[named("mutual_information"), "X itself"] == round(most, 4)


def test_15_two_tries_before_an_output_and_after_the_best_one():
    missed = [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    query = {"for": "distortion", "loss": "table", "table": json.dumps(missed)}
    app = opened_on("explore", np.diag(PRIOR), notion="ldp", eps="1", mech="constant", **query)
    assert figures(app)["Expected error"] == "0.25"  # of 1: the two likeliest have .75
    app = opened_on("explore", np.diag(PRIOR), notion="ldp", eps="1", mech="optimal", **query)
    assert "Proven" in page_text(app)


def test_17_and_19_products_of_channels_are_tables_of_their_own():
    joint_sy = PRIOR[:, None] * CHANNEL
    first, second = averaged(joint_sy), averaged(joint_sy @ NOISY)
    for key in ("guessing_probability", "mutual_information"):
        assert second.loc[named(key), "X itself"] <= first.loc[named(key), "X itself"]
    twice = PRIOR[:, None] * (CHANNEL[:, :, None] * CHANNEL[:, None, :]).reshape(3, 9)
    result = averaged(twice[:, twice.any(axis=0)])
    best = twice.max(axis=0).sum()
    assert result.loc[named("guessing_probability"), "X itself"] == round(best, 4)


def test_18_someone_elses_secret():
    related = np.array([[4.0, 2.0, 0.0], [1.0, 2.0, 3.0]])
    query = {"notion": "ldp", "eps": "1"}
    of_s = averaged(related, "subset_merging", **query)
    of_x = averaged(np.diag(related.sum(axis=0)), "identity")
    title = named("maximal_leakage")
    assert of_s.loc[title, "the release"] <= of_s.loc[title, "X itself"]
    assert of_s.loc[title, "X itself"] <= of_x.loc[title, "X itself"] == round(np.log(3), 4)


def test_20_the_least_error_at_a_bound_on_guessing():
    query = {"notion": "average_guess", "bound": "0.7", "mech": "optimal"}
    app = opened_on("explore", np.diag(PRIOR), **query, **ERROR)
    assert figures(app)["Expected error"] == "0.3"
    assert figures(app)["X guessed right"] == "70.0%"
    assert "Proven: no mechanism under probability of guessing S ≤ 0.7" in page_text(app)
