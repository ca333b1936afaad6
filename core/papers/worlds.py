"""Statements of the paper as little worlds: what it says, what holds, and their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from core.data.spec import DataSpec
from core.learning.examples import ESTIMATE
from core.learning.lessons import Opens
from core.learning.settings import SETTINGS as LEARNING
from core.learning.settings import Setting, Values, numbers
from core.papers.merging_worlds import (
    HALF,
    LARGE,
    MORE,
    SYMBOLS,
    merging,
    of_merging,
    of_proposition,
    of_sharing,
    of_theorem,
    proposition,
    sharing,
    source,
    theorem,
)
from core.papers.robust_worlds import (
    bounds,
    of_bounds,
    of_reporting,
    of_rows,
    reporting,
    rows,
)
from core.scenario import Scenario

SETTINGS = {
    setting.key: setting
    for setting in (
        Setting(
            "secrets",
            "Number of secrets, each nearly excluded by one symbol",
            5,
            2,
            12,
            1,
            whole=True,
        ),
        Setting("excluded", "Lift of the nearly excluded secret", 0.05),
        Setting("drawn", "Random table of 5 × 17", 3, 0, 99, 1, whole=True),
        Setting("within", "ε · total budget", 2.0, 0.5, 8.0, 0.25),
        Setting("large", "Random table of 20 × 30", 199, 0, 199, 1, whole=True),
        Setting("shared", "ε · total budget", 2.0, 1.0, 3.0, 0.1),
        Setting("share1", "P̂(s1) · share of the first secret", 0.17, 0.05, 0.95),
        replace(LEARNING["people"], key="records"),
        Setting("promised", "ε · budget", 0.7, 0.1, 2.0, 0.1),
        Setting("unlike", "Difference between P(u | s1) and P(u | s2)", 0.8, 0.5, 0.99),
        Setting("told_a", "Chance that bit a is reported truthfully", 1.0, 0.5, 1.0),
        Setting("told_b", "Chance that bit b is reported truthfully", 1.0, 0.5, 1.0),
        Setting("parity", "Chance that S is the parity of the two bits", 0.9, 0.5, 1.0),
    )
}
"""The numbers of all worlds by their keys."""


@dataclass(frozen=True)
class World:
    """A statement that is false, or stricter than it need be, with numbers that can be moved.

    `printed` and `holds` are LaTeX; `make` and `words` make the example from its numbers, in the
    order of `settings`, and describe it; `opens` returns the page on which it is a question.
    Where not `wrong`, the paper is right, and more than is needed.
    """

    key: str
    title: str
    statement: str
    printed: str
    holds: str
    settings: tuple[str, ...]
    make: Callable[..., Any]
    words: Callable[[Any], tuple[str, ...]]
    opens: Callable[[Values], Opens]
    wrong: bool = True

    @property
    def kind(self) -> str:
        """What is the matter with the statement."""
        return "Error in the paper" if self.wrong else "Stricter than necessary"

    def numbers(self, values: Values) -> tuple[float, ...]:
        """Return what `make` takes, whole numbers as such."""
        return numbers(self.settings, values, SETTINGS)


def _example(name: str, **choices: Any) -> Opens:
    return Opens(Scenario(data=DataSpec(f"example:{name}", (), ()), **choices))


def _robust(values: Values, **choices: Any) -> Opens:
    """Return the page Robust with the estimate of the paper's examples."""
    data = DataSpec(f"example:{ESTIMATE}", (), (), secret_released=True)
    scenario = Scenario(data=data, notion="rldp", n=int(values["records"]), **choices)
    return Opens(scenario, "robust")


def _drawn(sizes: tuple[int, int], draw: float, **choices: Any) -> Opens:
    """Return the page Explore with a table that is drawn."""
    data = DataSpec(source(sizes, int(draw)), (), ())
    return Opens(Scenario(data=data, notion="alip", **choices))


WORLDS: tuple[World, ...] = (
    World(
        "proposition",
        "[Lift] Proposition 1(2)",
        "Under ALIP the budget for rising beliefs alone bounds the total variation T(S;Y).",
        r"T(S;Y) \le \tfrac12\,(e^{\varepsilon_u} - 1)",
        r"T(S;Y) \le \frac{(\Lambda - 1)(1 - \Psi)}{\Lambda - \Psi} "
        r"\le \tfrac12 \max(e^{\varepsilon_u} - 1,\; 1 - e^{-\varepsilon_l})",
        ("secrets", "excluded"),
        proposition,
        of_proposition,
        lambda _: _example("lift_proposition1", mechanism="identity"),
    ),
    World(
        "merging",
        "[Lift] Algorithm 1",
        "Subset merging stops as soon as the remaining symbols, merged into one set, meet the "
        "budget (line 4), and keeps 83% of the information in X on average at ε = 2.",
        r"\text{while } \Psi(\mathcal X_Q) < e^{-\varepsilon_l} \text{ or } "
        r"\Lambda(\mathcal X_Q) > e^{\varepsilon_u}",
        r"\text{while } |\mathcal X_Q| > 0",
        ("drawn", "within"),
        merging,
        of_merging,
        lambda v: _drawn(
            SYMBOLS, v["drawn"], eps=v["within"], lam=HALF, mechanism="subset_merging"
        ),
    ),
    World(
        "sharing",
        "[ALIP] §III-B",
        "A larger share of the budget for falling beliefs increases utility in every distribution "
        "drawn.",
        r"\text{NMI at } \lambda = 0.65 \;\ge\; \text{NMI at } \lambda = 0.5"
        r"\quad\text{for all } P",
        r"\text{for the mean over } P\text{, and in 98 to 99\% of the draws}",
        ("large", "shared"),
        sharing,
        of_sharing,
        lambda v: _drawn(LARGE, v["large"], eps=v["shared"], lam=MORE, mechanism="watchdog"),
    ),
    World(
        "bounds",
        "[RLDP] Example 2",
        "The records leave conditionals P(U | s) possible that are within B_s of the estimated "
        "one.",
        r"B_s = \log\Bigl(1 + "
        r"\frac{e^B - 1}{\hat P_s}\Bigr)\quad\text{(which gives its 0.3782 and 0.0900)}",
        r"B_s = 2 \log \frac{e^{B/2} - (1 - \hat P_s)}{\hat P_s} \quad\text{(Theorem 1)}",
        ("share1", "records"),
        bounds,
        of_bounds,
        lambda v: _robust(v, eps=0.7, mechanism="polyopt"),
    ),
    World(
        "reporting",
        "[RLDP] Table 2",
        "The utilities of independent reporting follow from Theorem 5, where d bounds the "
        "distance between the distributions of U given two secrets.",
        r"d = 2 \max_s \mathrm{rad}_s + |\hat P(u_1 \mid s) - \hat P(u_1 \mid s')|"
        r"\quad\text{(a conjecture)}",
        r"d = 2 \max_s \mathrm{rad}_s + \|\hat P_{U \mid s} - \hat P_{U \mid s'}\|_1",
        ("promised", "unlike", "records"),
        reporting,
        of_reporting,
        lambda v: _robust(v, eps=v["promised"], mechanism="independent_reporting"),
    ),
    World(
        "rows",
        "[RLDP] Definition 3",
        "PolyOpt compares the probability of an output under every two secrets, including each "
        "secret with itself.",
        r"Q(y \mid s_1) \le e^{\varepsilon} Q(y \mid s_2) \quad\text{for all } s_1, s_2",
        r"Q(y \mid s_1) \le e^{\varepsilon} Q(y \mid s_2) \quad\text{for all } s_1 \ne s_2",
        ("promised", "records"),
        rows,
        of_rows,
        lambda v: _robust(v, eps=v["promised"], mechanism="polyopt"),
        wrong=False,
    ),
    World(
        "theorem",
        "[Funnel] Theorem 4",
        "Protocols for single attributes that each meet a condition with their own budget combine "
        "into one for all attributes, private at the sum of the budgets.",
        r"Q = \prod_j Q^j \text{ is } \textstyle\sum_j \varepsilon_j\text{-SRLIP}",
        r"\text{where } P(x \mid s) = \textstyle\prod_j P(x_j \mid s)",
        ("told_a", "told_b", "parity"),
        theorem,
        of_theorem,
        lambda _: _example("funnel_theorem4", notion="srlip", eps=0.5, mechanism="srlip_product"),
    ),
)
"""Every world, in the order of the papers."""


def world(key: str) -> World:
    return {entry.key: entry for entry in WORLDS}[key]
