"""Formulas and explanations of the Robust page, as Markdown."""

BALL = (
    "**Uncertainty set**. All distributions that n records do not rule out. The truth is among "
    "them with probability about 1 − β.\n\n"
    r"$$ F = \{P : D_\alpha(\hat P \Vert P) \le B\}, \quad "
    r"B = \frac{\log(1 + \alpha(\alpha-1)\,q_{1-\beta}/2n)}{\alpha-1} $$"
    "\n\n"
    r"with $q_{1-\beta}$ the quantile of $\chi^2$ with $n_s n_u - 1$ degrees of freedom; at "
    r"$\alpha = 2$, $B = \log(1 + q_{1-\beta}/n)$."
    "\n\n:gray[\\[RLDP\\] eq. 9; Cressie and Read 1984 for other α]"
)
"""The set F."""

INTERVALS = (
    "**What is possible given s**. For one secret, P(U | s) may move by its own bound, larger for "
    "a rare secret.\n\n"
    r"$$ B_s = \frac{\alpha}{\alpha-1}\log\frac{e^{(\alpha-1)B/\alpha} - (1-\hat P_s)}{\hat P_s},"
    r"\quad L_{u|s} = \min_{R : D_\alpha(\hat P_{U|s}\Vert R) \le B_s} R_u $$"
    "\n\n:gray[\\[RLDP\\] Theorem 1, eq. 23 and 29]"
)
"""The projections of F."""

RLDP = (
    "**RLDP**, robust local differential privacy. For every distribution that the sample leaves "
    "possible, no output is more "
    "than e^ε times likelier under one secret than under another.\n\n"
    r"$$ P(y \mid s_1) \le e^{\varepsilon} P(y \mid s_2) \quad \text{for all } P \in F,\ y,\ "
    r"s_1 \ne s_2 $$"
    "\n\n:gray[\\[RLDP\\] Def. 1]"
)
"""The promise."""

APART = (
    "Explore takes the data as the estimate P̂; here it is the truth P\\*, and the estimate comes "
    "from a sample of it. So the same ε, n, β and α may give other numbers there."
)
"""Why this page and Explore differ under RLDP, as this page says it."""

REALISED = (
    "**Realised level**. What a design gives away at the truth, whatever it promised.\n\n"
    r"$$ \varepsilon^* = \max_{y, s_1, s_2} \log \frac{P^*(y \mid s_1)}{P^*(y \mid s_2)} $$"
    "\n\n:gray[\\[RLDP\\] §8.3]"
)
"""ε*."""

DESIGNS = (
    "**Non-robust optimum**: takes the estimate for the truth. **Robust optimum**: the best "
    "that keeps the promise for all of F. **PolyOpt**: the same for polytopes around F, simpler "
    "and stricter. **Independent reporting**: randomises S and U separately. **Secret randomised "
    "response**: robust for every distribution, needs no estimate. **Randomised response of "
    "(s, u)**: hides the whole pair.\n\n:gray[\\[RLDP\\] §5–7; the robust optimum is ours]"
)
"""The mechanisms."""
