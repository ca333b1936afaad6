"""Files of records and scenarios about them, for the tests of a release."""

import csv
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from core.data import Sources
from core.data.spec import DataSpec
from core.mechanisms.result import make_mechanism
from core.records.applying import apply
from core.records.design import REFUSE, Plan
from core.records.draws import Seeded
from core.scenario import Scenario, evaluate, measured

TOWNS = ("Köln", "東京", 'say "hi"', "a, b", "line\nbreak", "Zürich")
"""Levels that a CSV file has to quote, or to write in UTF-8."""


SEED = 3**100
"""A seed that nobody guesses."""

KEPT = []
"""Sources whose files are to stay until the tests end."""


def people(n, seed=0):
    """Draw records of a secret `sex`, a dependent `town`, a number `age`, and `id`."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    town = (sex * 2 + rng.integers(0, 4, n)) % len(TOWNS)
    age = np.round(rng.normal(40 + 10 * sex, 12, n), 1)
    return {
        "id": [f"p{i}" for i in range(n)],
        "sex": [("f", "m")[i] for i in sex],
        "town": [TOWNS[i] for i in town],
        "age": age.tolist(),
        "note": [f"n{i % 3}" for i in range(n)],
    }


def write(columns, path: Path):
    """Write columns as the kind of file that the path's name says."""
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(columns), path)
    else:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(columns)
        rows = zip(*columns.values(), strict=True)
        writer.writerows([["" if item is None else item for item in row] for row in rows])
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def read(path: Path):
    """Return a released file's columns as lists; by other code than what wrote it."""
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pydict()
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def answer_on(path, secret=("sex",), released=("town",), *, mechanism="watchdog", **more):
    """Answer a scenario about a file; return the result and the file's table."""
    sources = Sources()
    key = sources.add_file(path)
    numbers = {name: more.pop(name) for name in ("notion", "eps") if name in more}
    spec = DataSpec(key, secret, released, **more)
    scenario = Scenario(data=spec, mechanism=mechanism, **{"notion": "lip", "eps": 0.3} | numbers)
    KEPT.append(sources)
    return evaluate(scenario, sources), sources.uploads[key].table


def opened(path):
    """Return a file's table."""
    KEPT.append(Sources())
    return KEPT[-1].uploads[KEPT[-1].add_file(path)].table


def keeping(draw, columns="replaced", unknown=REFUSE):
    """Plan a release that keeps all other columns unless another treatment is named."""
    return Plan(draw, columns, unknown)


def with_kernel(result, kernel):
    """Return a result with another kernel, which was asked for nothing."""
    made = make_mechanism(
        result.joint, np.asarray(kernel), name="Made", solver="none", status="made", notion=None
    )
    return measured(result.scenario, result.counted, made)


def identity(result):
    """Return a result whose mechanism publishes X as it is, under its own names."""
    return with_kernel(result, np.eye(result.joint.n_x))


def released(result, table, target, plan=None, **more):
    """Apply a mechanism, and read what was written."""
    applied = apply(result, table, target, plan or keeping(Seeded(11)), **more)
    return applied, read(target)
