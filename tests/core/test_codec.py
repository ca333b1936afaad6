import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.codec import read_json
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.scenario import Scenario
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query

ENTRIES = json.loads(Scenario().to_json())
LONG = "9" * 400
ODD = st.one_of(
    st.sampled_from(["null", "true", "NaN", "-Infinity", "1e999", LONG, "-" + LONG, "9" * 5000]),
    st.sampled_from(["[]", "{}", "[[]]", '"\\ud800"', '"\\u0000"', '"inf"', '"x"', '{"eps": 1}']),
    st.sampled_from(["[" * 50 + "]" * 50, "[" * 900 + "]" * 900]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=6,
    ).map(json.dumps),
)
"""JSON texts of values that fit nowhere, or not everywhere."""

BINNING = st.sampled_from(["column", "kind", "count", "edges"])
FILTER = st.sampled_from(["column", "levels", "low", "high"])


def read(text):
    """Read a scenario: it is refused in a sentence, or is as good as any other."""
    try:
        scenario = Scenario.from_json(text)
    except InvalidInputError as error:
        refusal = str(error)
    else:
        refusal = None
    if refusal is not None:
        assert refusal.endswith(".")
        assert "\n" not in refusal
        assert len(refusal) < 900
        return
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert from_query(to_query(scenario)) == (scenario, ())
    assert scenario.content_hash()
    compile(snippet(scenario), "snippet", "exec")


@given(entry=st.sampled_from(sorted(ENTRIES)), value=ODD)
def test_any_entry_of_a_scenario_may_hold_anything(entry, value):
    read(f'{{"{entry}": {value}}}')


@given(entry=st.sampled_from(sorted(ENTRIES["data"])), value=ODD)
def test_any_entry_of_the_data_may_hold_anything(entry, value):
    read(f'{{"data": {{"{entry}": {value}}}}}')


@given(entry=BINNING, value=ODD, kind=st.sampled_from(["width", "edges"]))
def test_any_entry_of_a_binning_may_hold_anything(entry, value, kind):
    # the entry replaces the one before it, so that no name stands twice
    parts = {"column": '"age"', "kind": f'"{kind}"', "edges": "[1, 2]"} | {entry: value}
    written = ", ".join(f'"{name}": {what}' for name, what in parts.items())
    read(f'{{"data": {{"binnings": [{{{written}}}]}}}}')


@given(entry=FILTER, value=ODD)
def test_any_entry_of_a_filter_may_hold_anything(entry, value):
    parts = {"column": '"age"', "low": "1"} | {entry: value}
    written = ", ".join(f'"{name}": {what}' for name, what in parts.items())
    read(f'{{"data": {{"filters": [{{{written}}}]}}}}')


@given(text=st.one_of(st.text(), ODD))
@example(text="[" * 100_000)
@example(text='{"data": ' * 100_000)
@example(text="\ufeff{}")
def test_any_text_may_be_given_for_a_scenario(text):
    read(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"eps": 1, "eps": 2}', "The scenario has the entry 'eps' twice."),
        ('{"eps": "\\ud800"}', r"holds half a character \(a lone surrogate\)."),
        ("[" * 100_000, "The scenario is nested too deeply to be read."),
        ("9" * 5000, "The scenario holds a number of too many digits."),
        (b"{}", r"The scenario must be a JSON text, got b'\{\}'."),
        (None, "The scenario must be a JSON text, got None."),
    ],
)
def test_json_that_cannot_be_read_is_named(text, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        read_json(text, "The scenario")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"mechanism": []}', r"mechanism must be one of .*, got \[\]"),
        ('{"notion": {}}', r"notion must be one of .*, got \{\}"),
        (f'{{"eps": {LONG}}}', r"eps must be a number that a double can hold, got 9+\.\.\.9+\."),
        ('{"eps": true}', "eps must be a number, got True"),
        ('{"n": 1.5}', "n must be a whole number, got 1.5"),
        ('{"version": true}', "version must be 1, got True"),
        ('{"data": {"secret": [null]}}', "Each of secret must be a text, got None"),
        ('{"data": {"rare_below": 1e3}}', "rare_below must be a whole number, got 1000.0"),
    ],
)
def test_what_is_wrong_in_a_scenario_is_named(text, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Scenario.from_json(text)


KEYS = ["notion", "mech", "keep", "eps", "lam", "alpha", "beta", "n", "limit", "gap", "seed"]
KEYS += ["weight", "data", "s", "x", "sx", "bins", "missing", "rare", "only"]
LINKED = st.one_of(
    ODD,
    st.text(max_size=8),
    st.sampled_from(["1_0", "²", "٣", "9" * 5000, "a:edges:1,2", "a:edges:1e999,2", "a:width:9"]),
    st.sampled_from(['["a", [1e999, 2]]', f'["a", [{LONG}, 2]]', '["a", null]', '[["a"], "b"]']),
    st.sampled_from(["random:uniform:2x3:1", "matrix:", "a:edges:", "::", "a:width:" + LONG]),
)


@given(query=st.dictionaries(st.sampled_from(KEYS), st.lists(LINKED, max_size=3), max_size=4))
@example(query={"data": []})
@example(query={"only": ["[" * 100_000]})
@example(query={"rare": ["9" * 5000]})
def test_any_link_stands_for_a_scenario(query):
    scenario, notices = from_query(query)
    assert all(notice.startswith("The link has ") and len(notice) < 600 for notice in notices)
    assert from_query(to_query(scenario))[0] == scenario


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        (
            {"n": "1.5"},
            "The link has n=1.5, which is not a whole number in [1, 1e+07]; the data's ",
        ),
        ({"eps": "9" * 300}, f"The link has eps={'9' * 79}…, which is not in [0, 50]; 1 is used."),
        ({"only": '["age", null]'}, 'The link has only=["age", null], which is ignored. It must'),
    ],
)
def test_a_link_that_says_nothing_falls_back(query, notice):
    scenario, notices = from_query(query)
    assert scenario == Scenario()
    assert notices[0].startswith(notice)


def test_a_binning_of_another_kind_has_no_edges():
    spec = DataSpec.from_dict({"binnings": [{"column": "age", "count": 3, "edges": [1.0, 2.0]}]})
    assert spec.binnings[0].edges == ()
