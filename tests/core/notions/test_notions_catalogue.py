import pytest

from core.errors import InvalidInputError, NotConvexError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Chi2Privacy,
    L1Privacy,
    PointwiseMaximalLeakage,
    catalogue,
)

BUILT = {
    "lip": LIP(2),
    "alip": ALIP(1.5, 0.5),
    "ldp": LDP(2),
    "l1": L1Privacy(1.5, 0.5),
    "chi2": Chi2Privacy(1.5, 0.5),
    "alpha": AlphaLift(1.5, 0.5, 10),
    "pml": PointwiseMaximalLeakage(2),
    "srlip": SRLIP(2),
}


@pytest.mark.parametrize("key", BUILT)
def test_each_key_builds_its_notion(key):
    assert catalogue.build(key, 2, 0.75, 10) == BUILT[key]


@pytest.mark.parametrize("entry", catalogue.ENTRIES, ids=lambda entry: entry.key)
def test_only_the_named_parameters_have_an_effect(entry):
    values = {"eps": 2.0, "lam": 0.75, "alpha": 10.0}
    other = {"eps": 1.0, "lam": 0.5, "alpha": 3.0}
    for name in values:
        changed = entry.make(*(values | {name: other[name]}).values())
        assert (changed != entry.make(*values.values())) == (name in entry.parameters)


@pytest.mark.parametrize("entry", catalogue.ENTRIES, ids=lambda entry: entry.key)
def test_convex_says_whether_there_is_an_allowed_set(entry):
    joint = Joint.from_counts([[3, 1], [1, 3]])
    notion = entry.make(1.0, 0.5, 2.0)
    if entry.convex:
        assert notion.allowed_set(joint).n_x == 2
    else:
        with pytest.raises(NotConvexError):
            notion.allowed_set(joint)


def test_an_unknown_notion_is_named():
    with pytest.raises(InvalidInputError, match=r"notion must be one of lip, .*, got 'dp'\."):
        catalogue.build("dp", 1, 0.5, 2)
