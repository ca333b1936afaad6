"""A mechanism for each value that others know, on the Release page, with its certificate."""

import json

import pytest

from core.data.catalogue import FOLDER
from pages.ui.work import long_answer
from tests.core.records.test_forged import forged, put
from tests.pages.test_release import (
    SEED,
    checked,
    link,
    made,
    opened,
    page_text,
    written,
)
from tests.pages.test_verify import dropped
from tests.pages.waiting import finished

KNOWN = {"mech": "optimal", "k": "exang"}


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
    app = opened(**KNOWN)
    alone = headline(app)
    app.toggle(key="release_each").set_value(True).run()
    checked(app)
    assert app.query_params["each"] in ("100", ["100"])
    assert headline(app).startswith("Nothing is promised yet: the mechanisms for each exang")
    assert "release_make" not in keys(app)
    app.button(key="release_for_each_cancel").click().run()
    checked(app)
    assert "The work was canceled." in reported(app)
    app.button(key="release_for_each_again").click().run()
    sweeps.finish_all()
    finished(app, lambda: "together keep" in reported(app))
    assert "release_make" in keys(app)
    app.toggle(key="release_each").set_value(False).run()
    checked(app)
    assert headline(app) == alone
    assert "each" not in app.query_params


@pytest.mark.usefixtures("here")
def test_a_link_releases_and_its_certificate_is_verified_on_the_page():
    app = opened(**KNOWN, each="1", stay="exang")
    assert [item.value for item in app.warning] == []
    assert app.toggle(key="release_each").value
    assert "mechanisms, chosen by exang, together keep" in reported(app)
    assert list(app.dataframe[1].value.columns) == ["cp", "exang"]
    if app.button(key="release_make").disabled:  # exang itself moves beliefs about sex
        app.checkbox(key="release_agreed").set_value(True).run()
    app = made(checked(app))
    result = written(app)
    body = result.made.certificate
    assert body["version"] == 8
    assert body["beside"]["columns"] == ["exang"]
    assert "Mechanisms by 'exang'" in reported(app)
    assert "a reader who knows it can estimate P(x) for each exang" in reported(app)
    assert "A standard error of ∞" not in reported(app)  # no table stands there
    assert "holds for all mechanisms together" in reported(app)
    (command,) = [code.value for code in app.code if "core release" in code.value]
    assert "--for-each 1" in command
    address = link(app)
    checked(app.run())
    assert link(app) == address  # a second visit


@pytest.mark.usefixtures("here")
def test_its_certificate_is_verified_on_the_page_and_a_forged_one_fails():
    result = written(made(opened(**KNOWN, each="1")))
    body, content = result.made.certificate, result.path.read_bytes()
    path = FOLDER / "heart_hungarian.parquet"
    own = {"original": (path.name, path.read_bytes()), "secret": SEED}
    app = dropped(json.dumps(body).encode(), content, **own)
    assert "All checks passed." in [item.value for item in app.success]
    wrong = forged(body, put("groups", 0, "level", 0.01))
    app = dropped(wrong.encode(), content, **own)
    assert "failed." in app.error[0].value


@pytest.mark.usefixtures("here")
def test_what_cannot_be_is_one_sentence():
    app = opened(each="1")  # nothing is known to others
    assert "one mechanism is used for all" in app.warning[0].value
    assert "each" not in app.query_params
    app = opened(**KNOWN, each="1", notion="l1_upper")
    (error,) = app.error
    assert "the notion must be LIP" in error.value
    assert headline(app).startswith("Nothing is promised yet")
    assert "release_make" not in keys(app)
    app = opened(**KNOWN, each="1", randomize="fbs")
    assert "none that are randomized separately" in app.warning[0].value.replace("\\", "")
    assert app.toggle(key="release_each").disabled
