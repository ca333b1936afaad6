"""A certificate in words: what it promises to whom and what not, and its figures by subject."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from core.data.counts.cells import JOINED
from core.data.counts.report import several
from core.data.spec import DataSpec
from core.notions import catalogue as notions
from core.notions.base import OF_BUDGETS
from core.notions.numbers import Numbers
from core.records.design import COLUMNS, LEAVE_OUT, REFUSE, stand_in
from core.records.fields import (
    LINKED,
    OF_ALL,
    PLAIN_HASH,
    SHARED,
    beside_of,
    of_each,
    outputs_of,
    unit_of,
)
from core.release.attack import Attack
from core.release.file_words import attack_sentence, extent, factor, file_sentences
from core.release.sentences import question
from core.scenario import PURPOSES, Scenario
from core.studies.side_by_side import level_title
from core.wording import listed, number_of, percent, were

PROMISED, NOT_PROMISED = "promised", "not promised"
"""Whether a sentence states a promise, or that there is none."""

Sentence = dict[str, str]
"""What is promised or not: its "about", its "status" and its "sentence"."""

OVER_THE_SET = ("ldp", "rldp", "robust_ldp", "pml", "robust_pml")
"""Keys of the notions whose level over the confidence set a certificate has."""


def promises(body: Mapping[str, Any]) -> list[Sentence]:
    sentences = [_one_record(body), _fresh(body), _sampling(body), _again(body), _others(body)]
    if body.get("beside"):
        broken = body["beside"]["holds"] is False
        sentences.insert(0 if broken else 1, _file(body))
    sentences += _persons(body)
    left = body["unknown"]["records"]
    if left and stand_in(body["unknown"]["treatment"]) is not None:
        sentences.append(
            sentence(
                "unknown values",
                False,
                f"{number_of(left, 'record')} with unknown values {were(left)} taken for "
                f"{body['unknown']['treatment']!r}: their Y does not depend on their own X.",
            )
        )
    gone = body["original"]["filtered"]
    gone += left if body["unknown"]["treatment"] == LEAVE_OUT else 0
    if gone:
        sentences.append(
            sentence(
                "records left out",
                False,
                f"{number_of(gone, 'record')} {were(gone)} left out: their absence from the file "
                "may reveal something about them.",
            )
        )
    if body["released"]["treatment"] != "kept":
        sentences.append(sentence("order", False, _order(body)))
    secret = "seed" if body["draw"]["kind"] == "seed" else "key"
    sentences.append(
        sentence(
            secret,
            False,
            f"Nothing is promised against anyone who knows the {secret}, which can undo the draw."
            f"{' ' + GUESSED if is_guessable(body) else ''}",
        )
    )
    return sentences if body["version"] <= PLAIN_HASH else [*sentences, _counts(body)]


def _persons(body: Mapping[str, Any]) -> list[Sentence]:
    """Say that a promise for a record is none for a person, where persons are named."""
    most, read = body["original"].get("persons"), Scenario.from_dict(body["scenario"]).data.read
    if most is None:
        return []
    text = f"{several(most)} {_of_person(body)}".strip()
    if most == 1:
        text = f"No person, identified by {read.person!r}, has two records."
        if read.first:
            text = (
                f"Only the first record of each person, identified by {read.person!r}, is counted "
                "and released."
            )
        elif read.drawn is not None:
            text = (
                f"Only one record of each person, identified by {read.person!r}, is counted and "
                f"released. It was drawn with seed {read.drawn}, which is not secret."
            )
        text += " Nothing is promised about a person who appears under two names."
    return [sentence("persons", False, text)]


def _of_person(body: Mapping[str, Any]) -> str:
    """Say what all outputs of a person reveal, where that was counted, else in two cases."""
    if "persons" not in body["levels"]:
        return ""
    stated = body["levels"]["persons"]
    if stated is None:
        return "What they all reveal was not counted: S is unknown, or differs within a person."
    levels = {int(m): of["levels"] for m, of in stated["counted"].items()}
    known = {m: float(of["lip"]) for m, of in levels.items() if of is not None}
    text, left = "", max((m for m, of in levels.items() if of is None), default=0)
    if known:
        m = max(known, key=known.__getitem__)
        change = f"change beliefs about S {extent(known[m])},"
        if known[m] == math.inf:
            change = "can rule out a value of S"
        persons = stated["counted"][str(m)]["persons"]
        text = (
            f"In this file, all outputs of a person together {change} for a reader who knows how "
            f"many there are. The largest change is for persons with {m} records: {persons:,} in "
            "all. "
        )
    if left:
        text += f"The outputs of {left:,} records have too many combinations to be counted. "
    if stated["cases"] is not None:
        alike, apart = (
            extent(float(stated["cases"][case]["at_most"])) for case in ("alike", "independent")
        )
        text += (
            f"In two cases, neither of which is a bound, they change beliefs {alike} (all records "
            f"have the same X) and {apart} (the records are independent given S)."
        )
    return text


def _order(body: Mapping[str, Any]) -> str:
    """Say what the order of the records reveals."""
    text = (
        "The records are in the order of the original: anyone who has another file in the same "
        "order can join the two."
    )
    if body["version"] <= OF_ALL:
        return text
    weight = Scenario.from_dict(body["scenario"]).data.read.weight
    if body["version"] > SHARED and weight:
        return (
            f"{text} Each row of the original stands for several records, as {weight!r} says, and "
            "they stand together: many outputs of one row show its X. To avoid that, write a row "
            "for each record, shuffle them and release that file."
        )
    several = ", or a row stands for several records" if body["version"] <= SHARED else ""
    return (
        f"{text} Where the original is sorted or grouped, by S or X or a column that goes with "
        f"them{several}, the place of a record shows its values."
    )


GUESSED = (
    "This seed is so small that anyone with this certificate can find it by trial: release again "
    "with a seed drawn at random."
)
"""The warning about a seed that its commitment in a certificate gives away."""


def is_guessable(body: Mapping[str, Any]) -> bool:
    """Return whether a draw's seed is too small to hide the original that it commits to."""
    if body["version"] <= PLAIN_HASH or body["draw"]["kind"] != "seed":
        return False
    return body["original"]["commitment"] is None


def sentence(about: str, promised: bool, text: str) -> Sentence:
    return {
        "about": about,
        "status": PROMISED if promised else NOT_PROMISED,
        "sentence": text,
    }


def _one_record(body: Mapping[str, Any]) -> Sentence:
    promise = body["levels"]["asked"]
    if promise is None:
        return sentence("one record", False, "No promise was requested of this mechanism.")
    if body["released"]["treatment"] == "kept":
        text = "This is the owner's copy: it holds X and S beside Y, so nothing is promised."
        return sentence("one record", False, text)
    if not promise["holds"]:
        text = f"{promise['notion']} was requested, but does not hold."
        return sentence("one record", False, text)
    if is_guessable(body):
        text = (
            f"The mechanism keeps {promise['notion']}, and this draw of it can be undone. {GUESSED}"
        )
        return sentence("one record", False, text)
    else_known = ", and nothing else about the person" if "beside" in body else ""
    weights, shows = _sampling_weights(body), f"{body['design']['data']} shows"
    if weights:
        shows += f" by the sampling weights of {weights!r}"
    seen, what, named = "Y", ["S", "X"], listed(known_to_others(body))
    if "columns" in body:
        seen = f"the released {listed([repr(name) for name in outputs_of(body)])}"
        what = ["S", *map(repr, replaced_by(body))]
    if named:
        what, else_known = [*what, named], f", the person's {named}{else_known}"
    at_most = "" if body["levels"].get("exact", True) else "at most "
    less = f" Not against someone who does not know {named}: Y may reveal it." * ("groups" in body)
    return sentence(
        "one record",
        True,
        f"Against anyone who sees {seen} of one record and knows the distribution of "
        f"{listed(what)} that {shows}{else_known}: {promise['notion']} (level reached: "
        f"{at_most}{reached(promise['achieved'], promise['unit'])}).{less}",
    )


def replaced_by(body: Mapping[str, Any]) -> list[str]:
    """Return the title of each X that a Y replaces."""
    return [JOINED.join(part["design"]["coding"][1]["columns"]) for part in of_each(body)]


def _sampling_weights(body: Mapping[str, Any]) -> str:
    """Return the column of sampling weights of the mechanism's data, "" for none."""
    return Scenario.from_dict(body["scenario"]).data.read.sampling


def _file(body: Mapping[str, Any]) -> Sentence:
    """Say what Y and the columns beside it give away together, and whether that is promised."""
    beside, promise = body["beside"], body["levels"]["asked"]
    names = [*beside["columns"], *beside["known"]]
    secret = JOINED.join(body["design"]["coding"][0]["columns"])
    text = file_sentences(beside_of(beside["together"], beside["records"]), names, secret)
    if "certain" in beside:
        text = (
            f"{text} With Y, {percent(beside['certain'])} of the records have values that occur "
            f"with only one value of {secret}."
        )
    if beside.get("attack"):
        text = f"{text} {attack_sentence(Attack(**beside['attack']), names, secret)}"
    if promise is not None and beside["holds"] is False:
        text = f"With the columns beside Y this file does not keep {promise['notion']}. {text}"
    kept = promise is not None and promise["holds"] and not is_guessable(body)
    if kept and beside["holds"]:
        text = f"Y and the columns beside it keep {promise['notion']} in this file. {text}"
    return sentence("the file", bool(kept and beside["holds"]), text)


def _fresh(body: Mapping[str, Any]) -> Sentence:
    weights = _sampling_weights(body)
    if body["design"]["same"] and weights:
        text = (
            f"The level is that of the distribution weighted by {weights!r}. The records counted "
            f"once each have another distribution: {_own(body)} Nothing is promised about new "
            "records from elsewhere."
        )
        return sentence("fresh records", False, text)
    if body["design"]["same"]:
        text = (
            "The level is that of the distribution of these records. Nothing is promised about "
            "new records from elsewhere."
        )
        return sentence("fresh records", False, text)
    return sentence(
        "fresh records",
        False,
        f"The mechanism was made for {body['design']['data']}, not for these records: {_own(body)}",
    )


def _own(body: Mapping[str, Any]) -> str:
    """Return the level of the notion requested, under the records' own distribution."""
    own, promise = body["levels"]["records"], body["levels"]["asked"]
    if own is None:
        return "their own level is not known, since they have no column of S."
    keys = () if promise is None else notion_keys(body)
    shown_keys = [key for notion in keys for key in (notions.entry(notion).sides or (notion,))]
    alone = not known_to_others(body)  # the own levels are of Y alone
    if alone and shown_keys and all(own.get(key) is not None for key in shown_keys):
        levels = listed(
            [
                f"{level_title(key, numbers_of(body))}: {reached(own[key], unit_of(key))}"
                for key in shown_keys
            ]
        )
        return f"by their own distribution it reaches {levels}."
    both = f"LIP at {figure(own['lip'])} nats and LDP at {figure(own['ldp'])} nats"
    text = f"by their own distribution it keeps {both}"
    if not shown_keys:
        return f"{text}."
    return f"{text}; the level of {promise['notion']} was not computed."


def _sampling(body: Mapping[str, Any]) -> Sentence:
    levels, numbers = body["levels"]["design"], body["levels"]["numbers"]
    promise = body["levels"]["asked"]
    pairs = [("robust_ldp", "robust_pml"), ("rldp", "rldp")]
    if promise is not None and "rldp" in notion_keys(body):
        pairs.reverse()  # the level that was asked for
    for ldp, pml in pairs:
        if levels.get(ldp) is not None:
            if weights := _sampling_weights(body):
                return sentence("sampling error", False, _by_weights(body, weights, ldp, pml))
            linked = body["version"] <= LINKED
            sure = f"{100 * (1 - numbers['beta']):g}% confidence"
            also = "" if pml == ldp else f", and PML at {figure(levels[pml])} nats"
            if body["version"] > PLAIN_HASH:
                sure += " (exact only for many records)"
            text = (
                f"With {sure}, the records come from a distribution for which LDP holds "
                f"at {figure(levels[ldp])} nats{also}: the level over the confidence set."
            )
            other = known_to_others(body) or not set(notion_keys(body)) <= set(OVER_THE_SET)
            if promise is not None and other:
                text += (
                    f" It is known of LDP and PML only: that of {promise['notion']}, which was "
                    "asked, is that of the counted distribution."
                    if linked
                    else f" For {promise['notion']} itself only the level of the counted "
                    "distribution is known."
                )
            return sentence("sampling error", levels[ldp] != "inf", text)
    return sentence(
        "sampling error",
        False,
        "The level is that of the counted distribution; the level over the confidence set was not "
        "computed for this mechanism.",
    )


def _by_weights(body: Mapping[str, Any], weights: str, ldp: str, pml: str) -> str:
    """Return what is known of sampling error where records have sampling weights."""
    levels = body["levels"]["design"]
    also = "" if pml == ldp else f", and PML at {figure(levels[pml])} nats"
    number = body["levels"]["numbers"].get("n") or body["design"]["records"]
    return (
        f"With the sampling weights in {weights!r}, the records are worth about "
        f"{number_of(number, 'record')}. Over the confidence set for that many, LDP holds at "
        f"{figure(levels[ldp])} nats{also}, but the probability that this set contains the true "
        "distribution is unknown."
    )


def _counts(body: Mapping[str, Any]) -> Sentence:
    each = [number_of(len(body["design"]["s"]), "value") + " of S"]
    for part, name in zip(of_each(body), replaced_by(body), strict=True):
        of = repr(name) if "columns" in body else "X"
        each.append(f"{number_of(len(part['mechanism']['inputs']), 'value')} of {of}")
    if "groups" in body:
        each.append(f"{number_of(len(body['known']['inputs']), 'value')} of {known_title(body)}")
    what = "pair of S and X"
    if "columns" in body:
        what = f"combination of {listed(['S', *map(repr, replaced_by(body))])}"
    data = Scenario.from_json(json.dumps(body["scenario"])).data
    old = body["version"] <= OF_ALL
    tables = not old and any(hierarchy.rows for hierarchy in data.hierarchies)
    words = (
        ("left out", data.left_out),
        ("merged", data.merges),
        ("in a table of parents", tables),
    )
    also = [word for word, some in words if some]
    further = f" So are the values that are {' or '.join(also)}." if also else ""
    hidden = sum(map(len, body["design"].get("left_out", {}).values()))
    if hidden:
        further += f" The names of {number_of(hidden, 'value')} left out are withheld."
    task = "" if old or not data.task else ", and of T and X"
    if data.known and "columns" in body:
        task = f", beside {listed(data.known)}"
    elif data.known:
        task += f", and of S, X and {listed(data.known)}"
    weigh = ", and their total weight" if data.read.sampling else ""
    linked = body["version"] <= LINKED
    subject = "The mechanism and all figures here" if linked else "The mechanism, levels and proof"
    beside = "" if linked else _counts_beside(body.get("beside"))
    return sentence(
        "counts",
        False,
        f"{subject} follow from how many records have each {what}{task}{weigh}: a guess "
        f"of all these counts can be tested against them. {beside}All "
        f"{listed(each)} are named, "
        f"rare ones too.{further}{_ends_of_bins(data, old=old)}",
    )


def _counts_beside(beside: Mapping[str, Any] | None) -> str:
    """Say what the figures of other columns, if any, follow from and show, with a blank behind."""
    if not beside:
        return ""
    names = [*beside["columns"], *beside["known"]]
    these = "this column" if len(names) == 1 else "these columns"
    return (
        f"The figures of {listed([repr(name) for name in names])} follow from how many records "
        f"have each combination of S, X and {these}. Anyone who knows the values of {these} can "
        "find out which S and X fit the figures: where few do, this shows S of single records, "
        "and no level here covers it. "
    )


def _ends_of_bins(data: DataSpec, *, old: bool) -> str:
    """Say which values the ends of bins show, where they follow from the records."""
    cut = [repr(binning.column) for binning in data.binnings if binning.kind != "edges"]
    if not cut:
        return ""
    text = f" The outer ends of the bins of {listed(cut)} are the smallest and the largest value"
    if old:
        return f"{text} counted."
    of_records = [repr(binning.column) for binning in data.binnings if binning.kind == "quantile"]
    inner = f" The inner ends of {listed(of_records)} are values too." if of_records else ""
    return f"{text} of all records that pass the filters, even if left out later.{inner}"


def _again(body: Mapping[str, Any]) -> Sentence:
    if body["draw"]["kind"] == "key":
        further = "its output is drawn anew"
        if "mechanism" not in body["draw"]:  # as the first certificates said
            further = "it is a further release"
        if body["version"] > LINKED:
            return sentence(
                "repeated releases",
                True,
                "In another release with the same key, mechanism and way to form X, a record whose "
                "values stay the same gets the same output: two different outputs show that a "
                f"value has changed. With a changed value, mechanism or way to form X {further}.",
            )
        return sentence(
            "repeated releases",
            True,
            "In another release with the same key and mechanism, a record whose values stay the "
            f"same gets the same output; with a changed value or mechanism {further}.",
        )
    repeated, promise = body["levels"]["repeated"], body["levels"]["asked"]
    if not repeated:
        text = "Nothing is promised about repeated releases."
    else:
        levels = listed(
            [
                f"{k} reach {reached(drawn['level'], promise['unit'])}"
                for k, drawn in repeated.items()
            ]
        )
        text = (
            f"Among independent releases of the same records, seen together, {levels}, where "
            f"{promise['notion']} is promised of one."
        )
        if body["version"] > LINKED:
            text = (
                f"{promise['notion']} holds for one release. Among independent releases of the "
                f"same records, seen together, {levels}."
            )
    return sentence("repeated releases", False, text)


def _others(body: Mapping[str, Any]) -> dict[str, str]:
    made = outputs_of(body)
    others = [name for name in body["released"]["columns"] if name not in made]
    if not others:
        return sentence("other columns", True, "No other column is released.")
    names = listed([repr(name) for name in others])
    if body.get("beside"):
        text = f"What other files with {names} reveal is not known."
        return sentence("other columns", False, text)
    return sentence(
        "other columns",
        False,
        f"Nothing is promised about S given {names}, alone or together with Y.",
    )


def notion_keys(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the notions that a certificate's scenario asks for."""
    scenario = Scenario.from_dict(body["scenario"])
    return (scenario.notion, *(promise.notion for promise in scenario.also))


def known_to_others(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns given which the promise is to hold."""
    return Scenario.from_dict(body["scenario"]).data.known


def numbers_of(body: Mapping[str, Any]) -> Numbers:
    """Return the λ, α, β and n of a certificate's levels."""
    names = {entry.name for entry in fields(Numbers)}
    given = {key: value for key, value in body["levels"]["numbers"].items() if key in names}
    known: dict[str, Any] = {
        key: math.inf if number == "inf" else number for key, number in given.items()
    }
    return Numbers(**known)


def reached(value: float | str, unit: str) -> str:
    """Return a level as text with its unit."""
    if unit == OF_BUDGETS and not isinstance(value, str):
        return f"{100 * value:.4g}% {unit}"
    if unit == OF_BUDGETS:
        return "∞ times its budgets"
    return f"{figure(value)} {unit}".rstrip()


def figure(value: float | str) -> str:
    return "∞" if isinstance(value, str) else f"{value:.4g}"


DRAWS = {
    "seed": "by a secret seed, once",
    "key": "by a secret key and the id in {id!r}, the same in every release of the same value",
}
"""How outputs were drawn, by the kind of the draw."""


IN_NATS = ("information", "task")
"""Keys of the purposes whose utility is information."""


METHODS = {
    "closed form": "a formula",
    "greedy": "a greedy search",
    "one program": "one program over all mechanisms",
    "enumerate": "linear programs over all outputs that the notion allows",
    "columns": "linear programs that search for better outputs",
    "cutting planes": "linear programs under conditions that are added where one is broken",
}
"""How a mechanism was computed, by its solver; others are named as they are."""

OPTIMAL = {
    "optimal": "yes, proven: no mechanism under this notion keeps more",
    "heuristic": "not proven: it is a heuristic, and another mechanism may keep more",
    "repaired": "not proven: it is a heuristic that was changed until the notion held",
    "calibrated": "not proven: it is a family of mechanisms, calibrated to the notion",
    "closed form": "not proven: another mechanism may keep more",
    "time limit": "not proven: time ended the search",
}
"""What is proven of a mechanism, by its status; others are named as they are."""


@dataclass(frozen=True)
class Section:
    """One subject of a certificate: names with their texts."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Level:
    """A notion's level by the design, and by the records if another; None where not defined."""

    title: str
    unit: str
    design: float | None
    records: float | None


def sections(body: Mapping[str, Any]) -> tuple[Section, ...]:
    """Return what a certificate says about the question, the files, the proof and the code."""
    return (
        Section("What was released", tuple(_question(body))),
        Section("How it was drawn", tuple(_draw(body))),
        *_beside(body),
        *(Section(title, tuple(_proof(part))) for title, part in _proofs(body)),
        *_groups(body),
        Section("Hashes", tuple(_hashes(body))),
    )


def level_rows(body: Mapping[str, Any]) -> tuple[Level, ...]:
    """Return the achieved level of every notion, in the catalogue's order."""
    numbers = numbers_of(body)
    own = body["levels"]["records"] or {}
    return tuple(
        Level(
            level_title(key, numbers),
            unit_of(key),
            _number(value),
            _number(own.get(key)),
        )
        for key, value in body["levels"]["design"].items()
    )


def _question(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    scenario = Scenario.from_dict(body["scenario"])
    promise, released = body["levels"]["asked"], body["released"]
    yield "Question", question(scenario)
    for part, name in zip(of_each(body), replaced_by(body), strict=True):
        text = part["mechanism"]["name"] + ", made for " + body["design"]["data"]
        if "groups" in body:
            text += (
                f", for each of {number_of(len(body['groups']), 'group')} of {known_title(body)}"
            )
        if "columns" in body:
            text += f", with ε = {figure(part['scenario']['eps'])}"
        yield f"Mechanism of {name!r}" if "columns" in body else "Mechanism", text
        if part["mechanism"]["reads_s"]:
            yield "Reads", "S and X of each record"
    if promise is not None:
        yield (
            "Privacy notion",
            f"{promise['notion']}; level reached {reached(promise['achieved'], promise['unit'])}",
        )
    every = body["original"]["records"]
    share = "all" if released["records"] == every else f"{released['records']:,} of"
    yield "Records released", f"{share} {every:,}"
    made = outputs_of(body)
    yield "Column of Y" if len(made) == 1 else "Columns of Y, in the order of release", listed(made)
    yield "Columns written", listed(released["columns"])
    if "format" in released:
        yield "Format of the file", released["format"]
    yield "Original columns", COLUMNS.get(released["treatment"], released["treatment"])


def _beside(body: Mapping[str, Any]) -> Iterator[Section]:
    """Yield what each column beside Y gives away, where a certificate says so."""
    beside = body.get("beside")
    if not beside:
        return
    title = "How far beliefs about S shift, at most: by a column, by Y next to it, by both"
    rows = {repr(name): figures for name, figures in beside["each"].items()}
    rows |= {"all together": beside["together"]} if rows else {}
    rows = rows or {repr([*beside["columns"], *beside["known"]][0]): beside["together"]}
    lines = []
    for name, figures in rows.items():
        levels = beside_of(figures, beside["records"])
        moves = [factor(part["lip"]) for part in (levels.known, levels.added, levels.file)]
        lines.append((name, ", ".join(moves)))
    if beside["known"]:
        lines.append(("Not in the file, and known from elsewhere", listed(beside["known"])))
    yield Section(title, tuple(lines))


def _draw(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    draw, unknown = body["draw"], body["unknown"]
    how = DRAWS.get(draw["kind"], draw["kind"])
    how = "by a seed that can be guessed, once" if is_guessable(body) else how
    yield "Outputs", how.format(id=draw.get("id"))
    level = body["scenario"]["data"].get("missing", "level") == "level"
    also = " (a missing value is a level like any other)" if level else ""
    text = _unknown(unknown["treatment"], unknown["records"])
    yield "Values unknown to the mechanism", text + also
    if body["original"]["filtered"]:
        yield "Left out by the scenario", number_of(body["original"]["filtered"], "record")
    for k, drawn in body["levels"]["repeated"].items():
        level = reached(drawn["level"], body["levels"]["asked"]["unit"])
        yield f"Level of {k} independent releases", level


def _proofs(body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what stands above the proof of each column, and what a certificate of it would have."""
    if "groups" in body:
        return
    for part, name in zip(of_each(body), replaced_by(body), strict=True):
        yield f"Proof for {name!r}, given those before" if "columns" in body else "Proof", part


def known_title(body: Mapping[str, Any]) -> str:
    """Return the columns that others know as one name in quotes."""
    return repr(JOINED.join(known_to_others(body)))


def group_title(group: Mapping[str, Any]) -> str:
    first, *further = group["values"]
    return f"{first} and {number_of(len(further), 'rarer value')}" if further else str(first)


def _groups(body: Mapping[str, Any]) -> Iterator[Section]:
    """Yield level and proof of the mechanism of each group of known values, if there are any."""
    if "groups" not in body:
        return
    unit, lines = body["levels"]["asked"]["unit"], []
    for group in body["groups"]:
        proof = group["proof"]
        text = (
            f"{number_of(group['records'], 'record')}, level {reached(group['level'], unit)}, "
            f"{figure(proof['utility'])} nats of at most {figure(proof['upper_bound'])} kept"
        )
        lines.append((group_title(group), text))
    yield Section(f"Mechanisms by {known_title(body)}: level and information kept", tuple(lines))


def _proof(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    proof = body["proof"]
    unit = " nats" if proof["purpose"] in IN_NATS else ""
    known = PURPOSES.get(proof["purpose"])
    what = proof["purpose"] if known is None else known.title
    yield "Kept", f"{figure(proof['utility'])}{unit} of {what}"
    yield "Proven: no mechanism keeps more than", figure(proof["upper_bound"]) + unit
    yield "I(X;Y)", f"{figure(proof['information'])} nats"
    yield "Computed by", METHODS.get(proof["solver"], proof["solver"])
    yield "Best possible", _best(proof, unit)
    for note in proof.get("notes", ()):
        yield "Note", note


def _best(proof: Mapping[str, Any], unit: str) -> str:
    """Return what is proven of a mechanism: a proof says no more than its bound."""
    gap, status = proof["upper_bound"] - proof["utility"], str(proof["status"])
    # figures have four digits
    if status == "optimal" and gap > 1e-4 * max(1.0, abs(proof["upper_bound"])):
        return f"proven to within {figure(gap)}{unit}: another mechanism may keep that much more"
    return OPTIMAL.get(status, status)


def _hashes(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if body["version"] <= PLAIN_HASH:
        yield "Original file, SHA-256", body["original"]["sha256"]
    else:
        secret = body["draw"]["kind"]
        none = f"none: the {secret} can be guessed"
        yield f"Commitment to the original, by the {secret}", body["original"]["commitment"] or none
    yield "Released file, SHA-256", body["released"]["sha256"]
    yield f"Commitment to the {body['draw']['kind']}", body["draw"]["commitment"]
    yield "Code", f"version {body['code']['version']}, SHA-256 {body['code']['sha256']}"
    yield "This certificate", body["fingerprint"]


def _unknown(treatment: str, records: int) -> str:
    """Say what happened to records with values that the mechanism has no row for, or would have."""
    if treatment == REFUSE:
        return "no record has one; with one, nothing would have been released"
    how = "left out" if treatment == LEAVE_OUT else f"taken for {treatment!r}"
    if not records:
        return f"no record has one; it would have been {how}"
    return f"{number_of(records, 'record')}, {how}"


def _number(value: float | str | None) -> float | None:
    return None if value is None else float(value)
