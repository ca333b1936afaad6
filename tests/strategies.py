"""Hypothesis strategies that the tests share: random joints and notions."""

from hypothesis import strategies as st

from core.joint import Joint
from core.notions import ALIP, LDP, LIP, AlphaLift, Chi2Privacy, L1Privacy

budgets = st.sampled_from([0.0, 0.05, 0.3, 0.7, 1.0, 1.6, 3.0, float("inf")])
"""Privacy budgets from none to all."""


@st.composite
def joints(draw, max_s=4, max_x=6, min_x=1):
    """Joints of small whole counts: zero cells, ties and deterministic ones are common."""
    n_s = draw(st.integers(1, max_s))
    n_x = draw(st.integers(min_x, max_x))
    row = st.lists(st.integers(0, 6), min_size=n_x, max_size=n_x)
    counts = draw(st.lists(row, min_size=n_s, max_size=n_s))
    counts[0] = [count + 1 for count in counts[0]]  # every symbol of X occurs
    return Joint.from_counts(counts)


@st.composite
def symbol_notions(draw):
    """Every notion that bounds single symbols, with any budgets."""
    eps, other = draw(budgets), draw(budgets)
    return draw(
        st.sampled_from(
            [
                LIP(eps),
                LDP(eps),
                ALIP(eps, other),
                L1Privacy(eps, other),
                Chi2Privacy(eps, other),
                AlphaLift(eps, other, 2.0),
                AlphaLift(eps, other, float("inf")),
            ]
        )
    )
