"""Check a certificate against the files that it describes, computing its figures again."""

from __future__ import annotations

import csv
import math
import mmap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.codec import read_json
from core.data import ReadOptions, Sources
from core.data.counts.report import Counted
from core.data.readers.reading import Upload
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.limits import CLOSE
from core.records import written
from core.records.certificate import PACKAGE_VERSION, code_hash, fingerprint
from core.records.checking.check import Check, UncheckedError, WrongError, check_named, reworded
from core.records.checking.contents import (
    Design,
    Original,
    Rows,
    check_alone,
    check_cells,
    check_codings,
    check_columns,
    check_design,
    design_of,
    disclosed,
)
from core.records.checking.drawn import (
    OTHER_MECHANISM,
    Owner,
    drawn,
    drawn_for,
    keyed,
    other_secret,
    replayed,
)
from core.records.checking.figures import (
    check_level_numbers,
    check_levels,
    check_notion,
    check_promise,
    check_proof,
    check_utility,
    joint_of,
)
from core.records.checking.in_parts import (
    Part,
    by_groups,
    check_groups,
    check_in_turn,
    check_proof_in_turn,
    in_their_turn,
)
from core.records.checking.other_columns import Read, check_other_columns
from core.records.checking.persons import NAME, check_person_levels
from core.records.design import FORMATS
from core.records.fields import (
    LINKED,
    PLAIN_HASH,
    VERSION,
    VERSIONS,
    check_form,
    of_each,
    of_groups,
    of_known,
    outputs_of,
)
from core.records.files import check_whole, file_hash, is_parquet
from core.records.for_each import check_for_each
from core.records.readable import PROMISED, group_title, promises
from core.records.recount import Column as ReadColumn
from core.records.recount import Recount, most_of_one, read_columns, recount, texts_of
from core.records.several import check_question, spec_of
from core.release.in_turn import MOST_TOGETHER
from core.scenario import Scenario
from core.spreadsheets import safe_text
from core.validation import FloatArray, IntArray
from core.wording import listed, number_of

RESTS = {
    "the file": (
        *("kernel", "outputs", "codings", "columns", "cells", "nothing else", "data", "design"),
        *("notion", "promise", "draw", "beside", "attack", "exposed"),
    ),
    "one record": (
        *("kernel", "outputs", "codings", "columns", "data", "design", "notion", "promise"),
        *("draw", "exposed"),
    ),
    "sampling error": (
        *("kernel", "codings", "data", "design", "numbers", "notion", "promise", "draw"),
        *("levels", "other levels", "design levels", "other design levels"),
    ),
    "repeated releases": ("data", "draw", "key", "exposed"),
    "other columns": ("columns", "cells", "nothing else"),
}
"""The checks that each promise rests on, by what it is about."""

OF_GROUPS = (
    *("beside", "attack", "design", "levels", "promise", "utility", "proof", "draw", "cells"),
    "nothing else",
)
"""Checks that are not made where the original does not fit the groups of a certificate."""

WRITTEN = ("format", "records", "outputs", "columns", "data", "cells")
"""Checks that a released file must pass before it is written again to compare bytes."""


EXPOSED = (
    "This certificate, of an earlier version, holds the plain SHA-256 of the original: anyone "
    "who has it and the released file can test guesses of the whole original until one fits. "
    "Release again before you publish it."
)
"""What a certificate up to version `PLAIN_HASH` gives away."""

LINKS = (
    "This certificate is of an earlier version. Two such releases by one seed or key may share "
    "random numbers, and then X differs wherever Y does: do not publish both. The bytes of the "
    "released file are not compared as fully as in version 6."
)
"""What a certificate up to version `LINKED` leaves open."""


def verify(
    text: str,
    released: Path,
    original: Path | None = None,
    seed: str | None = None,
    *,
    design: Path | str | None = None,
    key: Path | bytes | None = None,
) -> list[Check]:
    """Check a certificate, a released file and, where it is given, the original.

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
    design : Path or str, optional
        The file that the mechanism was made for, where that is neither the original nor bundled;
        or the table of a data base, as the scenario names it.
    key : Path or bytes, optional
        A keyed draw's key, which only the owner has, or the file that holds it.

    Returns
    -------
    checks : list of Check
        All checks, with those that failed and those that could not be made.

    Raises
    ------
    InvalidInputError
        If the text is no certificate, or a file cannot be read.
    """
    if original is not None and not original.is_file():
        raise InvalidInputError(f"There is no file {str(original)!r}.")
    body = read_json(text, "The certificate")
    check_form(body)
    check_whole(released)
    parts, scenario = of_each(body), Scenario.from_dict(body["scenario"])
    scenarios = [Scenario.from_dict(part["scenario"]) for part in parts]
    specs = [own.data for own in scenarios]
    if "columns" in body:
        check_question(scenario)
    elif "groups" in body:
        check_for_each(scenario)
    fits = [_kernel(part) for part in of_groups(body)]
    named = [group_title(group) for group in body.get("groups", ())]
    done = [_fingerprint(body), _code(body), _stated(body)]
    done += _joined(body, fits, names=named)
    done += [_hash(body, "released", released), *_format(body, released)]
    read_outputs = [_outputs(part, released) for part in parts]
    outputs = [codes for codes, _ in read_outputs]
    done += _joined(body, *zip(*(tests for _, tests in read_outputs), strict=True))
    codings = [check_codings(part, spec, original) for part, spec in zip(parts, specs, strict=True)]
    done += _joined(body, codings)
    owner, requested = Owner(body, seed, key), body["levels"]["asked"]
    done += [check_notion(requested, scenario)] if requested is not None else []
    done += [*_drawn_for(parts), *_left_open(body)]
    if original is not None:
        done.append(_original(body, original, owner))
    done.append(check_columns(body, specs, released, original))
    if original is None or not all(fit.passed for fit in fits):
        why = "The original was not given" if original is None else "The kernel is invalid"
        return _by_itself(done, owner, released, why)
    made_for = design_of(body, scenario.data, original, design, owner)
    if "left_out" in body["design"]:
        disclosure, whole = disclosed(body, scenario.data, made_for)
        done.append(disclosure)
        if whole is None:
            return _by_itself(done, owner, released, "Which records were left out is not known")
        body, scenario = whole, Scenario.from_dict(whole["scenario"])
    done += _with_original(body, scenario, Read(released, outputs, original), done, made_for)
    return [*done, *_unproven(body, done)]


def _with_original(
    body: Mapping[str, Any],
    scenario: Scenario,
    files: Read,
    before: Sequence[Check],
    design: Design,
) -> list[Check]:
    """Return all further checks where the original was given, after those before."""
    original, outputs, parts = files.original, files.outputs, of_each(body)
    scenarios = [Scenario.from_dict(part["scenario"]) for part in parts]
    kernels = [written.read(part["mechanism"]) for part in parts]
    sources = Sources()
    pairs = list(zip(parts, scenarios, strict=True))
    recounted = [_recounted(*pair, original, sources) for pair in pairs]
    counts, (_, how, read) = [count for count, _, _ in recounted], recounted[0]
    done = _joined(body, [_counts(*pair, how) for pair in zip(parts, counts, strict=True)])
    known, of_known, groups = None, list[Check](), None
    if "columns" in body or "groups" in body:
        known, of_known = _known(body, scenario, original, design, sources)
    if "groups" in body:
        fit = None if known is None else by_groups(body, scenario, counts[0], known)
        if fit is None:
            return [*done, *_without_groups()]
        counts, groups = [fit[0]], fit[1]
    places = counts[0].places
    done.append(check_cells(body, files.released, read, places))
    rows, passed = None, {test.name: test.passed for test in [*before, *done]}
    if "format" in body["released"] and all(passed.get(name, True) for name in WRITTEN):
        rows = Rows(_as_read(original, scenario, sources), places, outputs)
    done.append(check_alone(body, files.released, rows))
    done += _beside(body, scenario, counts, kernels, files, sources)
    designs = [check_design(part, own.data, design) for part, own in pairs]
    matched, libraries = map(list, zip(*designs, strict=True))
    names = () if groups is None else ("X", OTHERS)
    done += _joined(body, [*matched, *of_known], names=names)
    cells, library = counts[0].weights if body["design"]["same"] else None, libraries[0]
    if design.path is not None and not body["design"]["same"]:
        cells = _recounted(body, scenario, design.path, sources)[0].weights
    if cells is None and library is not None:  # a data base is counted by the library alone
        cells = np.rint(library.joint.p * (library.joint.n or 0))
    done += _persons(body, scenario, counts[0], read, kernels[0], (cells, library))
    done.append(check_level_numbers(body, scenario))
    if groups is not None:
        titles = [group_title(group) for group in body["groups"]]
        done += _joined(body, *check_groups(body, scenario, groups, library), names=titles)
    elif "columns" in body:
        turns = in_their_turn(
            *(pairs, kernels, counts, known, len(body["design"]["s"])),
            len(body["known"]["inputs"]) if body["known"] else 1,
        )
        done += check_in_turn(body, scenario, turns)
        done += _proofs(body, pairs, counts, libraries, kernels, turns)
    else:
        done += check_levels(body, scenario, counts[0].cells, cells, library, kernels[0])
        done += check_promise(body, scenario, cells, library, kernels[0])
        done.append(check_proof(body, scenario, library, kernels[0]))
    owners = [replace(design.owner, body=part) for part in of_each(design.owner.body)]
    each = zip(parts, owners, counts, outputs, kernels, strict=True)
    draws = [_draws(part, own, count, read, y, kernel) for part, own, count, y, kernel in each]
    return [*done, *_joined(body, *zip(*draws, strict=True))]


def _without_groups() -> list[Check]:
    """Return the checks of groups that the records do not fit."""
    text = "The records do not fit the groups of what others know, their X or their number."
    return [Check("groups", False, text), *(Check(name, None, text) for name in OF_GROUPS)]


def _known(
    body: Mapping[str, Any],
    scenario: Scenario,
    original: Path,
    design: Design,
    sources: Sources,
) -> tuple[Recount | None, list[Check]]:
    """Return a new count of what others know, if anything, with the check of its symbols."""
    part = of_known(body)
    if (part is not None) != bool(scenario.data.known):
        text = "The columns that others know are not those of the scenario."
        return None, [Check("design", False, text)]
    if part is None:
        return None, []
    spec = spec_of(scenario.data, scenario.data.known)
    counted, _, _ = _recounted(part, replace(scenario, data=spec), original, sources)
    coded = check_codings(part, spec, original)
    if not coded.passed:
        return counted, [replace(coded, name="design")]
    return counted, [check_design(part, spec, design)[0]]


def _proofs(
    body: Mapping[str, Any],
    pairs: Sequence[tuple[dict[str, Any], Scenario]],
    counts: Sequence[Recount],
    libraries: Sequence[Counted | None],
    kernels: Sequence[FloatArray],
    turns: Sequence[Part] | None,
) -> list[Check]:
    """Check what each column of several keeps, and that no other mechanism keeps more."""
    utilities = []
    for (part, own), count, library, kernel in zip(pairs, counts, libraries, kernels, strict=True):
        if count.cells is None or not count.cells.any():
            text = "This cannot be checked without S in the original."
            utilities.append(Check("utility", None, text))
        else:
            utilities.append(check_utility(part, own, count.cells, library, kernel))
    if turns is None:
        text = "The proof cannot be checked without the levels."
        proofs = [Check("proof", None, text)] * len(pairs)
    else:
        proofs = [check_proof_in_turn(*own) for own in zip(turns, libraries, strict=True)]
    return _joined(body, utilities, proofs)


SPELLED_OUT = 5
"""Most groups or columns that the sentence of a check is about; the others are counted."""

OTHERS = "What others know"
"""What a check of columns that others know is named in a sentence."""


def _joined(
    body: Mapping[str, Any], *alike: Sequence[Check], names: Sequence[str] = ()
) -> list[Check]:
    """Return one check for each name; of several columns the worst, with what is said of these.

    `names`: of what each is about; by default the columns of Y, and what others know.
    """
    result: list[Check] = []
    names = names or [*map(repr, outputs_of(body)), OTHERS]
    for checks in alike:
        if len(checks) == 1:
            result += checks
            continue
        passed = min((check.passed for check in checks), key=(False, None, True).index)
        sentences = [
            f"{name}: {check.sentence}"
            for name, check in zip(names, checks, strict=False)
            if check.passed == passed
        ]
        more = f"{number_of(len(sentences) - SPELLED_OUT, 'other')} likewise."
        shown = [*sentences[:SPELLED_OUT], *([more] if len(sentences) > SPELLED_OUT else [])]
        result.append(Check(checks[0].name, passed, " ".join(shown)))
    return result


def drawn_by(text: str) -> str:
    """Return what a certificate's release was drawn by: "seed" or "key"."""
    body = read_json(text, "The certificate")
    check_form(body)
    kind: str = body["draw"]["kind"]
    return kind


def _beside(
    body: Mapping[str, Any],
    scenario: Scenario,
    counts: Sequence[Recount],
    kernels: Sequence[FloatArray],
    files: Read,
    sources: Sources,
) -> list[Check]:
    """Check what other columns reveal; earlier certificates do not state it."""
    if "beside" not in body:
        return []
    counted, kernel = counts[0], kernels[0]
    if body["beside"] is not None and len(counts) > 1:
        together = _together(counts, kernels)
        if together is None:
            text = (
                "The columns cannot be counted together: they have too many outputs, or not the "
                "same records."
            )
            return [Check("beside", None, text), Check("attack", None, text)]
        counted, kernel = together
    cells, notion = counted.weights, None
    if body["levels"]["asked"] is not None and cells is not None and cells.any():
        names = body["design"]["s"], of_each(body)[0]["mechanism"]["inputs"]
        joint = Joint.from_counts(cells, *names)
        # of a promise given what others know no figure says whether the file keeps it
        notion = None if scenario.data.known else scenario.build_notion(joint)
    if body["beside"] is not None and body["beside"]["known"]:
        table = _as_read(files.original, scenario, sources).table
        files = replace(files, original=table.paths[0], called=table.columns)
    return check_other_columns(body, counted, kernel, notion, files)


def _together(
    counts: Sequence[Recount], kernels: Sequence[FloatArray]
) -> tuple[Recount, FloatArray] | None:
    """Return several columns as one: a row for each combination of theirs, and all outputs."""
    same = all(np.array_equal(count.places, counts[0].places) for count in counts)
    if not same or math.prod(kernel.shape[1] for kernel in kernels) > MOST_TOGETHER:
        return None
    kinds: dict[tuple[int, ...], int] = {}
    every = zip(*(count.rows.tolist() for count in counts), strict=True)
    rows = np.array([kinds.setdefault(row, len(kinds)) for row in every], dtype=np.int64)
    whole = np.ones((len(kinds), 1))
    for kernel, own in zip(kernels, zip(*kinds, strict=True), strict=True):
        whole = np.array([np.kron(row, kernel[x]) for row, x in zip(whole, own, strict=True)])
    return replace(counts[0], rows=rows), whole


def _draws(
    body: Mapping[str, Any],
    owner: Owner,
    counted: Recount,
    read: Original,
    outputs: IntArray,
    kernel: FloatArray,
) -> list[Check]:
    """Test the outputs against the kernel, and draw them again with what the owner gives.

    `body` may have the names that the certificate withholds: a draw is for what it shows.
    """
    checks = [drawn(body, counted, outputs, kernel)]
    if body["draw"]["kind"] == "key":
        ids = texts_of(read.path, body["draw"]["id"], read.called)
        checks.append(keyed(owner.body, counted, outputs, kernel, ids, owner.key))
    elif owner.key is not None:
        checks.append(Check("key", False, "The release was drawn with a seed, not with a key."))
    if owner.seed is not None:
        checks.append(replayed(owner.body, counted, outputs, kernel, owner.seed, body))
    elif body["draw"]["kind"] == "seed":
        text = "You did not give the seed, so the draws were not repeated."
        checks.append(Check("seed", None, text))
    return checks


def _by_itself(checks: list[Check], owner: Owner, released: Path, why: str) -> list[Check]:
    """Return all checks where the original or a kernel is missing, by the reason `why`."""
    checks = [*checks, check_alone(owner.body, released)]
    names = ["cells", "data", "design", "levels", "promise", "utility", "proof", "draw"]
    if owner.body.get("beside"):
        names += ["beside", "attack"]
    if "persons" in owner.body["original"]:
        names.append("persons")
    if "persons" in owner.body["levels"]:
        names.append(NAME)
    kind = owner.body["draw"]["kind"]
    if kind == "key" or owner.key is not None:
        names.append("key")
    if owner.seed is not None:
        names.append("seed")
    if owner.is_other:
        names.remove(kind)
        checks.append(other_secret(kind))
    checks += [Check(name, None, f"{why}, so this was not checked.") for name in names]
    return [*checks, *_unproven(owner.body, checks)]


def _drawn_for(parts: Sequence[Mapping[str, Any]]) -> list[Check]:
    """Say where the hash of what random numbers are for is not that of the certificate's entries.

    With the secret of the draw, the outputs show the same, as they do of earlier versions.
    """
    if parts[0]["version"] <= LINKED or all(
        drawn_for(part) == part["draw"]["mechanism"] for part in parts
    ):
        return []
    return [Check("drawn for", False, OTHER_MECHANISM)]


def _left_open(body: Mapping[str, Any]) -> list[Check]:
    """Say what a certificate of an earlier version leaves open."""
    if body["version"] > LINKED:
        return []
    return [Check("exposed", None, EXPOSED if body["version"] <= PLAIN_HASH else LINKS)]


@check_named("certificate")
def _fingerprint(body: Mapping[str, Any]) -> str:
    if fingerprint(body) != body["fingerprint"]:
        raise WrongError("The certificate was changed: its fingerprint does not match its text.")
    return "The certificate is as it was written."


@check_named("code")
def _code(body: Mapping[str, Any]) -> str:
    """Say whether this is the code that made the certificate; another one checks it too."""
    version, made = body["code"]["version"], body["code"]["sha256"]
    if made != code_hash():
        raise UncheckedError(
            f"Other code made the certificate (version {version}, {made[:12]}) than checks it "
            f"(version {PACKAGE_VERSION}, {code_hash()[:12]})."
        )
    if version != PACKAGE_VERSION:
        raise WrongError(f"This code has version {PACKAGE_VERSION}, not {version}.")
    if body["version"] not in VERSIONS[-3:]:
        raise WrongError(
            f"This code writes certificates of version {VERSION}, not {body['version']}."
        )
    return f"It was made by this code, version {version}."


@check_named("promises")
def _stated(body: Mapping[str, Any]) -> str:
    """Check that the promises are those that follow from the certificate's figures."""
    stated = body["promises"]
    try:
        expected = promises({name: value for name, value in body.items() if name != "promises"})
    except (CoreError, KeyError, TypeError, ValueError) as error:
        text = f"The figures are incomplete, so no promise follows from them: {error!r}."
        raise WrongError(text) from error
    for place, promise in enumerate(expected):
        if reworded(stated[place : place + 1]) != reworded([promise]):
            raise WrongError(
                f"The promise about {promise['about']} does not follow from the figures."
            )
    if len(stated) > len(expected):
        raise WrongError("The certificate has more promises than follow from its figures.")
    return f"All {len(expected)} promises and limits follow from the figures."


@check_named("kernel")
def _kernel(body: Mapping[str, Any]) -> str:
    kernel = body["mechanism"]["kernel"]
    inputs, outputs = len(body["mechanism"]["inputs"]), len(body["mechanism"]["outputs"])
    rows = inputs * (len(body["design"]["s"]) if body["mechanism"]["reads_s"] else 1)
    if rows == 0 or outputs == 0:
        raise WrongError("The certificate names no inputs or no outputs.")
    if len(set(body["mechanism"]["outputs"])) < outputs:
        raise WrongError("The certificate names an output twice.")
    few = body["mechanism"].get("places")
    if few is not None:
        fit = len(few) == len(kernel) and all(
            len(line) == len(own) and own == sorted({*own}.intersection(range(outputs)))
            for line, own in zip(kernel, few, strict=True)
        )
        if not fit:
            raise WrongError(
                "The numbers of the kernel's rows do not fit the places of their outputs."
            )
    if len(kernel) != rows or (few is None and any(len(line) != outputs for line in kernel)):
        raise WrongError(
            f"The kernel has {len(kernel)} rows, but the certificate names {rows} rows with "
            f"{outputs} outputs."
        )
    for row, line in enumerate(kernel):
        if not min(line, default=-1) >= 0 or not abs(math.fsum(line) - 1) <= CLOSE:
            raise WrongError(f"Row {row + 1} of the kernel is not a distribution.")
    return f"The kernel has {rows} rows, each a distribution."


def _hash(body: Mapping[str, Any], which: str, path: Path) -> Check:
    name = f"{which} file"
    try:
        digest = file_hash(path)
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{str(path)!r} cannot be read: {error}.") from error
    if digest == body[which]["sha256"]:
        return Check(name, True, f"{path.name} is the {which} file, byte by byte.")
    text = (
        f"{path.name} is not the {which} file that the certificate describes, or has changed since."
    )
    return Check(name, False, text)


def _original(body: Mapping[str, Any], path: Path, owner: Owner) -> Check:
    """Check that a file is the original, as far as the certificate and the secret show."""
    if body["version"] <= PLAIN_HASH:
        return _hash(body, "original", path)
    return _committed(body, path, owner)


@check_named("original file")
def _committed(body: Mapping[str, Any], path: Path, owner: Owner) -> str:
    kind, stated = body["draw"]["kind"], body["original"]["commitment"]
    so = "so its contents are compared, not its bytes."
    commitment = owner.committed(file_hash(path))
    if stated is None and commitment is not None and not owner.guessable:
        raise WrongError(f"The certificate commits to no original, but with this {kind} it would.")
    if stated is None:
        raise UncheckedError(
            f"The certificate commits to no original because its {kind} can be guessed, {so}"
        )
    if commitment is None:
        raise UncheckedError(f"Only the {kind} shows whether {path.name} is the original, {so}")
    if commitment != stated:
        text = f"{path.name} is not the original that the certificate commits to with this {kind}."
        raise WrongError(text)
    return f"{path.name} is the original file, byte by byte."


def _format(body: Mapping[str, Any], path: Path) -> list[Check]:
    """Check that the released file is laid out as the certificate says, if it does."""
    stated = body["released"].get("format")
    if stated is None:
        return []
    names = [safe_text(name) for name in body["released"]["columns"]]
    kinds = {"Parquet"} if is_parquet(path) else {"CSV", "TSV"}
    if len(names) > 1 and "CSV" in kinds:
        delimiters = {"CSV": ",", "TSV": "\t"}
        kinds = {kind for kind, mark in delimiters.items() if _header(path, mark) == names}
    if stated in {FORMATS[kind] for kind in kinds}:
        return [Check("format", True, f"{path.name} is laid out as the certificate says.")]
    return [Check("format", False, f"{path.name} is not laid out as {stated!r}.")]


def _header(path: Path, delimiter: str) -> list[str]:
    """Return the fields of a text file's first line; none where it is not UTF-8 text."""
    try:
        with path.open(encoding="utf-8", newline="") as text:
            return next(csv.reader(text, delimiter=delimiter), [])
    except (UnicodeDecodeError, csv.Error):
        return []


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
    return outputs, [_records(body, path, size), _all_named(outputs, column)]


@check_named("records")
def _records(body: Mapping[str, Any], path: Path, size: int) -> str:
    expected, text = body["released"]["records"], f"{path.name} has {number_of(size, 'record')}"
    if size != expected:
        raise WrongError(f"{text}, but the certificate says {expected:,}.")
    return f"{text}."


@check_named("outputs")
def _all_named(outputs: IntArray, column: ReadColumn) -> str:
    wrong = np.flatnonzero(outputs < 0)
    if len(wrong):
        value = column.values[int(column.index[wrong[0]])]
        raise WrongError(
            f"{value!r} is not an output of the mechanism. It is the first of "
            f"{number_of(len(wrong), 'record')} without one, in record {int(wrong[0]) + 1:,}."
        )
    return "Every record has an output of the mechanism."


def _recounted(
    body: Mapping[str, Any], scenario: Scenario, original: Path, sources: Sources
) -> tuple[Recount, str, Original]:
    """Return a second count of the original, a sentence on how, and the file that was read."""
    read = scenario.data.read
    how = " The library's own code read it, because it is not plain UTF-8 or Parquet."
    if read != ReadOptions():
        how = " The library's own code read it, because the scenario has reading options."
    try:
        if read == ReadOptions():
            plain = recount(body, scenario.data, original)
            same = plain.records == body["original"]["records"] and not _may_have_formulas(original)
            if same or not _repaired(original, sources):
                return plain, "", Original(original)
        raise InvalidInputError(how)
    except InvalidInputError:
        upload = _as_read(original, scenario, sources)
        path, called = upload.table.paths[0], upload.table.columns
        counted = recount(body, scenario.data, path, called)
        return counted, how, Original(path, called, workbook=upload.sheets is not None)


def _as_read(original: Path, scenario: Scenario, sources: Sources) -> Upload:
    """Return the original as the library reads it."""
    read = scenario.data.read
    key = sources.add_file(original, read.layout)
    return sources.records(key, read.within(sources.uploads[key].table.columns))


def _may_have_formulas(original: Path) -> bool:
    """Say whether a file may have formulas of a text, whose cells the library reads as the text."""
    if not original.stat().st_size:
        return False
    with original.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        return whole.find(b'="') >= 0


def _repaired(original: Path, sources: Sources) -> bool:
    """Say whether the library repairs a file to read it, so other records may count."""
    try:
        return bool(sources.uploads[sources.add_file(original)].repairs)
    except CoreError:
        return False


@check_named("data")
def _counts(body: Mapping[str, Any], counted: Recount, how: str) -> str:
    """Check how many records were read, filtered, unknown and released."""
    released = len(counted.rows)
    pairs = (
        ("records", counted.records, body["original"]["records"]),
        ("records outside the filters", counted.filtered, body["original"]["filtered"]),
        ("records with unknown values", counted.unknown, body["unknown"]["records"]),
        ("records to release", released, body["released"]["records"]),
    )
    for what, number, stated in pairs:
        if number != stated:
            text = f"The original has {number:,} {what}, but the certificate says {stated:,}."
            raise WrongError(text)
    records = number_of(counted.records, "record")
    return f"A new count agrees: {records}, with {released:,} to release.{how}"


def _persons(
    body: Mapping[str, Any],
    scenario: Scenario,
    counted: Recount,
    read: Original,
    kernel: FloatArray,
    design: tuple[FloatArray | None, Counted | None],
) -> list[Check]:
    """Check how many records a person has at most, and what all of their outputs reveal.

    `design`: the cells that the mechanism was made for, and the library's count of them.
    """
    person, stated = scenario.data.read.person, body["original"].get("persons")
    several = stated is not None and stated > 1
    checks = []
    if "persons" in body["levels"] and not several:
        text = "It has levels of persons with several records, but no person has several."
        checks.append(Check(NAME, False, text))
    if person not in (read.called or ()):
        text = "It says how many records a person has, but no column identifies persons."
        return [*checks, Check("persons", False, text)] if stated is not None else checks
    most = most_of_one(read.path, person, read.called)
    if most != stated:
        text = f"A person has up to {most:,} records, not {stated}."
        return [*checks, Check("persons", False, text)]
    text = f"A new count agrees: up to {number_of(most, 'record')} each."
    checks.append(Check("persons", True, text))
    if several:
        names, (cells, library) = texts_of(read.path, person, read.called), design
        joint = None
        if cells is not None and cells.any():
            joint = joint_of(body, cells, kernel, library)
        checks.append(check_person_levels(body, counted, kernel, names, joint))
    return checks


def _unproven(body: Mapping[str, Any], checks: list[Check]) -> list[Check]:
    """Say of each promise whether all that it rests on was checked."""
    outcome = {check.name: check.passed for check in checks}
    result = []
    for promise in body["promises"]:
        if promise["status"] != PROMISED:
            continue
        name = f"promised: {promise['about']}"
        rests = [key for key in RESTS.get(promise["about"], tuple(outcome)) if key in outcome]
        if not body["design"]["same"]:  # the records' own levels are no part of what is promised
            rests = [key for key in rests if key not in ("levels", "other levels")]
        if all(outcome[key] for key in rests):
            again = "draw" not in rests or outcome.get("seed") or outcome.get("key")
            how = "" if again else ", but the draw only by its frequencies"
            text = f"Everything that this promise rests on was checked{how}."
            result.append(Check(name, True, text))
        else:
            open_ones = listed([repr(key) for key in rests if not outcome[key]])
            text = f"This promise rests on {open_ones}, which failed or were not checked."
            result.append(Check(name, None, text))
    return result


def unproven(checks: Sequence[Check]) -> list[Check]:
    """Return the promises that rest on something that was not checked, and a proof that was not."""
    return [
        check
        for check in checks
        if (check.name.startswith("promised: ") and not check.passed)
        or (check.name == "proof" and check.passed is None)
    ]


def failed(checks: Sequence[Check]) -> list[Check]:
    """Return the checks that failed."""
    return [check for check in checks if check.passed is False]
