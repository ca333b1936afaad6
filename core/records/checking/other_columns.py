"""Checks of what columns beside Y give away: sums by definition, and an attack on the file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import InvalidInputError
from core.limits import AT_ONCE
from core.notions import Notion
from core.records.checking.check import Check, UncheckedError, WrongError, check_named, close
from core.records.design import FORMATS, OWNERS
from core.records.fields import EACH, FIGURES, SHARES, outputs_of
from core.records.other_columns import MOST_ATTACKED
from core.records.recount import Recount, read_columns
from core.release.attack import FOLDS, attack
from core.release.beside import Beside
from core.release.file_words import keeps
from core.spreadsheets import safe_text
from core.validation import BoolArray, FloatArray, IntArray
from core.wording import number_of, percent

WIDE = 10
"""Most standard errors by which two attacks differ: where columns say nothing of S and its values
are equally frequent, other folds alone move the share that is right by five."""


@dataclass(frozen=True)
class Read:
    """The released file with its outputs, and the original as the library reads and names it."""

    released: Path
    outputs: Sequence[IntArray]
    original: Path
    called: Sequence[str] = ()


def check_other_columns(
    body: Mapping[str, Any],
    counted: Recount,
    kernel: FloatArray,
    notion: Notion | None,
    files: Read,
) -> list[Check]:
    """Count again what each column beside Y, and all together, give away; attack the file too."""
    described = _described(body, counted)
    if body["beside"] is None or not described.passed:
        return [described]
    try:
        index = _indexed(body, counted, files)
    except InvalidInputError as error:
        text = f"The other columns could not be recounted: {error}"
        return [Check("beside", None, text), Check("attack", None, text)]
    if any(len(codes) != len(counted.secrets) for codes in (*index.values(), *files.outputs)):
        text = f"{files.released.name} does not have the records that it should."
        return [Check("beside", False, text)]
    figures = _recounted(body, counted, kernel, notion, index)
    return [figures, _attacked(body, counted, files.outputs, index)]


@check_named("beside")
def _described(body: Mapping[str, Any], counted: Recount) -> str:
    """Check that there are figures of the columns beside Y, or none where none are needed."""
    stated, made = body["beside"], outputs_of(body)
    written = [column for column in body["released"]["columns"] if column not in made]
    if stated is None:
        owners = body["released"]["treatment"] == OWNERS
        if not owners and written and counted.cells is not None:
            raise WrongError("It lacks figures for its other columns.")
        return "It has no figures for other columns, and needs none."
    if stated["columns"] != written:
        raise WrongError(f"Its figures are for the columns {stated['columns']}, not {written}.")
    names = [*written, *stated["known"]]
    alone = names if 1 < len(names) <= EACH else []
    if len(set(names)) < len(names) or sorted(stated["each"]) != sorted(alone):
        of = sorted(stated["each"])
        raise WrongError(f"It has figures for the columns {of}, not for each of {names}.")
    records, has = stated["records"], int((counted.secrets >= 0).sum())
    if records != has:
        raise WrongError(f"Its figures are for {records:,} records, but {has:,} have an S.")
    return "It has figures for its other columns."


def _indexed(body: Mapping[str, Any], counted: Recount, files: Read) -> dict[str, IntArray]:
    """Return for each column beside Y the number of each record's value, shape (n,)."""
    stated, of_text = body["beside"], body["released"].get("format") != FORMATS["Parquet"]
    index = _codes(files.released, stated["columns"], None, of_text=of_text)
    known = _codes(files.original, stated["known"], files.called, of_text=of_text)
    return index | {name: codes[counted.places] for name, codes in known.items()}


@check_named("beside")
def _recounted(
    body: Mapping[str, Any],
    counted: Recount,
    kernel: FloatArray,
    notion: Notion | None,
    index: Mapping[str, IntArray],
) -> str:
    """Compare the figures of each column, and of all together, with a new count."""
    stated, has = body["beside"], counted.secrets >= 0
    groups = [([name], figures) for name, figures in stated["each"].items()]
    groups.append(([*stated["columns"], *stated["known"]], stated["together"]))
    for some, figures in groups:
        k = _together([index[name][has] for name in some])
        levels = _figures(counted.secrets[has], counted.rows[has], k, kernel)
        wrong = _difference(levels, figures)
        if wrong:
            raise WrongError(f"For {' and '.join(some)!r}, {wrong}.")
    if "certain" in stated and not close(levels.certain, stated["certain"]):
        raise WrongError(f"'certain' is {levels.certain:.9g}, not {stated['certain']}.")
    holds = keeps(levels, notion)
    if stated["holds"] != holds:
        raise WrongError(f"Whether the file satisfies {notion} is {holds}, not {stated['holds']}.")
    what = f"the figures of {number_of(len(index), 'column')}, and of all"
    return f"Recomputed with the same result: {what}."


@check_named("attack")
def _attacked(
    body: Mapping[str, Any],
    counted: Recount,
    outputs: Sequence[IntArray],
    index: Mapping[str, IntArray],
) -> str:
    """Guess S from the file's own outputs: the certificate's attack draws others."""
    stated, has = body["beside"].get("attack"), np.flatnonzero(counted.secrets >= 0)
    if len(has) < FOLDS:
        text = f"{number_of(len(has), 'record')} with an S are too few for an attack."
        if stated is not None:
            raise WrongError(text)
        return text
    rng = np.random.default_rng(20_261_128)  # so that a check has the same outcome each time
    some = has[rng.permutation(len(has))[:MOST_ATTACKED]]
    read = [*(own + 1 for own in outputs), *index.values()]
    guess = attack(counted.secrets[some], [codes[some] for codes in read])
    here = f"An attack on this file guesses S right for {percent(guess.right, 1)} of records"
    if stated is None:  # the first of version 6 have no such entry
        why = WrongError if "attack" in body["beside"] else UncheckedError
        raise why(f"{here}, but the certificate has no attack.")
    if stated["records"] != guess.records:
        raise WrongError(f"Its attack is on {stated['records']:,} records, not {guess.records:,}.")
    for part in ("right", "blind"):
        share = getattr(guess, part)
        mean = (share + stated[part]) / 2
        if abs(share - stated[part]) > WIDE * math.sqrt(2 * mean * (1 - mean) / guess.records):
            text = f"{part!r} of its attack is {stated[part]:.4g}"
            raise WrongError(f"{text}, far from {share:.4g} in this file.")
    return f"{here}, compared with {percent(stated['right'], 1)} in the certificate."


def _codes(
    path: Path, names: Sequence[str], called: Sequence[str] | None, *, of_text: bool
) -> dict[str, IntArray]:
    """Return for each column the number of each record's value, as a reader tells them apart."""
    if not names:
        return {}
    columns, _ = read_columns(path, [*names, *map(safe_text, names)], called)
    result = {}
    for name in names:
        column = columns.get(name) or columns.get(safe_text(name))
        if column is None:
            raise InvalidInputError(f"{path.name} has no column {name!r}.")
        seen: dict[Any, int] = {}
        codes = [seen.setdefault(_seen(value, of_text), len(seen)) for value in column.values]
        result[name] = np.array(codes, dtype=np.int64)[column.index]
    return result


def _seen(value: Any, of_text: bool) -> Any:
    """Return a value as a reader sees it: −0 is not 0, NaN is one value, no text is missing.

    Two texts may be the same once no spreadsheet takes them for formulas.
    """
    if isinstance(value, float):
        return repr(value)
    return safe_text(value) or None if of_text and isinstance(value, str) else value


def _together(codes: Sequence[IntArray]) -> IntArray:
    """Return the number of each record's combination of values."""
    seen: dict[tuple[int, ...], int] = {}
    rows = zip(*(column.tolist() for column in codes), strict=True)
    return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)


@dataclass
class Extremes:
    """The least and the largest lift, the largest ratio of two of them, and a sum of maxima."""

    low: float = math.inf
    high: float = 0.0
    ratio: float = 1.0
    guess: float = 0.0

    def see(self, posterior: FloatArray, prior: FloatArray, counts: BoolArray) -> None:
        """Take in beliefs after and before, (n_s, n), of the secrets that count."""
        lifts = np.where(counts, posterior / np.where(counts, prior, 1.0), np.nan)
        least, most = np.nanmin(lifts, axis=0), np.nanmax(lifts, axis=0)
        self.low, self.high = min(self.low, least.min()), max(self.high, most.max())
        finite = least > 0
        self.ratio = max(self.ratio, (most[finite] / least[finite]).max(initial=1.0))
        if not finite.all():
            self.ratio = math.inf

    def levels(self) -> dict[str, float]:
        """Return the levels in nats."""
        down = -math.log(self.low) if self.low > 0 else math.inf
        up = math.log(self.high)
        return {
            "lip": max(up, down, 0.0),
            "ldp": math.log(self.ratio),
            "pml": max(up, 0.0),
            "min_lift": max(down, 0.0),
            "guess": self.guess,
        }


@dataclass
class _Sums:
    """What is summed over all k."""

    known: Extremes = field(default_factory=Extremes)
    added: Extremes = field(default_factory=Extremes)
    file: Extremes = field(default_factory=Extremes)
    determined: float = 0.0
    certain: float = 0.0
    alone: int = 0


def _figures(s: IntArray, rows: IntArray, k: IntArray, kernel: FloatArray) -> Beside:
    """Return the figures by their definitions, from each record's secret, row of Y and k."""
    n, n_s, n_k = len(s), int(s.max()) + 1, int(k.max()) + 1
    p_s = np.bincount(s) / n
    sums = _Sums()
    width = max(1, AT_ONCE // n_s)
    order = np.argsort(k, kind="stable")
    ends = np.searchsorted(k[order], range(0, n_k + width, width))
    for place, (begin, end) in enumerate(pairwise(ends.tolist())):
        some = order[begin:end]
        if len(some):
            _add(sums, s[some], rows[some], k[some] - place * width, kernel, p_s, n)
    sums.added.guess = sums.file.guess - sums.known.guess
    return Beside(
        sums.known.levels(),
        sums.added.levels(),
        sums.file.levels(),
        sums.determined,
        sums.alone / n if n > 1 else None,
        n,
        sums.certain,
    )


def _add(
    sums: _Sums,
    s: IntArray,
    rows: IntArray,
    k: IntArray,
    kernel: FloatArray,
    p_s: FloatArray,
    n: int,
) -> None:
    """Add the records of some k."""
    shape = len(p_s), int(k.max()) + 1
    cell = s * shape[1] + k

    def summed(weights: FloatArray | None = None) -> FloatArray:
        sums = np.bincount(cell, weights, shape[0] * shape[1])
        return sums.reshape(shape).astype(np.float64)

    records = summed()
    p_sk = records / n
    p_k = p_sk.sum(axis=0)
    prior = np.broadcast_to(p_s[:, None], shape)
    given_k = p_sk / p_k
    sums.known.see(given_k, prior, prior > 0)
    sums.known.guess += float(p_sk.max(axis=0).sum())
    sums.determined += float(p_k[(records > 0).sum(axis=0) == 1].sum())
    sums.alone += int((records.sum(axis=0) == 1).sum())
    for y in range(kernel.shape[1]):
        p_syk = summed(kernel[rows, y]) / n
        p_yk = p_syk.sum(axis=0)
        there = p_yk > 0
        if not there.any():
            continue
        sums.certain += float(p_yk[(p_syk > 0).sum(axis=0) == 1].sum())
        given_yk = p_syk[:, there] / p_yk[there]
        sums.file.see(given_yk, prior[:, there], prior[:, there] > 0)
        sums.added.see(given_yk, given_k[:, there], records[:, there] > 0)
        sums.file.guess += float(p_syk.max(axis=0).sum())


def _difference(levels: Beside, stated: Any) -> str:
    """Say which figure differs from the certificate's; "" where none does."""
    for part in FIGURES:
        for key, value in getattr(levels, part).items():
            if not close(value, stated[part].get(key)):
                return f"the {key!r} of {part!r} is {value:.9g}, not {stated[part].get(key)}"
    for part in SHARES:
        if not close(getattr(levels, part), stated[part]):
            return f"{part!r} is {getattr(levels, part)}, not {stated[part]}"
    return ""
