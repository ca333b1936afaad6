"""Checks of the design, what a mechanism was made for, and of the columns that were released."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.data import DataSpec, ReadOptions, Sources, count
from core.data.catalogue import BUNDLED
from core.data.counts.report import Counted
from core.data.databases.reference import is_reference
from core.errors import CoreError
from core.records.certificate import plain_coding
from core.records.checking.check import Check
from core.records.design import bundled_file
from core.records.files import file_hash
from core.records.plan import LEAVE_OUT, REFUSE, Layout
from core.records.recount import header_of
from core.spreadsheets import safe_text

UPLOAD = "upload:"
"""How a scenario's source begins that is a file, by its SHA-256."""


def design_file(
    body: Mapping[str, Any], spec: DataSpec, original: Path, design: Path | None
) -> Path | None:
    """Return the file that the mechanism was made for; None where it is not there."""
    if body["design"]["same"]:
        return original
    if design is None and spec.source in _bundled():
        return bundled_file(spec.source)
    return design


def check_codings(body: Mapping[str, Any], spec: DataSpec) -> Check:
    """Compare how records become symbols with the scenario, and symbols with the alphabets."""
    said = body["design"]
    secret, released = said["coding"]
    if (tuple(secret["columns"]), tuple(released["columns"])) != (spec.secret, spec.released):
        return Check("codings", False, "Its codings are of other columns than its scenario names.")
    cut = {one.column for one in spec.binnings} | {
        one.column for one in spec.hierarchies if one.kind == "interval" and one.level
    }
    grouped = {one.column for one in spec.rare_levels}
    for coding in (secret, released):
        groups = coding.get("groups") or [None] * len(coding["columns"])
        for name, group in zip(coding["columns"], groups, strict=True):
            if group is not None and name not in grouped:
                text = f"The rare levels of {name!r} are grouped, and not in its scenario."
                return Check("codings", False, text)
    for coding in (secret, released):
        for name, edges in zip(coding["columns"], coding["edges"], strict=True):
            if (edges is not None) != (name in cut):
                return Check("codings", False, f"The bins of {name!r} are not its scenario's.")
    labels = [[one["label"] for one in coding["symbols"]] for coding in (secret, released)]
    inputs = labels[1]
    if spec.secret_released:
        inputs = [f"{s} · {u}" for s in labels[0] for u in labels[1]]
    for what, names, known in (
        ("S", said["s"], labels[0]),
        ("X", body["mechanism"]["inputs"], inputs),
    ):
        if not names or len(set(names)) < len(names) or not set(names) <= set(known):
            return Check("codings", False, f"The symbols of {what} are not those of its coding.")
    treatment = body["unknown"]["treatment"]
    left = (LEAVE_OUT, *body["mechanism"]["inputs"])
    if treatment not in left and (treatment != REFUSE or body["unknown"]["records"]):
        text = f"Unknown values cannot have been treated by {treatment!r}."
        return Check("codings", False, text)
    same = spec.source == UPLOAD + body["original"]["sha256"] or (
        spec.source in _bundled()
        and file_hash(bundled_file(spec.source)) == body["original"]["sha256"]
    )
    if same != said["same"]:
        text = "is" if same else "is not"
        return Check("codings", False, f"By its scenario the mechanism {text} made for this file.")
    return Check("codings", True, "Its codings are of the columns and symbols that it names.")


def check_design(
    body: Mapping[str, Any], spec: DataSpec, path: Path | None, table: str | None = None
) -> tuple[Check, Counted | None]:
    """Count the data that the mechanism was made for, with the library's code.

    Parameters
    ----------
    body : mapping
        The certificate.
    spec : DataSpec
        The data of its scenario.
    path : Path or None
        The file that the mechanism was made for, where it is there.
    table : str, optional
        The table of a data base that it was made for. No other one is opened: whoever wrote the
        certificate does not choose whom the user's password is sent to.

    Returns
    -------
    check : Check
        Whether alphabets, codings and numbers of records are the certificate's.
    counted : Counted or None
        What was counted.
    """
    if is_reference(spec.source):
        return _check_table(body, spec, table)
    if path is None:
        text = f"The mechanism was made for {body['design']['data']}, which is needed (--design)."
        return Check("design", None, text), None
    sources = Sources()
    bundled = spec.source in _bundled()
    read = spec.read
    source = (
        spec.source if bundled else sources.add_file(path, read.delimiter or None, read.encoding)
    )
    if not bundled and source != spec.source:
        text = f"{path.name} is not the file that the mechanism was made for."
        return Check("design", False, text), None
    if bundled and file_hash(path) != file_hash(bundled_file(source)):
        text = f"{path.name} is not the bundled data set {source!r} of the scenario."
        return Check("design", False, text), None
    try:
        counted = count(replace(spec, source=source), sources)
    except CoreError as error:
        return Check("design", False, f"The scenario's data cannot be counted: {error}"), None
    return _compared(body, counted, path.name, named=bundled)


def _check_table(
    body: Mapping[str, Any], spec: DataSpec, table: str | None
) -> tuple[Check, Counted | None]:
    """Count the table of a data base that the mechanism was made for, if the user named it."""
    if table is None:
        text = (
            f"The mechanism was made for a table of a data base: name it (--design {spec.source})."
        )
        return Check("design", None, text), None
    if table != spec.source:
        text = f"{table} is not the table that the mechanism was made for."
        return Check("design", False, text), None
    try:
        counted = count(spec, Sources(databases=True))
    except CoreError as error:
        return Check("design", None, f"The table could not be counted: {error}"), None
    return _compared(body, counted, f"{table} as it is now", named=True)


def _compared(
    body: Mapping[str, Any], counted: Counted, name: str, *, named: bool
) -> tuple[Check, Counted | None]:
    """Compare a count with the certificate's; `named` says whether its title is always the same."""
    found = {
        "records": counted.joint.n,
        "s": list(counted.joint.s_labels),
        "coding": [plain_coding(one) for one in counted.codings],
        "marked": sorted(marks.column for marks in counted.report.marks),
    }
    found = json.loads(json.dumps(found))
    wrong = [name for name, value in found.items() if body["design"][name] != value]
    if list(counted.joint.x_labels) != body["mechanism"]["inputs"]:
        wrong.append("inputs")
    if wrong:
        text = f"Counted again, {name} has other {wrong[0]!r} than the certificate says."
        return Check("design", False, text), None
    title, said = counted.report.title, body["design"]["data"]
    if title == said:
        return Check("design", True, f"The mechanism was made for {title}, counted again."), counted
    text = f"The certificate calls the data {said!r}, and they are now called {title!r}"
    if named:
        return Check("design", False, f"{text}."), counted
    return Check(
        "design", None, f"{text}: a name of a file cannot be checked by its hash."
    ), counted


def check_columns(
    body: Mapping[str, Any], spec: DataSpec, released: Path, original: Path | None
) -> Check:
    """Compare the released file's columns with the certificate's, and these with its treatment."""
    said, column = body["released"]["columns"], body["released"]["column"]
    treatment = body["released"]["treatment"]
    found = header_of(released, [*said, *map(safe_text, said)])
    if found not in ([one.strip() for one in said], [safe_text(one).strip() for one in said]):
        text = f"{released.name} has the columns {_named(found)}, not {_named(said)}."
        return Check("columns", False, text)
    gone = {*spec.released, *spec.secret}
    others = [name for name in said if name != column]
    wrong = len(others) != len(said) - 1  # Y is one of the columns, once
    wrong |= treatment == "dropped" and bool(others)
    wrong |= treatment == "replaced" and bool(gone.intersection(others))
    wrong |= treatment == "kept" and not set(spec.released) <= set(others)
    if not wrong and original is not None:
        wrong = all(
            not (spec.released and set(spec.released) <= set(names))
            or Layout.of(spec, names, treatment) != Layout(column, tuple(said))
            for names in _columns_of(original, gone, spec.read)
        )
    if wrong:
        text = f"The columns {_named(said)} are not those of original columns {treatment!r}."
        return Check("columns", False, text)
    return Check("columns", True, f"{released.name} has the columns that the certificate names.")


def _columns_of(original: Path, names: set[str], read: ReadOptions) -> list[tuple[str, ...]]:
    """Return the original's columns, as its header has them and as the library reads them."""
    sources = Sources()
    key = sources.add_file(original, read.delimiter or None, read.encoding)
    table = sources.uploads[key].table
    try:
        return [tuple(header_of(original, sorted(names))), tuple(table.columns)]
    except CoreError:
        return [tuple(table.columns)]


def _bundled() -> set[str]:
    return {one.id for one in BUNDLED}


def _named(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
