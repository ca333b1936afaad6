"""S = X on every page: it opens, one click asks for it, and what means nothing says so."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data.catalogue import FOLDER
from core.data.spec import DataSpec
from core.records.verifying import failed, verify
from core.scenario import Project, Scenario
from pages.ui.frame import data_controls
from pages.ui.frame.pickers import ITSELF
from pages.ui.style.labels import markdown
from tests.pages import comparing
from tests.pages.picking import pick

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[2]

PAGES = (
    "explore",
    "compare",
    "lift",
    "mechanisms",
    "frontiers",
    "robust",
    "confusability",
    "release",
    "data",
)


def opened(page="explore", **query):
    app = AppTest.from_file(ROOT / "pages" / f"{page}.py", default_timeout=60)
    for name, value in {"s": "race", "x": "race", "notion": "ldp", "eps": "1", **query}.items():
        app.query_params[name] = value
    return app.run()


@pytest.mark.parametrize("notion", ["ldp", "rldp"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(page, notion):
    app = opened(page, notion=notion)
    assert not app.exception
    assert not app.error


def test_one_click_asks_for_it_and_a_caption_says_what_it_means():
    app = opened(x="education", sx="1", notion="lip")
    button = app.button(key="data_itself")
    assert button.label == "Release race itself, privately"
    app = button.click().run()
    assert app.query_params["x"] == "race"
    assert "sx" not in app.query_params
    assert not app.error
    assert markdown(data_controls.ITSELF) in [item.value for item in app.caption]
    assert "data_itself" not in [item.key for item in app.button]
    assert app.toggle(key="data_pair").disabled


@pytest.mark.parametrize("purpose", ["task", "guess"])
def test_one_click_keeps_the_purpose(purpose):
    app = opened(x="education", t="income", **{"for": purpose})
    app = app.button(key="data_itself").click().run()
    assert not app.error
    assert app.query_params["t"] == "income"
    assert app.query_params["for"] == purpose


def test_what_reads_s_says_why_it_means_nothing():
    app = opened()
    text = [caption for item in app.radio for caption in item.proto.captions]
    assert any(ITSELF in caption for caption in text)
    assert app.toggle(key="looks_at_s").disabled
    for notion in ("metric_ldp", "rldp"):
        app = pick(app, "notion", notion)
        assert not app.exception
        assert not app.error
        assert app.query_params["notion"] == notion
        assert app.query_params.get("mech", ["optimal"]) == ["optimal"]


CP = {"data": "heart_hungarian", "s": "cp", "x": "cp", "notion": "ldp", "eps": "1"}


@pytest.mark.parametrize(
    "asked", [{"mech": "grr"}, {"notion": "rldp", "mech": "optimal"}], ids=["ldp", "rldp"]
)
def test_a_release_of_it_is_made_and_verified_on_the_page(tmp_path, asked):
    app = AppTest.from_file(ROOT / "pages" / "release.py", default_timeout=60)
    for name, value in (CP | asked).items():
        app.query_params[name] = value
    app.session_state["release_seed"] = str(2**100 + 7)
    app = app.run().button(key="release_make").click().run()
    assert not app.exception
    assert not app.error
    result = app.session_state["_visit"].release.made
    target = tmp_path / "released.csv"
    target.write_bytes(result.path.read_bytes())
    text = json.dumps(result.made.certificate)
    checks = verify(text, target, FOLDER / "heart_hungarian.parquet", str(2**100 + 7))
    assert failed(checks) == []


@pytest.mark.parametrize("keys", [("lip", "alip", "ldp"), ("metric_ldp", "pml", "rldp")])
def test_promises_stand_side_by_side_on_it(keys):
    data = DataSpec("heart_hungarian", ("cp",), ("cp",))
    project = Project(tuple(Scenario(data=data, notion=key, eps=0.5) for key in keys))
    app = comparing.opened(project=project)
    assert not app.exception
    assert not app.error
    assert comparing.kept(app) == [comparing.share(item) for item in project.scenarios]
