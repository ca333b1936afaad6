import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from core import notions
from core.errors import InvalidInputError, NotConvexError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Average,
    Chi2Lift,
    Chi2Privacy,
    EpsDelta,
    GuessingProbability,
    L1Lift,
    L1Privacy,
    MetricLDP,
    MinLift,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
    catalogue,
)
from core.notions.numbers import Numbers, declared

BUILT = {
    "lip": LIP(2),
    "alip": ALIP(1.5, 0.5),
    "ldp": LDP(2),
    "metric_ldp": MetricLDP(2, [[0, 1], [1, 0]]),
    "l1": L1Privacy(1.5, 0.5),
    "chi2": Chi2Privacy(1.5, 0.5),
    "alpha": AlphaLift(1.5, 0.5, 10),
    "pml": PointwiseMaximalLeakage(2),
    "srlip": SRLIP(2),
    "sides": ALIP(0.25, np.inf),
    "min_lift": MinLift(2),
    "l1_upper": L1Lift(2),
    "chi2_upper": Chi2Lift(2),
    "kl": PointwiseDivergence(2),
    "guess": GuessingProbability(0.75),
    "lip_delta": EpsDelta(LIP(2), 0.125),
    "ldp_delta": EpsDelta(LDP(2), 0.125),
    "pml_delta": EpsDelta(PointwiseMaximalLeakage(2), 0.125),
    "average_mi": Average("mutual_information", 2),
    "average_tv": Average("total_variation", 2),
    "average_chi2": Average("chi2", 2),
    "average_leakage": Average("maximal_leakage", 2),
    "average_sibson": Average("sibson", 2, 10),
    "average_arimoto": Average("arimoto", 2, 10),
    "average_guess": Average("guessing", 0.75),
}


JOINT = Joint.with_secret_released([[7, 10], [26, 57]])
NUMBERS = Numbers(
    eps=2.0,
    lam=0.75,
    alpha=10.0,
    beta=0.1,
    n=50,
    eps_l=0.25,
    eps_u=np.inf,
    bound=0.75,
    delta=0.125,
)
OTHERS = {name: domain.low + (domain.high - domain.low) / 3 for name, domain in declared().items()}
OTHERS |= {"alpha": 3.0, "n": 60, "eps_l": 0.5, "eps_u": 0.25}


def test_each_key_builds_its_notion():
    assert {key: catalogue.build(key, JOINT, NUMBERS) for key in BUILT} == BUILT


def test_every_other_entry_is_built_of_numbers_alone():
    assert {entry.key for entry in catalogue.ALL} == {
        *BUILT,
        "rldp",
        "robust_ldp",
        "robust_pml",
        "robust_lip",
        "robust_alip",
    }


def seen(notion):
    """Return what tells two notions apart; a ball is equal to none but itself."""
    if notion.of_estimate:
        split = getattr(notion, "lam", None)
        return notion.eps, notion.uncertainty.bound, notion.uncertainty.alpha, split
    return notion


def test_only_the_named_parameters_have_an_effect(subtests):
    for entry, (name, other) in itertools.product(catalogue.ALL, OTHERS.items()):
        with subtests.test(notion=entry.key, number=name):
            changed = entry.make(JOINT, replace(NUMBERS, **{name: other}))
            has_effect = seen(changed) != seen(entry.make(JOINT, NUMBERS))
            assert has_effect == (name in entry.parameters)


def test_the_code_makes_the_notion(subtests):
    for entry in catalogue.ALL:
        with subtests.test(notion=entry.key):
            made = eval(entry.code(NUMBERS), vars(notions) | {"joint": JOINT, "inf": np.inf})
            assert type(made) is entry.kind
            assert seen(made) == seen(entry.make(JOINT, NUMBERS))


@pytest.mark.parametrize("entry", catalogue.ALL, ids=lambda entry: entry.key)
def test_convex_says_whether_there_is_an_allowed_set(entry):
    notion = entry.make(JOINT, Numbers(eps=1.0))
    if entry.kind.convex:
        assert notion.allowed_set(JOINT).n_x == JOINT.n_x
    else:
        with pytest.raises(NotConvexError):
            notion.allowed_set(JOINT)


def test_every_notion_is_in_a_family():
    result = [entry for family in catalogue.FAMILIES for entry in catalogue.of_family(family)]
    assert sorted(result, key=catalogue.ALL.index) == list(catalogue.ALL)
    assert len({entry.key for entry in catalogue.ALL}) == len(catalogue.ALL)
    assert all(entry.meaning.endswith(".") and entry.source for entry in catalogue.ALL)
    assert {entry.kind for entry in catalogue.of_family("average")} == {Average}
    assert {entry.kind for entry in catalogue.of_family("exceptions")} == {EpsDelta}


def test_rldp_takes_the_joint_for_the_estimate():
    notion = catalogue.build("rldp", JOINT, Numbers(eps=0.5))
    np.testing.assert_allclose(notion.uncertainty.p_hat_su, [[0.07, 0.10], [0.26, 0.57]])
    assert notion.uncertainty.bound == pytest.approx(0.07524, abs=1e-5)  # [RLDP] Example 1
    plain = Joint.with_secret_released([[0.07, 0.10], [0.26, 0.57]])
    thousand = catalogue.build("rldp", plain, Numbers(eps=0.5))
    assert plain.n is None
    assert thousand.uncertainty.bound == pytest.approx(np.log1p(stats.chi2.ppf(0.95, 3) / 1000))


@pytest.mark.parametrize(
    ("joint", "sentence"),
    [
        (Joint.from_counts([[3, 1], [1, 3]]), "also release S"),
        (Joint.from_counts([[3, 1, 2], [1, 3, 2]]), "also release S"),
        (Joint.from_counts([[1, 0, 1, 0], [0, 1, 0, 1]]), "also release S"),
        (Joint.with_secret_released([[3, 1], [0, 0]]), "The secret 's2' never occurs"),
        (Joint.with_secret_released([[3, 1]]), "at least two secrets"),
    ],
)
def test_rldp_says_what_it_needs(joint, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        catalogue.build("rldp", joint, Numbers(eps=1.0))


def test_an_infinite_order_is_none_of_a_ball():
    with pytest.raises(InvalidInputError, match="finite order above 0, got inf"):
        catalogue.build("rldp", JOINT, Numbers(eps=1.0, alpha=np.inf))


def test_an_unknown_notion_is_named():
    with pytest.raises(InvalidInputError, match=r"notion must be one of lip, .*, got 'dp'\."):
        catalogue.build("dp", JOINT, Numbers(eps=1.0))


@pytest.mark.parametrize("key", [np.array(["lip", "ldp"]), ["lip"], None, 1])
def test_what_is_no_name_is_no_notion(key):
    with pytest.raises(InvalidInputError, match="notion must be one of lip, "):
        catalogue.build(key, JOINT, Numbers(eps=1.0))
