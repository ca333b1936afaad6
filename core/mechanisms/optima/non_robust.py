"""The non-robust optimum: the optimal mechanism if the estimate were the truth."""

from numpy.typing import ArrayLike

from core import validation
from core.joint import Joint
from core.mechanisms.optima.search import checked_options, optimal_from
from core.mechanisms.result import Mechanism, told_if_cut
from core.mechanisms.robust.design import estimate, released
from core.notions import LDP
from core.optimal.solve import Solver
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import cell_probabilities


@told_if_cut
def non_robust(
    p_su: ArrayLike,
    eps: float,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Return the optimal mechanism under ε-LDP with respect to S at P̂ alone.

    At a true P other than P̂ its LDP level may exceed ε: compare `core.studies.realised`.

    Parameters
    ----------
    p_su : array_like
        P̂(s, u), or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    solver, time_limit, gap, seed
        As in `optimal`.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or a secret was never seen.

    Notes
    -----
    Source: [RLDP] §8, NR.

    Examples
    --------
    >>> round(non_robust([[0.07, 0.10], [0.26, 0.57]], 0.6931471805599453).nmi, 3)
    0.61
    """
    cells = cell_probabilities(p_su)
    cells = estimate(cells, RenyiBall(cells, 0.0))
    notion = LDP(validation.budget(eps, "eps"))
    found = optimal_from(
        Joint.with_secret_released(cells),
        notion,
        None,
        **checked_options(solver, time_limit, gap, seed),
    )
    return released(
        cells,
        found.kernel,
        name="Non-robust optimum",
        solver=found.solver,
        status=found.status,
        notion=notion,
        upper_bound=found.upper_bound,
        notes=found.notes,
    )
