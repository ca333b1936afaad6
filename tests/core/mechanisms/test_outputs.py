import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.joint import Joint
from core.mechanisms import outputs
from core.mechanisms.outputs import in_reading_order, numbered, output_names
from core.notions import LIP


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 6))
def test_the_columns_are_the_same_in_another_order_and_their_names_are_distinct(seed, n_x, n_y):
    rng = np.random.default_rng(seed)
    joint = Joint.random_uniform(2, n_x, rng)
    kernel = rng.dirichlet(np.ones(n_y), size=n_x)
    ordered, labels = in_reading_order(joint, kernel)
    np.testing.assert_array_equal(np.sort(ordered, axis=1), np.sort(kernel, axis=1))
    assert {tuple(column) for column in ordered.T} == {tuple(column) for column in kernel.T}
    assert len(set(labels)) == n_y
    posterior = joint.p_x[:, None] * ordered
    leads = posterior.argmax(axis=0)
    assert (np.diff(leads) >= 0).all()
    for label, lead in zip(labels, leads, strict=True):
        assert label.split(" ")[0] == joint.x_labels[lead]


def test_an_output_of_one_input_has_its_name_and_rounding_is_not_named():
    joint = Joint.from_counts([[1, 1], [1, 1]], x_labels=["a", "b"])
    _, labels = in_reading_order(joint, np.array([[1e-9, 1 - 1e-9], [1.0, 0.0]]))
    assert labels == ("a", "b")


def test_a_name_says_what_an_output_mostly_says():
    joint = Joint.from_counts([[60, 30, 10]], x_labels=["Sales", "Tech", "Clerk"])
    kernel = np.array([[0.5, 0.5], [0.0, 1.0], [0.0, 1.0]])
    assert in_reading_order(joint, kernel)[1] == ("Sales", "Sales 43%; Tech 43%; Clerk 14%")


def test_many_inputs_are_counted_and_no_share_reads_as_all_or_nothing():
    x_labels = [f"x{i}" for i in range(9)]
    shares = np.array([0.996, *np.full(8, 0.0005)])[:, None]
    assert output_names(shares, x_labels) == (
        "x0 >99%; x1 <1%; x2 <1%; x3 <1%; x4 <1%; 4 more <1%",
    )


def test_twins_differ_by_decimals_and_by_a_number_where_they_do_not():
    shares = np.array([[0.504, 0.501, 0.2, 0.2], [0.496, 0.499, 0.8, 0.8]])
    assert output_names(shares, ["a", "b"]) == (
        "a 50.4%; b 49.6%",
        "a 50.1%; b 49.9%",
        "b 80%; a 20%",
        "b 80%; a 20% (2)",
    )


@given(
    st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 12), st.sampled_from([0.02, 1, 50])
)
def test_names_are_distinct_and_lead_with_the_likeliest_input(seed, n_x, n_y, spread):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(n_x, spread), size=n_y).T.round(2)
    names = output_names(shares, [f"x{i}" for i in range(n_x)])
    assert len(set(names)) == n_y
    for column, name in zip(shares.T, names, strict=True):
        lead = int(name.split(" ")[0].removeprefix("x"))
        assert column[lead] == column.max()


def test_the_optimum_and_subset_random_response_name_their_outputs():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(2))
    for made in (m.optimal(joint, LIP(0.2)), m.subset_random_response(joint, LIP(0.2))):
        assert made.y_labels[0].startswith("x1")
        assert len(set(made.y_labels)) == made.kernel.shape[1]


def test_thousands_alike_are_numbered_one_after_the_other():
    names = numbered(["a (2)", "a (7)", *["a"] * 20_000])
    assert names[:8] == ("a (2)", "a (7)", "a", "a (3)", "a (4)", "a (5)", "a (6)", "a (8)")
    assert names[-1] == "a (20002)"
    assert len(set(names)) == 20_002


def test_outputs_of_one_input_are_named_without_a_look_at_their_shares(monkeypatch):
    """At 6×10000 a look at each took .6 s of a limit of 1 s."""
    joint = Joint.random_dirichlet(2, 1_030, 1.0, np.random.default_rng(0))
    kernel = np.hstack([0.3 * np.eye(joint.n_x), np.full((joint.n_x, 1), 0.7)])
    looked_at, counting = [], outputs._counting
    monkeypatch.setattr(
        outputs, "_counting", lambda shares: looked_at.append(len(shares)) or counting(shares)
    )
    _, labels = in_reading_order(joint, kernel)
    assert looked_at == [joint.n_x]
    assert [name for name in labels if ";" not in name] == list(joint.x_labels)
