"""Robust mechanisms in closed form as catalogue entries: P̂ and F come from the notion."""

from collections.abc import Callable, Mapping

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.entry import MechanismEntry, required
from core.mechanisms.options import SEARCH_CODE, Options
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.reporting import (
    independent_reporting,
    on_symbols,
    pair_randomized_response,
    secret_randomized_response,
)
from core.notions import RLDP, Notion
from core.notions.rldp import around

_OF_RECORDS = ("alpha", "beta", "n")
"""Names of the numbers that define the uncertainty set."""


def at_estimate(
    call: Callable[..., Mechanism], *, over_set: bool = True, search: bool = False
) -> tuple[str, Callable[[Joint, Notion, Options], Mechanism]]:
    """Return `code` and `make` of the entry of a function of P̂ and ε, which RLDP holds.

    `over_set`: whether it takes F as well. `search`: whether it takes the limits of a search.
    """
    arguments = ["notion.uncertainty.p_hat_su", "notion.eps"]
    arguments += ["notion.uncertainty"] * over_set + [SEARCH_CODE] * search

    def make(joint: Joint, notion: Notion, options: Options) -> Mechanism:
        rldp = required(notion, RLDP, "A robust mechanism")
        if around(rldp, joint) is None:
            raise InvalidInputError(
                "A robust mechanism is made for the estimate of its notion, got another joint of "
                f"{joint.n_s}×{joint.n_x}."
            )
        ball = rldp.uncertainty
        further = (ball,) if over_set else ()
        limits: Mapping[str, object] = options.search if search else {}
        return on_symbols(joint, call(ball.p_hat_su, rldp.eps, *further, **limits))

    code = f"m.on_symbols(\n    joint,\n    m.{call.__name__}({', '.join(arguments)}),\n)"
    return code, make


CLOSED_FORMS = (
    MechanismEntry(
        "independent_reporting",
        "Independent reporting",
        "Randomizes S and U separately: the less U reveals about S, the less it is randomized.",
        r"R_1 = \mathrm{GRR}^{\varepsilon_1}(S),\ R_2 = \mathrm{GRR}^{\delta_2}(U), \quad "
        r"\delta_2 = \log\bigl(1 + 2(e^{\varepsilon_2} - 1)/d\bigr),\ "
        r"\varepsilon_1 + \varepsilon_2 = \varepsilon",
        "[RLDP] Def. 5, Theorem 5",
        *at_estimate(independent_reporting),
        (RLDP,),
        slow_from=60,
    ),
    MechanismEntry(
        "secret_rr",
        "Secret randomized response",
        "Reports the pair (s, u), or a pair with another secret, or rarely another u of the same "
        "secret: robust for every distribution, without an estimate.",
        r"P(y \mid s,u) \propto e^{\varepsilon} \text{ for } y = (s,u),\ e^{-\varepsilon} "
        r"\text{ for } (s, u'),\ 1 \text{ for } (s', u')",
        "[RLDP] Def. 4, Theorem 4",
        *at_estimate(secret_randomized_response, over_set=False),
        (RLDP,),
        ignored=_OF_RECORDS,
        sweep_slow_from=61,
    ),
    MechanismEntry(
        "pair_rr",
        "Randomized response of (s, u)",
        "Reports the pair (s, u) or any other pair, all equally likely: hides u as well as s, for "
        "every distribution.",
        r"P(y \mid x) = \begin{cases} e^{\varepsilon}/(e^{\varepsilon} + n_x - 1) & y = x \\ "
        r"1/(e^{\varepsilon} + n_x - 1) & y \neq x \end{cases}",
        "[RLDP] §8, GRR",
        *at_estimate(pair_randomized_response, over_set=False),
        (RLDP,),
        ignored=_OF_RECORDS,
        monotone=True,
        sweep_slow_from=61,
    ),
)
"""The entries, in the order in which to list them."""
