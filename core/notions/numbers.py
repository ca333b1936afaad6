"""The numbers that a notion may have: each is declared here once, with its domain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.domain import Domain, domains, number


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """The numbers that a notion may have.

    - `eps`: privacy budget ε in nats; [0, 50] in a scenario, [0, ∞] for a notion.
    - `lam`: λ in [0, 1]: εₗ = λε, εᵤ = (1−λ)ε, where the notion has two budgets.
    - `alpha`: order α of the α-lift, in (1, ∞]; of RLDP's Rényi divergence, in (0, ∞); or of
      Sibson's or Arimoto's information, in (0, ∞].
    - `beta`: β in (0, 1): the probability that the uncertainty set misses the truth (RLDP).
    - `n`: records behind the estimate (RLDP); None: as many as the data has, else 1,000.
    - `eps_l`, `eps_u`: budgets in nats for falling and for rising beliefs, in [0, ∞].
    - `bound`: largest probability of guessing S, in (0, 1].
    - `delta`: δ in [0, 1): outputs of this total probability may break the notion.
    """

    eps: float = number(
        1.0,
        Domain(
            *(0.0, 50.0, 0.05, "ε · privacy budget"),
            of_average="M · budget of the average",
            reach=8.0,
        ),
    )
    lam: float = number(0.5, Domain(0.0, 1.0, 0.05, "λ · share for falling beliefs"))
    alpha: float = number(
        2.0,
        Domain(
            *(0.05, np.inf, 0.05, "α · order of the lift's mean"),
            of_set="α · order of the uncertainty set",
        ),
    )
    beta: float = number(0.05, Domain(0.001, 0.5, 0.001, "β · chance that the data misleads"))
    n: int | None = number(None, Domain(1, 10_000_000, 1, whole=True, optional=True))
    eps_l: float = number(1.0, Domain(0.0, np.inf, 0.05, "εₗ · budget for falling beliefs"))
    eps_u: float = number(1.0, Domain(0.0, np.inf, 0.05, "εᵤ · budget for rising beliefs"))
    bound: float = number(0.9, Domain(0.01, 1.0, 0.01, "c · largest chance of a right guess"))
    delta: float = number(0.05, Domain(0.0, 0.999, 0.001, "δ · probability of exceptions"))


def declared() -> dict[str, Domain]:
    """Return the domain of each number by name, in the order in which to show them."""
    return domains(Numbers)
