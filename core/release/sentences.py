"""A scenario's question and answer in sentences, each of which the result proves."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from core.joint import Joint
from core.notions import Notion
from core.notions import catalogue as notions
from core.release.confusability import RangeRelease
from core.release.perfect_privacy import what_is_left
from core.scenario import PURPOSES, Result, Scenario
from core.uncertainty.ball import assumed_records
from core.wording import at_most, listed, number_of, rough, rounded_up

ALMOST_RULED_OUT = math.log(1e4)
"""Fall of a belief, in nats, from which a value is almost ruled out: a factor of 10,000."""

EXPECTED = 5.0
"""Records expected in a cell of a table from which its count is no matter of chance alone."""


def question(scenario: Scenario) -> str:
    """Return the question of a scenario."""
    request, known = _question(scenario), scenario.data.known
    if not known:
        return request
    return f"{request[:-1]} if others know {listed(known)}?"


def for_whom(*scenarios: Scenario) -> str:
    """Return for whom levels of Y alone are, after a comma; "" where nothing else is known."""
    known = dict.fromkeys(name for scenario in scenarios for name in scenario.data.known)
    return f", for someone who does not know {listed([*known], 'or')}" if known else ""


def _question(scenario: Scenario) -> str:
    data = scenario.data
    secret = _columns(data.secret, "the secret S")
    released = _columns(data.released, "X")
    if data.task and scenario.purpose in ("task", "guess"):
        return f"Can {released} predict {_columns(data.task, 'T')} without giving away {secret}?"
    if data.releases_secret:
        return f"How much of {secret} itself can be published while keeping it private?"
    if data.secret_released:
        return f"How much of {secret} and {released} can be published while still hiding {secret}?"
    return f"Does publishing {released} give away {secret}?"


def finding(result: Result, unit: str = "nats", *, provisional: bool = False) -> str:
    """Return what the result proves about the release, and what perfect privacy leaves of X."""
    kept = _kept(result)
    if provisional:
        kept = f"At least {kept}" if kept[0].isdecimal() else f"So far, {kept[0].lower()}{kept[1:]}"
    parts = (_belief(result, unit), kept, _bound(result, unit), _why(result))
    return " ".join(part for part in parts if part)


def caution(joint: Joint, *, of_estimate: bool = False) -> str:
    """Return a warning where counts are too small to rule out chance; "" where they are not."""
    if joint.n is None:
        return ""
    if joint.weighted and of_estimate:
        return (
            f"The records have sampling weights and are worth about {joint.n:,}. The probability "
            "that the confidence set contains the true distribution is unknown."
        )
    few = float(np.mean(joint.n * np.outer(joint.p_s, joint.p_x) < EXPECTED))
    # share of cells in which fewer may be expected before a caution (Cochran's rule)
    if few <= 0.2:
        return ""
    sentence = (
        f"Few records: {rough(few)} of the combinations of S and X are expected to have fewer "
        f"than {EXPECTED:g} of the {joint.n:,} records, so"
    )
    if of_estimate:
        return (
            f"{sentence} the confidence set may miss the true distribution more often than its "
            "confidence level says. Merge rare values."
        )
    return (
        f"{sentence} part of the apparent link between X and S is chance. Merge rare values, or "
        "choose a robust privacy notion."
    )


def caution_of(result: Result) -> str:
    """Return the caution on the counts behind an answer; "" where they are large enough."""
    kind = notions.entry(result.scenario.notion).kind
    return caution(result.joint, of_estimate=kind.of_estimate)


def promise_text(notion: Notion, unit: str = "nats") -> str:
    """Return a notion as text with its budgets in a unit."""
    if unit == "nats":
        return str(notion)
    composed = notion.composed(lambda part: promise_text(part, unit))
    if composed is not None:
        return composed
    budgets: dict[str, Any] = {
        name: float(f"{getattr(notion, name) / math.log(2):.5g}") for name in notion.in_nats
    }
    shown = copy.copy(notion)  # only for its text: its budgets are in another unit
    for name, value in budgets.items():
        object.__setattr__(shown, name, value)
    return f"{shown} in {unit}" if budgets else str(notion)


def knowable(release: RangeRelease, secret: str, unit: str = "bits") -> str:
    """Return sentences: what a release reveals without error about a secret and its anonymity."""
    if release.parts == 1:
        known = (
            f"Nothing about {secret} is sure to be revealed: no question about it is answered by "
            "every release."
        )
    else:
        information = release.information * (math.log(2) if unit == "nats" else 1.0)
        known = (
            f"{information:.2f} {unit} of {secret} can be known for certain: every release "
            f"reveals which of {release.parts} groups its value is in."
        )
    if release.anonymity == release.n_s:
        return f"{known} Every release leaves {_all_values(release.n_s)} possible."
    if release.anonymity == 1:
        but = "Yet at least one" if release.parts == 1 else "At least one"
        return (
            f"{known} {but} release leaves only one of {number_of(release.n_s, 'value')} possible."
        )
    return (
        f"{known} Every release leaves at least {release.anonymity} of {release.n_s} values "
        "possible."
    )


def _belief(result: Result, unit: str) -> str:
    secret = _columns(result.scenario.data.secret, "S")
    notion, audit = result.mechanism.notion, result.mechanism.audit
    own = None
    if notion is not None and audit is not None:
        own = notion.in_words(audit.achieved, secret, _records(result))
    if own is not None:
        return own
    if notions.entry(result.scenario.notion).family == "average" and notion is not None:
        return _on_average(result, unit, secret)
    return _changes(result, secret)


def _on_average(result: Result, unit: str, secret: str) -> str:
    """Say what is revealed about S on average, and how far one output may change a belief."""
    level = result.after.achieved["lip"]
    information = result.after.averages["mutual_information"] / (
        math.log(2) if unit == "bits" else 1.0
    )
    # nats or bits of S below which an average is not mentioned
    if information < 1e-7:
        return _changes(result, secret)
    sentence = f"On average, the release reveals {information:.3g} {unit} about {secret}"
    if math.isinf(level):
        return f"{sentence}, but some outputs rule out a value of {secret} for certain."
    if level > ALMOST_RULED_OUT:
        return f"{sentence}, but some outputs almost rule out a value of {secret}."
    return (
        f"{sentence}, but a single output may change a belief by up to "
        f"a factor of {rounded_up(math.exp(level))}."
    )


def _records(result: Result) -> int:
    n = result.scenario.n
    return assumed_records(result.joint.n) if n is None else n


def _changes(result: Result, secret: str) -> str:
    """Say how far Y changes beliefs: of those who know nothing of a record, or what others do."""
    known, level, more = result.scenario.data.known, result.lip, _determined(result, secret)
    to = f" to someone who knows {listed(known)}" if known else ""
    if math.isinf(level):
        return f"Some outputs rule out a value of {secret} for certain{to}.{more}"
    if rounded_up(math.exp(level)) == "1.00":
        return f"The release reveals nothing about {secret}{to}.{more}"
    whose = "the data" if result.joint.n is None else "these records"
    beside = f" and a person's {listed(known)}, Y" if known else ", Y alone"
    return (
        f"For someone who knows only the distribution of {whose}{beside} shifts no belief about "
        f"{secret} by more than a factor of {rounded_up(math.exp(level))}.{more}"
    )


def _determined(result: Result, secret: str) -> str:
    """Say of how many records S follows from what others know, with a blank before; "" for none."""
    report = result.counted.report
    if not report.determined:
        return ""
    records = number_of(report.determined, "record")
    determine = "determines" if len(result.scenario.data.known) == 1 else "determine"
    return f" For {records}, {report.known} alone {determine} {secret}."


def _kept(result: Result) -> str:
    data, kept = result.scenario.data, rough(result.mechanism.nmi)
    sentence = PURPOSES[result.scenario.purpose].sentence
    if sentence is not None:
        made, released = result.mechanism, _columns(data.released, "X")
        ends = made.purpose.range(result.joint)
        return (
            f"{sentence(made, ends, released, listed(data.task))} {kept} of all the information "
            f"in {released} survives."
        )
    if data.secret_released:
        pair = _columns(data.secret + data.released, "S and U")
        return f"{kept} of the information in {pair} survives."
    return f"{kept} of the information in {_columns(data.released, 'X')} survives."


def _bound(result: Result, unit: str) -> str:
    mechanism = result.mechanism
    if mechanism.notion is None or mechanism.kept >= 1:
        return ""
    promise, data = promise_text(mechanism.notion, unit), result.scenario.data
    if len(mechanism.kernel) > result.joint.n_x:
        promise, within = f"{promise} that also reads S", ""
    else:  # one that looks at S as well may keep more
        secret = _columns(data.secret, "S")
        within = (
            "" if data.secret_released or data.releases_secret else f" without reading {secret}"
        )
    low, high = mechanism.purpose.range(result.joint)
    # gap, in units of the utility or of all that X adds to it, whichever is smaller, up to which a
    # sentence calls a result proven; the figures show the gap itself
    small = 1e-5 * min(mechanism.purpose.size(), high - low)
    if mechanism.status == "optimal" or mechanism.gap <= small:
        return f"Proven: no mechanism under {promise} keeps more{within}."
    most = mechanism.purpose.share(result.joint, mechanism.upper_bound)
    if most >= 1:
        return ""  # only the trivial bound is known
    bound = at_most(most)
    if bound == "100%":
        return ""
    return f"No mechanism under {promise} keeps more than {bound}{within}."


def _why(result: Result) -> str:
    """Say what perfect privacy leaves of X and why, where a budget on an average asks for it."""
    notion, data = result.mechanism.notion, result.scenario.data
    parts = () if notion is None else notion.parts
    if not any(part.on_average and part.is_perfect_privacy for part in parts):
        return ""
    released = data.secret + data.released if data.secret_released else data.released
    return what_is_left(result.joint, _columns(data.secret, "S"), _columns(released, "X"))


def _all_values(count: int) -> str:
    if count <= 2:
        return ("the only value", "both values")[count - 1]
    return f"all {count:,} values"


def _columns(names: tuple[str, ...], fallback: str) -> str:
    return listed(names) or fallback
