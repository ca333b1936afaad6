from types import SimpleNamespace

import pytest

from core.jobs import State
from core.jobs.job import Job
from pages.ui.work import progress
from pages.ui.work.progress import told


def job(*, state=State.RUNNING, progress=None, seconds=0.0):
    made = Job(10.0)
    made.state, made.progress = state, progress
    if seconds:
        made._started_at = made._working_at = 100.0
        made._ended_at = 100.0 + seconds
    return made


@pytest.mark.parametrize(
    ("work", "done", "text"),
    [
        (job(state=State.WAITING), 0.0, "Merging: waiting for its turn"),
        (job(), 0.0, "Merging: starting"),
        (job(progress="merging", seconds=3), 0.3, "Merging: 3 s of at most 10 s"),
        (job(progress="merging", seconds=30), 1.0, "Merging: 30 s of at most 10 s"),
        (
            job(progress=(1, 4), seconds=2),
            0.25,
            "Merging: 2 s so far, about 6 s to go (1 of 4)",
        ),
        (job(progress=(0, 4), seconds=2), 0.0, "Merging: 2 s so far (0 of 4)"),
        (job(progress=(0, 1), seconds=2), 0.0, "Merging: 2 s so far"),
    ],
)
def test_progress_is_judged_by_parts_or_by_time(work, done, text):
    assert told(work, "Merging", 10.0) == (pytest.approx(done), text)


@pytest.mark.parametrize(
    ("sessions", "seconds"), [(0, 0.5), (4, 0.5), (12, 1.5), (50, 6.25), (100, 12.5)]
)
def test_many_sessions_look_less_often(sessions, seconds, monkeypatch):
    monkeypatch.setattr(progress.visits, "PAGES", SimpleNamespace(n_at_work=sessions))
    assert progress.every() == seconds
