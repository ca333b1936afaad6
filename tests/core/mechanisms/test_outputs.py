import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.joint import Joint
from core.mechanisms.outputs import in_reading_order
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
        assert label.split(" + ")[0].split(" (")[0] == joint.x_labels[lead]


def test_an_output_of_one_input_has_its_name_and_rounding_is_not_named():
    joint = Joint.from_counts([[1, 1], [1, 1]], x_labels=["a", "b"])
    _, labels = in_reading_order(joint, np.array([[1e-9, 1 - 1e-9], [1.0, 0.0]]))
    assert labels == ("a", "b")


def test_twins_are_numbered():
    joint = Joint.from_counts([[1, 1], [1, 1]], x_labels=["a", "b"])
    _, labels = in_reading_order(joint, np.array([[0.4, 0.6], [0.3, 0.7]]))
    assert labels == ("a + b", "b + a")
    _, labels = in_reading_order(joint, np.full((2, 2), 0.5))
    assert labels == ("a + b", "a + b (2)")


def test_the_optimum_and_subset_random_response_name_their_outputs():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(2))
    for made in (m.optimal(joint, LIP(0.2)), m.subset_random_response(joint, LIP(0.2))):
        assert made.y_labels[0].startswith("x1")
        assert len(set(made.y_labels)) == made.kernel.shape[1]
