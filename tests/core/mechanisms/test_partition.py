import numpy as np

from core.joint import Joint
from core.mechanisms.partition import merged_labels, partition_mechanism


def test_outputs_are_ordered_by_their_first_symbol():
    joint = Joint.from_counts([[1, 2, 3, 4]])
    mechanism = partition_mechanism(
        joint, [(3, 1), (2,), (0,)], name="", solver="", status="", notion=None
    )
    np.testing.assert_array_equal(mechanism.kernel, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])
    assert mechanism.y_labels == ("x1", "x2 + x4", "x3")


def test_long_labels_are_shortened_and_clashes_told_apart():
    long = "a" * 30
    assert merged_labels(((0, 1), (2,)), [long, long + "b", "c"]) == (f"{long} + 1 more", "c")
    labels = merged_labels(((0, 1), (2,), (3,)), ["a", "b", "a + b", "a + b (2)"])
    assert labels == ("a + b", "a + b (2)", "a + b (2) (2)")
    assert merged_labels(((0,),), ["x" * 90]) == ("x" * 90,)
