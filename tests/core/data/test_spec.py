"""Data specs refuse what is outside their domain and survive JSON."""

import json

import pytest

from core.data import Binning, CountReport, DataSpec, Filter
from core.data.treatment.bins import Bins
from core.errors import InvalidInputError


def test_a_spec_survives_json():
    spec = DataSpec(
        source="upload:abc",
        secret=("a", 'b"'),
        released=("c",),
        secret_released=True,
        binnings=(Binning("c", "edges", 3, (0.0, 0.1, 1e9)), Binning("a", "width", 5)),
        missing="drop",
        rare_below=7,
        filters=(Filter("d", ("<b>", "é")), Filter("e", low=-1.5, high=2.0)),
    )
    assert DataSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
    assert DataSpec.from_dict({}) == DataSpec()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], r"The data must be a JSON object, got \[\]"),
        ({"colour": 1}, "The data has an unknown entry 'colour'"),
        ({"source": 3}, "source must be a text, got 3"),
        ({"secret": "sex"}, "secret must be a list, got 'sex'"),
        ({"missing": "keep"}, "missing must be one of level, drop, got 'keep'"),
        ({"rare_below": -1}, "rare_below must be at least 0 and at most 10+, got -1"),
        ({"rare_below": 1.5}, "rare_below must be a whole number, got 1.5"),
        ({"secret_released": "yes"}, "secret_released must be true or false, got 'yes'"),
        ({"binnings": [{"kind": "width"}]}, "A binning must name its column"),
        ({"binnings": ["age"]}, "A binning must be a JSON object, got 'age'"),
        (
            {"binnings": [{"column": "a", "kind": "log"}]},
            "kind must be one of width, .* got 'log'",
        ),
        ({"binnings": [{"column": "a", "count": 0}]}, "number of bins must be at least 1 .* got 0"),
        ({"binnings": [{"column": "a", "count": 201}]}, "at most 200, got 201"),
        ({"binnings": [{"column": "a", "edges": ["x"]}]}, "A bin edge must be a number, got 'x'"),
        (
            {"binnings": [{"column": "a", "kind": "edges", "edges": [1]}]},
            "The bin edges of 'a' must be 2 to 201 numbers, got 1",
        ),
        (
            {"binnings": [{"column": "a", "kind": "edges", "edges": [2, 1]}]},
            "The bin edges of 'a' must be finite and increasing, got 2, 1",
        ),
        (
            {"binnings": [{"column": "a", "kind": "edges", "edges": [0, "inf"]}]},
            "must be finite and increasing, got 0, inf",
        ),
        ({"binnings": [{"column": "a"}, {"column": "a"}]}, "'a' has more than one binning"),
        ({"filters": [{"column": "a"}]}, "A filter must name its column and its levels"),
        ({"filters": [{"column": "a", "levels": "b"}]}, "levels must be a list, got 'b'"),
        ({"filters": [{"column": "a", "low": "x"}]}, "A filter's low must be a number, got 'x'"),
        (
            {"filters": [{"column": "a", "low": 2, "high": 1}]},
            "The range of 'a' to keep must not be empty, got 2 to 1",
        ),
        (
            {"filters": [{"column": "a", "levels": ["b"], "high": 1}]},
            "The filter on 'a' has levels and a range: give one of them",
        ),
    ],
)
def test_what_is_outside_its_domain_is_named(values, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        DataSpec.from_dict(values)


def test_a_report_says_what_happened_in_sentences():
    bins = Bins("age", (0.0, 1.0), ("< 0", "[0, 1]", "> 1"), chosen=4)
    report = CountReport(
        "a.csv", "sex", "age", 10, 10, missing=(("sex", 3), ("age", 0)), bins=(bins,)
    )
    assert report.sentences() == (
        "'sex' is missing in 3 records, which counts as a level.",
        "'age' has 1 bin instead of 4, because equal values stay together.",
    )
