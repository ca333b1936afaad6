import pytest

from core import measures
from core.errors import InvalidInputError
from core.measures import catalogue
from tests import channels


def test_every_public_measure_is_explained_once():
    keys = [entry.key for entry in catalogue.ENTRIES]
    assert sorted(keys) == sorted(set(measures.__all__) - {"entropy"})


@pytest.mark.parametrize("entry", catalogue.ENTRIES, ids=lambda entry: entry.key)
def test_an_entry_computes_what_its_key_names(entry):
    order = [2.0] * len(entry.parameters)
    ours = entry.compute(channels.SYMMETRIC, *order)
    theirs = getattr(measures, entry.key)(channels.SYMMETRIC, *order)
    assert ours == pytest.approx(theirs)
    assert (getattr(ours, "ndim", 0) > 0) == (entry.kind == catalogue.POINTWISE)
    assert catalogue.entry(entry.key) is entry


def test_an_unknown_measure_is_named():
    with pytest.raises(InvalidInputError, match=r"measure must be one of lift, .*, got 'luck'\."):
        catalogue.entry("luck")
