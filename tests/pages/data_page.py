"""The Data page opened, and what it shows, for tests."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.pages.waiting import PATIENCE

PAGE = str(Path(__file__).parents[2] / "pages" / "data.py")


def open_page(**query):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return checked(app.run())


def checked(app):
    assert not app.exception
    return app


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def spec(app):
    return app.session_state["_data"]


def errors(app):
    return [error.value.replace("\\", "") for error in app.error]
