"""Attributes released one by one: a product of kernels that is ε-SRLIP.

[Funnel] Theorem 4 says that if each kernel Q^j is ε_j-LIP given any values of the other
attributes, their product is (Σ ε_j)-SRLIP. That is false: let S = B¹ xor B² for two fair bits, let
both attributes be the pair (B¹, B²), and let Q¹ release B¹ and Q² release B². Each meets its
condition at ε_j = 0, but together they reveal S. So these budgets are only the start of a search,
and the audit of the product decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Literal, get_args

import numpy as np

from core import validation
from core.attributes import attribute_shape
from core.clock import NEVER, Deadline
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.entry import TIME_SHARE
from core.mechanisms.outputs import output_names
from core.mechanisms.products.product_search import ROUNDING_SHARE, Candidate, ProductSearch
from core.mechanisms.result import Mechanism, make_mechanism, told_if_cut
from core.notions.srlip import SRLIP

Split = Literal["even", "optimised"]

FEW = 3
"""Up to this many attributes the budgets are raised in every order."""


@told_if_cut
def srlip_product(
    joint: Joint,
    eps: float,
    shape: Sequence[int] | None = None,
    split: Split = "even",
    time_limit: float | None = None,
) -> Mechanism:
    """Release each attribute by a separate kernel so that the product is ε-SRLIP.

    Each kernel is optimal under ε_j-LIP given any values of the others. Where the product is not
    ε-SRLIP, the budgets are scaled down until it is; where it is not even at budgets of 0, noise
    is added to every kernel.

    Source: [Funnel] Theorem 4, repaired: as printed it is false (see the module's docstring).

    Parameters
    ----------
    joint : Joint
        P(s, x), made of as many columns as there are combinations of attributes.
    eps : float
        Budget in nats, in [0, ∞].
    shape : sequence of int, optional
        Sizes of the attributes; by default the joint's own.
    split : {"even", "optimised"}
        ε_j = ε/m as in the paper; or also budgets raised from 0 one after the other as far as the
        product stays ε-SRLIP, in every order of up to three attributes, and the best of all.
    time_limit : float, optional
        Seconds; after TIME_SHARE of them no further budgets are tried. By default no limit.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or the sizes do not fit the joint.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> joint = Joint.from_counts([[4, 1, 3, 2], [1, 4, 2, 3]])
    >>> mechanism = srlip_product(joint, 0.6, (2, 2))
    >>> mechanism.audit.achieved <= 0.6, mechanism.y_labels[0]
    (True, 'x4 72 %; x3 28 %')
    """
    if split not in get_args(Split):
        raise InvalidInputError(f"split must be even or optimised, got {split!r}.")
    sizes = attribute_shape(joint, shape)
    notion = SRLIP(validation.budget(eps, "eps"), sizes)
    deadline = NEVER
    if time_limit is not None:
        limit = validation.number(time_limit, "time_limit", low=0.0, open_low=True)
        deadline = Deadline.after(TIME_SHARE * limit)
    search = ProductSearch(joint, notion, deadline)
    even = tuple(notion.eps / len(sizes) for _ in sizes)
    printed = search.product(even)
    best = printed or search.shrunk(even)
    if split == "optimised" and notion.eps < np.inf:
        for order in _orders(len(sizes)):
            if not deadline.over:
                grown = search.grown(tuple(0.0 for _ in sizes), order)
                best = max(best, grown or best, key=lambda candidate: candidate.utility)
    return make_mechanism(
        joint,
        best.kernel,
        name="Attribute by attribute",
        solver="product",
        status="heuristic" if printed else "repaired",
        notion=notion,
        y_labels=output_names(joint.p_x[:, None] * best.kernel, joint.x_labels),
        notes=_notes(best, even, split),
    )


def _orders(n_attributes: int) -> list[tuple[int, ...]]:
    """Return orders in which to raise the budgets: all orders of few attributes, else rotations."""
    every = tuple(range(n_attributes))
    if n_attributes <= FEW:
        return list(permutations(every))
    return [every[j:] + every[:j] for j in every]


def _notes(best: Candidate, even: tuple[float, ...], split: Split) -> tuple[str, ...]:
    """Return notes on the attributes' budgets, and on what was done to keep the notion."""
    budgets = ", ".join(f"{budget:.4g}" for budget in best.budgets)
    notes = (f"Each attribute has a budget of its own: {budgets} nats.",)
    noise = best.share > ROUNDING_SHARE
    if not noise and (split == "optimised" or best.budgets == even):
        return notes
    done = (
        f"no budgets were small enough, so noise replaces {100 * best.share:.3g} % of each"
        if noise
        else "the budgets were shrunk until the audit passed"
    )
    refused = (
        f"With {even[0]:.4g} nats for each attribute the whole leaks more than asked, although "
        f"[Funnel] Theorem 4 says otherwise: {done}."
    )
    return (*notes, refused)
