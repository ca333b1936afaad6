"""The catalogue's entries of what is robust, for X = (S, U): they take P̂ and F from the notion."""

from collections.abc import Callable
from dataclasses import replace

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.entry import Entry, Options
from core.mechanisms.optima.non_robust import non_robust
from core.mechanisms.optima.polyopt import polyopt
from core.mechanisms.optima.robust_optimal import robust_optimal
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.design import is_estimate, on_symbols
from core.mechanisms.robust.independent_reporting import independent_reporting
from core.mechanisms.robust.pair_randomized_response import pair_randomized_response
from core.mechanisms.robust.secret_randomized_response import secret_randomized_response
from core.notions import RLDP, Notion

_OF_RECORDS = ("alpha", "beta", "n")
"""The numbers that say which distributions the records leave possible."""

_SEARCH = "time_limit={time_limit!r}, gap={gap!r}, seed={seed!r}"


def _robust(
    make: Callable[[RLDP, Options], Mechanism],
) -> Callable[[Joint, Notion, Options], Mechanism]:
    """Return the catalogue's way to make a mechanism of P̂ and F; only RLDP has them."""

    def made(joint: Joint, notion: Notion, options: Options) -> Mechanism:
        if not isinstance(notion, RLDP):
            raise InvalidInputError(f"A robust mechanism works under RLDP, got {notion}.")
        if not is_estimate(joint, notion.uncertainty):
            raise InvalidInputError(
                "A robust mechanism is made for the estimate of its notion, got another joint of "
                f"{joint.n_s}×{joint.n_x}."
            )
        return on_symbols(joint, make(notion, options))

    return made


def _trusting(joint: Joint, notion: Notion, options: Options) -> Mechanism:
    """Return the non-robust optimum, with a sentence on what it gives away at worst over F."""
    made = _robust(
        lambda asked, how: non_robust(
            asked.uncertainty.p_hat_su,
            asked.eps,
            time_limit=how.time_limit,
            gap=how.gap,
            seed=how.seed,
        )
    )(joint, notion, options)
    worst = notion.achieved(joint, made.kernel)
    level = "∞" if worst == float("inf") else f"{worst:.3g}"
    note = (
        f"It keeps {made.notion} at the estimate alone: over all that the records leave possible "
        f"its level reaches {level} nats."
    )
    return replace(made, notes=(*made.notes, note))


def _code(name: str, *more: str) -> str:
    arguments = ", ".join(("notion.uncertainty.p_hat_su", "notion.eps", *more))
    return f"m.on_symbols(\n    joint,\n    m.{name}({arguments}),\n)"


ROBUST = (
    Entry(
        "robust_optimal",
        "Robust optimum",
        "Whatever keeps most of X under robust LDP for the uncertainty set itself, found by "
        "cutting planes, with a bound on what could be kept.",
        r"\max_{P(y \mid s,u)} I(X;Y) \quad \text{subject to RLDP for all } P \in F",
        "the open question of [RLDP] §9",
        _code("robust_optimal", "notion.uncertainty", _SEARCH),
        _robust(
            lambda notion, options: robust_optimal(
                notion.uncertainty.p_hat_su,
                notion.eps,
                notion.uncertainty,
                time_limit=options.time_limit,
                gap=options.gap,
                seed=options.seed,
            )
        ),
        (RLDP,),
        parameters=("time_limit", "gap", "seed"),
        optimum=True,
        monotone=True,
    ),
    Entry(
        "polyopt",
        "PolyOpt",
        "The best that is robust for a polytope around what the records leave possible given each "
        "secret: simpler than the robust optimum, and stricter than need be.",
        r"\max I(X;Y) \text{ subject to RLDP for all } P_{U|s} \in D_s = \{R : R_u \ge L_{u|s}\}",
        "[RLDP] Theorems 2 and 3, without comparing a secret with itself",
        _code("polyopt", "notion.uncertainty", _SEARCH),
        _robust(
            lambda notion, options: polyopt(
                notion.uncertainty.p_hat_su,
                notion.eps,
                notion.uncertainty,
                time_limit=options.time_limit,
                gap=options.gap,
                seed=options.seed,
            )
        ),
        (RLDP,),
        parameters=("time_limit", "gap", "seed"),
        optimum=True,
        monotone=True,
    ),
    Entry(
        "independent_reporting",
        "Independent reporting",
        "Randomise S and U separately: U the less, the less it can tell about S.",
        r"R_1 = \mathrm{GRR}^{\varepsilon_1}(S),\ R_2 = \mathrm{GRR}^{\delta_2}(U), \quad "
        r"\delta_2 = \log\bigl(1 + 2(e^{\varepsilon_2} - 1)/d\bigr),\ "
        r"\varepsilon_1 + \varepsilon_2 = \varepsilon",
        "[RLDP] Def. 5, Theorem 5",
        _code("independent_reporting", "notion.uncertainty"),
        _robust(
            lambda notion, _options: independent_reporting(
                notion.uncertainty.p_hat_su, notion.eps, notion.uncertainty
            )
        ),
        (RLDP,),
    ),
    Entry(
        "secret_rr",
        "Secret randomised response",
        "Tell the pair (s, u), or a pair with another secret, or rarely another u of the same "
        "secret: robust for every distribution, with no estimate needed.",
        r"P(y \mid s,u) \propto e^{\varepsilon} \text{ for } y = (s,u),\ e^{-\varepsilon} "
        r"\text{ for } (s, u'),\ 1 \text{ for } (s', u')",
        "[RLDP] Def. 4, Theorem 4",
        _code("secret_randomized_response"),
        _robust(
            lambda notion, _options: secret_randomized_response(
                notion.uncertainty.p_hat_su, notion.eps
            )
        ),
        (RLDP,),
        ignored=_OF_RECORDS,
    ),
    Entry(
        "pair_rr",
        "Randomised response of (s, u)",
        "Tell the pair (s, u) or any other pair, all equally likely: hides u as well as s, for "
        "every distribution.",
        r"P(y \mid x) = \begin{cases} e^{\varepsilon}/(e^{\varepsilon} + n_x - 1) & y = x \\ "
        r"1/(e^{\varepsilon} + n_x - 1) & y \neq x \end{cases}",
        "[RLDP] §8, GRR",
        _code("pair_randomized_response"),
        _robust(
            lambda notion, _options: pair_randomized_response(
                notion.uncertainty.p_hat_su, notion.eps
            )
        ),
        (RLDP,),
        ignored=_OF_RECORDS,
        monotone=True,
    ),
    Entry(
        "non_robust",
        "Non-robust optimum",
        "Take the estimate for the truth and publish the best for it: the promise holds at the "
        "estimate alone.",
        r"\max I(X;Y) \quad \text{subject to LDP at } \hat P",
        "[RLDP] §8, NR",
        _code("non_robust", _SEARCH),
        _trusting,
        (RLDP,),
        parameters=("time_limit", "gap", "seed"),
        optimum=True,
        monotone=True,
    ),
)
"""The robust mechanisms, and the optimum that is not, from the one that keeps most."""
