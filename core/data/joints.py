"""Data that is a joint distribution: drawn at random, pasted, printed or made by hand."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from dataclasses import dataclass, replace

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import CLOSE, MAX_CELL, MAX_CELLS, MAX_LEVELS
from core.texts import TOTAL, are_series, number
from core.validation import FloatArray, shown

LAWS = ("uniform", "dirichlet0.5", "dirichlet1")
"""Distributions of random joints that the interface offers; dirichlet takes any number above 0."""

_DRAWN = re.compile(
    r"(uniform|dirichlet(?P<alpha>[0-9.]{1,20}))"
    r":(?P<s>[0-9]{1,9})x(?P<x>[0-9]{1,9}):(?P<seed>[0-9]{1,20})"
)


@dataclass(frozen=True, eq=False)
class JointSource:
    """Weights (n_s, n_x) of the pairs (s, x), before rows and columns of zeros are dropped.

    `records`: their number where weights are counts. `x_shape`: sizes of X's attributes, of a
    product. `notes`: sentences on what was taken for names or totals; `whole`: the same table with
    its totals, where they were left out.
    """

    title: str
    weights: FloatArray
    s_labels: tuple[str, ...]
    x_labels: tuple[str, ...]
    records: int | None = None
    x_shape: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    whole: JointSource | None = None


def drawn(text: str) -> JointSource:
    """Draw the random joint of a source "random:LAW:N_SxN_X:SEED", given without "random:"."""
    match = _DRAWN.fullmatch(text)
    if not match:
        raise InvalidInputError(
            "A random joint is written LAW:N_SxN_X:SEED, such as uniform:5x17:1, got "
            f"{shown(text)}."
        )
    n_s = _size(match["s"], "S")
    n_x = _size(match["x"], "X")
    if n_s * n_x > MAX_CELLS:
        raise InvalidInputError(
            f"A random joint may have at most {MAX_CELLS:,} cells, got {n_s}×{n_x} = {n_s * n_x:,}."
        )
    seed = validation.whole(int(match["seed"]), "The seed", low=0, high=2**63 - 1)
    rng = np.random.default_rng(seed)
    if match["alpha"] is None:
        joint = Joint.random_uniform(n_s, n_x, rng)
    else:
        joint = Joint.random_dirichlet(n_s, n_x, validation.number(match["alpha"], "alpha"), rng)
    title = f"Random joint, {text.split(':')[0]}, {n_s}×{n_x}, seed {seed}"
    return JointSource(title, joint.p, joint.s_labels, joint.x_labels)


def cells_drawn(source: str) -> int:
    kind, _, text = source.partition(":")
    match = _DRAWN.fullmatch(text) if kind == "random" else None
    return 0 if match is None else int(match["s"]) * int(match["x"])


def _size(digits: str, name: str) -> int:
    return validation.whole(int(digits), f"The number of levels of {name}", low=1, high=MAX_LEVELS)


@dataclass(frozen=True, eq=False, kw_only=True)
class Example(JointSource):
    """A small joint with its source; its key is "example:" and `id`.

    Where S is released too, the weights are of the pairs (s, u).
    """

    id: str
    about: str
    source: str
    secret_released: bool = False


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
        about="Each attribute's protocol is private alone; together they reveal S: Theorem 4 is "
        "false.",
        source="counterexample to [Funnel] Theorem 4",
        weights=weights,
        s_labels=("even", "odd"),
        x_labels=tuple(f"{first},{second}" for first in pairs for second in pairs),
        x_shape=(4, 4),
    )


def _random(
    key: str, title: str, source: str, n_s: int, n_x: int, shape: tuple[int, ...] = ()
) -> Example:
    joint = Joint.random_uniform(n_s, n_x, np.random.default_rng(0))
    return Example(
        id=key,
        title=title,
        about="One draw of the random joints over which the paper averages: i.i.d. uniform "
        "entries, normalized.",
        source=source,
        weights=joint.p,
        s_labels=joint.s_labels,
        x_labels=tuple(",".join(str(i + 1) for i in at) for at in np.ndindex(shape))
        if shape
        else joint.x_labels,
        x_shape=shape,
    )


def _streets_and_stops() -> Example:
    """Return which streets use which bus stops, in three parts: S is the street, X the stop."""
    uses = {
        "North": ("Ash", "Birch"),
        "Market": ("Birch", "Cedar"),
        "School": ("Cedar",),
        "River": ("Elm", "Fir"),
        "Harbor": ("Fir",),
        "Mill": ("Oak",),
    }
    streets = tuple(dict.fromkeys(street for users in uses.values() for street in users))
    together = np.array([[street in users for users in uses.values()] for street in streets])
    return Example(
        id="learn_stops",
        title="Streets and their bus stops",
        about=(
            "Who uses which stop: each stop identifies one of three groups of streets for certain."
        ),
        source="worked by hand",
        weights=together / together.sum(),
        s_labels=streets,
        x_labels=tuple(uses),
    )


EXAMPLES: tuple[Example, ...] = (
    Example(
        id="rldp_estimate",
        title="Examples 1–5: the estimate from 100 records",
        about="P̂ of n = 100 records; robust mechanisms protect for every P consistent with it.",
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
        about="Its total variation, 0.19, exceeds ½(e^ε − 1) = 0.119 at ε = log Λ: the bound by "
        "max-lift alone is false.",
        source="counterexample to [Lift] Propositions 1(2) and 3(1–2)",
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
        title="A coin independent of S",
        about="S and X are independent: X can be released unchanged.",
        source="worked by hand",
        weights=np.outer([0.3, 0.7], [0.5, 0.5]),
        s_labels=("rare", "frequent"),
        x_labels=("heads", "tails"),
    ),
    Example(
        id="learn_test",
        title="An illness and its test",
        about="A positive test makes the illness 3 times as likely, a negative test one seventh as "
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
    for entry in EXAMPLES:
        if entry.id == key:
            return entry
    known = ", ".join(entry.id for entry in EXAMPLES)
    raise InvalidInputError(f"There is no example {shown(key)}; choose one of {known}.")


SEPARATORS = ("\t", ";", ",", " ")
"""Separators of entries; the first of these that occurs is the separator."""


class NotNormalisedError(InvalidInputError):
    """The entries are neither counts nor probabilities that sum to 1, and can be normalized."""


def matrix_id(text: str, *, normalise: bool = False) -> str:
    """Return the sha256 that identifies a pasted matrix in a `DataSpec`."""
    return hashlib.sha256(f"{normalise}\n{text.strip()}".encode()).hexdigest()


def parse_matrix(text: str, *, normalise: bool = False) -> JointSource:
    """Read a joint matrix: one row for each s, one column for each x.

    The first row may hold names of X, the first column names of S. Entries, separated by commas,
    tabs, semicolons or spaces, are probabilities that sum to 1, or counts.
    """
    rows = _rows(text)
    x_names, s_names, entries = _headers(rows)
    _check_shape(entries, x_names)
    named_so = all(number(name) is not None or _THOUSANDS.fullmatch(name) for name in x_names or ())
    _check_marks([x_names, *entries] if x_names and named_so else entries)
    weights = np.array(
        [
            [_entry(cell, i + 1, j + 1) for j, cell in enumerate(row)]
            for i, row in enumerate(entries)
        ],
        dtype=np.float64,
    )
    s_labels = _names(s_names, len(entries), "s", "row")
    x_labels = _names(x_names, len(entries[0]), "x", "column")
    notes = []
    if x_names is not None and all(number(name) is not None for name in x_labels):
        notes.append(f"The first row, {', '.join(x_labels[:4])}, is used for names.")
    whole = JointSource(
        "Pasted matrix",
        weights,
        s_labels,
        x_labels,
        _check_sum(weights, normalise=True),
        notes=tuple(notes),
    )
    n_s, n_x = _without_totals(weights, s_labels, x_labels)
    gone = [*s_labels[n_s:], *x_labels[n_x:]]
    if not gone:
        return replace(whole, records=_check_sum(weights, normalise))
    what = "row" if n_x == weights.shape[1] else "column" if len(gone) == 1 else "row and column"
    notes.append(f"The {what} of totals {shown(gone[0])} sums the others: left out.")
    return JointSource(
        title=whole.title,
        weights=weights[:n_s, :n_x],
        s_labels=s_labels[:n_s],
        x_labels=x_labels[:n_x],
        records=_check_sum(weights[:n_s, :n_x], normalise),
        notes=tuple(notes),
        whole=whole,
    )


def _without_totals(
    weights: FloatArray, s_labels: tuple[str, ...], x_labels: tuple[str, ...]
) -> tuple[int, int]:
    """Return the numbers of rows and columns without totals: named so, and sums of the others."""
    rows, columns = weights.shape
    if rows > 2 and TOTAL.fullmatch(s_labels[-1]):
        rows -= bool(np.allclose(weights[:-1].sum(axis=0), weights[-1], atol=1e-9))
    if columns > 2 and TOTAL.fullmatch(x_labels[-1]):
        columns -= bool(np.allclose(weights[:, :-1].sum(axis=1), weights[:, -1], atol=1e-9))
    return rows, columns


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InvalidInputError("The matrix is empty: paste one row for each level of S.")
    separator = next((mark for mark in SEPARATORS if any(mark in line for line in lines)), ",")
    parts = (line.split(None if separator == " " else separator) for line in lines)
    if (longest := max(len(part) for own in parts for part in own)) > MAX_CELL:
        raise InvalidInputError(
            f"The matrix has a cell of {longest:,} characters; at most {MAX_CELL:,} are allowed."
        )
    if separator == " ":
        return [line.split() for line in lines]
    try:
        parsed = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, strict=True)
        return [[cell.strip() for cell in row] for row in parsed]
    except csv.Error as error:
        raise InvalidInputError(f"The matrix has a quote that is never closed: {error}.") from error


def _headers(
    rows: list[list[str]],
) -> tuple[list[str] | None, list[str] | None, list[list[str]]]:
    """Return the names of X, the names of S (None where there are none), and the entries.

    The first row (column) is names if the first cell is empty or all other (all its) cells are
    names. Between a name and the word Total, numbers are names too.
    """
    first = rows[0]
    corner_free = len(first) > 1 and first[0] == ""
    x_names = None
    numbered = len(rows) > 2 and all(_is_name(row[0]) for row in rows) and _are_years(rows)
    totals = len(first) > 2 and _is_name(first[0]) and TOTAL.fullmatch(first[-1])
    named = corner_free or numbered or totals or all(map(_is_name, first[1:] or first))
    if len(rows) > 1 and named:
        x_names, rows = first, rows[1:]
    s_names = None
    if corner_free or all(len(row) > 1 and _is_name(row[0]) for row in rows):
        s_names = [row[0] for row in rows]
        rows = [row[1:] for row in rows]
        if x_names is not None and len(x_names) == len(rows[0]) + 1:
            x_names = x_names[1:]
    return x_names, s_names, rows


def _are_years(rows: list[list[str]]) -> bool:
    """Say whether the first row is years, or numbers in sequence, and no other row is."""
    return are_series(
        [
            (cell, [row[i] for row in rows[1:] if i < len(row)])
            for i, cell in enumerate(rows[0])
            if i
        ]
    )


def _is_name(cell: str) -> bool:
    """Say whether a cell is a name: neither blank nor a number, as NaN and ∞ are too."""
    try:
        float(cell)
    except ValueError:
        return cell != ""
    return False


def _check_shape(entries: list[list[str]], x_names: list[str] | None) -> None:
    n_s, n_x = len(entries), len(entries[0])
    for i, row in enumerate(entries):
        if len(row) != n_x:
            plural = "y" if len(row) == 1 else "ies"
            raise InvalidInputError(
                f"Row {i + 1} of the matrix has {len(row)} entr{plural}, row 1 has {n_x}."
            )
    if x_names is not None and len(x_names) != n_x:
        raise InvalidInputError(f"The matrix has {len(x_names)} column names for {n_x} columns.")
    if n_s > MAX_LEVELS or n_x > MAX_LEVELS or n_s * n_x > MAX_CELLS:
        raise InvalidInputError(
            f"The matrix is {n_s}×{n_x}; at most {MAX_LEVELS:,} rows or columns and "
            f"{MAX_CELLS:,} entries are allowed."
        )


_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")


def _check_marks(entries: list[list[str]]) -> None:
    """Refuse entries that may be thousands: all that have a mark have three digits behind it."""
    marked = [
        (i + 1, j + 1, cell)
        for i, row in enumerate(entries)
        for j, cell in enumerate(row)
        if "." in cell or "," in cell
    ]
    if marked and all(_THOUSANDS.fullmatch(cell) for _, _, cell in marked):
        row, column, cell = marked[0]
        plain = cell.replace(",", "").replace(".", "")
        raise InvalidInputError(
            f"The entry in row {row}, column {column}, {shown(cell)}, may be thousands: write "
            f"{plain}, or {cell.replace(',', '.')}0 for a decimal."
        )


def _entry(cell: str, row: int, column: int) -> float:
    value = number(cell)
    if value is None or value < 0:
        raise InvalidInputError(
            f"The entry in row {row}, column {column} must be a finite number of at least 0, got "
            f"{shown(cell)}."
        )
    return value


def _check_sum(weights: FloatArray, normalise: bool) -> int | None:
    """Return the number of records where the entries are counts, None for probabilities."""
    with np.errstate(over="ignore"):  # an infinite sum is refused below
        total = float(weights.sum())
    if total == 0:
        raise InvalidInputError("The matrix is all zero: no pair ever occurs.")
    if not math.isfinite(total):
        raise InvalidInputError(f"The entries of the matrix must have a finite sum, got {total}.")
    if bool((weights == np.rint(weights)).all()) and total > 1:
        return int(total)
    if abs(total - 1) > CLOSE and not normalise:
        raise NotNormalisedError(
            f"The entries of the matrix sum to {total:.6g}, probabilities must sum to 1 (normalize "
            "them to divide each by the sum)."
        )
    return None


def _names(names: list[str] | None, count: int, prefix: str, what: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{prefix}{i + 1}" for i in range(count))
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError(f"The {what} name {shown(name)} occurs more than once.")
    return tuple(names)
