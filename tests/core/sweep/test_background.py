"""Sweeps as jobs: their points as they come, what ends them, and what goes on where they ended."""

from contextlib import contextmanager, nullcontext

import numpy as np
import pytest

from core.errors import InvalidInputError, SolverError
from core.jobs import State
from core.sweep import Gathered, Results, run
from core.sweep.points import chunks, compute
from core.sweep.results import CODE, KEY, is_final
from core.sweep.running import begin
from tests.core.sweep.makers import SWEEP, Here

PATIENCE = 600.0


def begun(gathered, workers, limit=1e6):
    return begin(gathered, lambda: nullcontext(workers), {}, time_limit=limit)


def same(table, other):
    assert table.column_names == other.column_names
    for name in table.column_names:
        if name == "seconds":
            continue
        ours, theirs = table[name].to_numpy(), other[name].to_numpy()
        if ours.dtype.kind == "f":
            ours, theirs = ours.view(np.int64), theirs.view(np.int64)
        assert ours.tolist() == theirs.tolist()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with Results(SWEEP, tmp_path_factory.mktemp("whole") / "out.parquet") as results:
        run(SWEEP, results, Here())
        return results.table()


def test_points_in_memory_are_those_on_disk(whole):
    gathered = Gathered(SWEEP)
    job = begun(gathered, Here())
    same(job.result(PATIENCE), whole)
    assert job.progress is gathered
    assert gathered.complete
    assert gathered.count == 48
    text = whole.schema.metadata
    assert gathered.table().schema.metadata == {KEY: text[KEY], CODE: text[CODE]}


def test_points_that_come_twice_are_kept_once(whole):
    gathered = Gathered(SWEEP)
    for chunk in chunks(SWEEP):
        for _ in range(2):
            gathered.add(compute(chunk, report=lambda _: None))
    same(gathered.table(), whole)


class Stopping(Here):
    """Cancels the job after some chunks."""

    def finished(self):
        if len(self.computed) == 7:
            self.job.cancel()
        return super().finished()


def test_a_cancelled_sweep_keeps_its_points_and_another_run_computes_the_rest(whole):
    gathered, first = Gathered(SWEEP), Stopping()
    left = []

    @contextmanager
    def handed():
        ready.wait(PATIENCE)
        yield first
        left.append(True)
        done.set()

    import threading

    ready, done = threading.Event(), threading.Event()
    first.job = begin(gathered, handed, {}, time_limit=1e6)
    ready.set()
    with pytest.raises(SolverError, match="canceled"):
        first.job.result(PATIENCE)
    assert done.wait(PATIENCE)
    assert first.job.state == State.CANCELLED
    assert 0 < gathered.count < 48
    second = Here()
    same(begun(gathered, second).result(PATIENCE), whole)
    assert not set(first.computed) & set(second.computed)


def test_lost_points_and_a_limit_are_one_sentence_each():
    gathered = Gathered(SWEEP)
    job = begun(gathered, Here(failing={4}))
    with pytest.raises(SolverError, match=r"^1 point could not be computed: The worker process"):
        job.result(PATIENCE)
    assert gathered.count == 47
    job = begun(Gathered(SWEEP), Here(), limit=2.0**-9)
    with pytest.raises(SolverError, match=r"^The sweep stopped after 0\.00195312 s\.$"):
        job.result(PATIENCE)


def test_workers_that_cannot_be_had_are_the_jobs_error():
    def nobody():
        raise InvalidInputError("Nobody listens.")

    job = begin(Gathered(SWEEP), nobody, {}, time_limit=1e6)
    with pytest.raises(InvalidInputError, match=r"^Nobody listens\.$"):
        job.result(PATIENCE)

    def broken():
        raise RuntimeError("out of threads")

    job = begin(Gathered(SWEEP), broken, {}, time_limit=1e6)
    with pytest.raises(SolverError, match="could not be computed: out of threads"):
        job.result(PATIENCE)


def test_what_a_time_limit_cut_short_or_left_without_an_answer_is_not_final(whole):
    assert is_final(whole)
    for name, text in (("status", "time limit"), ("reason", "No answer.")):
        values = whole[name].to_pylist()
        place = whole.column_names.index(name)
        assert not is_final(whole.set_column(place, name, [[text, *values[1:]]]))
