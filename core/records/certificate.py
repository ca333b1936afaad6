"""The certificate of a release: how it was made, what it promises to whom and what it does not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from core.codec import plain_json
from core.data.readers.reading import Upload
from core.data.spec import WITHHELD
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import Mechanism
from core.records.applying import Applied, write
from core.records.design import FORMATS, OWNERS, Plan
from core.records.draws import Keyed
from core.records.fields import (
    EACH,
    FOR_EACH,
    KIND,
    SEVERAL,
    VERSION,
    but,
    level_units,
    plain_attack,
    plain_beside,
    plain_numbers,
    plain_persons,
)
from core.records.files import checked_kind, file_hash, replacing
from core.records.for_each import ResultForEach, designed_for_each
from core.records.formed import known_of
from core.records.left_out import (
    commitments,
    marked_columns,
    nameless,
    release_text,
    shown_codings,
)
from core.records.other_columns import attacked, given_away
from core.records.readable import promises
from core.records.several import Several, check_plan, designed_for, level_of
from core.records.written import written
from core.release.attack import FOLDS
from core.release.beside import beside
from core.release.file_words import keeps
from core.release.in_turn import LEVELS
from core.release.repeats import draws
from core.scenario import Result, Scenario
from core.studies.side_by_side import SLOW_CELLS, levels, reference
from core.validation import FloatArray, IntArray
from core.wording import number_of

PACKAGE_VERSION = "0.1.0"
"""The version of this package, as in pyproject.toml."""

REPEATS = (2, 3)
"""Numbers of independent releases whose joint level the certificate lists."""


@dataclass(frozen=True, eq=False)
class Release:
    """A release to be certified; `same` says whether its mechanism was made for the `original`.

    `several`: where more columns are randomized separately; its first answer is the `result`.
    """

    result: Result
    original: Upload
    same: bool
    plan: Plan
    applied: Applied
    several: Several | None = None

    @property
    def whole(self) -> Scenario:
        """The question, about all columns that are randomized."""
        return self.result.scenario if self.several is None else self.several.whole

    @property
    def columns(self) -> tuple[Release, ...]:
        """The release of each column that is randomized, by itself."""
        if self.several is None:
            return (self,)
        drawn = (self.applied, *self.applied.further)
        return tuple(
            replace(self, result=result, applied=applied, several=None)
            for result, applied in zip(self.several.results, drawn, strict=True)
        )


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
    several: Several | None = None,
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
    several : Several, optional
        The answers for the columns that the plan randomizes separately, if they are known.

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
        release = write_release(
            *(result, original, fresh, checked_kind(target), plan),
            several=several,
            progress=progress,
        )
        body = certificate(release, fresh)
    return Made(release.applied, body)


def write_release(
    result: Result,
    original: Upload,
    path: Path,
    kind: str,
    plan: Plan,
    *,
    same: bool = True,
    several: Several | None = None,
    progress: Callable[[int], None] | None = None,
) -> Release:
    """Write a release as `core.records.applying.write` does, and return it to be certified."""
    if several is not None or plan.randomize:
        check_plan(plan, same=same)
    elif plan.for_each:
        check_plan(plan, same=same, what="Mechanisms for known values are used")
        if not isinstance(result, ResultForEach):
            result = designed_for_each(result, original.table, plan.for_each)
        others = (*plan.known, *result.scenario.data.known)
        plan = replace(plan, known=tuple(dict.fromkeys(others)))
    if several is None and plan.randomize:
        several = designed_for(result, original.table, plan.randomize)
    first, *further = (result,) if several is None else several.results
    applied = write(first, original, path, kind, plan, progress=progress, further=further)
    return Release(first, original, same, plan, applied, several)


def _check_counts(cells: IntArray | None, joint: Joint) -> None:
    """Raise unless the records' symbols, as they were coded, are those that were counted."""
    if cells is None or joint.n is None:
        return
    if joint.weighted:  # which records a pair has is known, not how many
        cells, counted = (cells > 0).astype(np.int64), (joint.p > 0).astype(np.int64)
    else:
        counted = np.rint(joint.p * joint.n).astype(np.int64)
    wrong = np.argwhere(cells != counted)
    if len(wrong):
        s, x = wrong[0]
        raise InvalidInputError(
            f"{number_of(int(cells[s, x]), 'record')} of S = {joint.s_labels[s]!r} and X = "
            f"{joint.x_labels[x]!r} would be released, but {int(counted[s, x]):,} were counted: "
            "the mechanism does not fit them, so nothing is released."
        )


def certificate(release: Release, released: Path) -> dict[str, Any]:
    """Return the certificate of a release to a file, which is hashed, as values for JSON."""
    applied, table, draw = release.applied, release.original.table, release.plan.draw
    for column in release.columns if release.same else ():
        _check_counts(column.applied.cells, column.result.joint)
    unknown, sha256 = sum(n for _, n in applied.unknown), file_hash(released)
    design = _design(release, sha256)
    body = {
        "kind": KIND,
        "version": VERSION,
        "code": {"version": PACKAGE_VERSION, "sha256": code_hash()},
        "scenario": _scenario(release, hides="left_out" in design),
        "original": {
            "commitment": draw.committed(release.original.sha256),
            "records": applied.records,
            "filtered": applied.filtered,
        }
        | ({"persons": table.most} if table.person else {}),
        "released": {
            "sha256": sha256,
            "records": applied.released,
            "column": applied.column,
            "columns": list(applied.written),
            "treatment": release.plan.columns,
            "format": FORMATS[applied.kind],
        },
        "unknown": {"treatment": release.plan.unknown, "records": unknown},
        "draw": {
            "kind": draw.kind,
            "commitment": draw.commitment,
            "id": draw.column if isinstance(draw, Keyed) else None,
            "mechanism": applied.drawn_for,
        },
        "design": design,
        "mechanism": _mechanism(release.result.mechanism, release.result.joint),
        "levels": _levels(release),
        "beside": _beside(release),
        "proof": _proof(release.result.mechanism, release.result.scenario.purpose),
    }
    if release.several is not None:
        body = _of_several(body, release, release.several)
    elif isinstance(release.result, ResultForEach):
        body = _of_each(body, release, release.result)
    body["promises"] = promises(body)
    return body | {"fingerprint": fingerprint(body)}


def _mechanism(mechanism: Mechanism, joint: Joint) -> dict[str, Any]:
    return {
        "name": mechanism.name,
        "inputs": list(joint.x_labels),
        "reads_s": len(mechanism.kernel) != joint.n_x,
        "outputs": list(mechanism.y_labels),
        **written(mechanism.kernel),
    }


def _proof(mechanism: Mechanism, purpose: str) -> dict[str, Any]:
    return {
        "purpose": purpose,
        "utility": mechanism.utility,
        "information": mechanism.information,
        "upper_bound": plain_json(mechanism.upper_bound),
        "gap": plain_json(mechanism.gap),
        "status": mechanism.status,
        "solver": mechanism.solver,
        "notes": list(mechanism.notes),
    }


def _of_several(body: dict[str, Any], release: Release, several: Several) -> dict[str, Any]:
    """Return a certificate with its columns in the place of the first one's entries."""
    design, plan = dict(body["design"]), release.plan
    secret, _ = design.pop("coding")
    del design["marked"]
    columns = []
    for column, added in zip(release.columns, several.in_turn.added, strict=True):
        own = _design(column, body["released"]["sha256"])
        columns.append(
            {
                "column": column.applied.column,
                "eps": plain_json(column.result.scenario.eps),
                "coding": own["coding"][1],
                "marked": own["marked"],
                "draw": column.applied.drawn_for,
                "added": plain_json(added),
                "mechanism": _mechanism(column.result.mechanism, column.result.joint),
                "proof": _proof(column.result.mechanism, column.result.scenario.purpose),
            }
        )
    return {
        **but(body, "mechanism", "proof"),
        "version": SEVERAL,
        "released": but(body["released"], "column"),
        "draw": but(body["draw"], "mechanism"),
        "design": design | {"coding": [secret]},
        "columns": columns,
        "known": None if several.known is None else known_of(several.known, several.whole, plan),
    }


def _of_each(body: Mapping[str, Any], release: Release, result: ResultForEach) -> dict[str, Any]:
    """Return a certificate with the groups' mechanisms in the place of the one of all pairs."""
    each, table, groups = result.each, result.joint.known, []
    assert table is not None
    records = np.bincount(table.k, table.weight, table.shape[2])
    parts = zip(result.values, each.groups, each.mechanisms, each.joints, strict=True)
    for values, group, mechanism, joint in parts:
        notion = mechanism.notion
        assert notion is not None
        groups.append(
            {
                "values": list(values),
                "records": round(float(records[group].sum())),
                "level": plain_json(notion.achieved(joint, mechanism.kernel)),
                "mechanism": _mechanism(mechanism, joint),
                "proof": _proof(mechanism, result.scenario.purpose),
            }
        )
    return {
        **but(body, "mechanism", "proof"),
        "version": FOR_EACH,
        "design": body["design"] | {"x": list(result.counted.alone.joint.x_labels)},
        "known": known_of(result.counted.known, result.scenario, release.plan),
        "groups": groups,
    }


def _design(release: Release, released: str) -> dict[str, Any]:
    """Return what the mechanism was made for, without the names of symbols that are left out.

    `released`: the SHA-256 of the released file.
    """
    counted, data = release.result.counted, release.result.scenario.data
    committed = release.plan.draw.committed
    design = {
        "data": counted.report.title,
        "same": release.same,
        "records": counted.joint.n,
        "s": list(counted.joint.s_labels),
    }
    about = release_text(committed(release.original.sha256), released)
    hidden = commitments(data, committed, about) if data.left_out else None
    shown = shown_codings(counted, data, committed)
    design |= {"coding": shown, "marked": marked_columns(counted, shown, data, same=release.same)}
    return design if hidden is None else design | {"left_out": hidden}


def _scenario(release: Release, *, hides: bool) -> dict[str, Any]:
    """Return the scenario, with a commitment in place of the hash of the file that it is about."""
    scenario = release.whole
    stands = release.plan.draw.committed(scenario.data.hashed) or WITHHELD
    data = scenario.data.undisclosed(stands)
    disclosed = replace(scenario, data=nameless(data) if hides else data)
    plain: dict[str, Any] = disclosed.to_dict()
    return plain


def _levels(release: Release) -> dict[str, Any]:
    """Return the levels: of the notion requested, of every notion, of repeated draws."""
    result, several = release.result, release.several
    joint, mechanism, scenario = result.joint, result.mechanism, release.whole
    kernel, numbers = mechanism.kernel, reference([scenario])
    # a mechanism may have been made for another notion, such as one that is easier to keep
    notion = None if mechanism.notion is None else scenario.build_notion(joint)
    if several is not None:
        achieved, holds = level_of(scenario, several.levels), several.holds
    elif notion is not None:
        achieved, holds = notion.achieved(joint, kernel), notion.holds(joint, kernel)
    report: dict[str, Any] = {
        "asked": None
        if notion is None
        else {
            "notion": str(notion),
            "achieved": plain_json(achieved),
            "unit": notion.level_unit,
            "holds": holds,
        },
        "numbers": plain_numbers(numbers),
        "design": {},
        "units": {},
        "records": None,
        "repeated": {},
    }
    if several is not None:
        design = several.levels
        report["known"] = plain_json(several.in_turn.alone)
        report["exact"] = several.in_turn.together is not None
    elif isinstance(result, ResultForEach):
        assert joint.known is not None
        figures = beside(joint.known, kernel)
        design = {key: figures.added[key] for key in LEVELS}
        report["known"] = plain_json({key: figures.known[key] for key in LEVELS})
    else:
        quick = kernel.size < SLOW_CELLS
        design = levels(joint, kernel, numbers, slow=quick)
        if notion is not None and release.plan.draw.kind == "seed":
            for k in REPEATS:
                drawn = draws(joint, kernel, notion, k)
                both = {"level": drawn.level, "at_most": drawn.at_most}
                report["repeated"][str(k)] = plain_json(both)
        if release.original.table.most > 1:
            report["persons"] = plain_persons(release.applied.persons, joint, kernel)
        own = _own_joint(release.applied.cells, joint, kernel)
        if own is not None and (joint.weighted or not release.same):
            report["records"] = plain_json(levels(*own, numbers, slow=quick))
    return report | {"design": plain_json(design), "units": level_units(design)}


def _beside(release: Release) -> dict[str, Any] | None:
    """Return what the columns beside Y reveal; None without any, without S, or where all stay."""
    result, applied, plan = release.result, release.applied, release.plan
    outputs = (applied.column, *(own.column for own in applied.further))
    further = () if release.several is None else release.several.results[1:]
    written = [name for name in applied.written if name not in outputs]
    names = [*written, *(name for name in plan.known if name not in written)]
    if not names or applied.cells is None or plan.columns == OWNERS:
        return None
    groups = [(name,) for name in names] if 1 < len(names) <= EACH else []
    table, of_text = release.original.table, applied.kind != "Parquet"
    *singly, together = given_away(
        *(result, table, [*groups, tuple(names)]),
        unknown=plan.unknown,
        of_text=of_text,
        further=further,
    )
    counted = together.records
    if counted is None or not applied.cells.sum() <= counted <= applied.released:
        raise InvalidInputError(
            f"The columns next to Y were counted for {counted} records, but {applied.released:,} "
            "would be released: nothing is released."
        )
    plain = {name: plain_beside(figures) for (name,), figures in zip(groups, singly, strict=True)}
    promised = result.mechanism.notion is not None
    notion = release.whole.build_notion(result.joint) if promised else None
    guess = None
    if counted >= FOLDS:
        attack = attacked(
            *(result, table, names), unknown=plan.unknown, of_text=of_text, further=further
        )
        guess = plain_attack(attack)
    certain = {"certain": together.certain} if isinstance(result, ResultForEach) else {}
    return certain | {
        "columns": written,
        "known": names[len(written) :],
        "records": together.records,
        "holds": keeps(together, notion),
        "each": plain,
        "together": plain_beside(together),
        "attack": guess,
    }


def _own_joint(cells: Any, joint: Joint, kernel: FloatArray) -> tuple[Joint, FloatArray] | None:
    """Return the joint of released cells (n_s, n_x), if any, and the kernel's rows for it."""
    if cells is None or cells.sum() == 0:
        return None
    own = Joint.from_counts(cells, joint.s_labels, joint.x_labels)
    if len(kernel) == joint.n_x:
        return own, kernel[own.kept_x]
    cube = kernel.reshape(joint.n_s, joint.n_x, -1)
    return own, cube[own.kept_s][:, own.kept_x].reshape(own.n_s * own.n_x, -1)


def fingerprint(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a certificate without its fingerprint, as JSON with sorted keys."""
    rest = but(body, "fingerprint")
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


@cache
def code_hash() -> str:
    """Return the SHA-256 of the source files of `core`, which identifies its version."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
