import numpy as np
import pandas as pd
import pytest

from core.data import Binning, DataSpec, Sources, count
from core.notions import LIP, SRLIP


def counted(frame, **spec):
    sources = Sources()
    key = sources.add_bytes(frame.to_csv(index=False).encode(), "people.csv")
    return count(DataSpec(key, ("s",), **spec), sources)


FRAME = pd.DataFrame(
    {
        "s": ["f", "f", "m", "m", "m", "f", "m"],
        "a": ["u", "v", "u", "v", "v", "u", "w"],
        "b": [10, 2, 10, 10, 2, 10, 2],
    }
)


def test_joined_columns_are_all_combinations_in_c_order():
    result = counted(FRAME, released=("a", "b"))
    assert [(item.name, item.labels) for item in result.attributes] == [
        ("a", ("u", "v", "w")),
        ("b", ("2", "10")),
    ]
    joint = result.joint
    assert joint.x_shape == (3, 2)
    assert joint.x_labels == ("u · 10", "v · 2", "v · 10", "w · 2")
    np.testing.assert_array_equal(joint.kept_x, [1, 2, 3, 4])
    assert joint.dropped_x == ("u · 2", "w · 10")
    table = pd.crosstab(FRAME.s, [FRAME.a, FRAME.b]).to_numpy()  # sorts like us here
    np.testing.assert_allclose(joint.p * 7, table)
    assert result.report.zero_cells == int((table == 0).sum())


def test_bins_and_missing_values_are_values_of_an_attribute():
    frame = FRAME.assign(a=["u", None, "u", "v", "v", "u", "v"])
    result = counted(
        frame, released=("b", "a"), binnings=(Binning("b", "edges", edges=(0, 5, 20)),)
    )
    assert [item.labels for item in result.attributes] == [
        ("[0, 5)", "[5, 20]"),
        ("u", "v", "(missing)"),
    ]
    assert result.joint.x_shape == (2, 3)
    assert result.joint.dropped_x == ("[0, 5) · u", "[5, 20] · (missing)")


@pytest.mark.parametrize(
    "spec",
    [
        {"released": ("a",)},
        {"released": ("a", "b"), "secret_released": True},
        {"released": ("a", "b"), "rare_below": 2},
    ],
)
def test_one_column_rare_groups_and_a_released_secret_are_no_product(spec):
    result = counted(FRAME, **spec)
    assert result.attributes == ()
    assert result.joint.x_shape == ()


def test_labels_that_look_alike_once_joined_stay_apart():
    frame = pd.DataFrame(
        {"s": list("fmfm"), "a": ["p", "p · q", "p · q", "p"], "b": ["q · r", "r", "r", "r"]}
    )
    joint = counted(frame, released=("a", "b")).joint
    assert joint.x_labels == ("p · q · r", "p · r", "p · q · r (2)")
    assert joint.dropped_x == ("p · q · q · r",)


def test_too_many_combinations_are_no_product():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"s": rng.integers(2, size=300)} | {k: range(300) for k in "ab"})
    assert counted(frame, released=("a", "b")).joint.x_shape == ()


def test_an_example_with_attributes_is_a_product():
    result = count(DataSpec("example:funnel_theorem4"))
    assert result.joint.x_shape == (4, 4)
    assert [item.name for item in result.attributes] == ["X1", "X2"]
    # X itself tells S; given one attribute nothing is left to tell
    assert SRLIP(1).achieved(result.joint, np.eye(4)) == LIP(1).achieved(result.joint, np.eye(4))
    drawn = count(DataSpec("example:funnel_attributes"))
    assert (drawn.joint.x_shape, drawn.joint.x_labels[-1]) == ((3, 3, 4), "3,3,4")
    assert count(DataSpec("example:funnel_attributes", secret_released=True)).attributes == ()
