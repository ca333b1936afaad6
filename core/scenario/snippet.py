"""A scenario as a runnable program that uses `core`, or as a Jupyter notebook of its parts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Literal

from core import notions
from core.data.spec import DataSpec
from core.mechanisms import catalogue as mechanism_catalogue
from core.mechanisms.fit import obstacle
from core.notions import catalogue as notion_catalogue
from core.scenario.purpose import PURPOSES, build_purpose
from core.scenario.scenario import Scenario

FOR_A_PURPOSE = ("optimal", "optimal_reading_secret")
"""Mechanisms that are optimized for the purpose; of others only its value is printed."""

NAMED = (
    "Binning",
    "ColumnOptions",
    "DataSpec",
    "Filter",
    "Hierarchy",
    "RareLevels",
    "ReadOptions",
    "Sources",
)
"""Names of `core.data` that a program may use."""


Cell = tuple[Literal["markdown", "code"], str]
"""The kind of a cell, and its source."""

TITLE = """# A question of Liftscope

The cells below answer it with the package `core`: data, privacy notion, mechanism and
share kept. Change a number and rerun them."""
"""The first cell."""

AFTER = """\
The probability that each input (row) comes out as each output (column):"""
"""What stands above the mechanism."""

KERNEL = """\
import pandas as pd

rows = mechanism.x_labels if len(mechanism.kernel) == len(mechanism.x_labels) else None
pd.DataFrame(mechanism.kernel, index=rows, columns=mechanism.y_labels).round(4)"""
"""The last cell, which shows the mechanism."""


def snippet(scenario: Scenario) -> str:
    """Return Python source that answers a scenario with `core` and prints the result.

    Parameters
    ----------
    scenario : Scenario
        The question. Where it is about an upload, the program has a place for the file's path.

    Examples
    --------
    >>> print(snippet(Scenario(notion="lip", eps=0.5, mechanism="watchdog")))
    from core import mechanisms as m
    from core.data import DataSpec, count
    from core.notions import LIP
    <BLANKLINE>
    data = DataSpec(source='adult', secret=('sex',), released=('occupation',))
    joint = count(data).joint
    notion = LIP(eps=0.5)
    mechanism = m.watchdog(joint, notion)
    print(f"I(X;Y) {mechanism.information:.6f} nats, NMI {mechanism.nmi:.6f}")
    print(f"achieved {notion.achieved(joint, mechanism.kernel):.6f}")
    <BLANKLINE>
    """
    entry = mechanism_catalogue.entry(scenario.mechanism)
    code = entry.code.format(**scenario.settings)
    data = _call(scenario.data)
    for_purpose = scenario.purpose != "information"
    purpose = PURPOSES[scenario.purpose].code(scenario, bool(scenario.data.task))
    if for_purpose and entry.key in FOR_A_PURPOSE:
        code = re.sub(r",?\s*\)$", ", utility=purpose)", code)
    output = 'print(f"I(X;Y) {mechanism.information:.6f} nats, NMI {mechanism.nmi:.6f}")'
    body = [
        *_reading(scenario.data),
        f"data = {data}",
        *_counting(scenario.data, "weight" in entry.parameters, whole="counted." in purpose),
        f"mechanism = {code}",
        output,
    ]
    if for_purpose:
        body.insert(-2, f"purpose = {purpose}")
        body.append('print(f"{purpose.title} {purpose.value(joint, mechanism.kernel):.6f}")')
    notion, named = "", []
    if entry.uses_notion:  # else the scenario's notion may not be defined for the data
        notion = notion_catalogue.entry(scenario.notion).code(scenario.numbers)
        if scenario.also:
            others = ", ".join(promise.code() for promise in scenario.also)
            notion = f"Intersection({notion}, {others})"
        if scenario.data.known:
            notion = f"Given({notion}, joint.known)"
        named = sorted(set(re.findall(r"\w+", notion)) & set(notions.__all__))
        place = body.index(f"mechanism = {code}")
        misfit = (
            obstacle(entry, scenario.kinds) != ""
        )  # with these budgets it may work all the same
        body[place:place] = [
            f"notion = {notion}",
            *([f'check_fit("{entry.key}", notion)'] if misfit else []),
        ]
        body.append('print(f"achieved {notion.achieved(joint, mechanism.kernel):.6f}")')
    text = "\n".join(body)
    head = [
        *_others(text, notion + data),
        "from core import mechanisms as m",
        _of_data(text),
        *(["from core.mechanisms.catalogue import check_fit"] if "check_fit(" in text else []),
        *([f"from core.notions import {', '.join(named)}"] if named else []),
        *([_purpose_import(purpose)] if for_purpose else []),
        "",
    ]
    return "\n".join([*head, text]) + "\n"


def robust_snippet(scenario: Scenario, n: int, design: str) -> str:
    """Return Python source that draws n records of the data and designs mechanisms at them.

    Parameters
    ----------
    scenario : Scenario
        Data, ε, β, α and seed; the columns of X that are not S's are U.
    n : int
        The number of records.
    design : str
        The key of the design that is the program's `mechanism`.

    Examples
    --------
    >>> print(robust_snippet(Scenario(eps=0.5), 300, "polyopt"))
    from core.data import DataSpec, count
    from core.studies.robust_designs import DESIGNS, design_all, realised_level, take_sample
    <BLANKLINE>
    data = DataSpec(source='adult', secret=('sex',), released=('occupation',))
    joint = count(data).joint
    sample = take_sample(joint.p, 300, beta=0.05, alpha=2.0, seed=0)
    designs = design_all(sample, eps=0.5, seconds=1.5)
    for key, mechanism in designs.items():
        level = realised_level(sample.truth, mechanism.kernel)
        print(f"{DESIGNS[key]}: NMI {mechanism.nmi:.6f}, level at the truth {level:.6f}")
    mechanism = designs['polyopt']
    <BLANKLINE>
    """
    data = scenario.data.beside_secret
    body = [
        *_reading(data),
        f"data = {_call(data)}",
        *_counting(data, False, whole=False),
        f"sample = take_sample(joint.p, {n}, beta={scenario.beta!r}, alpha={scenario.alpha!r}, "
        f"seed={scenario.seed})",
        f"designs = design_all(sample, eps={scenario.eps!r}, seconds=1.5)",
        "for key, mechanism in designs.items():",
        "    level = realised_level(sample.truth, mechanism.kernel)",
        '    print(f"{DESIGNS[key]}: NMI {mechanism.nmi:.6f}, level at the truth {level:.6f}")',
        f"mechanism = designs[{design!r}]",
    ]
    text = "\n".join(body)
    used = "DESIGNS, design_all, realised_level, take_sample"
    head = [
        *_others(text, _call(data)),
        _of_data(text),
        f"from core.studies.robust_designs import {used}",
        "",
    ]
    return "\n".join([*head, text]) + "\n"


def _others(text: str, numbers: str) -> list[str]:
    """Return the lines that import what is not of `core`; `numbers` may have infinite ones."""
    return [
        *(["from math import inf", ""] if "inf" in numbers else []),
        *(["from pathlib import Path", ""] if "Path(" in text else []),
        *(["import numpy as np", ""] if "np." in text else []),
    ]


def _of_data(text: str) -> str:
    """Return the line that imports what a program reads its data with."""
    parts = [name for name in NAMED if f"{name}(" in text]
    return f"from core.data import {', '.join(parts)}, count"


def _purpose_import(purpose: str) -> str:
    name = purpose.partition("(")[0]
    if name == build_purpose.__name__:
        return f"from core.scenario.purpose import PurposeChoice, {name}"
    return f"from core.utilities import {name}"


def _reading(data: DataSpec) -> list[str]:
    """Return the lines that read a user's file as `source`; none for other data."""
    if not data.hashed:
        return []
    read = (
        'sources.add_file(Path("PATH OF YOUR FILE"))'
        if data.source.startswith("upload:")
        else 'sources.add_matrix(Path("PATH OF YOUR MATRIX").read_text())'
    )
    return ["sources = Sources()", f"source = {read}"]


def _counting(data: DataSpec, values: bool, *, whole: bool) -> list[str]:
    counted = "count(data, sources)" if data.hashed else "count(data)"
    if values:
        return [f"counted = {counted}", "joint, values = counted.joint, counted.x_values"]
    if whole:
        return [f"counted = {counted}", "joint = counted.joint"]
    return [f"joint = {counted}.joint"]


def _call(data: DataSpec) -> str:
    """Return source of the data, with only the fields that differ from their defaults."""
    plain = DataSpec()
    parts = [
        f"{item.name}={getattr(data, item.name)!r}"
        for item in fields(data)
        if item.name in ("source", "secret", "released")
        or getattr(data, item.name) != getattr(plain, item.name)
    ]
    if data.hashed:
        parts[0] = "source=source"
    return f"DataSpec({', '.join(parts)})"


def notebook(scenario: Scenario, program: str = "") -> str:
    """Return a notebook that answers a scenario with `core`, as JSON of nbformat 4.5.

    Parameters
    ----------
    scenario : Scenario
        The question. Where it is about an upload, a cell has a place for the file's path.
    program : str
        What answers it, with a `mechanism`; its `snippet` by default.

    Examples
    --------
    >>> document = json.loads(notebook(Scenario(notion="lip", eps=0.5)))
    >>> [cell["cell_type"] for cell in document["cells"]]
    ['markdown', 'code', 'code', 'markdown', 'code']
    """
    head, _, body = (program or snippet(scenario)).rpartition("\n\n")
    return written(
        [
            ("markdown", TITLE),
            ("code", head),
            ("code", body.strip()),
            ("markdown", AFTER),
            ("code", KERNEL),
        ]
    )


def written(cells: Sequence[Cell]) -> str:
    """Return cells as the JSON text of a notebook without outputs.

    Examples
    --------
    >>> json.loads(written([("code", "1 + 1")]))["nbformat"]
    4
    """
    return json.dumps(
        {
            "cells": [
                _notebook_cell(place, kind, source) for place, (kind, source) in enumerate(cells)
            ],
            "metadata": {
                "kernelspec": {
                    "display_name": "Python 3",
                    "language": "python",
                    "name": "python3",
                },
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        ensure_ascii=False,
        indent=1,
    )


def _notebook_cell(place: int, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{place}",
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
    return cell if kind == "markdown" else cell | {"execution_count": None, "outputs": []}
