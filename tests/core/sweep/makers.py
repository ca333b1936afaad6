"""A small sweep, workers that need no process, and results as bits."""

import os

import numpy as np

from core.errors import SolverError
from core.scenario import Scenario
from core.sweep import Draws, Sweep, Workers, read
from core.sweep.points import compute

SWEEP = Sweep(
    Scenario(notion="lip"),
    (("mechanism", ("subset_merging", "grr")), ("eps", (0.5, 1.0))),  # neither searches
    draws=Draws(12, 3, 6),
)
LARGE = Sweep(SWEEP.scenario, SWEEP.vary, draws=Draws(100, 5, 17))


class Here(Workers):
    """Computes chunks in this process, the last one handed out first."""

    def __init__(self, room=3, failing=()):
        self.most, self.failing = room, failing
        self.waiting, self.computed, self.cancelled = [], [], 0

    @property
    def room(self):
        return self.most

    def submit(self, chunk):
        self.waiting.append(chunk)
        assert len(self.waiting) <= self.room

    def finished(self):
        chunk = self.waiting.pop()
        if chunk.number in self.failing:
            return [(chunk, SolverError("The worker process died (exit status -9)."))]
        self.computed.append(chunk.number)
        return [(chunk, compute(chunk, report=lambda _: None))]

    def cancel(self):
        self.cancelled += len(self.waiting)
        self.waiting.clear()


def bits(path):
    """Return all that a results file holds, but for the seconds, numbers as their bits."""
    result = {}
    table = read(path)[0]
    for name in table.column_names:
        values = table[name].to_numpy()
        result[name] = (
            values.view(np.int64).tolist() if values.dtype.kind == "f" else values.tolist()
        )
    del result["seconds"]
    return result


def die(*_):
    """End the process that calls it."""
    os._exit(1)
