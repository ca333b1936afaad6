"""What the worked examples show, in sentences: every number in them is taken from the example."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from core.learning.examples import (
    RESPONDENTS,
    AlipExample,
    AlphaExample,
    FunnelExample,
    LdpExample,
    LipExample,
    PmlExample,
    RangeExample,
    Revealed,
    RobustExample,
    WarnerExample,
)
from core.limits import CLOSE
from core.wording import listed, number_of, percent

Sentences = tuple[str, ...]


PARTS = {
    "2": "half",
    "3": "one third",
    "4": "one quarter",
    "5": "one fifth",
    "6": "one sixth",
    "7": "one seventh",
    "8": "one eighth",
    "9": "one ninth",
    "10": "one tenth",
}
"""What is left of a belief that falls by a whole factor."""


def change(lift: float) -> str:
    """Return what a lift does to a belief."""
    if lift == 0:
        return "ruled out"
    if abs(lift - 1) < CLOSE:
        return "as likely as before"
    factor = f"{max(lift, 1 / lift):.3g}"
    if factor == "1":
        return f"{percent(abs(lift - 1), 2)} {'more' if lift > 1 else 'less'} likely"
    if lift < 1 and factor in PARTS:
        return f"{PARTS[factor]} as likely"
    return f"{lift:.3g} times as likely"


def nats(value: float) -> str:
    """Write a level in nats, and the factor that it allows."""
    if math.isinf(value):
        return "∞ (no bound)"
    if abs(value) < CLOSE:
        return "0 (no belief moves)"
    factor = f"{math.exp(value):.3g}"
    if factor == "1":
        return f"{level(value)} nats (a change of {percent(math.expm1(value), 2)})"
    return f"{level(value)} nats (a factor of {factor})"


def level(value: float) -> str:
    """Write a level in at most three digits after the point."""
    if math.isinf(value):
        return "∞"
    return f"{value:.3f}".rstrip("0").rstrip(".").replace("-0", "0")


def of_all(parts: ArrayLike) -> tuple[str, ...]:
    """Write shares of a whole so that they add up: those with the largest remainders rounded up."""
    whole = np.asarray(parts, dtype=np.float64)
    tenths = 1000 * whole
    down = np.floor(tenths + CLOSE)
    left = round(float(tenths.sum() - down.sum()))
    # of equal remainders the first is rounded up
    down[np.argsort(np.round(down - tenths, 6), kind="stable")[:left]] += 1
    return tuple(
        percent(share, 1) if _hidden(share, at) else f"{at / 10:g}%"
        for share, at in zip(whole.tolist(), down.tolist(), strict=True)
    )


def _hidden(share: float, tenths: float) -> bool:
    """Return whether a share that is not 0 or 1 would be written as if it were."""
    return (share > 0 and tenths == 0) or (share < 1 and tenths == 1000)


def of_lift(test: Revealed) -> Sentences:
    """Return what a test's results show."""
    sentences = []
    shares = of_all(test.p_y)
    for y, name in enumerate(test.names):
        parts = [
            f"“{secret}” is {change(test.lift[s, y])}" if s == 0 else f"“{secret}” {change(lift)}"
            for s, (secret, lift) in enumerate(zip(test.secrets, test.lift[:, y], strict=True))
        ]
        sentences.append(f"After “{name}” ({shares[y]} of all results), {' and '.join(parts)}.")
    if test.lip < CLOSE:
        sentences.append(f"So X itself satisfies LIP at ε = {nats(test.lip)}.")
    else:
        sentences.append(
            "The largest change of any belief, up or down, sets the level: X itself satisfies LIP "
            f"at ε = {nats(test.lip)} and at no smaller ε."
        )
    return tuple(sentences)


def of_warner(case: WarnerExample) -> Sentences:
    """Return what Warner's coin does, and what becomes of it for more values."""
    if case.eps == 0:
        coin = "A fair coin reveals nothing: ε = 0, and no number of answers gives an estimate."
    else:
        price = (
            f"With {RESPONDENTS:,} answers its standard error is {percent(case.error, 1)}; with "
            f"direct answers it is {percent(case.plain, 1)}."
        )
        coin = (
            f"Each person tells the truth {percent(case.truth, 1)} of the time, which satisfies "
            f"LDP at ε = log(p/(1 − p)) = {nats(case.eps)}. {percent(case.p_yes, 1)} of the "
            f"answers are yes. The share of yes minus 1 − p, divided by 2p − 1, "
            f"estimates the {percent(case.share, 1)} without bias. {price}"
        )
    small, large = case.raised[0], case.raised[-1]
    sets = (
        f"With {case.values} values the optimum reports a set of them: "
        f"{level(small)} at ε = {level(case.budgets[0])}, {level(large)} at "
        f"ε = {level(case.budgets[-1])}."
    )
    ends = (
        f"At ε = {level(case.budgets[0])} two groups keep "
        f"{percent(case.halves[0] / case.best[0], 1)} of what the optimum keeps, and randomized "
        f"response {percent(case.truthful[0] / case.best[0], 1)}."
    )
    if math.isinf(case.single):
        return coin, sets, f"{ends} Up to ε = {level(case.budgets[-1])} sets remain best."
    if case.single == 0:
        return coin, sets, f"{ends} Here randomized response is best at every ε."
    return coin, sets, f"{ends} From ε = {level(case.single)} on, randomized response is as good."


def of_lip(case: LipExample) -> Sentences:
    """Return what telling the result with a chance of a lie does."""
    reached = nats(case.release.lip)
    verdict = "satisfies" if case.kept else "breaks"
    return (
        f"This way the result satisfies LIP at ε = {reached} at best: it {verdict} the requested "
        f"{level(case.eps)}-LIP.",
        f"The notion allows the truth {percent(case.most_truthful, 1)} of the time. That keeps "
        f"{percent(case.simple, 1)} of the information in the result; the optimum, which need "
        f"not lie equally often about both results, keeps {percent(case.best, 1)}.",
    )


def of_alip(case: AlipExample) -> Sentences:
    """Return what the two budgets of ALIP allow."""
    rise, fall = (
        f"{way} by a factor of {math.exp(eps):.3g}" if eps > CLOSE else ""
        for way, eps in (("rise", case.eps_u), ("fall", case.eps_l))
    )
    allowed = f"Beliefs may {rise} and {fall}."
    if not rise and not fall:
        allowed = "Beliefs may neither rise nor fall."
    elif not (rise and fall):
        other = "fall" if rise else "rise"
        allowed = f"Beliefs may {rise or fall}, but not {other}: beliefs sum to 1, so none moves."
    most = float(case.kept.max())
    return (
        allowed,
        f"With these budgets the optimum keeps {percent(case.release.kept, 1)} of X; "
        + (
            f"the most over all λ is {percent(most, 1)}, at λ = {case.best_share:g}."
            if most > CLOSE
            else "no λ keeps more."
        ),
    )


def of_ldp(case: LdpExample) -> Sentences:
    """Return how LIP and LDP differ for one release."""
    release = case.release
    share = percent(float(release.p_s[0]))
    if release.ldp < CLOSE:
        return (
            f"This release satisfies LDP at ε = {nats(release.ldp)} for every population.",
            "So it also satisfies LIP at 0, whatever share is ill.",
        )
    return (
        f"This release satisfies LDP at ε = {nats(release.ldp)} for every population.",
        f"LIP depends on the population: if {share} are ill, it holds at ε = {nats(release.lip)}; "
        f"over all shares of ill people, at {level(float(case.lip.min()))} to "
        f"{level(float(case.lip.max()))}, never above LDP's level and never below half of it.",
    )


def of_pml(case: PmlExample) -> Sentences:
    """Return what a bound on rising beliefs alone allows."""
    eps, lowest = level(case.eps), float(case.release.lift.min())
    factor = f"{math.exp(case.eps):.3g}"
    right = "more likely" if factor == "1" else f"more than {factor} times as likely"
    if case.eps < CLOSE:
        farther = "Both allow the same: no belief may shift."
    elif lowest < math.exp(-case.eps) * (1 - CLOSE):
        farther = f"LIP would not allow one of its outputs: after it, a secret is {change(lowest)}."
    else:
        farther = f"LIP allows all of its outputs too: at worst a secret is {change(lowest)}."
    return (
        f"The optimum under {eps}-PML keeps {percent(case.kept, 1)} of X, the optimum under "
        f"{eps}-LIP {percent(case.kept_by_lip, 1)}.",
        farther,
        f"A guess whether a person is ill is right {percent(case.blind, 1)} of the time without "
        f"the release and {percent(case.informed, 1)} with it; no single output makes any "
        f"guess about S {right} to be right.",
    )


def of_alpha(case: AlphaExample) -> Sentences:
    """Return what the mean of order α makes of a clue."""
    lifts = ", ".join(f"{value:.3g}" for value in case.lifts)
    nothing = ": it reveals nothing" if np.abs(case.lifts - 1).max() < CLOSE else ""
    return (
        f"The clue multiplies the beliefs about the four suspects by {lifts}{nothing}.",
        f"Their mean of order α = ∞ is the largest, {case.largest:.3g}."
        if math.isinf(case.alpha)
        else f"Their mean of order α = {case.alpha:g} is {case.mean:.3g}; the largest, which is "
        f"the mean of order ∞, is {case.largest:.3g}.",
    )


def of_rldp(case: RobustExample) -> Sentences:
    """Return what trusting an estimate may cost."""
    intervals = listed(
        [
            f"between {percent(float(low))} and {percent(float(high))} given s{place}"
            for place, (low, high) in enumerate(zip(case.low, case.high, strict=True), 1)
        ]
    )
    return (
        f"By {number_of(case.n, 'record')} the probability of u1 is {intervals}.",
        f"The design that trusts the estimate has the budget ε = {nats(case.eps)}; over the "
        "distributions consistent with the records, its worst-case level is "
        f"{level(case.at_worst)}.",
        f"The robust design reaches at most {level(case.robust_at_worst)} for every one of them, "
        f"and keeps {percent(case.robust, 1)} of X; the other keeps "
        f"{percent(case.trusting, 1)}.",
    )


def of_funnel(case: FunnelExample) -> Sentences:
    """Return what a budget on an average allows."""
    release = case.release
    sentences = [
        f"Reported {percent(case.chance)} of the time, the result reveals I(S;Y) = "
        f"{level(release.about_secret)} nats about the illness on average.",
    ]
    if release.lip > 0 and case.chance > 0:
        sentences.append(
            "But an output that reports the result changes a belief by a factor of "
            f"{math.exp(release.lip):.3g}."
        )
    sentences.append(
        f"It keeps I(X;Y) = {level(release.about_x)} nats; the optimum of the funnel with the same "
        f"budget keeps {level(case.best_here)} of {level(case.all_of_x)}."
    )
    return tuple(sentences)


def of_maximin(case: RangeExample) -> Sentences:
    """Return what stops and clusters of stops tell for certain."""
    after = case.after
    named = "The stop" if case.merges == 0 else "The cluster of stops"
    certain = (
        f"{named} distinguishes {number_of(after.parts, 'group')} of streets for certain: maximin "
        f"information is log₂ {after.parts} = {_bits(after.information)}."
        if after.parts > 1
        else f"{named} reveals nothing about the street for certain: maximin information is 0."
    )
    return (
        certain,
        f"Even so, the most revealing {'stop' if case.merges == 0 else 'cluster'} leaves "
        f"{after.anonymity} of {number_of(after.n_s, 'street')} possible: it is "
        f"{after.anonymity}-anonymous and L₀ is {_bits(after.reduction)}.",
        f"The coarsest cluster narrows {number_of(case.joint.n_x, 'stop')} down by "
        f"{_bits(after.resolution)}.",
    )


def _bits(value: float) -> str:
    text = f"{value:.3g}"
    return f"{text} bit" if text == "1" else f"{text} bits"
