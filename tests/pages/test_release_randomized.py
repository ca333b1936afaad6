"""Columns that are randomized separately on the Release page, under one promise for all."""

import json
from dataclasses import replace

import pytest

from core.data.catalogue import FOLDER
from core.release.file_words import together_sentence
from pages.ui.release import in_turn
from pages.ui.work import long_answer
from tests.core.records.test_forged import forged, put
from tests.pages.test_release import (
    SEED,
    checked,
    link,
    made,
    opened,
    page_text,
    switches,
    written,
)
from tests.pages.test_verify import dropped
from tests.pages.waiting import finished

OPTIMUM = {"mech": "optimal", "randomize": "exang"}


@pytest.fixture
def here(monkeypatch):
    """Have every search end while the page runs."""
    monkeypatch.setattr(long_answer.LongAnswer, "ask", long_answer.LongAnswer.here)


def keys(app):
    return [item.key for item in app.button]


def reported(app):
    return page_text(app).replace("\\", "")


def headline(app):
    return app.markdown[0].value.replace("\\", "")


def test_nothing_is_promised_until_the_search_ends_and_it_can_be_cancelled(sweeps):
    app = opened(mech="optimal")
    alone = headline(app)
    assert alone.startswith("For someone who knows only the distribution of these records, Y alone")
    app.button(key="release_randomize: exang").click().run()
    checked(app)
    assert app.query_params["randomize"] in ("exang", ["exang"])
    assert headline(app).startswith("Nothing is promised yet: cp and exang")
    assert not app.success
    assert "release_make" not in keys(app)
    assert ":green[" not in reported(app)
    app.button(key="in_turn_cancel").click().run()
    checked(app)
    assert "The work was canceled." in reported(app)
    assert "release_make" not in keys(app)
    app.button(key="in_turn_again").click().run()
    sweeps.finish_all()
    finished(app, lambda: "The promise is about" in headline(app))
    assert "release_make" in keys(app)
    app.button(key="release_leave_out: exang").click().run()
    checked(app)
    assert headline(app) == alone
    assert "randomize" not in app.query_params
    assert list(app.dataframe[1].value.columns) == ["cp"]


@pytest.mark.usefixtures("here")
def test_a_link_shows_the_shares_and_its_file_has_a_column_for_each():
    app = opened(**OPTIMUM, stay="fbs")
    assert [item.value for item in app.warning] == []
    assert "exang and cp together, each randomized separately" in headline(app)
    assert "-ALIP. For someone who knows only" in headline(app)
    assert "of its information" in reported(app)
    assert "randomized separately" in reported(app)
    assert list(app.dataframe[1].value.columns) == ["cp", "fbs", "exang"]
    assert app.button(key="release_make").disabled  # fbs breaks the promise
    app.toggle(key="release_keep: fbs").set_value(False).run()
    app = made(checked(app))
    assert "Y in the columns 'exang' and 'cp'" in reported(app)
    result = written(app)
    body = result.made.certificate
    assert body["version"] == 7
    assert body["released"]["columns"] == ["cp", "exang"]
    (command,) = [code.value for code in app.code if "core release" in code.value]
    assert "--randomize=exang" in command
    assert app.session_state["_visit"].release.made.question.data.released == ("cp",)
    address = link(app)
    checked(app.run())
    assert link(app) == address  # a second visit


@pytest.mark.usefixtures("here")
def test_a_search_that_time_cut_short_stays_in_its_session_and_goes_on(monkeypatch):
    search, made_by, times = in_turn.designed_for, {}, []

    def hasty(result, table, names, longer):
        times.append(longer)
        if names not in made_by:
            made_by[names] = search(result, table, names)
        return replace(made_by[names], finished=longer > 1)

    monkeypatch.setattr(in_turn, "designed_for", hasty)
    asked = OPTIMUM | {"eps": "0.7"}  # whose answer no other test keeps
    app = opened(**asked)
    assert in_turn.UNFINISHED in reported(app)
    assert "release_make" in keys(app)  # what is there keeps the promise
    opened(**asked)
    assert times == [1, 1]  # another session does not take it
    assert "up to 60 s" in app.button(key="in_turn_on").help  # at first six limits of 5 s
    app.button(key="in_turn_on").click().run()
    checked(app)
    assert times == [1, 1, 2]
    assert in_turn.UNFINISHED not in reported(app)
    assert "in_turn_on" not in keys(app)
    assert in_turn.UNFINISHED not in reported(opened(**asked))
    assert times == [1, 1, 2]  # the longer search's is for all


@pytest.mark.usefixtures("here")
def test_its_certificate_is_verified_on_the_page_and_a_forged_one_fails():
    result = written(made(opened(**OPTIMUM)))
    body, content = result.made.certificate, result.path.read_bytes()
    app = dropped(json.dumps(body).encode(), content)
    assert not app.error
    assert "No check failed;" in reported(app)
    path = FOLDER / "heart_hungarian.parquet"
    own = {"original": (path.name, path.read_bytes()), "secret": SEED}
    app = dropped(json.dumps(body).encode(), content, **own)
    assert "All checks passed." in [item.value for item in app.success]
    wrong = forged(body, put("columns", 0, "eps", 0.1))
    app = dropped(wrong.encode(), content, **own)
    assert "failed." in app.error[0].value


@pytest.mark.usefixtures("here")
def test_what_cannot_be_randomized_is_one_sentence_and_nothing_is_lost():
    app = opened(randomize="exang", stay="age")  # by a heuristic
    assert len(app.error) == 1
    assert app.error[0].value.replace("\\", "") == (
        "To randomize several columns separately, the mechanism must be the optimum."
    )
    assert headline(app).startswith("Nothing is promised yet")
    assert "release_make" not in keys(app)
    assert switches(app)["age"].value
    app.toggle(key="release_keep: exang").set_value(True).run()
    checked(app)
    assert "randomize" not in app.query_params
    assert app.query_params["stay"] == ["age", "exang"]
    assert "release_make" in keys(app)


@pytest.mark.usefixtures("here")
def test_the_owner_s_copy_has_an_output_for_each_column_and_promises_nothing():
    app = opened(**OPTIMUM, original="kept")
    assert "exang and cp together" in headline(app)
    assert {"released cp", "released exang"} < set(app.dataframe[1].value.columns)
    assert not app.success
    assert ":green[" not in reported(app)
    body = written(made(app)).made.certificate
    assert "nothing is promised" in body["promises"][0]["sentence"]
    assert ":green[:material/verified_user:] **One record**" not in reported(app)


@pytest.mark.usefixtures("here")
def test_records_that_are_left_out_are_refused_before_the_button():
    app = opened(**OPTIMUM, unknown="drop")
    assert "where records with unknown values stop the release" in app.error[0].value
    assert "release_make" not in keys(app)


def test_the_columns_of_a_link_that_cannot_be_randomized_are_named():
    app = opened(randomize="sex")
    told = " ".join(item.value for item in app.warning).replace("\\", "")
    assert "randomize=sex, which is S, X or no column of this data; it is not randomized" in told
    assert "randomize" not in app.query_params
    app = opened(**OPTIMUM, stay="exang")
    told = " ".join(item.value for item in app.warning).replace("\\", "")
    assert "stay=exang, which is also to be randomized; it is not kept" in told
    assert not switches(app)["exang"].value


def test_the_sentence_on_all_columns_names_what_is_known_and_how_far_beliefs_shift():
    levels = {"lip": 0.5, "pml": 0.5, "ldp": 1.0, "min_lift": 0.4}
    text = together_sentence(["a", "b"], "s", "0.5-LIP", levels, ["age"])
    assert text.endswith(
        "For someone who knows the distribution of these records and age, they shift no belief "
        "about s by more than a factor of 1.65."
    )
    beyond = levels | {"lip": float("inf"), "min_lift": float("inf")}
    text = together_sentence(["a", "b"], "s", "0.5-PML", beyond)
    assert text.endswith("they make no value of s more than 1.65 times as likely.")
    assert "they shift no belief about s." in together_sentence(
        ["a", "b"], "s", "0-LIP", dict.fromkeys(levels, 0.0)
    )
