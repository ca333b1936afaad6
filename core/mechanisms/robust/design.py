"""What the robust mechanisms share: their input, and answers for cells that were never seen.

A mechanism is designed on the cells that the sample has, since only they have utility at P̂. A
person of an unseen cell (s, u) then gets the mixture of the answers to s (see
`core.allowed.robust_cells`): it keeps the promise, and no other answer would allow more utility.
"""

import numpy as np
from numpy.typing import ArrayLike

from core.allowed.robust_cells import never_seen, spread
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import FLOORED, cell_probabilities
from core.validation import FloatArray

UNHEARD_OF = 1e-30
"""A cell of less probability, but for all that its secret has, is taken for one never seen: it has
less than 1e-28 nats of utility, and a program that weighs it overflows."""

NEGLIGIBLE = 1e-8
"""A cell of less probability was never seen, and is a floor under the estimate."""


def estimate(p_su: ArrayLike, uncertainty: RenyiBall) -> FloatArray:
    """Return P̂(s, u), shape (n_s, n_u), checked against the uncertainty set around it.

    Raises
    ------
    InvalidInputError
        If P(s, u) is none, is not what the set was made of, or has a secret never seen.
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
    """Return P̂(s, u) without cells that are there but for a floor, shape (n_s, n_u).

    Without them a design loses some 1e-6 nats at most, and a search need not look for outputs
    that tell of them: at 240 symbols, 11 of them floors of 1e-9, it took three times as long. A
    secret that has nothing else keeps them.

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
    """Audit a kernel over all cells and make it a result.

    Parameters
    ----------
    cells : ndarray
        P̂(s, u), shape (n_s, n_u).
    kernel : ndarray
        P(y | s, u), shape (n_s·n_u, n_y) or, designed on the seen cells only, (n_x, n_y).
    designed : ndarray, optional
        The P̂(s, u) whose cells above 0 the kernel is of, where these are not all seen ones.
    name, solver, status, notion, upper_bound, notes
        As in `make_mechanism`.
    by_symbol : bool
        The outputs are the cells themselves and carry their names.
    """
    joint = Joint.with_secret_released(cells, keep_unseen=True)
    seen = cells if designed is None else designed
    unseen = int(np.count_nonzero(seen == 0))
    if kernel.shape[0] < cells.size:
        kernel = spread(RenyiBall(cells, 0.0), Joint.with_secret_released(seen)) @ kernel
        what = "1 cell" if unseen == 1 else f"{unseen} cells"
        notes = (*notes, f"{what} never seen: answered like a typical member of the secret.")
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

    A cell that was never seen is no symbol; it then answers like a typical member of its secret
    (see `core.allowed.robust_cells`), which keeps the promise.

    Parameters
    ----------
    joint : Joint
        P̂(s, x) of `Joint.with_secret_released` at which the mechanism was designed.
    mechanism : Mechanism
        Its rows are all cells, s·n_u + u.

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
    """Return the names of all cells, those that were never seen too."""
    seen = dict(zip(joint.kept_x.tolist(), joint.x_labels, strict=True))
    unseen = iter(joint.dropped_x)
    count = joint.n_x + len(joint.dropped_x)
    return tuple(seen[cell] if cell in seen else next(unseen) for cell in range(count))
