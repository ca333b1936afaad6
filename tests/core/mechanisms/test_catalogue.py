import numpy as np
import pytest

from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import catalogue
from core.mechanisms.options import Options
from core.notions import (
    LDP,
    LIP,
    RLDP,
    SRLIP,
    AlphaLift,
    Chi2Privacy,
    Intersection,
    L1Privacy,
    MetricLDP,
)

JOINT = Joint.random_uniform(3, 6, np.random.default_rng(4))
PAIR = Joint.with_secret_released([[7, 10, 3], [26, 57, 0]], ["f", "m"], ["a", "b", "c"])
SMALL = Joint.with_secret_released([[7, 10], [26, 57]])
COARSE = 0.05
"""A gap that robust optima of few cells reach at once: time plays no part in their tests."""
ROBUST = {
    "robust_optimal": lambda cells, eps, ball: m.robust_optimal(
        cells, eps, ball, time_limit=0.5, gap=COARSE
    ),
    "polyopt": lambda cells, eps, ball: m.polyopt(cells, eps, ball, time_limit=60),
    "independent_reporting": m.independent_reporting,
    "secret_rr": lambda cells, eps, _ball: m.secret_randomized_response(cells, eps),
    "pair_rr": lambda cells, eps, _ball: m.pair_randomized_response(cells, eps),
    "non_robust": lambda cells, eps, _ball: m.non_robust(cells, eps, time_limit=60),
}


def setting(entry):
    """Return a joint and a notion that a mechanism works on."""
    if entry.works_under(LIP):
        return JOINT, LIP(0.6)
    if entry.works_under(SRLIP):
        return JOINT, SRLIP(0.6)
    if entry.works_under(MetricLDP):
        return JOINT, MetricLDP.of_joint(JOINT, 0.6)
    return SMALL, RLDP.of_joint(SMALL, 0.6)


@pytest.mark.parametrize("key", catalogue.CATALOGUE)
def test_the_code_of_an_entry_makes_the_same_as_build(key):
    entry = catalogue.entry(key)
    joint, notion = setting(entry)
    assert entry.works_under(notion)
    values = np.arange(6.0) ** 2
    scope = {"m": m, "joint": joint, "notion": notion, "values": values}
    gap = COARSE if key == "robust_optimal" else 1e-6
    options = {"time_limit": 60.0, "gap": gap, "seed": 3, "weight": 0.01, "utility": "distortion"}
    shown = eval(entry.code.format(**options), scope)
    built = catalogue.build(key, joint, notion, Options(**options, values=values))
    np.testing.assert_array_equal(shown.kernel, built.kernel)
    assert (built.audit is not None) == entry.uses_notion


@pytest.mark.parametrize("key", catalogue.CATALOGUE)
def test_an_entry_says_what_it_is(key):
    entry = catalogue.entry(key)
    assert entry.key == key
    assert entry.title
    assert entry.meaning.endswith(".")
    assert entry.formula
    assert entry.source
    assert set(entry.parameters) <= {"time_limit", "gap", "seed", "weight", "utility"}


def test_what_does_not_exist_or_fit_is_named():
    with pytest.raises(InvalidInputError, match=r"mechanism must be one of identity, .*'magic'"):
        catalogue.entry("magic")
    with pytest.raises(InvalidInputError, match="Watchdog does not work under intersection"):
        catalogue.build("watchdog", JOINT, Intersection(LIP(1)))
    assert catalogue.entry("identity").works_under(Intersection(LIP(1)))
    assert catalogue.entry("watchdog").works_under(AlphaLift)


def test_what_needs_a_convex_notion_asks_the_notion_not_its_type():
    entry = catalogue.entry("optimal")
    assert not entry.works_under(L1Privacy)
    assert not entry.works_under(L1Privacy(1, 0.3))
    assert not entry.works_under(Intersection(LIP(1), Chi2Privacy(1, 0.3)))
    for notion in (L1Privacy(np.inf, 0.3), Chi2Privacy(np.inf, 0.3)):
        assert entry.works_under(notion)
        assert entry.works_under(Intersection(LIP(1), notion))
        made = catalogue.build("optimal", JOINT, notion, Options(time_limit=60))
        assert made.status == "optimal"
        assert made.utility == pytest.approx(m.optimal(JOINT, notion, time_limit=60).utility)
        partly = catalogue.build("subset_random_response", JOINT, notion, Options(time_limit=60))
        assert partly.audit.holds
        assert partly.utility <= made.upper_bound + 1e-9


def test_the_product_protocol_asks_for_srlip():
    with pytest.raises(InvalidInputError, match="Attribute by attribute does not work under LIP"):
        catalogue.build("srlip_product", JOINT, LIP(1))


@pytest.mark.parametrize("key", ROBUST)
def test_a_robust_mechanism_is_the_one_for_all_cells_at_the_symbols(key):
    notion = RLDP.of_joint(PAIR, 0.6)
    built = catalogue.build(key, PAIR, notion, Options(time_limit=60, gap=COARSE))
    ball = notion.uncertainty
    whole = ROBUST[key](ball.p_hat_su, 0.6, ball)
    assert built.kernel.shape[0] == PAIR.n_x == 5
    assert built.x_labels == PAIR.x_labels
    assert built.utility == pytest.approx(whole.utility, abs=COARSE)
    assert built.utility <= built.upper_bound + 1e-12
    level = notion.achieved(PAIR, built.kernel)
    if key == "non_robust":
        assert LDP(0.6).holds(PAIR, built.kernel)
        assert level > 0.6
        assert f"its level reaches {level:.3g} nats" in built.notes[-1]
    else:
        assert level <= 0.6 + 1e-9
    if whole.y_labels == whole.x_labels:
        assert built.y_labels == ("f · a", "f · b", "f · c", "m · a", "m · b", "m · c")


@pytest.mark.parametrize("key", ROBUST)
def test_a_robust_mechanism_asks_for_rldp(key):
    with pytest.raises(InvalidInputError, match="does not work under LDP"):
        catalogue.build(key, PAIR, LDP(1))
    with pytest.raises(InvalidInputError, match="works under RLDP, got 1-LDP"):
        catalogue.entry(key).make(PAIR, LDP(1), Options())


@pytest.mark.parametrize("exact", [False, True])
def test_the_optimum_under_rldp_is_the_robust_one(exact):
    ball = RLDP.of_joint(SMALL, 0.6).uncertainty
    search = {"time_limit": 60.0, "gap": COARSE}
    result = m.optimal(SMALL, RLDP(0.6, ball, exact=exact), **search)
    robust = (m.robust_optimal if exact else m.polyopt)(ball.p_hat_su, 0.6, ball, **search)
    assert result.name == "Optimal"
    assert result.utility == pytest.approx(robust.utility, abs=COARSE)
    assert result.gap <= COARSE
    frontier = m.frontier(
        SMALL,
        lambda eps: RLDP(eps, ball, exact=exact),
        [0.6, 1.2],
        **(search | {"time_limit": 120}),
    )
    assert frontier[0].utility == pytest.approx(result.utility, abs=COARSE)
    assert frontier[1].utility > frontier[0].utility


def test_an_optimum_at_another_joint_than_the_estimate_is_at_that_joint():
    ball = RLDP.of_joint(PAIR, 0.6).uncertainty
    other = Joint.with_secret_released([[10, 7, 3], [57, 26, 0]])
    result = m.optimal(other, RLDP(0.6, ball), time_limit=60)
    assert result.audit.holds
    assert (
        result.utility
        > m.on_symbols(other, m.polyopt(ball.p_hat_su, 0.6, ball, time_limit=60)).utility - 1e-6
    )
