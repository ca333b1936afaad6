import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data import BUNDLED, Hierarchy, RareLevels, first_question
from core.data.spec import Binning, DataSpec, Filter, LeftOut, Merge
from core.mechanisms import catalogue as mechanism_catalogue
from core.notions import catalogue as notion_catalogue
from core.scenario import LOSSES, PURPOSES, Promise, Scenario
from core.scenario.data_url import cut
from core.scenario.url import MOST_LETTERS, MOST_VALUES, from_query, to_query, within_reach

NAMES = st.text(st.characters(codec="utf-8", exclude_characters=","), min_size=1, max_size=8)
BINNINGS = st.one_of(
    st.builds(Binning, NAMES, st.sampled_from(["width", "quantile"]), st.integers(1, 60)),
    st.builds(
        lambda column, edges: Binning(column, "edges", edges=tuple(sorted(edges))),
        NAMES,
        st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=4, unique=True),
    ),
)
BOUNDS = st.floats(allow_nan=False, allow_infinity=False)
FILTERS = st.one_of(
    st.builds(Filter, NAMES, st.lists(NAMES, max_size=2).map(tuple)),
    st.builds(lambda column, low: Filter(column, low=low), NAMES, BOUNDS),
    st.builds(lambda column, high: Filter(column, high=high), NAMES, BOUNDS),
    st.builds(
        lambda column, ends: Filter(column, low=min(ends), high=max(ends)),
        NAMES,
        st.tuples(BOUNDS, BOUNDS),
    ),
)
MERGES = st.builds(
    lambda columns, names: Merge(tuple(columns), tuple(names)),
    st.lists(NAMES, min_size=1, max_size=2),
    st.lists(NAMES, min_size=2, max_size=4, unique=True),
)
HIERARCHIES = st.one_of(
    st.builds(
        lambda level, steps: Hierarchy("zip", "prefix", level, steps=tuple(steps)),
        st.integers(0, 2),
        st.sampled_from([(3, 2), (9, 4, 1)]),
    ),
    st.builds(
        lambda level, start: Hierarchy("age", "interval", level, steps=(2.5, 5), start=start),
        st.integers(0, 2),
        st.floats(-1e6, 1e6),
    ),
    st.builds(
        lambda level, names: Hierarchy(
            "job", "table", level, rows=tuple((name, "some", "all") for name in names)
        ),
        st.integers(0, 2),
        st.lists(NAMES.map(str.strip).filter(bool), min_size=1, max_size=3, unique=True).filter(
            lambda names: not {"some", "all"} & set(names)
        ),
    ),
)
RARE = st.builds(RareLevels, st.sampled_from(["town", "Straße"]), st.integers(1, 10_000))
LEFT_OUT = st.builds(
    lambda columns, names: LeftOut(tuple(columns), tuple(names)),
    st.lists(NAMES, min_size=1, max_size=2),
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
)
DATA = st.builds(
    DataSpec,
    source=st.sampled_from(["adult", "upload:00ff", "random:uniform:5x17:0"]),
    secret=st.lists(NAMES, max_size=2).map(tuple),
    released=st.lists(NAMES, max_size=2).map(tuple),
    secret_released=st.booleans(),
    binnings=st.lists(BINNINGS, max_size=2, unique_by=lambda cut: cut.column).map(tuple),
    missing=st.sampled_from(["level", "drop"]),
    rare_below=st.integers(0, 10_000),
    rare_below_s=st.integers(0, 10_000),
    filters=st.lists(FILTERS, max_size=2).map(tuple),
    task=st.lists(NAMES, max_size=2).map(tuple),
    known=st.lists(NAMES, max_size=2).map(tuple),
    left_out=st.lists(LEFT_OUT, max_size=2).map(tuple),
    merges=st.lists(MERGES, max_size=2, unique_by=lambda merge: merge.columns).map(tuple),
    hierarchies=st.lists(HIERARCHIES, max_size=2, unique_by=lambda item: item.column).map(tuple),
    rare_levels=st.lists(RARE, max_size=2, unique_by=lambda item: item.column).map(tuple),
)
NOTIONS = st.sampled_from([entry.key for entry in notion_catalogue.ENTRIES])
SIDES = st.one_of(st.floats(0, 100), st.just(math.inf))
PROMISES = st.builds(
    lambda **all_numbers: Promise.from_dict(Promise(**all_numbers).to_dict()),
    notion=NOTIONS,
    eps=st.floats(0, 8),
    lam=st.floats(0, 1),
    eps_l=SIDES,
    eps_u=SIDES,
    bound=st.floats(0.01, 1),
)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[st.floats(0, 1e6)] * width), max_size=3).map(tuple)
)
SCENARIOS = st.builds(
    Scenario,
    data=DATA,
    notion=NOTIONS,
    eps=st.floats(0, 8),
    eps_l=SIDES,
    eps_u=SIDES,
    bound=st.floats(0.01, 1),
    also=st.lists(PROMISES, max_size=2).map(tuple),
    purpose=st.sampled_from(list(PURPOSES)),
    loss=st.sampled_from(list(LOSSES)),
    table=TABLES,
    lam=st.floats(0, 1),
    alpha=st.one_of(st.floats(1.05, 100), st.just(math.inf)),
    beta=st.floats(0.001, 0.5),
    n=st.none() | st.integers(1, 10_000_000),
    mechanism=st.sampled_from(list(mechanism_catalogue.CATALOGUE)),
    time_limit=st.floats(0.05, 600),
    gap=st.floats(0, 1),
    seed=st.integers(0, 2**31 - 1),
)


@settings(max_examples=60)
@given(SCENARIOS)
def test_a_scenario_survives_the_url(scenario):
    assert from_query(to_query(scenario)) == (scenario, ())


@settings(max_examples=60)
@given(SCENARIOS)
def test_a_scenario_survives_json(scenario):
    assert Scenario.from_json(scenario.to_json()) == scenario


def test_a_budget_that_ends_at_what_x_tells_is_in_a_link_even_where_it_is_the_default():
    for key, name in (("average_mi", "eps"), ("average_guess", "bound"), ("lip", "")):
        request = Scenario(notion=key)
        wanted = {name: [f"{getattr(request, name):g}"]} if name else {}
        assert to_query(request) == {"notion": [key]} | wanted


def test_the_default_has_an_empty_query():
    assert to_query(Scenario()) == {}


KEYS = [
    "data",
    "s",
    "x",
    "sx",
    "bins",
    "missing",
    "rare",
    "rare_s",
    "only",
    "merge",
    "without",
    "notion",
    "eps",
    "mech",
    "n",
    "t",
    "for",
    "loss",
    "table",
    "also",
    "eps_l",
    "bound",
]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(KEYS), st.text(max_size=12)))
def test_garbage_never_raises_and_what_is_refused_is_named(query):
    scenario, notices = from_query(query)
    assert isinstance(scenario, Scenario)
    for notice in notices:
        assert notice.startswith("The link has ")
        assert notice.endswith(".")


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ({"eps": "51"}, "The link has eps=51, which is not in [0, 50]; 1 is used."),
        ({"eps": "nan"}, "The link has eps=nan, which is not in [0, 50]; 1 is used."),
        (
            {"n": "x"},
            "The link has n=x, which is not a whole number in [1, 1e+07]; the data's own number is "
            "used.",
        ),
        ({"notion": "dp"}, "The link has notion=dp, which is not known; notion=alip is used."),
        ({"mech": "?"}, "The link has mech=?, which is not known; mech={} is used."),
        (
            {"rare": "-1"},
            "The link has rare=-1, which is not a whole number in [0, 1e+15]; 0 is used.",
        ),
        ({"missing": "x"}, "The link has missing=x, which is not known; missing=level is used."),
        (
            {"bins": "age:oddly:3"},
            "The link has bins=age:oddly:3, which is ignored. A binning's kind must be one of "
            "width, quantile, edges, got 'oddly'.",
        ),
        (
            {"only": "x"},
            'The link has only=x, which is ignored. It must be ["COLUMN", "LEVEL", …] or '
            '["COLUMN", [LOW, HIGH]].',
        ),
        ({"bins": "7"}, "The link has bins=7, which is ignored. It must be COLUMN:KIND:NUMBER."),
        (
            {"bins": "age:width:many"},
            "The link has bins=age:width:many, which is ignored. It must be COLUMN:KIND:NUMBER.",
        ),
    ],
)
def test_what_is_out_of_range_falls_back_with_a_sentence(query, notice):
    scenario, notices = from_query(query)
    assert scenario == Scenario()
    assert notices == (notice.format(Scenario().mechanism),)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"age"', "It must be"),
        ('{"age": 1}', "It must be"),
        ("[]", "It must be"),
        ('["age", [1, 2, 3]]', "It must be"),
        ('["age", [null, null]]', "It must be"),
        ('["age", ["x", 2]]', "It must be"),
        ('["age", [9, 3]]', "The range of 'age' to keep must not be empty, got 9 to 3."),
        ('["age", [1e999, null]]', "The least number of 'age' to keep must be finite"),
    ],
)
def test_a_filter_that_is_none_is_ignored_with_its_reason(text, reason):
    scenario, (notice,) = from_query({"only": text})
    assert scenario == Scenario()
    assert notice.startswith(f"The link has only={text}, which is ignored. {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"age"', "It must be"),
        ("[]", "It must be"),
        ("7", "It must be"),
        ('["age", "a", "b"]', "It must be"),
        ('[["age"], "a", 1]', "It must be"),
        ('[["age"], "a"]', "At least two symbols of 'age' must be named to be merged, got 1."),
        ('[[], "a", "b"]', "Symbols that are merged must be of a column, got none."),
    ],
)
def test_a_merge_that_is_none_is_ignored_with_its_reason(text, reason):
    scenario, (notice,) = from_query({"merge": text})
    assert scenario == Scenario()
    assert notice.startswith(f"The link has merge={text}, which is ignored. {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"age"', "It must be"),
        ("[]", "It must be"),
        ('["age", "a"]', "It must be"),
        ('[["age"], 1]', "It must be"),
        ('[["age"]]', "At least one symbol of 'age' must be named to be left out, got none."),
        ('[[], "a"]', "Symbols that are left out must be of a column, got none."),
    ],
)
def test_what_is_left_out_and_is_none_is_ignored_with_its_reason(text, reason):
    scenario, (notice,) = from_query({"without": text})
    assert scenario == Scenario()
    assert notice.startswith(f"The link has without={text}, which is ignored. {reason}")


def test_of_two_merges_with_a_symbol_in_common_the_first_is_taken():
    scenario, (notice,) = from_query({"merge": ['[["sex"], "a", "b"]', '[["sex"], "b", "c"]']})
    assert scenario.data.merges == (Merge(("sex",), ("a", "b")),)
    assert notice.endswith("'b' of 'sex' is merged more than once.")


def test_a_range_has_a_short_form():
    data = DataSpec(filters=(Filter("age", low=18.0), Filter("sex", ("Male",))))
    query = to_query(Scenario(data=data))
    assert query == {"only": ['["age", [18.0, null]]', '["sex", "Male"]']}
    assert from_query(query) == (Scenario(data=data), ())


def test_repeated_keys_name_several_columns():
    scenario, notices = from_query({"s": ["sex", "race"], "x": "education", "sx": "1"})
    assert notices == ()
    assert scenario.data == DataSpec("adult", ("sex", "race"), ("education",), True)


def test_a_joint_has_no_columns_unless_the_link_names_some():
    joint = DataSpec("random:uniform:5x17:0", (), ())
    assert from_query({"data": joint.source}) == (Scenario(data=joint), ())
    assert to_query(Scenario(data=joint)) == {"data": [joint.source]}


@pytest.mark.parametrize("entry", BUNDLED, ids=lambda entry: entry.id)
def test_a_link_that_names_only_a_bundled_set_asks_its_own_question(entry):
    scenario, notices = from_query({"data": entry.id})
    assert (scenario.data.secret, scenario.data.released) == (entry.secret, entry.released)
    assert scenario.data == first_question(entry.id)
    assert notices == ()
    assert "s" not in to_query(scenario)
    assert "x" not in to_query(scenario)


def test_a_link_asks_for_no_more_than_its_cap_but_a_session_goes_back_to_what_it_chose():
    longest, largest = Scenario(time_limit=600), "random:uniform:500x500:1"
    request, (notice,) = within_reach(longest)
    assert request.time_limit == 60
    assert notice.startswith("The link has limit=600, and a link may ask for at most 60 s")
    assert within_reach(longest, longest) == (longest, ())
    drawn = Scenario(data=DataSpec(largest, (), ()))
    request, (notice,) = within_reach(drawn)
    assert request == Scenario()
    assert "250,000 cells, but a link may draw at most 50,000" in notice
    assert within_reach(drawn, drawn) == (drawn, ())
    assert within_reach(drawn, longest)[0].data == DataSpec()


@pytest.mark.parametrize("size", ["200x250", "17x5", "1x1"])
def test_what_is_within_the_cap_is_asked_as_it_is(size):
    request = Scenario(data=DataSpec(f"random:uniform:{size}:1", (), ()), time_limit=60)
    assert within_reach(request) == (request, ())


def test_values_that_are_too_long_or_too_many_are_told_and_left_out():
    scenario, notices = from_query({"x": ["a" * (MOST_LETTERS + 1), "age"]})
    assert scenario.data.released == ("age",)
    assert notices == (
        "The link has 1 of x= that are ignored: at most 500 values of 20,000 letters each are "
        "read.",
    )
    scenario, notices = from_query({"s": [f"c{i}" for i in range(MOST_VALUES + 7)]})
    assert len(scenario.data.secret) == MOST_VALUES
    assert len(notices) == 1
    scenario, notices = from_query({"data": "a" * 1_000_000, "lam": "9" * 1_000_000})
    assert scenario == Scenario()
    assert all(len(notice) < 200 for notice in notices)


def test_keys_that_are_not_a_scenarios_are_left_alone():
    assert from_query({"output": "a" * 1_000_000}) == (Scenario(), ())


def test_a_quote_has_at_most_eighty_characters():
    assert cut("a" * 80) == "a" * 80
    assert cut("a" * 81) == "a" * 79 + "…"
