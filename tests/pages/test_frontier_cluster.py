"""The Frontiers page on a Dask cluster that fails: one sentence, and the session goes on."""

import shutil

import pytest

from core.sweep.cluster import VARIABLE
from tests.browser.served import free_port
from tests.core.sweep.clusters import ROOT, end, scheduler, workers
from tests.pages.test_frontiers import QUICK, click, desk, done, errors, opened, page_text
from tests.pages.waiting import finished

LONG = QUICK | {"by": ["grr", "subset_random_response"], "size": "5x17", "draws": "100"}
"""A sweep of 400 points, each a chunk of its own: it goes on for a while."""


def failed(app):
    """Run the sweep on screen until it fails, and return what is said."""
    click(app, "sweep_start")
    finished(app, lambda: desk(app).work is None)
    (reported,) = errors(app)
    assert "\n" not in reported
    assert reported.endswith(".")
    return reported


def goes_on(app, monkeypatch):
    """Check that the same session computes the sweep once the server has no cluster."""
    monkeypatch.delenv(VARIABLE)
    app.run()
    done(app)
    assert desk(app).shown.whole
    assert not app.error


@pytest.mark.usefixtures("afresh")
def test_where_nobody_listens(monkeypatch):
    address = f"tcp://127.0.0.1:{free_port()}"
    monkeypatch.setenv(VARIABLE, address)
    app = opened(**QUICK)
    reported = failed(app)
    assert reported == (
        f"No scheduler answers at {address}: start one there, or leave the address out."
    )
    assert desk(app).shown is None
    goes_on(app, monkeypatch)


@pytest.mark.usefixtures("afresh")
def test_a_cluster_computes_and_a_scheduler_that_dies_leaves_its_points(tmp_path, monkeypatch):
    with scheduler(tmp_path) as (address, process), workers(tmp_path, address, 2):
        monkeypatch.setenv(VARIABLE, address)
        app = done(opened(**QUICK))
        assert desk(app).shown.whole
        assert not app.error
        app = opened(**LONG)
        click(app, "sweep_start")
        finished(app, lambda: desk(app).shown is not None and desk(app).shown.count > 0)
        assert desk(app).work is not None
        end(process)
        finished(app, lambda: desk(app).work is None)
        (reported,) = errors(app)
        assert reported == f"The scheduler at {address} is gone."
        assert 0 < desk(app).shown.count < 400
        assert app.button(key="sweep_start").label == "Continue"
    goes_on(app, monkeypatch)


@pytest.mark.usefixtures("afresh")
def test_workers_of_another_version(tmp_path, monkeypatch):
    other = tmp_path / "other"
    shutil.copytree(
        ROOT / "core", other / "core", ignore=shutil.ignore_patterns("__pycache__", "*.parquet")
    )
    with (other / "core" / "limits.py").open("a") as file:
        file.write("\n# changed\n")
    with scheduler(tmp_path) as (address, _), workers(tmp_path, address, 1, other):
        monkeypatch.setenv(VARIABLE, address)
        app = opened(**QUICK)
        reported = failed(app)
        assert reported.startswith("The worker tcp://127.0.0.1:")
        assert "has another version of liftscope (code " in reported
        assert reported.endswith("install the same everywhere, so that results agree.")
        assert desk(app).shown is None
        goes_on(app, monkeypatch)


@pytest.mark.usefixtures("afresh")
def test_the_cluster_is_used_where_the_server_has_one_and_its_absence_is_said(monkeypatch):
    monkeypatch.setenv(VARIABLE, "nonsense")
    app = opened(**QUICK)
    assert "The Dask cluster at nonsense computes" in page_text(app)
    click(app, "sweep_start")
    finished(app, lambda: desk(app).work is None)
    (reported,) = errors(app)
    assert reported.startswith("A scheduler's address is written tcp://HOST:PORT, got")
    assert desk(app).shown is None
