"""Long work outside the interface's threads: bounded, under a time limit, cancellable."""

from core.jobs.job import Job, State
from core.jobs.pool import Pool

__all__ = ["Job", "Pool", "State"]
