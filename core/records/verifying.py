"""Check a certificate against the files that it describes, computing its figures again."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.data import Sources
from core.errors import InvalidInputError
from core.joint import Joint
from core.records import formulas
from core.records.certificate import PACKAGE_VERSION, REPEATS, code_hash
from core.records.checks import Check, replayed
from core.records.consistency import ALARM, consistency
from core.records.fields import check_form
from core.records.promises import stated
from core.records.recount import Recount, read_columns, recount
from core.release.repeats import draws
from core.scenario import Scenario
from core.scenario.json_text import read_json
from core.spreadsheets import safe_text
from core.studies.side_by_side import levels, reference
from core.validation import FloatArray, IntArray
from core.wording import number_of

CLOSE = 1e-9
"""Largest difference of two equal figures, relative to the larger of them and 1: rounding."""


def verify(
    text: str, released: Path, original: Path | None = None, seed: str | None = None
) -> list[Check]:
    """Check a certificate, a released file and, where it is there, the original.

    Parameters
    ----------
    text : str
        The certificate's JSON.
    released : Path
        The released file.
    original : Path, optional
        The file that was released. Without it data, levels and draw are not checked.
    seed : str, optional
        The seed, which only the owner has: with it every draw is made again.

    Returns
    -------
    checks : list of Check
        All checks, with those that failed and those that could not be made.

    Raises
    ------
    InvalidInputError
        If the text is no certificate, or a file cannot be read.
    """
    body = read_json(text, "The certificate")
    check_form(body)
    scenario = Scenario.from_json(json.dumps(body["scenario"]))
    fit = _kernel(body)
    checks = [_fingerprint(body), _code(body), Check("promises", *stated(body)), fit]
    checks.append(_hash(body, "released", released))
    outputs, found = _outputs(body, released)
    checks += found
    if original is not None:
        checks.append(_hash(body, "original", original))
    if original is None or not fit.passed:
        names = ("data", "levels", "promise", "utility", "draw")
        why = "The original was not given" if original is None else "The kernel is none"
        unchecked = f"{why}, so this could not be checked."
        return [*checks, *(Check(name, None, unchecked) for name in names)]
    kernel = np.array(body["mechanism"]["kernel"], dtype=np.float64)
    counted, how = _recounted(body, scenario, original)
    checks.append(_counts(body, counted, how))
    checks += _levels(body, scenario, counted, kernel)
    checks.append(_draw(body, counted, outputs, kernel))
    if seed is not None:
        checks.append(replayed(body, counted, outputs, kernel, seed))
    return checks


def _fingerprint(body: Mapping[str, Any]) -> Check:
    rest = {key: value for key, value in body.items() if key != "fingerprint"}
    found = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    if found == body["fingerprint"]:
        return Check("certificate", True, "The certificate is as it was written.")
    return Check(
        "certificate", False, "The certificate was changed: its fingerprint is of another text."
    )


def _code(body: Mapping[str, Any]) -> Check:
    """Say whether this is the code that made the certificate; another one checks it too."""
    version, made = body["code"]["version"], body["code"]["sha256"]
    if made == code_hash():
        return Check("code", True, f"It was made by this code, version {version}.")
    return Check(
        "code",
        None,
        f"It was made by other code (version {version}, {made[:12]}), and this is version "
        f"{PACKAGE_VERSION}, {code_hash()[:12]}: all else is checked with this one.",
    )


def _kernel(body: Mapping[str, Any]) -> Check:
    kernel = body["mechanism"]["kernel"]
    inputs, outputs = len(body["mechanism"]["inputs"]), len(body["mechanism"]["outputs"])
    rows = inputs * (len(body["design"]["s"]) if body["mechanism"]["reads_s"] else 1)
    if rows == 0 or outputs == 0:
        return Check("kernel", False, "The certificate names no inputs or no outputs.")
    if len(kernel) != rows or any(len(line) != outputs for line in kernel):
        return Check(
            "kernel",
            False,
            f"The kernel is for another alphabet: it has {len(kernel)} rows, and {rows} rows with "
            f"{outputs} outputs are named.",
        )
    for row, line in enumerate(kernel):
        if not min(line) >= 0 or not abs(math.fsum(line) - 1) <= CLOSE:
            return Check("kernel", False, f"Row {row + 1} of the kernel is no distribution.")
    return Check("kernel", True, f"The kernel has {rows} rows, each a distribution.")


def _hash(body: Mapping[str, Any], which: str, path: Path) -> Check:
    name = f"{which} file"
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{str(path)!r} cannot be read: {error}.") from error
    if found == body[which]["sha256"]:
        return Check(name, True, f"{path.name} is the {which} file, byte by byte.")
    return Check(
        name,
        False,
        f"{path.name} is not the {which} file of the certificate, or was changed since.",
    )


def _outputs(body: Mapping[str, Any], path: Path) -> tuple[IntArray, list[Check]]:
    """Return the index of each record's output, −1 where it is none, and the checks of them."""
    name = body["released"]["column"]
    columns, size = read_columns(path, [name, safe_text(name)])
    if not columns:
        raise InvalidInputError(f"{path.name} has no column {name!r}, where Y should be.")
    labels = body["mechanism"]["outputs"]
    place = {safe_text(label): y for y, label in enumerate(labels)}  # as text files have them
    place |= {label: y for y, label in enumerate(labels)}
    column = columns[name] if name in columns else columns[safe_text(name)]
    codes = np.array([*(place.get(value, -1) for value in column.values), -1], dtype=np.int64)
    outputs: IntArray = codes[column.index]
    expected = body["released"]["records"]
    checks = []
    if size == expected:
        checks.append(Check("records", True, f"{path.name} has {number_of(size, 'record')}."))
    else:
        said = f"{path.name} has {number_of(size, 'record')}, the certificate says {expected:,}."
        checks.append(Check("records", False, said))
    wrong = np.flatnonzero(outputs < 0)
    if len(wrong):
        value = column.values[int(column.index[wrong[0]])]
        checks.append(
            Check(
                "outputs",
                False,
                f"{value!r} is no output of the mechanism: {number_of(len(wrong), 'record')} in "
                f"all have none, record {int(wrong[0]) + 1:,} first.",
            )
        )
    else:
        checks.append(Check("outputs", True, "Every record has an output of the mechanism."))
    return outputs, checks


def _recounted(body: Mapping[str, Any], scenario: Scenario, original: Path) -> tuple[Recount, str]:
    """Count the original again, with the library's own readers if it is no plain file."""
    try:
        return recount(body, scenario.data, original), ""
    except InvalidInputError:
        sources = Sources()
        table = sources.uploads[sources.add_file(original)].table
        counted = recount(body, scenario.data, table.paths[0], table.columns)
        return counted, " It was read by the library's own code, being no plain UTF-8 or Parquet."


def _counts(body: Mapping[str, Any], counted: Recount, how: str) -> Check:
    """Check how many records were read, filtered, unknown and released."""
    released = len(counted.rows)
    pairs = (
        ("records", counted.records, body["original"]["records"]),
        ("records outside the filters", counted.filtered, body["original"]["filtered"]),
        ("records with unknown values", counted.unknown, body["unknown"]["records"]),
        ("records to release", released, body["released"]["records"]),
    )
    for what, found, said in pairs:
        if found != said:
            return Check(
                "data", False, f"The original has {found:,} {what}, the certificate says {said:,}."
            )
    return Check(
        "data",
        True,
        f"Counted again: {number_of(counted.records, 'record')}, of which {released:,} are to be "
        f"released.{how}",
    )


def _levels(
    body: Mapping[str, Any], scenario: Scenario, counted: Recount, kernel: FloatArray
) -> list[Check]:
    """Check the levels for the original's records, and whether the promise is kept."""
    same = body["design"]["same"]
    said = body["levels"]["design" if same else "records"]
    if counted.cells is None or said is None or not counted.cells.any():
        return [Check("levels", None, "Without S in the original no level can be computed.")]
    reads_s = bool(body["mechanism"]["reads_s"])
    joint_sy = formulas.released(counted.cells, kernel, reads_s)
    own = formulas.plain_levels(joint_sy)
    wrong = [key for key, value in own.items() if not _close(value, said.get(key))]
    checks = [_told("levels", wrong, said, own, f"{len(own)} levels, by independent formulas")]
    joint, rows = _joint(body, counted, kernel)
    others = levels(joint, rows, reference([scenario]))
    others = {key: value for key, value in others.items() if key not in own}
    told = {key: None if math.isnan(value) else value for key, value in others.items()}
    if same:
        again, repeated = _repeated(body, scenario, joint, rows)
        told, said = told | again, said | repeated
    wrong = [key for key, value in told.items() if key in said and not _close(value, said.get(key))]
    checks.append(
        _told("other levels", wrong, said, told, f"{len(told)} levels, by the library's own code")
    )
    if same:
        checks += [_asked(body, scenario, joint, rows), _utility(body, counted, kernel)]
    else:
        text = "The mechanism was made for other data, which would be needed to check its promise."
        checks += [Check("promise", None, text), Check("utility", None, text)]
    return checks


def _repeated(
    body: Mapping[str, Any], scenario: Scenario, joint: Joint, kernel: FloatArray
) -> tuple[dict[str, float | None], dict[str, Any]]:
    """Return the levels of repeated releases, computed again and as the certificate says them."""
    said = {k: one for k, one in body["levels"]["repeated"].items() if k.isdecimal()}
    notion = scenario.build_notion(joint)
    found: dict[str, float | None] = {
        f"{k} releases": draws(joint, kernel, notion, int(k)).level
        for k in said
        if 1 < int(k) <= max(REPEATS)
    }
    return found, {
        f"{k} releases": one.get("level") if isinstance(one, dict) else one
        for k, one in said.items()
    }


def _told(
    name: str, wrong: list[str], said: Mapping[str, Any], found: Mapping[str, Any], what: str
) -> Check:
    if not wrong:
        return Check(name, True, f"The same once more: {what}.")
    key = wrong[0]
    return Check(name, False, f"The level of {key!r} is {found[key]}, not {said.get(key)}.")


def _close(found: float | None, said: Any) -> bool:
    """Say whether a figure is what a certificate says."""
    if found is None or said is None:
        return found is None and said is None
    if not isinstance(said, int | float) and said != "inf":
        return False
    value = math.inf if said == "inf" else float(said)
    if math.isinf(found) or math.isinf(value):
        return found == value
    return abs(found - value) <= CLOSE * max(1.0, abs(found), abs(value))


def _joint(
    body: Mapping[str, Any], counted: Recount, kernel: FloatArray
) -> tuple[Joint, FloatArray]:
    """Return the joint of the recount, and the kernel's rows for its symbols."""
    assert counted.cells is not None
    joint = Joint.from_counts(counted.cells, body["design"]["s"], body["mechanism"]["inputs"])
    if not body["mechanism"]["reads_s"]:
        return joint, kernel[joint.kept_x]
    cube = kernel.reshape(*counted.cells.shape, -1)
    return joint, cube[joint.kept_s][:, joint.kept_x].reshape(joint.n_s * joint.n_x, -1)


def _asked(body: Mapping[str, Any], scenario: Scenario, joint: Joint, kernel: FloatArray) -> Check:
    """Check that the scenario's notion holds, at the level that the certificate says."""
    asked = body["levels"]["asked"]
    if asked is None:
        return Check("promise", None, "No promise was asked of this mechanism.")
    notion = scenario.build_notion(joint)
    if str(notion) != asked.get("notion"):
        return Check("promise", False, f"The scenario asks {notion}, not {asked.get('notion')}.")
    reached = notion.achieved(joint, kernel)
    if not notion.holds(joint, kernel):
        return Check("promise", False, f"{notion} is broken: it is reached only at {reached:.6g}.")
    if not _close(reached, asked.get("achieved")):
        return Check(
            "promise", False, f"{notion} is reached at {reached:.9g}, not {asked.get('achieved')}."
        )
    return Check("promise", True, f"{notion} is kept: level {reached:.6g}.")


def _utility(body: Mapping[str, Any], counted: Recount, kernel: FloatArray) -> Check:
    """Check I(X;Y), and that the utility is at most its bound, which is not proven again."""
    proof = body["proof"]
    assert counted.cells is not None
    found = formulas.kept_information(counted.cells, kernel, bool(body["mechanism"]["reads_s"]))
    if not _close(found, proof["information"]):
        return Check("utility", False, f"I(X;Y) is {found:.9g} nats, not {proof['information']}.")
    bound = math.inf if proof["upper_bound"] == "inf" else proof["upper_bound"]
    if isinstance(bound, str) or not proof["utility"] <= bound + CLOSE:
        return Check(
            "utility", False, f"The utility {proof['utility']} is not within its bound {bound}."
        )
    text = f"I(X;Y) is {found:.6g} nats; the bound on what can be kept was not proven again."
    return Check("utility", True, text)


def _draw(
    body: Mapping[str, Any], counted: Recount, outputs: IntArray, kernel: FloatArray
) -> Check:
    """Test whether the outputs can be draws from the kernel."""
    if (
        len(outputs) != len(counted.rows)
        or (outputs < 0).any()
        or counted.rows.max() >= len(kernel)
    ):
        text = "The released records are not those of the original, so the draw cannot be theirs."
        return Check("draw", False, text)
    found = consistency(counted.rows, outputs, kernel)
    if found.impossible is not None:
        row, y = found.impossible
        label = body["mechanism"]["outputs"][y]
        return Check(
            "draw",
            False,
            f"The kernel gives {label!r} to no record of its row {row + 1}: one has it.",
        )
    told = f"p = {found.cells:.3g} cell by cell, {found.totals:.3g} in all"
    if found.holds:
        return Check(
            "draw",
            True,
            f"The outputs are consistent with the kernel ({told}; a true release fails once in "
            f"{1 / ALARM:,.0f}).",
        )
    return Check(
        "draw",
        False,
        f"The outputs are not those of the kernel ({told}; a true release fails once in "
        f"{1 / ALARM:,.0f}).",
    )


def failed(checks: list[Check]) -> list[Check]:
    """Return the checks that failed."""
    return [one for one in checks if one.passed is False]
