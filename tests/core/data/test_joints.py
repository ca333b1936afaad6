"""Random joints by name, and the joints of the papers."""

import numpy as np
import pytest

from core.data import EXAMPLES, DataSpec, count, example
from core.data.joints import LAWS, drawn
from core.errors import InvalidInputError


@pytest.mark.parametrize("law", LAWS)
def test_a_name_always_draws_the_same_joint(law):
    first, again = drawn(f"{law}:4x6:7"), drawn(f"{law}:4x6:7")
    other = drawn(f"{law}:4x6:8")
    assert first.weights.shape == (4, 6)
    assert (first.weights == again.weights).all()
    assert (first.weights != other.weights).all()


def test_the_laws_differ_as_they_should():
    """The variance of a symmetric Dirichlet's entry is (1/m)(1−1/m)/(αm+1)."""
    m = 40 * 50
    for law, alpha in (("dirichlet0.5", 0.5), ("dirichlet1", 1.0)):
        spread = np.var(drawn(f"{law}:40x50:0").weights)
        assert spread == pytest.approx((1 / m) * (1 - 1 / m) / (alpha * m + 1), rel=0.2)
    uniform = drawn("uniform:40x50:0").weights * m
    assert uniform.max() == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("uniform:5x17", "LAW:N_SxN_X:SEED, such as uniform:5x17:1, got 'uniform:5x17'"),
        ("normal:5x17:1", "such as uniform:5x17:1, got 'normal:5x17:1'"),
        ("uniform:0x17:1", "The number of levels of S must be at least 1 and at most 10000, got 0"),
        ("uniform:2x10001:1", "levels of X must be at least 1 and at most 10000, got 10001"),
        ("uniform:2000x2000:1", "at most 250,000 cells, got 2000×2000 = 4,000,000"),
        ("uniform:2x2:9999999999999999999", "The seed must be at least 0 and at most"),
        ("dirichlet0:2x2:1", "alpha must be in"),
        ("dirichlet1.2.3:2x2:1", "alpha must be a number"),
    ],
)
def test_a_bad_name_gets_one_sentence(text, sentence):
    with pytest.raises(InvalidInputError) as caught:
        drawn(text)
    assert sentence in str(caught.value)


def test_random_joints_have_no_records():
    counted = count(DataSpec("random:uniform:5x17:1"))
    assert counted.joint.p.shape == (5, 17)
    assert counted.joint.n is None
    assert counted.report.n_used is None
    assert counted.report.sentences() == ()


@pytest.mark.parametrize("entry", EXAMPLES, ids=lambda entry: entry.id)
def test_every_example_can_be_asked_about(entry):
    counted = count(DataSpec(f"example:{entry.id}", secret_released=entry.secret_released))
    assert counted.joint.p.sum() == pytest.approx(1)
    assert counted.joint.n == entry.records
    assert entry.source
    if entry.x_shape:
        assert np.prod(entry.x_shape) == len(entry.x_labels)


def test_the_robust_example_is_the_printed_one():
    p = count(DataSpec("example:rldp_estimate")).joint.p
    assert p == pytest.approx(np.array([[0.07, 0.10], [0.26, 0.57]]))
    both = count(DataSpec("example:rldp_truth", secret_released=True)).joint
    assert both.p == pytest.approx(np.array([[0.1, 0.1, 0, 0], [0, 0, 0.2, 0.6]]))


def test_the_counterexample_to_lift_breaks_the_printed_bound():
    p = example("lift_proposition1").weights
    lift = p / np.outer(p.sum(axis=1), p.sum(axis=0))
    assert p.sum() == pytest.approx(1)
    total_variation = 0.5 * np.abs(p - np.outer(p.sum(axis=1), p.sum(axis=0))).sum()
    assert total_variation == pytest.approx(0.19)
    assert total_variation > 0.5 * (lift.max() - 1)


def test_the_counterexample_to_the_product_protocol_reveals_s_by_both_halves_only():
    entry = example("funnel_theorem4")
    cube = entry.weights.reshape(2, 4, 4)
    first_bit = cube.reshape(2, 2, 2, 4).sum(axis=(2, 3))  # what Q¹ shows of X¹ = (a, b)
    second_bit = cube.reshape(2, 4, 2, 2).sum(axis=(1, 2))  # what Q² shows of X²
    for shown in (first_bit, second_bit):
        assert shown == pytest.approx(np.full((2, 2), 0.25))
    both = cube.reshape(2, 2, 2, 2, 2).sum(axis=(2, 3)).reshape(2, 4)
    assert ((both > 0).sum(axis=0) == 1).all()


def test_the_parity_of_a_die_is_a_function_of_it():
    counted = count(DataSpec("example:parity"))
    for j, face in enumerate(counted.joint.x_labels):
        secret = counted.joint.s_labels[int(counted.joint.p[:, j].argmax())]
        assert secret == ("even" if int(face) % 2 == 0 else "odd")
        assert np.count_nonzero(counted.joint.p[:, j]) == 1


def test_an_unknown_example_is_named():
    with pytest.raises(
        InvalidInputError, match="There is no example 'x'; choose one of rldp_estimate"
    ):
        example("x")
