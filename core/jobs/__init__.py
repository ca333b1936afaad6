"""Long computations in worker processes: bounded in number, time-limited, cancellable."""

from core.jobs.job import Job, State, carry_out
from core.jobs.pool import Pool

__all__ = ["Job", "Pool", "State", "carry_out"]
