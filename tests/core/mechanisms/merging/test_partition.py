import numpy as np

from core.joint import Joint
from core.mechanisms.merging.partition import merged_labels, partition_mechanism


def test_outputs_are_ordered_by_their_first_symbol():
    joint = Joint.from_counts([[1, 2, 3, 4]])
    mechanism = partition_mechanism(
        joint, [(3, 1), (2,), (0,)], name="", solver="", status="", notion=None
    )
    np.testing.assert_array_equal(mechanism.kernel, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])
    assert mechanism.y_labels == ("x1", "x2 + x4", "x3")


def test_what_is_too_long_to_spell_out_is_named_by_shares_and_clashes_are_told_apart():
    long = "a" * 30
    named = merged_labels(((0, 1), (2,)), [long, long + "b", "c"], np.array([0.1, 0.3, 0.6]))
    assert named == (f"{long}b 75%; {long} 25%", "c")
    names = ["a", "b", "a + b", "a + b (2)"]
    labels = merged_labels(((0, 1), (2,), (3,)), names, np.full(4, 0.25))
    assert labels == ("a + b", "a + b (2)", "a + b (2) (2)")
    assert merged_labels(((0,),), ["x" * 90], np.ones(1)) == ("x" * 90,)
    impossible = merged_labels(((0, 1),), [long, long + "b"], np.zeros(2))
    assert impossible == (f"{long} 50%; {long}b 50%",)
