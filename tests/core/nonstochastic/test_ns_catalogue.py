import pytest

from core import nonstochastic as ns
from core.errors import InvalidInputError
from core.nonstochastic import PROBLEMS
from core.nonstochastic.catalogue import ALGORITHM, BASELINE, CATALOGUE, MEASURE, entry
from core.nonstochastic.ranges import measures as measures_module


def test_every_entry_names_something_that_exists():
    for each in CATALOGUE:
        if each.kind == ALGORITHM:
            assert each.key in PROBLEMS
        else:
            assert callable(getattr(ns, each.key))
        assert entry(each.key, each.kind) is each


def test_every_algorithm_and_every_measure_has_an_entry():
    assert {e.key for e in CATALOGUE if e.kind == ALGORITHM} == set(PROBLEMS)
    assert {e.kind for e in CATALOGUE} == {MEASURE, ALGORITHM, BASELINE}
    measures = {
        name
        for name, value in vars(measures_module).items()
        if getattr(value, "__doc__", "")
        and callable(value)
        and value.__module__ == measures_module.__name__
        and name in ns.__all__
    }
    assert measures <= {e.key for e in CATALOGUE if e.kind == MEASURE}


def test_an_unknown_entry():
    with pytest.raises(InvalidInputError, match=r"measure must be one of hartley, .* got 'beauty'"):
        entry("beauty")
