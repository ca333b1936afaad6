"""From what is chosen on the Frontiers page to the sweep that it asks for."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

import numpy as np

from core.data import BUNDLED, first_question
from core.data.spec import DataSpec
from core.errors import CoreError, InvalidInputError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.scenario import DOMAINS, Scenario
from core.scenario.url import within_reach
from core.sweep import MEASURES, Draws, Sweep, measure_title
from core.sweep.measures import PREFIX, checked_measures, level_keys
from core.wording import listed, number_of
from pages.ui.frame import pickers
from pages.ui.work import derived

HERE, SETS, RANDOM = "here", "sets", "random"
"""What a sweep can be about: the data beside, bundled sets, or random joints."""

MOST_STEPS = 200
"""Most budgets."""

MOST_POINTS = 100_000
"""Most points that the page computes: they are kept in the server's memory."""


@dataclass(frozen=True)
class Form:
    """What is chosen on the page.

    Attributes
    ----------
    promises, mechanisms : tuple of str
        Keys of the catalogues.
    low, high : float
        Ends of the budgets, in nats.
    steps : int
        How many budgets there are, evenly spaced.
    on : str
        What the sweep is about: `HERE`, `SETS` or `RANDOM`.
    sets : tuple of str
        Keys of bundled sets.
    law : str
        Of random joints.
    n_s, n_x, draws, seed : int
        Their sizes, how many there are, and the seed of the set.
    """

    promises: tuple[str, ...]
    mechanisms: tuple[str, ...]
    low: float = 0.5
    high: float = 4.0
    steps: int = 8
    on: str = HERE
    sets: tuple[str, ...] = ()
    law: str = "uniform"
    n_s: int = 5
    n_x: int = 17
    draws: int = 20
    seed: int = 0


@dataclass(frozen=True)
class Asked:
    """A sweep, and which combinations were left out of it.

    Attributes
    ----------
    sweep : Sweep
        The sweep.
    left_out : tuple of str
        For each combination that has no answer on any data a sentence.
    """

    sweep: Sweep
    left_out: tuple[str, ...] = ()


def asked(form: Form, scenario: Scenario) -> Asked:
    """Return the sweep of what is chosen.

    Parameters
    ----------
    form : Form
        What is chosen.
    scenario : Scenario
        The question on screen: its purpose, further promises and other numbers are those of all.

    Raises
    ------
    CoreError
        If something is not chosen, no mechanism works under a promise, or there are too many
        points.
    """
    for chosen, what in ((form.promises, "promise"), (form.mechanisms, "mechanism")):
        if not chosen:
            raise InvalidInputError(f"Choose one {what} or more.")
    if form.low > form.high:
        raise InvalidInputError(
            f"The budgets must begin below their end, got {form.low:g} to {form.high:g}."
        )
    pairs, left_out = _pairs(form, scenario)
    if not pairs:
        raise InvalidInputError(f"No combination has an answer. {' '.join(left_out)}")
    base = replace(scenario, notion=pairs[0][0], mechanism=pairs[0][1], eps=Scenario().eps)
    vary: list[tuple[str, tuple[object, ...]]] = []
    draws = None
    if form.on != HERE:
        base = replace(base, data=DataSpec())
    if form.on == RANDOM:
        draws = Draws(form.draws, form.n_s, form.n_x, form.law, form.seed)
    if form.on == SETS:
        if not form.sets:
            raise InvalidInputError("Choose one bundled data set or more.")
        vary.append(("data", tuple(first_question(key, derived.sources()) for key in form.sets)))
    vary.append(("eps", budgets(form)))
    own = {f"{PREFIX}{key}" for key in form.promises} & set(level_keys())
    return Asked(
        Sweep(
            base,
            tuple(vary),
            tuple((("notion", notion), ("mechanism", key)) for notion, key in pairs),
            draws,
            checked_measures({*MEASURES, *own}),
        ),
        left_out,
    )


def form_of(sweep: Sweep, scenario: Scenario) -> tuple[Form, Scenario] | None:
    """Return what to choose, and the question to have on screen, so that a sweep is asked for.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    scenario : Scenario
        The question on screen: its budget stays, and its data where the sweep is not about it.

    Returns
    -------
    (Form, Scenario) or None
        None where the page cannot ask for this sweep.
    """
    varied = dict(sweep.vary)
    eps, sets, draws = varied.get("eps", ()), varied.get("data", ()), sweep.draws
    if not 1 <= len(eps) <= MOST_STEPS or not set(varied) <= {"eps", "data"}:
        return None
    titles = tuple(
        key
        for spec in sets
        for key in (entry.id for entry in BUNDLED)
        if first_question(key, derived.sources()) == spec
    )
    cases = [dict(case) for case in sweep.cases]
    if any(set(case) != {"notion", "mechanism"} for case in cases):
        return None
    form = Form(
        promises=tuple(dict.fromkeys(case["notion"] for case in cases)),
        mechanisms=tuple(dict.fromkeys(case["mechanism"] for case in cases)),
        low=eps[0],
        high=eps[-1],
        steps=len(eps),
        on=SETS if sets else HERE if draws is None else RANDOM,
        sets=titles,
    )
    if draws is not None:
        form = replace(
            form,
            law=draws.law,
            n_s=draws.n_s,
            n_x=draws.n_x,
            draws=draws.count,
            seed=draws.seed,
        )
    own = sweep.scenario.data if form.on == HERE else scenario.data
    found, changes = within_reach(replace(sweep.scenario, data=own, eps=scenario.eps), scenario)
    if changes:
        return None
    with contextlib.suppress(CoreError):
        if asked(form, found).sweep == sweep:
            return form, found
    return None


def budgets(form: Form) -> tuple[float, ...]:
    """Return the budgets, in nats.

    Examples
    --------
    >>> budgets(Form(("lip",), ("grr",), low=0.5, high=1.5, steps=3))
    (0.5, 1.0, 1.5)
    """
    domain = DOMAINS["eps"]
    grid = np.linspace(form.low, form.high, form.steps).tolist()
    return tuple(min(float(f"{eps:.12g}"), domain.high) for eps in grid)


def _pairs(form: Form, scenario: Scenario) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the promises with the mechanisms that work under them, and say which do not."""
    pairs: list[tuple[str, str]] = []
    why: dict[tuple[str, str], list[str]] = {}
    for key in form.promises:
        kinds = pickers.asked_kinds(replace(scenario, notion=key))
        for name in form.mechanisms:
            entry = mechanisms.entry(name)
            reason = fit.obstacle(entry, kinds, of_task=scenario.of_task)
            if reason:
                why.setdefault((name, reason), []).append(notions.entry(key).title)
            else:
                pairs.append((key, name))
    sentences = tuple(
        f"{mechanisms.entry(name).title} under {listed(titles)} is left out: {reason}."
        for (name, reason), titles in why.items()
    )
    return tuple(pairs), sentences


def about(sweep: Sweep) -> str:
    """Say in a few words what a sweep is about.

    Examples
    --------
    >>> about(Sweep(draws=Draws(20, 5, 17, seed=3)))
    '20 random joints of 5×17 (uniform, seed 3)'
    """
    draws = sweep.draws
    if draws is not None:
        joints = number_of(draws.count, "random joint")
        return f"{joints} of {draws.n_s}×{draws.n_x} ({draws.law}, seed {draws.seed})"
    specs = dict.fromkeys(question.data for question in sweep.questions)
    return listed([derived.sources().title(spec.source) for spec in specs])


def promises(sweep: Sweep) -> str:
    """Name a sweep's promises with the numbers that they depend on and that do not vary.

    Examples
    --------
    >>> promises(Sweep(Scenario(notion="alip", lam=0.25)))
    'ALIP, λ = 0.25'
    """
    numbers, found = sweep.scenario.numbers, []
    for key in dict.fromkeys(question.notion for question in sweep.questions):
        entry = notions.entry(key)
        fixed = f"{PREFIX}{key}" in level_keys() and not {*entry.parameters} - {"eps"} & {
            *sweep.varied
        }
        found.append(measure_title(f"{PREFIX}{key}", numbers) if fixed else entry.title)
    return "; ".join(found)


def told(sweep: Sweep) -> dict[str, str]:
    """Return what a sweep is about, for the titles and the metadata of files."""
    found = {"data": about(sweep)}
    if sweep.draws is None:
        specs = tuple(dict.fromkeys(question.data for question in sweep.questions))
        if len(specs) == 1 and specs[0].secret:
            found |= {"S": ", ".join(specs[0].secret), "X": ", ".join(specs[0].released)}
    asked_of = dict.fromkeys(question.notion for question in sweep.questions)
    made = dict.fromkeys(question.mechanism for question in sweep.questions)
    eps = sorted({question.eps for question in sweep.questions})
    found["promise"] = ", ".join(notions.entry(key).title for key in asked_of)
    found["mechanism"] = ", ".join(mechanisms.entry(key).title for key in made)
    found["ε in nats"] = (
        f"{eps[0]:g}" if len(eps) == 1 else f"{eps[0]:g} to {eps[-1]:g}, {len(eps)} values"
    )
    return found
