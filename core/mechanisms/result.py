"""The result of every mechanism: its kernel, its utility and its audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from core import measures
from core.audit import Audit, require
from core.clock import Watch, watching
from core.entries import Entries, entries_of
from core.joint import Joint
from core.notions.base import Notion
from core.utilities import Information, Purpose
from core.validation import FloatArray

P = ParamSpec("P")
T = TypeVar("T")

CUT = "time limit"
"""Status of a mechanism that is not proven optimal, where time cut any step towards it short."""


class _Kernel:
    """The field of a kernel, kept as its entries where it is large and most are 0."""

    def __get__(self, owner: object | None, kind: type) -> FloatArray:
        if owner is None:
            raise AttributeError  # a class has none
        kept: FloatArray | Entries = vars(owner)["kernel"]
        return kept.dense() if isinstance(kept, Entries) else kept

    def __set__(self, owner: object, kernel: FloatArray | Entries) -> None:
        few = kernel if isinstance(kernel, Entries) else entries_of(kernel)
        vars(owner)["kernel"] = kernel if few is None else few


def _keeping(name: str, field: object, kind: type[T]) -> type[T]:
    """Return a class with another way to keep one of its fields."""
    setattr(kind, name, field)
    return kind


@partial(_keeping, "kernel", _Kernel())
@dataclass(frozen=True, eq=False)
class Mechanism:
    """A mechanism P(y | x), its utility and its audit.

    Attributes
    ----------
    name : str
        Name of the method that made it.
    kernel : ndarray
        P(y | x), shape (n_x, n_y); P(y | s, x), shape (n_s·n_x, n_y), where it reads S too.
    x_labels, y_labels : tuple of str
        Names of the inputs and of the outputs.
    utility : float
        Value of `purpose`, in its unit: by default I(X;Y) in nats.
    nmi : float
        I(X;Y)/H(X), in [0, 1]; 1 where H(X) = 0.
    upper_bound : float
        A utility that no mechanism under the same notion exceeds.
    gap : float
        `upper_bound` − `utility`.
    solver : str
        How it was computed: "closed form", "greedy", "enumerate", "columns", …
    status : str
        "optimal" (proven), "heuristic", "repaired", "time limit" (a longer search may find or prove
        more), …
    notion : Notion or None
        The notion that it keeps, if any was given.
    audit : Audit or None
        The check of the notion from kernel and joint alone.
    notes : tuple of str
        Sentences that a reader of the result must know.
    partition : tuple of tuple of int, or None
        The sets of inputs that share an output, where the mechanism merges.
    purpose : Purpose
        The utility function.
    information : float
        I(X;Y), in nats, whatever the purpose.
    kept : float
        `Purpose.share` of the utility, in [0, 1]: for I(X;Y) it is `nmi`.
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
    purpose: Purpose = field(default_factory=Information)
    information: float = np.nan
    kept: float = np.nan

    @property
    def n_y(self) -> int:
        """Number of outputs."""
        kept: FloatArray | Entries = vars(self)["kernel"]
        return int(kept.shape[1])


def make_mechanism(
    joint: Joint,
    kernel: FloatArray,
    *,
    name: str,
    notion: Notion | None,
    solver: str = "closed form",
    status: str = "heuristic",
    y_labels: Sequence[str] | None = None,
    upper_bound: float | None = None,
    notes: tuple[str, ...] = (),
    partition: tuple[tuple[int, ...], ...] | None = None,
    purpose: Purpose | None = None,
) -> Mechanism:
    """Audit a kernel and return it as a `Mechanism`; every mechanism is made here.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    name, solver, status, notes, partition
        As in `Mechanism`.
    notion : Notion or None
        The notion to audit; None where there is none, as for identity and constant.
    y_labels : sequence of str, optional
        Names of the outputs; y1, y2, … by default.
    upper_bound : float, optional
        A proven bound on the utility, in its unit; by default the utility of X itself.
    purpose : Purpose, optional
        The utility function; I(X;Y) by default.

    Raises
    ------
    AuditError
        If the kernel does not keep the notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> kernel = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> mechanism = make_mechanism(joint, kernel, name="By hand", notion=LIP(0.5))
    >>> mechanism.audit.holds, round(mechanism.nmi, 4), mechanism.y_labels
    (True, 0.1887, ('y1', 'y2'))
    """
    verdict = None if notion is None else require(joint, kernel, notion, name)
    goal = Information() if purpose is None else purpose
    information = Information().value(joint, kernel)
    entropy = float(measures.entropy(joint.p_x))
    plain = isinstance(goal, Information)
    utility = information if plain else goal.value(joint, kernel)
    most = entropy if plain else goal.range(joint)[1]
    bound = most if upper_bound is None else max(min(upper_bound, most), utility)
    nmi = 1.0 if entropy == 0 else min(1.0, information / entropy)
    names = tuple(y_labels) if y_labels is not None else _numbered(kernel.shape[1])
    few = entries_of(kernel)
    if few is None:
        kept = np.array(kernel)
        kept.flags.writeable = False
    else:  # what the field takes too: an array of these would be scanned again
        kept = cast(FloatArray, few)
    return Mechanism(
        name=name,
        kernel=kept,
        x_labels=joint.x_labels,
        y_labels=names,
        utility=utility,
        nmi=nmi,
        upper_bound=bound,
        gap=bound - utility,
        solver=solver,
        status=status,
        notion=notion,
        audit=verdict,
        notes=notes,
        partition=partition,
        purpose=goal,
        information=information,
        kept=nmi if plain else goal.share(joint, utility),
    )


def on_joint(
    joint: Joint, mechanism: Mechanism, kernel: FloatArray, y_labels: Sequence[str]
) -> Mechanism:
    """Return a mechanism, audited again, with the labels of a joint's X and of its outputs."""
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


def changed(mechanism: Mechanism, **changes: Any) -> Mechanism:
    """Do as `dataclasses.replace`, without a look at the kernel."""
    result = copy(mechanism)
    for name, value in changes.items():
        object.__setattr__(result, name, value)
    return result


def revalued(joint: Joint, mechanism: Mechanism, purpose: Purpose) -> Mechanism:
    """Return a mechanism with its utility for another purpose, its upper bound that of X itself."""
    if isinstance(purpose, type(mechanism.purpose)) and isinstance(purpose, Information):
        return mechanism
    utility = purpose.value(joint, mechanism.kernel)
    most = max(purpose.range(joint)[1], utility)
    return changed(
        mechanism,
        utility=utility,
        upper_bound=most,
        gap=most - utility,
        purpose=purpose,
        kept=purpose.share(joint, utility),
    )


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"y{i + 1}" for i in range(count))


def valued(joint: Joint, mechanism: Mechanism, purpose: Purpose) -> Mechanism:
    """Return `revalued`, but a mechanism made for this very purpose as it is, with its bound."""
    return mechanism if mechanism.purpose is purpose else revalued(joint, mechanism, purpose)


def cut_if(mechanism: Mechanism, watch: Watch) -> Mechanism:
    """Return a mechanism with status `CUT` if a watch recorded one, unless it is proven optimal."""
    cut = watch.cut and mechanism.status != "optimal"
    return changed(mechanism, status=CUT) if cut else mechanism


def marked_if_cut(make: Callable[P, Mechanism]) -> Callable[P, Mechanism]:
    """Return a function that makes the same mechanism, and says so where time cut a step short."""

    @wraps(make)
    def watched(*args: P.args, **kwargs: P.kwargs) -> Mechanism:
        with watching() as watch:
            mechanism = cut_if(make(*args, **kwargs), watch)
            watch.cut = mechanism.status == CUT  # else the proof did without what was cut
        return mechanism

    return watched
