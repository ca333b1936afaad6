"""The result of every mechanism: a kernel, what it is worth and what it was found to promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core import measures
from core.audit import Audit, require
from core.joint import Joint
from core.limits import ROUNDING
from core.notions.base import Notion
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A mechanism P(y | x), its utility and its audit.

    Attributes
    ----------
    name : str
        What made it, as a reader would call it.
    kernel : ndarray
        P(y | x), shape (n_x, n_y); P(y | s, x), shape (n_s·n_x, n_y), where it reads S too.
    x_labels, y_labels : tuple of str
        Names of the inputs and of the outputs.
    utility : float
        I(X;Y), in nats.
    nmi : float
        I(X;Y)/H(X), in [0, 1]; 1 where H(X) = 0.
    upper_bound : float
        No mechanism under the same notion has more utility, in nats.
    gap : float
        `upper_bound` − `utility`, in nats.
    solver : str
        What computed it: "closed form", "greedy", "enumerate", "columns", …
    status : str
        "optimal" (proven), "heuristic", "repaired", "time limit", …
    notion : Notion or None
        What was asked, if anything was.
    audit : Audit or None
        The check of what was asked, from kernel and joint alone.
    notes : tuple of str
        Sentences that a reader of the result must know.
    partition : tuple of tuple of int, or None
        The sets of inputs that share an output, where the mechanism merges.
    """

    name: str
    kernel: FloatArray
    x_labels: tuple[str, ...]
    y_labels: tuple[str, ...]
    utility: float
    nmi: float
    upper_bound: float
    gap: float
    solver: str
    status: str
    notion: Notion | None
    audit: Audit | None
    notes: tuple[str, ...] = ()
    partition: tuple[tuple[int, ...], ...] | None = None

    @property
    def n_y(self) -> int:
        """Number of outputs."""
        return int(self.kernel.shape[1])


def make_mechanism(
    joint: Joint,
    kernel: FloatArray,
    *,
    name: str,
    solver: str,
    status: str,
    notion: Notion | None,
    y_labels: Sequence[str] | None = None,
    upper_bound: float | None = None,
    notes: tuple[str, ...] = (),
    partition: tuple[tuple[int, ...], ...] | None = None,
) -> Mechanism:
    """Audit a kernel and make it a result; every mechanism of the project ends here.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    name, solver, status, notes, partition
        As in `Mechanism`.
    notion : Notion or None
        What was asked; None asks nothing (identity, constant).
    y_labels : sequence of str, optional
        Names of the outputs; y1, y2, … where not given.
    upper_bound : float, optional
        A proven bound on I(X;Y) in nats; H(X), which always holds, where not given.

    Raises
    ------
    AuditError
        If the kernel gives less privacy than asked.
    """
    verdict = None if notion is None else require(joint, kernel, notion, name)
    utility = float(measures.mutual_information(joint.release_x(kernel)))
    entropy = float(measures.entropy(joint.p_x))
    if entropy - utility < ROUNDING:  # all of X is kept: the two sums differ by rounding only
        utility = entropy
    bound = entropy if upper_bound is None else max(min(upper_bound, entropy), utility)
    names = tuple(y_labels) if y_labels is not None else _numbered(kernel.shape[1])
    frozen = np.array(kernel)
    frozen.flags.writeable = False
    return Mechanism(
        name=name,
        kernel=frozen,
        x_labels=joint.x_labels,
        y_labels=names,
        utility=utility,
        nmi=1.0 if entropy == 0 else min(1.0, utility / entropy),
        upper_bound=bound,
        gap=bound - utility,
        solver=solver,
        status=status,
        notion=notion,
        audit=verdict,
        notes=notes,
        partition=partition,
    )


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"y{i + 1}" for i in range(count))
