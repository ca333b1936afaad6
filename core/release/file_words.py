"""What a file gives away, in words: whether it keeps a promise, and what a column does to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.limits import ROUNDING
from core.notions import Notion
from core.release.attack import Attack
from core.release.beside import Beside
from core.wording import first_of, listed, percent, rounded_up

TWIN = 0.5
"""Share of records from which a column that determines their S is called a twin of S."""

NAMES_RECORDS = 0.5
"""Share of records that are alone on a column from which it is called unique for these."""


def keeps(beside: Beside, notion: Notion | None) -> bool | None:
    """Say whether Y and the columns beside it keep a promise; None where that is not known."""
    if notion is None:
        return None
    implied = notion.named_levels()
    if any(beside.file.get(key, 0.0) > most + ROUNDING for key, most in implied.items()):
        return False
    parts = notion.parts
    return True if all(part.bounds_lift or part.bounds_ratio for part in parts) else None


def factor(level: float) -> str:
    """Return e^level, by which beliefs move: rounded up below 100, to whole numbers above."""
    if level == math.inf:
        return "×∞"
    if level > math.log(1e6):
        return "> ×1,000,000"
    moved = math.exp(level)
    return f"×{moved:,.0f}" if moved >= 100 else f"×{rounded_up(moved)}"


def warnings(beside: Beside, secret: str, notion: Notion | None) -> tuple[str, ...]:
    """Return what speaks against keeping a column, each in a few words; none where nothing does."""
    reasons = []
    if beside.determined == 1:
        reasons.append(f"determines {secret}")
    elif beside.determined >= TWIN:
        reasons.append(f"determines {secret} for {percent(beside.determined)} of records")
    if (beside.unique or 0.0) >= NAMES_RECORDS:
        reasons.append(f"is unique for {percent(beside.unique or 0.0)} of records")
    if keeps(beside, notion) is False:
        reasons.append(f"breaks {notion}")
    elif beside.file["lip"] == math.inf:
        reasons.append(f"rules out a value of {secret}")
    return tuple(reasons)


def file_sentences(beside: Beside, names: Sequence[str], secret: str) -> str:
    """Say what columns give away about S in a file, what Y adds to them, and what both do."""
    columns, them = first_of([repr(name) for name in names], 4), "it" if len(names) == 1 else "them"
    known, added, file = (beside.known["lip"], beside.added["lip"], beside.file["lip"])
    sentences = [
        f"In this file, for these records: {columns} alone {_moves(known, secret)}; to a reader "
        f"who knows {them}, Y {_moves(added, secret)}; the file as a whole {_moves(file, secret)}.",
        f"A guess of {secret} is right with probability {beside.known['guess']:.3f} from {them}, "
        f"and {beside.file['guess']:.3f} with Y.",
    ]
    if beside.determined:
        sentences.append(
            f"{percent(beside.determined)} of the records have values that occur with only one "
            f"value of {secret}."
        )
    if beside.unique:
        sentences.append(_alone(beside.unique))
    return " ".join(sentences)


def together_sentence(
    names: Sequence[str],
    secret: str,
    promise: str,
    levels: Mapping[str, float],
    known: Sequence[str] = (),
) -> str:
    """Say what several columns, each randomized separately, promise together.

    `promise`: the notion that all outputs keep, with its ε. `levels`: theirs, given what is known.
    """
    if factor(levels["lip"]) == "×1.00":
        moved = f"they shift no belief about {secret}"
    elif math.isfinite(levels["lip"]):
        most = factor(levels["lip"]).removeprefix("×")
        moved = f"they shift no belief about {secret} by more than a factor of {most}"
    else:
        most = factor(levels["pml"]).removeprefix("×")
        moved = f"they make no value of {secret} more than {most} times as likely"
    reader = "someone who knows only the distribution of these records"
    if known:
        reader = f"someone who knows the distribution of these records and {listed(known)}"
    return (
        f"The promise is about {listed(names)} together, each randomized separately: all their "
        f"outputs satisfy {promise}. For {reader}, {moved}."
    )


def attack_sentence(attack: Attack, names: Sequence[str], secret: str) -> str:
    """Say how often an attack guesses S right from Y and columns beside it."""
    columns = "this column" if len(names) == 1 else f"these {len(names)} columns"
    return (
        f"An attack that learns from other records guesses {secret} right for "
        f"{percent(attack.right, 1)} ± {percent(attack.error, 1)} of {attack.records:,} records "
        f"from Y and {columns}, compared with {percent(attack.blind, 1)} without them."
    )


def _moves(level: float, secret: str) -> str:
    """Return how far beliefs move, as the end of a sentence."""
    if level == math.inf:
        return f"can rule out a value of {secret}"
    if factor(level) == "×1.00":
        return f"changes no belief about {secret}"
    return f"changes beliefs about {secret} {extent(level)}"


def extent(level: float) -> str:
    """Return how far a level lets beliefs move, for a sentence."""
    if level == math.inf:
        return "without limit"
    text = factor(level)
    start = "by a factor of more than" if text.startswith(">") else "by up to a factor of"
    return f"{start} {text.removeprefix('> ').removeprefix('×')}"


def _alone(share: float) -> str:
    """Say how many records have values that no other one has."""
    if share == 1:
        return (
            "No two records have the same values: anyone who has them from elsewhere finds the "
            "person, and the counts show only that."
        )
    return f"{percent(share)} of the records share their values with no other."
