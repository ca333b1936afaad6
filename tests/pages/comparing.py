"""What tests of Compare share: small projects, and readers of what its page shows."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.scenario import Project, Scenario, evaluate
from core.scenario.url import to_query
from tests.pages import sent
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
SMALL = DataSpec("random:uniform:3x5:0", (), ())
PAIR = DataSpec("random:uniform:2x3:0", (), (), secret_released=True)
QUICK = Project(
    tuple(Scenario(data=SMALL, notion=key, mechanism="watchdog") for key in ("lip", "alip", "ldp")),
    ("first", "second", "third"),
)


OPTIMA = Project(tuple(Scenario(data=SMALL, notion=key) for key in ("lip", "ldp")), ("a", "b"))


def opened(page="compare", scenario=None, project=None, **query):
    app = AppTest.from_file(ROOT / f"pages/{page}.py", default_timeout=PATIENCE)
    every = {} if scenario is None else to_query(scenario)
    every |= {} if project is None else project.to_query()
    for key, value in (every | query).items():
        app.query_params[key] = value
    return app.run()


def pinned(app):
    return app.session_state["_project"]


def kept(app):
    return [item.value for item in sent.key_figures(app) if item.label == "Kept"]


def share(scenario):
    return f"{100 * evaluate(scenario).mechanism.kept:.1f}%"


def open_(app, key):
    app.session_state[key] = True
    return app.run()


def text(app):
    reported = [item.value for kind in (app.caption, app.info) for item in kind]
    return " ".join([*sent.texts(app), *reported]).replace("\\", "")
