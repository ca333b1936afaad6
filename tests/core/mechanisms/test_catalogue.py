import numpy as np
import pytest

from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import catalogue
from core.notions import LIP, SRLIP, AlphaLift, Intersection

JOINT = Joint.random_uniform(3, 6, np.random.default_rng(4))


@pytest.mark.parametrize("key", catalogue.CATALOGUE)
def test_the_code_of_an_entry_makes_the_same_as_build(key):
    entry = catalogue.entry(key)
    notion = LIP(0.6) if entry.works_under(LIP) else SRLIP(0.6)
    assert entry.works_under(notion)
    values = np.arange(6.0) ** 2
    scope = {"m": m, "joint": JOINT, "notion": notion, "values": values}
    options = {"time_limit": 5.0, "gap": 1e-6, "seed": 3, "weight": 0.01, "utility": "distortion"}
    shown = eval(entry.code.format(**options), scope)
    built = catalogue.build(key, JOINT, notion, **options, values=values)
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


def test_the_product_protocol_asks_for_srlip():
    with pytest.raises(InvalidInputError, match="Attribute by attribute does not work under LIP"):
        catalogue.build("srlip_product", JOINT, LIP(1))
