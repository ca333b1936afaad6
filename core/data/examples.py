"""Small joints that the papers print, counterexamples to them, and others worked by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.data.joints import JointSource
from core.errors import InvalidInputError
from core.joint import Joint
from core.validation import FloatArray, shown


@dataclass(frozen=True, eq=False)
class Example:
    """A small joint with its source.

    Attributes
    ----------
    id : str
        Its key after "example:".
    title : str
        The name that the interface shows.
    about : str
        One sentence on what it shows.
    source : str
        Its paper and place.
    weights : ndarray
        Counts or probabilities, shape (n_s, n_x); shape (n_s, n_u) where S is released too.
    s_labels, x_labels : tuple of str
        Names of the symbols.
    records : int or None
        Number of records, where the weights are counts.
    secret_released : bool
        Whether the source releases S too.
    shape : tuple of int
        Sizes of X's attributes, where X is a product.
    """

    id: str
    title: str
    about: str
    source: str
    weights: FloatArray
    s_labels: tuple[str, ...]
    x_labels: tuple[str, ...]
    records: int | None = None
    secret_released: bool = False
    shape: tuple[int, ...] = ()

    @property
    def joint_source(self) -> JointSource:
        """The example as the source of a count."""
        return JointSource(
            self.title, self.weights, self.s_labels, self.x_labels, self.records, self.shape
        )


def _numbered(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{i + 1}" for i in range(count))


def _xor_of_two_bits() -> Example:
    """X¹ = X² = (a, b), two uniform bits, and S = a xor b: P(s, (x¹, x²)), x = 4·x¹ + x²."""
    weights = np.zeros((2, 16))
    pairs = [f"{a}{b}" for a in (0, 1) for b in (0, 1)]
    for i, (a, b) in enumerate((a, b) for a in (0, 1) for b in (0, 1)):
        weights[a ^ b, 4 * i + i] = 0.25
    return Example(
        id="funnel_theorem4",
        title="Two copies of two bits, S = a xor b",
        about="Each attribute's protocol is private on its own, together they reveal S: Theorem 4 "
        "is false.",
        source="counterexample to [Funnel] Theorem 4",
        weights=weights,
        s_labels=("even", "odd"),
        x_labels=tuple(f"{first},{second}" for first in pairs for second in pairs),
        shape=(4, 4),
    )


def _random(
    key: str, title: str, source: str, n_s: int, n_x: int, shape: tuple[int, ...] = ()
) -> Example:
    joint = Joint.random_uniform(n_s, n_x, np.random.default_rng(0))
    return Example(
        id=key,
        title=title,
        about="One draw of the random joints that the paper averages over: i.i.d. uniform "
        "entries, normalised.",
        source=source,
        weights=joint.p,
        s_labels=joint.s_labels,
        x_labels=tuple(",".join(str(i + 1) for i in at) for at in np.ndindex(shape))
        if shape
        else joint.x_labels,
        shape=shape,
    )


def _streets_and_stops() -> Example:
    """Return which streets use which bus stops, in three parts: S is the street, X the stop."""
    uses = {
        "North": ("Ash", "Birch"),
        "Market": ("Birch", "Cedar"),
        "School": ("Cedar",),
        "River": ("Elm", "Fir"),
        "Harbour": ("Fir",),
        "Mill": ("Oak",),
    }
    streets = tuple(dict.fromkeys(street for users in uses.values() for street in users))
    together = np.array([[street in users for users in uses.values()] for street in streets])
    return Example(
        id="learn_stops",
        title="Streets and their bus stops",
        about="Who uses which stop: three groups of streets that a stop tells apart for certain.",
        source="worked by hand",
        weights=together / together.sum(),
        s_labels=streets,
        x_labels=tuple(uses),
    )


EXAMPLES: tuple[Example, ...] = (
    Example(
        id="rldp_estimate",
        title="Examples 1–5: the estimate from 100 records",
        about="P̂ of n = 100 records; robust mechanisms protect for every P that fits it.",
        source="[RLDP] Examples 1–5, P̂",
        weights=np.array([[7.0, 10.0], [26.0, 57.0]]),
        s_labels=_numbered("s", 2),
        x_labels=_numbered("u", 2),
        records=100,
        secret_released=True,
    ),
    Example(
        id="rldp_truth",
        title="Examples 1–5: the true distribution",
        about="P* behind the 100 records of Examples 1–5.",
        source="[RLDP] Examples 1–5, P*",
        weights=np.array([[0.1, 0.1], [0.2, 0.6]]),
        s_labels=_numbered("s", 2),
        x_labels=_numbered("u", 2),
        secret_released=True,
    ),
    Example(
        id="lift_proposition1",
        title="Five secrets, one nearly excluded by each symbol",
        about="Its total variation, .19, exceeds ½(e^ε − 1) = .119 at ε = log Λ: the bound by "
        "max-lift alone is false.",
        source="counterexample to [Lift] Propositions 1(2), 3(1–2) and 5(1–2)",
        weights=np.where(np.eye(5, dtype=bool), 0.05, 1.2375) / 25,
        s_labels=_numbered("s", 5),
        x_labels=_numbered("x", 5),
    ),
    _xor_of_two_bits(),
    _random("lift_typical", "A random joint, 5 × 17", "[Lift] Figure 1, one draw", 5, 17),
    _random("alip_typical", "A random joint, 20 × 30", "[ALIP] Figures 1–4, one draw", 20, 30),
    _random("funnel_typical", "A random joint, 2 × 5", "[Funnel] Figures 3 and 4, one draw", 2, 5),
    _random(
        "funnel_attributes",
        "A random joint, 2 × 3·3·4",
        "[Funnel] Figure 5, one draw",
        2,
        36,
        (3, 3, 4),
    ),
    Example(
        id="symmetric",
        title="A noisy copy of one bit",
        about="X is S, wrong one time in five: the smallest joint with something to hide.",
        source="worked by hand",
        weights=np.array([[0.4, 0.1], [0.1, 0.4]]),
        s_labels=("no", "yes"),
        x_labels=("negative", "positive"),
    ),
    Example(
        id="parity",
        title="A die and its parity",
        about="S is a function of X: releasing X reveals it, and every lift is 0 or 2.",
        source="worked by hand",
        weights=np.array([[0.0, 1.0, 0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]]) / 6,
        s_labels=("even", "odd"),
        x_labels=("1", "2", "3", "4", "5", "6"),
    ),
    Example(
        id="independent",
        title="A coin that knows nothing of S",
        about="S and X are independent: X can be released as it is.",
        source="worked by hand",
        weights=np.outer([0.3, 0.7], [0.5, 0.5]),
        s_labels=("rare", "frequent"),
        x_labels=("heads", "tails"),
    ),
    Example(
        id="learn_test",
        title="An illness and its test",
        about="A positive test makes the illness 3 times likelier, a negative one 7 times less "
        "likely: the table of the lessons.",
        source="worked by hand",
        weights=np.array([[0.18, 0.02], [0.12, 0.68]]),
        s_labels=("ill", "well"),
        x_labels=("positive", "negative"),
    ),
    _streets_and_stops(),
)
"""Every example; those of papers come first."""


def example(key: str) -> Example:
    """Return an example by its id.

    Raises
    ------
    InvalidInputError
        If no example has this id.

    Examples
    --------
    >>> example("rldp_estimate").records
    100
    """
    for entry in EXAMPLES:
        if entry.id == key:
            return entry
    known = ", ".join(entry.id for entry in EXAMPLES)
    raise InvalidInputError(f"There is no example {shown(key)}; there are {known}.")
