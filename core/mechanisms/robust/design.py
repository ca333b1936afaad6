"""Input and output of the robust mechanisms: the checked estimate, and rows for unseen cells.

A design is on the cells that the sample has. The row of an unseen (s, u) is a mixture of the rows
of s (see `core.allowed.robust`): it keeps the notion, and no other row would allow more utility.
"""

import numpy as np
from numpy.typing import ArrayLike

from core.allowed.robust import never_seen, spread
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.uncertainty import RenyiBall
from core.uncertainty.ball import FLOORED, cell_probabilities
from core.validation import FloatArray

NEGLIGIBLE = 1e-8
"""A cell of less probability was not seen: its probability is the floor of the estimate."""


def estimate(p_su: ArrayLike, uncertainty: RenyiBall) -> FloatArray:
    """Return P̂(s, u), shape (n_s, n_u), checked against the uncertainty set around it."""
    cells = cell_probabilities(p_su)
    if not isinstance(uncertainty, RenyiBall):
        raise InvalidInputError(f"uncertainty must be a RenyiBall, got {uncertainty!r}.")
    centre = uncertainty.p_hat_su
    if cells.shape != centre.shape:
        raise InvalidInputError(
            f"P(s, u) must have the shape {centre.shape} of the uncertainty set's P̂, "
            f"got {cells.shape}."
        )
    apart = float(np.abs(cells - centre).max())
    if apart > FLOORED:
        raise InvalidInputError(
            f"P(s, u) must be the P̂ that the uncertainty set was made of, they differ by "
            f"{apart:.3g}."
        )
    empty = np.flatnonzero(cells.sum(axis=1) == 0)
    if empty.size:
        raise never_seen(int(empty[0]))
    # a cell of less probability counts as unseen, unless it is all that its secret has: its
    # utility is below 1e-28 nats, and dividing by its probability makes a program overflow
    kept = np.where(cells < 1e-30, 0.0, cells)
    return np.where(kept.any(axis=1, keepdims=True), kept, cells)


def likely(cells: FloatArray) -> FloatArray:
    """Return P̂(s, u) normalised without cells below `NEGLIGIBLE`, unless a secret has no others.

    Without them a design loses about 1e-6 nats at most, and a search may be three times as fast.
    """
    kept = np.where(cells < NEGLIGIBLE, 0.0, cells)
    kept = np.where(kept.any(axis=1, keepdims=True), kept, cells)
    result: FloatArray = kept / kept.sum()
    return result


def released(
    cells: FloatArray,
    kernel: FloatArray,
    *,
    designed: FloatArray | None = None,
    name: str,
    solver: str,
    status: str,
    notion: Notion,
    upper_bound: float | None = None,
    notes: tuple[str, ...] = (),
    by_symbol: bool = False,
) -> Mechanism:
    """Audit a kernel over all cells, (n_s·n_u, n_y), for P̂(s, u) and make it a `Mechanism`."""
    joint = Joint.with_secret_released(cells, keep_unseen=True)
    seen = cells if designed is None else designed
    unseen = int(np.count_nonzero(seen == 0))
    if kernel.shape[0] < cells.size:
        kernel = spread(RenyiBall(cells, 0.0), Joint.with_secret_released(seen)) @ kernel
        what = "1 cell" if unseen == 1 else f"{unseen} cells"
        notes = (*notes, f"{what} never seen: answered like a typical member of the secret.")
        kernel = polished(joint, kernel, notion, quick=True)  # sums over more cells round otherwise
    return make_mechanism(
        joint,
        kernel,
        name=name,
        solver=solver,
        status=status,
        notion=notion,
        y_labels=joint.x_labels if by_symbol else None,
        upper_bound=upper_bound,
        notes=notes,
    )


def on_symbols(joint: Joint, mechanism: Mechanism) -> Mechanism:
    """Return a robust mechanism over all cells as one over the symbols of X = (S, U) alone.

    An unseen cell is no symbol: its row is dropped, and the notion takes it for a mixture of the
    rows of its secret.
    """
    kernel = mechanism.kernel[joint.kept_x]
    if mechanism.y_labels == mechanism.x_labels:
        y_labels = _cell_labels(joint)
    else:
        kernel, y_labels = in_reading_order(joint, kernel[:, joint.p_x @ kernel > 0])
    if mechanism.notion is not None:  # reordered sums may round to another level
        kernel = polished(joint, kernel, mechanism.notion, quick=True)
    return make_mechanism(
        joint,
        kernel,
        name=mechanism.name,
        solver=mechanism.solver,
        status=mechanism.status,
        notion=mechanism.notion,
        y_labels=y_labels,
        upper_bound=mechanism.upper_bound,
        notes=mechanism.notes,
    )


def _cell_labels(joint: Joint) -> tuple[str, ...]:
    seen = dict(zip(joint.kept_x.tolist(), joint.x_labels, strict=True))
    unseen = iter(joint.dropped_x)
    count = joint.n_x + len(joint.dropped_x)
    return tuple(seen[cell] if cell in seen else next(unseen) for cell in range(count))
