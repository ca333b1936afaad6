"""Input and output of the robust mechanisms: the checked estimate, and rows for unseen cells.

A mechanism is designed on the cells that the sample has, since only they have utility at P̂. The
row P(y | s, u) of an unseen cell is then a mixture of the rows of s (see
`core.allowed.robust_cells`): it keeps the notion, and no other row would allow more utility.
"""

import numpy as np
from numpy.typing import ArrayLike

from core.allowed.robust_cells import never_seen, spread
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import FLOORED, cell_probabilities
from core.validation import FloatArray

UNHEARD_OF = 1e-30
"""A cell of less probability counts as unseen, unless it is all that its secret has: its utility is
below 1e-28 nats, and dividing by its probability makes a program overflow."""

NEGLIGIBLE = 1e-8
"""A cell of less probability was not seen: its probability is the floor of the estimate."""


def estimate(p_su: ArrayLike, uncertainty: RenyiBall) -> FloatArray:
    """Return P̂(s, u), shape (n_s, n_u), checked against the uncertainty set around it.

    Raises
    ------
    InvalidInputError
        If P(s, u) is not a distribution or not the P̂ of `uncertainty`, `uncertainty` is not a
        RenyiBall, or a secret was never seen.
    """
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
    kept = np.where(cells < UNHEARD_OF, 0.0, cells)
    return np.where(kept.any(axis=1, keepdims=True), kept, cells)


def likely(cells: FloatArray) -> FloatArray:
    """Return P̂(s, u) without cells below `NEGLIGIBLE`, shape (n_s, n_u), normalised.

    Without them a design loses about 1e-6 nats at most, and a search does not look for outputs
    that single them out: at 240 symbols, 11 of them with 1e-9, it took three times as long. A
    secret without other cells keeps them.

    Examples
    --------
    >>> likely(np.array([[0.5, 0.25 - 1e-9], [0.25, 1e-9]])).round(6)
    array([[0.5 , 0.25],
           [0.25, 0.  ]])
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
    """Audit a kernel over all cells and return it as a `Mechanism`.

    Parameters
    ----------
    cells : ndarray
        P̂(s, u), shape (n_s, n_u).
    kernel : ndarray
        P(y | s, u), shape (n_s·n_u, n_y) or, for the seen cells only, (n_x, n_y).
    designed : ndarray, optional
        P̂(s, u), shape (n_s, n_u), whose cells above 0 are the kernel's rows; by default `cells`.
    name, solver, status, notion, upper_bound, notes
        As in `make_mechanism`.
    by_symbol : bool
        Whether the outputs are the cells and have their names.
    """
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
    rows of its secret (see `core.allowed.robust_cells`).

    Parameters
    ----------
    joint : Joint
        P̂(s, x) of `Joint.with_secret_released` at which the mechanism was designed.
    mechanism : Mechanism
        A mechanism whose rows are all cells, s·n_u + u.

    Examples
    --------
    >>> from core.mechanisms import secret_randomized_response
    >>> cells = [[2, 1], [0, 1]]
    >>> joint = Joint.with_secret_released(cells, ["f", "m"], ["a", "b"])
    >>> found = on_symbols(joint, secret_randomized_response(cells, 1.0))
    >>> found.x_labels, found.y_labels
    (('f · a', 'f · b', 'm · b'), ('f · a', 'f · b', 'm · a', 'm · b'))
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
    """Return the names of all cells, unseen ones included, in the order s·n_u + u."""
    seen = dict(zip(joint.kept_x.tolist(), joint.x_labels, strict=True))
    unseen = iter(joint.dropped_x)
    count = joint.n_x + len(joint.dropped_x)
    return tuple(seen[cell] if cell in seen else next(unseen) for cell in range(count))
