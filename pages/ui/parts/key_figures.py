"""The row of key figures above the charts: what is kept, what is given away, what is proven."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st

from core.notions import catalogue as notions
from core.release.sentences import promise_text
from core.scenario import Result
from core.wording import listed
from pages.ui.style import glossary
from pages.ui.style.units import level, most_share, share
from pages.ui.work import derived


def at_least(text: str, *, provisional: bool) -> str:
    """Return what is kept, as the least that will be while the answer is improving."""
    if not provisional or text.startswith(">"):
        return text
    return "> 0%" if text.startswith("<") else f"≥ {text}"


@dataclass(frozen=True)
class Shown:
    """A key figure as it is shown, and the term that explains it."""

    label: str
    value: str
    beside: str | None
    term: str


def rows(result: Result, unit: str, *, provisional: bool) -> list[Shown]:
    """Return a result's figures; of a `provisional` one, what is kept is at least that."""
    mechanism, after, before = result.mechanism, result.after, result.before
    least = partial(at_least, provisional=provisional)
    figures = [
        *_kept(result, unit, provisional=provisional),
        Shown("NMI", least(share(mechanism.nmi)), "of X's information", "nmi"),
    ]
    for entry in notions.always_reported():
        now, then = (level(leak.achieved[entry.key], unit) for leak in (after, before))
        figures.append(Shown(f"{entry.title} reached, {unit}", now, f"X itself {then}", "level"))
    now, then = (level(leak.averages["mutual_information"], unit, 4) for leak in (after, before))
    figures.append(Shown(f"I(S;Y), {unit}", now, f"X itself {then}", "secret_information"))
    notion, audit = mechanism.notion, mechanism.audit
    if notion is not None and notion.reached and audit is not None:
        own, term = level(audit.achieved, unit), "robust" if notion.of_estimate else "level"
        figures.append(Shown(f"{notion.name} reached, {unit}", own, notion.reached, term))
    if known := result.scenario.data.known:
        given = level(result.lip, unit)
        figures.append(Shown(f"LIP given K, {unit}", given, f"K is {listed(known)}", "also_known"))
    gap, of = level(mechanism.gap, unit), f", {unit}"
    if mechanism.purpose.unit != "nats":
        gap, of = f"{mechanism.gap:.3g}", ""
    return [*figures, Shown(f"Gap{of}", gap, mechanism.status, "gap")]


def _kept(result: Result, unit: str, *, provisional: bool) -> Iterator[Shown]:
    """Return the share kept and I(X;Y) next to it."""
    least = partial(at_least, provisional=provisional)
    mechanism, purpose = result.mechanism, result.scenario.purpose
    most = f"at most {level(mechanism.upper_bound, unit)}"
    if purpose == "information":
        label = f"I(X;Y), {unit}"
        yield Shown(label, least(level(mechanism.utility, unit)), most, "mutual_information")
        return
    task = "T" if result.scenario.data.task else "X"
    if purpose == "task":
        text = least(level(mechanism.utility, unit))
        yield Shown(f"I(T;Y), {unit}", text, most, "task_information")
    elif purpose == "guess":
        value = least(share(mechanism.utility))
        limit = f"at most {most_share(mechanism.upper_bound)}"
        yield Shown(f"{task} guessed right", value, limit, "right_guess")
    else:
        value, bound = f"{0 - mechanism.utility:.4g}", f"{0 - mechanism.upper_bound:.4g}"
        value = f"≤ {value}" if provisional else value
        yield Shown("Expected error", value, f"at least {bound}", "expected_error")
    kept = least(share(mechanism.kept))
    yield Shown("Kept for this purpose", kept, "of what X itself achieves", "kept_for_purpose")
    whole = level(mechanism.information, unit)
    yield Shown(f"I(X;Y), {unit}", whole, "all information in X", "mutual_information")
    guess = derived.right_guess(result)
    if guess is not None and (purpose != "guess" or task == "T"):
        now, before = guess
        yield Shown("X guessed right", share(now), f"without it {share(before)}", "right_guess")


def figure(label: str, value: str, term: str) -> None:
    """Show a figure, and on hover and from the keyboard what it means."""
    st.metric(label, value, width="content", help=glossary.explained(label, term))


@dataclass(frozen=True)
class Badge:
    """What the audit found, in words, and how it looks."""

    text: str
    icon: str
    color: Literal["gray", "orange", "green"]


def badge(result: Result, unit: str, *, provisional: bool) -> Badge:
    """Return what the audit found, or that a result is `provisional`."""
    audit, kind = result.mechanism.audit, notions.entry(result.scenario.notion).kind
    if provisional:
        return Badge("quick estimate, not final", ":material/hourglass_top:", "gray")
    if audit is None:
        return Badge("no privacy notion", ":material/remove:", "gray")
    if kind.of_estimate and not audit.notion.of_estimate:
        promise = promise_text(audit.notion, unit)
        text = f"audit: {promise} holds, {kind.name} does not"
        return Badge(text, ":material/warning:", "orange")
    trusts = result.joint.n is not None and not audit.notion.of_estimate
    held = "holds for the counted distribution" if trusts else "notion holds"
    return Badge(f"audit: {held}", ":material/verified:", "green")
