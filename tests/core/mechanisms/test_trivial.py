import numpy as np
import pytest

from core import mechanisms as m
from core.joint import Joint

JOINT = Joint.from_counts([[3, 1, 2], [1, 3, 2]], x_labels=["a", "b", "c"])


def test_identity_keeps_all_of_x_and_promises_nothing():
    mechanism = m.identity(JOINT)
    np.testing.assert_array_equal(mechanism.kernel, np.eye(3))
    assert mechanism.utility == pytest.approx(np.log(3), abs=1e-15)
    assert (mechanism.nmi, mechanism.gap, mechanism.y_labels) == (1.0, 0.0, ("a", "b", "c"))
    assert mechanism.audit is None
    assert mechanism.partition == ((0,), (1,), (2,))


def test_constant_tells_nothing():
    mechanism = m.constant(JOINT)
    np.testing.assert_array_equal(mechanism.kernel, [[1], [1], [1]])
    assert (mechanism.utility, mechanism.nmi) == (0.0, 0.0)
    assert mechanism.gap == pytest.approx(np.log(3))
    assert mechanism.y_labels == ("a + b + c",)
    assert mechanism.partition == ((0, 1, 2),)
