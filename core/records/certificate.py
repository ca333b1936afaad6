"""The certificate of a release: how it was made, what it promises to whom and what it does not."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from core.data.readers.reading import Upload
from core.data.treatment.coding import Coding
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import catalogue as notions
from core.notions.numbers import Numbers
from core.records.applying import Applied, write
from core.records.draws import Keyed
from core.records.fields import KIND, VERSION
from core.records.files import checked_kind, file_hash, replacing
from core.records.plan import FORMATS, Plan
from core.records.promises import promises
from core.release.repeats import draws
from core.scenario import Result
from core.studies.side_by_side import SLOW_CELLS, levels, reference
from core.validation import FloatArray, IntArray
from core.wording import number_of

PACKAGE_VERSION = "0.1.0"
"""The version of this package, as in pyproject.toml."""

REPEATS = (2, 3)
"""Numbers of independent releases whose level the certificate has."""


@dataclass(frozen=True, eq=False)
class Release:
    """A release that is to be certified.

    Attributes
    ----------
    result : Result
        The answer to the scenario, on the data that the mechanism was made for.
    original : Upload
        The file that it was applied to.
    same : bool
        Whether it was made for this file.
    plan : Plan
        How it was applied.
    applied : Applied
        Counts of the release.
    """

    result: Result
    original: Upload
    same: bool
    plan: Plan
    applied: Applied


@dataclass(frozen=True, eq=False)
class Made:
    """A release that was written.

    Attributes
    ----------
    applied : Applied
        Its counts.
    certificate : dict
        What it promises to whom.
    """

    applied: Applied
    certificate: dict[str, Any]


def make(
    result: Result,
    original: Upload,
    plan: Plan,
    target: Path,
    *,
    progress: Callable[[int], None] | None = None,
) -> Made:
    """Release the file that a mechanism was made for, and certify the release.

    Parameters
    ----------
    result : Result
        The answer to the scenario.
    original : Upload
        The file that the scenario is about.
    plan : Plan
        How the mechanism is applied.
    target : Path
        The file to write: .parquet, .csv or .tsv.
    progress : callable, optional
        Called with the number of records that are done.

    Raises
    ------
    InvalidInputError
        As `core.records.applying.apply`; then no file is written.

    Examples
    --------
    >>> import tempfile
    >>> from core.data import Sources
    >>> from core.records.design import original
    >>> from core.records.draws import Seeded
    >>> from core.scenario import Scenario, evaluate
    >>> result, target = evaluate(Scenario(mechanism="watchdog")), Path(tempfile.mkdtemp(), "y.csv")
    >>> made = make(result, original("adult", Sources()), Plan(Seeded(7)), target)
    >>> made.certificate["released"]["records"]
    32561
    """
    with replacing([target]) as (fresh,):
        applied = write(
            result, original.table, fresh, checked_kind(target), plan, progress=progress
        )
        body = certificate(Release(result, original, True, plan, applied), fresh)
    return Made(applied, body)


def _check_counts(cells: IntArray | None, joint: Joint) -> None:
    """Raise unless the records' symbols, as they were coded, are those that were counted."""
    if cells is None or joint.n is None:
        return
    counted = np.rint(joint.p * joint.n).astype(np.int64)
    wrong = np.argwhere(cells != counted)
    if len(wrong):
        s, x = wrong[0]
        raise InvalidInputError(
            f"{number_of(int(cells[s, x]), 'record')} of S = {joint.s_labels[s]!r} and X = "
            f"{joint.x_labels[x]!r} would be released, and {int(counted[s, x]):,} were counted: "
            "the mechanism is not made for them, so nothing is released."
        )


def certificate(release: Release, released: Path) -> dict[str, Any]:
    """Return the certificate of a release as plain values for JSON.

    Parameters
    ----------
    release : Release
        The release.
    released : Path
        The file that was written; its bytes are hashed.

    Returns
    -------
    certificate : dict
        Infinite levels are "inf"; levels of notions that are not defined for the data are None.
        Its last entry, "fingerprint", is the SHA-256 of all others as JSON with sorted keys.

    Raises
    ------
    InvalidInputError
        If the file is the one that was counted, and its records' symbols are not those counted.
    """
    result, applied = release.result, release.applied
    joint, mechanism = result.joint, result.mechanism
    if release.same:
        _check_counts(applied.cells, joint)
    body = {
        "kind": KIND,
        "version": VERSION,
        "code": {"version": PACKAGE_VERSION, "sha256": code_hash()},
        "scenario": json.loads(result.scenario.to_json()),
        "original": {
            "sha256": release.original.sha256,
            "records": applied.records,
            "filtered": applied.filtered,
        },
        "released": {
            "sha256": file_hash(released),
            "records": applied.released,
            "column": applied.column,
            "columns": list(applied.written),
            "treatment": release.plan.columns,
            "format": FORMATS[applied.kind],
        },
        "unknown": _unknown(release),
        "draw": {
            "kind": release.plan.draw.kind,
            "commitment": release.plan.draw.commitment,
            "id": release.plan.draw.column if isinstance(release.plan.draw, Keyed) else None,
        },
        "design": {
            "data": result.counted.report.title,
            "same": release.same,
            "records": joint.n,
            "s": list(joint.s_labels),
            "coding": [plain_coding(one) for one in result.counted.codings],
            "marked": sorted(marks.column for marks in result.counted.report.marks),
        },
        "mechanism": {
            "name": mechanism.name,
            "inputs": list(joint.x_labels),
            "reads_s": len(mechanism.kernel) != joint.n_x,
            "outputs": list(mechanism.y_labels),
            "kernel": mechanism.kernel.tolist(),
        },
        "levels": _levels(release),
        "proof": {
            "purpose": result.scenario.purpose,
            "utility": mechanism.utility,
            "information": mechanism.information,
            "upper_bound": _plain(mechanism.upper_bound),
            "gap": _plain(mechanism.gap),
            "status": mechanism.status,
            "solver": mechanism.solver,
            "notes": list(mechanism.notes),
        },
    }
    body["promises"] = promises(body)
    return body | {"fingerprint": fingerprint(body)}


def _unknown(release: Release) -> dict[str, Any]:
    records = sum(n for _, n in release.applied.unknown)
    return {"treatment": release.plan.unknown, "records": records}


def _levels(release: Release) -> dict[str, Any]:
    """Return the mechanism's levels: of what was asked, of every notion, of repeated draws."""
    result = release.result
    joint, mechanism = result.joint, result.mechanism
    numbers = reference([result.scenario])
    quick = mechanism.kernel.size < SLOW_CELLS
    # a mechanism may have been made for another notion, such as one that is easier to keep
    asked = None if mechanism.notion is None else result.scenario.build_notion(joint)
    found: dict[str, Any] = {
        "asked": None
        if asked is None
        else {
            "notion": str(asked),
            "achieved": _plain(asked.achieved(joint, mechanism.kernel)),
            "unit": asked.level_unit,
            "holds": asked.holds(joint, mechanism.kernel),
        },
        "numbers": plain_numbers(numbers),
        "design": plain_levels(levels(joint, mechanism.kernel, numbers, slow=quick)),
        "units": {},
        "records": None,
        "repeated": {},
    }
    found["units"] = level_units(found["design"])
    if asked is not None and release.plan.draw.kind == "seed":
        for k in REPEATS:
            drawn = draws(joint, mechanism.kernel, asked, k)
            found["repeated"][str(k)] = {
                "level": _plain(drawn.level),
                "at_most": _plain(drawn.at_most),
            }
    own = records_joint(release.applied.cells, joint, mechanism.kernel)
    if own is not None and not release.same:
        found["records"] = plain_levels(levels(*own, numbers, slow=quick))
    return found


def records_joint(cells: Any, joint: Joint, kernel: FloatArray) -> tuple[Joint, FloatArray] | None:
    """Return the joint of the records that were released, and the kernel's rows for its symbols.

    Parameters
    ----------
    cells : ndarray or None
        Number of records of each pair of symbols, shape (n_s, n_x).
    joint : Joint
        P(s, x) that the mechanism was made for.
    kernel : ndarray
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).

    Returns
    -------
    tuple or None
        None where there are no cells, or no record in them.
    """
    if cells is None or cells.sum() == 0:
        return None
    own = Joint.from_counts(cells, joint.s_labels, joint.x_labels)
    if len(kernel) == joint.n_x:
        return own, kernel[own.kept_x]
    cube = kernel.reshape(joint.n_s, joint.n_x, -1)
    return own, cube[own.kept_s][:, own.kept_x].reshape(own.n_s * own.n_x, -1)


def plain_numbers(numbers: Numbers) -> dict[str, float | str | None]:
    """Return the λ, α, β and n of levels as values for JSON.

    Examples
    --------
    >>> plain_numbers(Numbers(alpha=math.inf))["alpha"]
    'inf'
    """
    return {name: _plain(getattr(numbers, name)) for name in ("lam", "alpha", "beta", "n")}


def plain_levels(found: Mapping[str, float]) -> dict[str, float | str | None]:
    """Return levels as values for JSON: "inf" for ∞, None for NaN.

    Examples
    --------
    >>> plain_levels({"ldp": math.inf, "rldp": math.nan, "lip": 0.5})
    {'ldp': 'inf', 'rldp': None, 'lip': 0.5}
    """
    return {key: _plain(value) for key, value in found.items()}


def level_units(keys: Iterable[str]) -> dict[str, str]:
    """Return the unit of each level: "nats", or "" for a plain number.

    Examples
    --------
    >>> level_units(["lip", "guess"])
    {'lip': 'nats', 'guess': ''}
    """
    return {key: "nats" if notions.entry(key).in_nats else "" for key in keys}


def _plain(value: float | None) -> float | str | None:
    if value is None or math.isnan(value):
        return None
    return value if math.isfinite(value) else "inf"


def plain_coding(coding: Coding) -> dict[str, Any]:
    """Return how records become symbols, as values for JSON.

    Where a column's rare levels are grouped, the groups' names are there too, and the other levels
    where whole symbols are grouped as well; hierarchies are those of the scenario.
    """
    groups: dict[str, Any] = {}
    if coding.rare:
        groups["groups"] = [name or None for name in coding.rare]
    if coding.kept:
        groups["kept"] = [None if one is None else list(one) for one in coding.kept]
    return groups | {
        "columns": list(coding.columns),
        "edges": [None if cut is None else list(cut.edges) for cut in coding.bins],
        "symbols": [
            {"label": label, "rare": rare, "levels": list(values)}
            for label, (rare, values) in zip(coding.labels, coding.keys, strict=True)
        ],
    }


def fingerprint(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a certificate without its fingerprint.

    Examples
    --------
    >>> fingerprint({"b": 1, "a": 2, "fingerprint": "x"}) == fingerprint({"a": 2, "b": 1})
    True
    """
    rest = {key: value for key, value in body.items() if key != "fingerprint"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


@cache
def code_hash() -> str:
    """Return the SHA-256 of the source files of `core`, which identifies its version."""
    root = Path(__file__).parents[1]
    said = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        said.update(path.relative_to(root).as_posix().encode())
        said.update(path.read_bytes())
    return said.hexdigest()
