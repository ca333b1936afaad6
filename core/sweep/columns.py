"""What the results say of each point's question: its data, notion, mechanism and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from core.domain import Domain
from core.scenario import DOMAINS, Scenario
from core.scenario.domains import plain_json
from core.sweep.definition import Sweep
from core.validation import IntArray

ALWAYS = ("notion", "mechanism", "eps")
"""Fields that have a column whether they vary or not."""


def names(sweep: Sweep) -> tuple[str, ...]:
    """Return the fields of the questions that have a column, those that always do first.

    Examples
    --------
    >>> names(Sweep(vary=(("lam", (0.2, 0.8)),)))
    ('notion', 'mechanism', 'eps', 'lam')
    """
    return (*ALWAYS, *(name for name in sweep.varied if name not in ALWAYS))


def question_columns(sweep: Sweep, points: IntArray) -> dict[str, Any]:
    """Return the columns that describe points: their question, draw, source and fields.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    points : ndarray
        Numbers of points, shape (k,).

    Returns
    -------
    dict
        Arrow arrays of length k by name. A number is missing where it has no effect on the
        answer; data, further promises and loss tables are JSON.
    """
    which = points // sweep.n_draws
    found: dict[str, Any] = {"question": pa.array(which, pa.int64())}
    if sweep.draws is not None:
        draws = points % sweep.n_draws
        drawn = {d: sweep.draws.spec(d).source for d in np.unique(draws).tolist()}
        found["draw"] = pa.array(draws, pa.int64())
        sources = [drawn[d] for d in draws.tolist()]
    else:
        sources = [sweep.questions[q].data.source for q in which.tolist()]
    found["source"] = pa.array(sources, pa.string())
    for name in names(sweep):
        values = field_values(sweep.questions, name)
        kind = pa.float64() if name in DOMAINS else pa.string()
        found[name] = pa.array(values, kind).take(pa.array(which, pa.int64()))
    return found


def field_values(questions: Sequence[Scenario], name: str) -> list[Any]:
    """Return a field of each question as a plain value; None for a number without effect.

    Examples
    --------
    >>> field_values([Scenario(eps=2), Scenario(mechanism="identity")], "eps")
    [2.0, None]
    """
    domain: Domain | None = DOMAINS.get(name)
    found: list[Any] = []
    for question in questions:
        value = getattr(question, name)
        if domain is not None:
            unused = value is None or name in question.without_effect()
            found.append(None if unused else float(value))
        elif isinstance(value, str):
            found.append(value)
        else:
            whole = json.loads(question.to_json())[name]
            found.append(json.dumps(plain_json(whole), ensure_ascii=False, sort_keys=True))
    return found
