"""Questions worth a look: the standard comparison, examples of the papers and two surprises."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from core.data.spec import DataSpec
from core.scenario.project import Project
from core.scenario.scenario import Scenario
from core.scenario.url import to_query

MARKOV, PAIR = "markov", "pair"

READINGS = {
    MARKOV: "S – X – Y: the mechanism reads X alone",
    PAIR: "X = (S, U): S is also released",
}
"""Two ways to compare RLDP with LIP and ALIP, which differ in what a mechanism sees."""


def own_reading(data: DataSpec) -> str:
    """Return the reading that fits the data: `PAIR` where S is released too, else `MARKOV`."""
    return PAIR if data.secret_released else MARKOV


def standard(scenario: Scenario, reading: str | None = None) -> Project:
    """Return LIP, ALIP and RLDP side by side, with everything else as in a scenario."""
    pair = (reading or own_reading(scenario.data)) == PAIR
    base = replace(
        scenario, data=replace(scenario.data, secret_released=pair), mechanism="optimal", also=()
    )
    robust = (
        replace(base, notion="rldp", mechanism="robust_optimal")
        if pair
        else replace(base, notion="robust_ldp")
    )
    return Project((replace(base, notion="lip"), replace(base, notion="alip"), robust))


def on_data(project: Project, data: DataSpec) -> Project:
    """Return a project with other data in every column; each keeps whether S is released."""
    result = project
    for place, scenario in enumerate(project.scenarios):
        own = replace(data, secret_released=scenario.data.secret_released)
        result = result.asking(place, replace(scenario, data=own))
    return result


LANDING = "explore"
"""The page that the site's own address opens."""


@dataclass(frozen=True)
class Preset:
    """A question, or the columns of the Compare page, with what they show."""

    key: str
    title: str
    line: str  # what it shows; the tests work out every number in it
    request: Scenario | Project
    page: str  # that answers it, as in its address
    source: str = ""  # paper and place

    @property
    def link(self) -> str:
        """The address of the page with the question, relative to the site's."""
        query = (
            self.request.to_query() if isinstance(self.request, Project) else to_query(self.request)
        )
        page = "" if self.page == LANDING else self.page
        return f"{page}?{urlencode(query, doseq=True)}"


def _joint(key: str) -> DataSpec:
    """Return the joint of an example, as the data of a question."""
    return DataSpec(f"example:{key}", (), ())


def _asymmetry() -> Project:
    columns = {"both": "lip", "max-lift alone": "pml", "min-lift alone": "min_lift"}
    return Project(
        tuple(
            Scenario(data=_joint("lift_typical"), notion=notion, eps=0.5)
            for notion in columns.values()
        ),
        tuple(columns),
    )


def _lift_figure_4() -> Project:
    merging = Scenario(data=_joint("lift_typical"), eps=2.0, mechanism="subset_merging")
    shares = (0.35, 0.5, 0.65)
    return Project(
        (
            replace(merging, notion="ldp"),
            *(replace(merging, notion="alip", lam=share) for share in shares),
        ),
        ("LDP", *(f"ALIP, λ = {share:g}" for share in shares)),
    )


def _alip_figure_2() -> Project:
    budgets = (0.6, 0.8, 1.0)
    return Project(
        tuple(
            Scenario(
                data=_joint("alip_typical"),
                notion="sides",
                eps_u=budget,
                eps_l=5.0,
                mechanism="watchdog",
            )
            for budget in budgets
        ),
        tuple(f"εᵤ = {budget:g}" for budget in budgets),
    )


def _rldp_example_3() -> Project:
    data = DataSpec("example:rldp_estimate", (), (), secret_released=True)
    titles = {"polyopt": "PolyOpt", "robust_optimal": "Robust optimum", "secret_rr": "Secret RR"}
    return Project(
        tuple(Scenario(data=data, notion="rldp", eps=math.log(2), mechanism=key) for key in titles),
        tuple(titles.values()),
    )


PRESETS: tuple[Preset, ...] = (
    Preset(
        "asymmetry",
        "Why is the bound on min-lift so costly?",
        "At ε = 0.5 the bound on max-lift alone keeps 94%, LIP 85%: X itself may lower a belief "
        "to 1/159 of its value, but raise one at most threefold.",
        _asymmetry(),
        "compare",
    ),
    Preset(
        "lift_figure_4",
        "How much survives when symbols are merged?",
        "At ε = 2 it keeps 73% with λ = 0.35, 82% with λ = 0.5 and 90% with λ = 0.65.",
        _lift_figure_4(),
        "compare",
        "[Lift] Fig. 4",
    ),
    Preset(
        "alip_figure_2",
        "When does a looser upper bound stop paying off?",
        (
            "At εₗ = 5, raising εᵤ from 0.6 to 0.8 keeps 37 percentage points more; from 0.8 to 1 "
            "only 5."
        ),
        _alip_figure_2(),
        "compare",
        "[ALIP] Fig. 2",
    ),
    Preset(
        "rldp_example_3",
        "How much survives when only 100 records are available?",
        "At ε = log 2 PolyOpt keeps 52%, the exact robust optimum 55%, secret randomized "
        "response 9%.",
        _rldp_example_3(),
        "compare",
        "[RLDP] Example 3",
    ),
    Preset(
        "funnel_theorem_4",
        "Can two private releases reveal S together?",
        "Two protocols, each private on its own, reveal S together. Once corrected they keep 50%; "
        "the optimum keeps 56%.",
        Scenario(
            data=_joint("funnel_theorem4"), notion="srlip", eps=0.5, mechanism="srlip_product"
        ),
        "explore",
        "[Funnel] Theorem 4",
    ),
    Preset(
        "heart",
        "What can be known without probabilities?",
        "Age and cholesterol form 266 pairs in 271 records, and 261 occur once: only which values "
        "occur together is known.",
        Scenario(data=DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop")),
        "confusability",
        "[NonStoch] heart data",
    ),
    Preset(
        "task",
        "Can a release predict income and hide sex?",
        (
            "A release of occupation at ε = 1 keeps 99% of the information in occupation about "
            "income."
        ),
        Scenario(data=DataSpec(task=("income",)), purpose="task"),
        "explore",
    ),
    Preset(
        "twice",
        "What do repeated releases give away?",
        (
            "At ε = 0 it keeps 56%, and one draw reveals nothing about S; two draws reveal as "
            "much as X itself."
        ),
        Scenario(data=_joint("lift_typical"), notion="lip", eps=0.0),
        "explore",
    ),
)
"""The questions of the start panel, in its order."""


def preset(key: str) -> Preset:
    return {entry.key: entry for entry in PRESETS}[key]
