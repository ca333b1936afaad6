"""The lesson on each notion: its idea and formulas, when to use it, what it leaves open."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from core.data.spec import DataSpec
from core.learning.examples import flipped, of_test, revealed
from core.learning.settings import Values
from core.scenario import Scenario
from core.scenario.data_url import Query
from core.scenario.url import to_query

TEST = "learn_test"
"""The example that most lessons are about."""


@dataclass(frozen=True)
class Opens:
    """A question on a page, "" for the landing page, with the rest of its address."""

    scenario: Scenario
    page: str = ""
    more: Query = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The page's name."""
        return self.page.capitalize() or "Explore"

    @property
    def link(self) -> str:
        """The address, relative to that of the lessons."""
        return f"./{self.page}?{urlencode(to_query(self.scenario) | self.more, doseq=True)}"


@dataclass(frozen=True)
class Lesson:
    """One lesson; its formulas are "measure:KEY", "notion:KEY" or "range:KEY" of the catalogues."""

    key: str
    title: str
    idea: str
    formulas: tuple[str, ...]
    use: tuple[str, ...]
    limits: tuple[str, ...]
    settings: tuple[str, ...]


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "lift",
        "Lift",
        "Lift measures how much an output reveals about a secret: the secret's probability "
        "after the output, divided by that before. A lift of 1 reveals nothing; 0 rules the "
        "secret out.",
        ("measure:lift", "measure:max_lift", "measure:min_lift", "measure:lift_ratio"),
        (
            "Before choosing a privacy notion: lift shows which symbols of your data reveal "
            "something, and about whom.",
            "To explain a notion: every notion here bounds lifts, or averages of them.",
        ),
        (
            "It concerns one secret and one output. A release with small lifts on average may "
            "have one large lift.",
            "It is relative: three times a very small probability is still small. The final "
            "belief is P(s | y) = l(s, y) · P(s).",
            "It needs P(s, x). With only a few records, lifts are estimates.",
        ),
        ("ill", "hit", "alarm"),
    ),
    Lesson(
        "lip",
        "LIP",
        "Local information privacy bounds every lift from both sides: no output makes any secret "
        "more than e^ε or less than e^−ε times as likely. Achieving this requires some false "
        "answers, which cost utility.",
        ("notion:lip",),
        (
            "When a reader who knows P(s, x) and Y alone must not shift any belief far in either "
            "direction, and P(s, x) is well known.",
            "As a first notion: LDP at the same ε implies it, and it implies LDP at 2ε.",
        ),
        (
            "It depends on P(s): for a population with other frequencies of secrets, the same "
            "release may break it.",
            "Two independent releases of the same record reveal more than one.",
            "A reader who knows more than P(s), such as other attributes of X, may learn more: "
            "SRLIP covers this case.",
        ),
        ("budget", "truth"),
    ),
    Lesson(
        "alip",
        "ALIP",
        "Falling and rising beliefs need not have the same bound. Asymmetric LIP gives the share "
        "λ of ε to falling beliefs, εₗ = λε, and the rest to rising ones, εᵤ = (1−λ)ε.",
        ("notion:alip",),
        (
            "When being suspected is worse than being cleared: give rising beliefs the smaller "
            "share.",
            "When LIP keeps too little: in random tables beliefs fall further than they rise, so "
            "λ above ½ keeps more. In this table, however, λ below ½ keeps the most at ε = 1: try "
            "it.",
        ),
        (
            ("A generous εₗ lets an output almost rule a secret out, which is information too."),
            "It implies LDP only at εₗ + εᵤ.",
            "It shares all the limits of LIP.",
        ),
        ("both", "share"),
    ),
    Lesson(
        "ldp",
        "LDP",
        "Local differential privacy compares secrets with each other rather than with prior "
        "beliefs: no output is more than e^ε times as likely under one secret as under another. "
        "It therefore does not depend on how frequent the secrets are.",
        ("notion:ldp",),
        (
            "When P(s) is unknown, disputed or changing: only P(x | s) matters.",
            "When a guarantee must be comparable with other systems, most of which state LDP.",
        ),
        (
            "Here it concerns S, through X: it hides what X reveals about S, not X itself.",
            "P(x | s) is still assumed known. If it was estimated from records, use RLDP.",
            "It requires more than LIP at the same ε, and so keeps less.",
        ),
        ("ill", "truth"),
    ),
    Lesson(
        "warner",
        "Warner's coin",
        "A survey asks about something that people lie about. Each person answers truthfully with "
        "probability p and otherwise says the opposite, so no answer gives anyone away. The "
        "secret itself is released, S = X, and LDP is the local privacy of the textbooks.",
        ("notion:ldp",),
        (
            "When the secret itself is collected: choose the same column for S and X, or press "
            "“Release … itself, privately”.",
            "To choose how people answer: two groups at small ε, sets in between, randomized "
            "response at large ε.",
        ),
        (
            "Each answer is noisy: an estimate needs many of them.",
            "A person who answers twice, with fresh coins, spends ε twice.",
            "The optimum here keeps the most information. Another purpose, such as a small error "
            "of the estimate, may prefer another set size.",
        ),
        ("ill", "truth", "values"),
    ),
    Lesson(
        "pml",
        "PML",
        "Pointwise maximal leakage bounds how much an output helps a reader who starts from P(S) "
        "and guesses anything about the secret. Only the largest lift counts: nothing bounds how "
        "far beliefs fall.",
        ("notion:pml",),
        (
            "When being found out is the harm, and being cleared is not.",
            "When the attack is a guess: the bound holds for every function of S, and for every "
            "reader who starts from P(S).",
        ),
        (
            "It lets outputs rule secrets out entirely: one suspect fewer is one step closer to "
            "the others.",
            "It does not bound how likely a right guess is, only how much more likely it becomes.",
            "It depends on P(s), as LIP does.",
        ),
        ("budget",),
    ),
    Lesson(
        "alpha",
        "α-lift",
        "One large lift among many small ones: how bad is that? The mean of order α interpolates "
        "between two extremes. At order 1 every mean of lifts is 1; at order ∞ it is the largest "
        "lift.",
        ("notion:alpha", "measure:alpha_lift"),
        (
            "When the bound on the largest lift keeps too little, and revealing a little more "
            "about one unlikely secret is acceptable.",
            "To see which of two outputs is riskier on a scale between the average and the worst "
            "case.",
        ),
        (
            ("A single secret's lift may exceed e^εᵤ: the bound concerns a mean over the secrets."),
            "Rare secrets weigh little in the mean. If they need protection most, use LIP.",
        ),
        ("clue", "order"),
    ),
    Lesson(
        "rldp",
        "RLDP",
        "P(s, u) is never known: it is estimated from n records. Robust local differential "
        "privacy requires LDP under every distribution consistent with the records, not only "
        "under the estimate.",
        ("notion:rldp",),
        (
            "When the distribution comes from a sample, above all when some secrets have few "
            "records.",
            "To find out what more records would be worth: the set shrinks as n grows.",
        ),
        (
            "With probability β, or more for few records, the truth lies outside the set, and "
            "then nothing is guaranteed.",
            "It assumes that the records are independent draws from the population to which the "
            "release is applied.",
        ),
        ("budget", "people"),
    ),
    Lesson(
        "funnel",
        "The privacy funnel",
        "The privacy funnel bounds the average information about S, I(S;Y), and keeps as much of "
        "I(X;Y) as possible. An average cannot see an output that is rare and reveals everything.",
        ("notion:average_mi", "measure:mutual_information"),
        (
            "When many releases are read together and only their sum matters.",
            "Together with a pointwise notion, which Explore can add.",
        ),
        (
            (
                "No single output is bounded: people who happen to get a revealing output are "
                "exposed."
            ),
            "Its optimum is hard to find in general. Here it is found with a proven bound.",
        ),
        ("chance",),
    ),
    Lesson(
        "maximin",
        "Maximin information",
        "Without probabilities, only one thing is known: which secrets remain possible. Releases "
        "that share a possible secret are joined; the resulting groups can be distinguished for "
        "certain.",
        ("range:maximin_information", "range:max_uncertainty_reduction"),
        (
            "When probabilities are unknown or unreliable, and certainty is the harm.",
            "To find which values must be merged so that nothing is known for certain.",
        ),
        (
            "A belief of 99.9% is not certainty: likely guesses are not bounded at all.",
            "Maximin information of 0 still lets single outputs rule most secrets out: see L₀ "
            "and k-anonymity.",
        ),
        ("merged",),
    ),
)
"""Every lesson, in the order in which they build on each other."""


def lesson(key: str) -> Lesson:
    return {entry.key: entry for entry in LESSONS}[key]


def _least(values: Values) -> float:
    """Return the ε at which the release of the lesson on LDP keeps it, rounded up."""
    return math.ceil(100 * revealed(of_test(), flipped(values["truth"])).ldp - 1e-9) / 100


def _of_coin(truth: float) -> float:
    """Return the ε of Warner's coin, ∞ where it always tells the truth."""
    return math.log(truth / (1 - truth)) if truth < 1 else math.inf


def _leakage(values: Values) -> float:
    """Return the I(S;Y) of the release of the lesson on the funnel, rounded."""
    return round(values["chance"] * revealed(of_test()).about_secret, 3)


def _test(page: str = "", **choices: object) -> Opens:
    """Return a page, Explore where none is named, with a question about the test."""
    data = DataSpec(f"example:{TEST}", (), ())
    return Opens(Scenario(data=data, **choices), page)  # type: ignore[arg-type]


_OPENS: dict[str, Callable[[Values], Opens]] = {
    "lift": lambda _: _test("lift", mechanism="identity"),
    "lip": lambda v: _test(notion="lip", eps=v["budget"]),
    "alip": lambda v: _test(notion="alip", eps=v["both"], lam=v["share"]),
    "ldp": lambda v: _test(notion="ldp", eps=_least(v)),
    "warner": lambda v: Opens(
        Scenario(
            data=DataSpec(secret=("race",), released=("race",)),
            notion="ldp",
            eps=math.ceil(100 * min(_of_coin(v["truth"]), 6.0)) / 100,
        )
    ),
    "pml": lambda v: _test(notion="pml", eps=v["budget"]),
    # the order that stands for 1 in a question: of order 1 every mean of lifts is 1
    "alpha": lambda v: _test(notion="alpha", alpha=max(v["order"], 1.05)),
    "rldp": lambda v: Opens(
        Scenario(
            data=DataSpec("example:rldp_estimate", (), (), secret_released=True),
            notion="rldp",
            eps=v["budget"],
            n=int(v["people"]),
            mechanism="polyopt",
        ),
        "robust",
    ),
    "funnel": lambda v: _test(notion="average_mi", eps=_leakage(v)),
    "maximin": lambda v: Opens(
        Scenario(data=DataSpec("example:learn_stops", (), ())),
        "confusability",
        {"problem": ["maximin"], "step": [str(int(v["merged"]))]},
    ),
}
"""The page that each lesson opens, with its numbers."""


def opens(key: str, values: Values) -> Opens:
    """Return the page on which a lesson's example is a question of its own."""
    return _OPENS[key](values)
