import numpy as np
import pandas as pd
import pytest

from core.data import Sources, count
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.joint import MISSING, Joint


def test_counts_are_normalised_and_symbols_that_never_occur_are_dropped_by_name():
    joint = Joint.from_counts([[2, 0, 1], [0, 0, 0], [1, 0, 4]], ["a", "b", "c"], ["u", "v", "w"])
    np.testing.assert_array_equal(joint.p, np.array([[2, 1], [1, 4]]) / 8)
    assert (joint.n, joint.n_s, joint.n_x) == (8, 2, 2)
    assert (joint.s_labels, joint.x_labels) == (("a", "c"), ("u", "w"))
    assert (joint.dropped_s, joint.dropped_x) == (("b",), ("v",))
    np.testing.assert_array_equal(joint.kept_s, [0, 2])
    np.testing.assert_array_equal(joint.kept_x, [0, 2])
    np.testing.assert_allclose(joint.p_s, [3 / 8, 5 / 8])
    np.testing.assert_allclose(joint.p_x, [3 / 8, 5 / 8])


def test_probabilities_have_no_number_of_records():
    assert Joint.from_counts([[0.25, 0.75]]).n is None
    assert Joint.from_counts([[1.0]]).n is None


def test_a_joint_cannot_be_written_to():
    joint = Joint.from_counts([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="read-only"):
        joint.p[0, 0] = 1.0


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([[1, -1]], r"at least 0, got -1\.0 at \(0, 1\)"),
        ([[1, np.nan]], "finite numbers"),
        ([[1, np.inf]], "finite numbers"),
        ([[0, 0]], "all zero"),
        ([[1, 5e-324]], r"0 or a share of at least 2\.23e-308 of its sum, got 5e-324 at \(0, 1\)"),
        ([[1e-300, 1e300]], r"got 1e-300 at \(0, 0\)"),
        ([[1e308, 1e308], [1e-300, 0]], r"got 1e-300 at \(1, 0\)"),
        ([["a", "b"]], "numbers only"),
        ([1, 2], "two axes, got 1"),
        ([[]], "not be empty"),
    ],
)
def test_bad_counts_get_one_sentence(counts, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Joint.from_counts(counts)


def test_counts_whose_sum_is_no_double_have_their_shares():
    joint = Joint.from_counts([[1e308, 1e308], [2e-1 * 1e308, 0]])
    np.testing.assert_allclose(joint.p, np.array([[5, 5], [1, 0]]) / 11, rtol=1e-15)
    assert joint.n is None
    both = Joint.with_secret_released([[1e308, 1e308]], keep_unseen=True)
    np.testing.assert_array_equal(both.p, [[0.5, 0.5]])
    with pytest.raises(InvalidInputError, match=r"P\(s, u\)|joint matrix"):
        Joint.with_secret_released([[1.0, 5e-324]], keep_unseen=True)


def test_labels_must_fit_and_be_distinct():
    with pytest.raises(InvalidInputError, match="s_labels must be 2 labels, got 1"):
        Joint.from_counts([[1], [1]], ["a"])
    with pytest.raises(InvalidInputError, match="'a' more than once"):
        Joint.from_counts([[1], [1]], ["a", "a"])


def test_frames_are_counted_as_crosstab_does_and_missing_is_a_level():
    frame = pd.DataFrame({"s": ["f", "m", "m", None], "x": [1, 1, 2, 2], "z": ["p", "q", "p", "q"]})
    joint = Joint.from_frame(frame, "s", ["x", "z"])
    assert joint.s_labels == ("f", "m", MISSING)
    assert joint.x_labels == ("1 · p", "1 · q", "2 · p", "2 · q")
    np.testing.assert_array_equal(joint.p * 4, [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]])


def test_levels_of_frames_come_in_the_order_that_counting_gives_them(tmp_path):
    frame = pd.DataFrame(
        {
            "s": [10, 9, 100, 9, None, 10],
            "size": ["10", "9", "2.5", "-1", "9", "1e3"],
            "kind": ["b", None, "a", "b", "(a", "10"],
        }
    )
    joint = Joint.from_frame(frame, "s", "size")
    assert joint.s_labels == ("9.0", "10.0", "100.0", MISSING)
    assert joint.x_labels == ("-1", "2.5", "9", "10", "1e3")
    pairs = Joint.from_frame(frame, "kind", ["size", "kind"])
    assert pairs.s_labels == ("(a", "10", "a", "b", MISSING)
    path = tmp_path / "sizes.csv"
    frame.to_csv(path, index=False)
    sources = Sources()
    key = sources.add_file(path)
    counted = count(DataSpec(key, ("kind",), ("size",)), sources).joint
    again = Joint.from_frame(frame, "kind", "size")
    assert (counted.s_labels, counted.x_labels) == (again.s_labels, again.x_labels)
    np.testing.assert_array_equal(counted.p, again.p)


def test_frames_without_the_column_or_without_rows_are_refused():
    frame = pd.DataFrame({"s": [1], "x": [1]})
    with pytest.raises(InvalidInputError, match="Column 'y' must occur once"):
        Joint.from_frame(frame, "s", "y")
    with pytest.raises(InvalidInputError, match="no rows"):
        Joint.from_frame(frame.iloc[:0], "s", "x")
    with pytest.raises(InvalidInputError, match="Column 'x' must occur once"):
        Joint.from_frame(pd.concat([frame, frame["x"]], axis=1), "s", "x")
    with pytest.raises(InvalidInputError, match="at least one column"):
        Joint.from_frame(frame, "s", [])


def test_with_secret_released_every_x_tells_its_secret():
    joint = Joint.with_secret_released([[0.1, 0.2], [0.3, 0.4]], ["a", "b"], ["u", "v"])
    assert joint.x_labels == ("a · u", "a · v", "b · u", "b · v")
    np.testing.assert_allclose(joint.p, [[0.1, 0.2, 0, 0], [0, 0, 0.3, 0.4]])


def test_random_joints_are_the_papers():
    raw = np.random.default_rng(3).random((5, 17))
    drawn = Joint.random_uniform(5, 17, np.random.default_rng(3))
    np.testing.assert_array_equal(drawn.p, raw / raw.sum())
    raw = np.random.default_rng(3).dirichlet([0.5] * 6).reshape(2, 3)
    drawn = Joint.random_dirichlet(2, 3, 0.5, np.random.default_rng(3))
    np.testing.assert_allclose(drawn.p, raw, rtol=1e-12)
    with pytest.raises(InvalidInputError, match="n_s must be at least 1, got 0"):
        Joint.random_uniform(0, 3, np.random.default_rng(0))
    with pytest.raises(InvalidInputError, match=r"alpha must be in \(0, inf\], got 0"):
        Joint.random_dirichlet(2, 3, 0, np.random.default_rng(0))


def test_releases_of_mechanisms_that_read_x_alone_or_s_too_agree():
    rng = np.random.default_rng(0)
    joint = Joint.random_uniform(3, 4, rng)
    kernel = rng.dirichlet(np.ones(5), size=4)
    both = np.tile(kernel, (3, 1))
    np.testing.assert_allclose(joint.release(both), joint.release(kernel), rtol=1e-14)
    np.testing.assert_allclose(joint.release_x(both), joint.release_x(kernel), rtol=1e-14)
    by_hand = sum(joint.p[s, x] * both[s * 4 + x, 2] for s in [1] for x in range(4))
    assert joint.release(both)[1, 2] == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ([[1.0]], "kernel must have 2 rows, got 1"),
        ([[0.5, 0.4], [0.5, 0.5]], "row 0 sums to 0.9"),
        ([[1.5, -0.5], [0.5, 0.5]], "at least 0, got -0.5"),
    ],
)
def test_bad_kernels_get_one_sentence(kernel, sentence):
    joint = Joint.from_counts([[1, 2], [3, 4]])
    with pytest.raises(InvalidInputError, match=sentence):
        joint.release(kernel)
