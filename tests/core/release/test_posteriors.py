from dataclasses import replace

import numpy as np
import pytest

from core import mechanisms as m
from core.attributes import Attribute
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LIP, SRLIP
from core.release.posteriors import about_x, disclosure, side_channels

JOINT = replace(
    Joint.from_counts([[4, 1, 3, 0, 2, 2], [1, 4, 0, 3, 2, 2]]),
    x_shape=(3, 2),
)
ATTRIBUTES = (Attribute("size", ("s", "m", "l")), Attribute("kind", ("a", "b")))


def test_beliefs_are_bayes_rule():
    made = m.generalized_randomized_response(JOINT, eps=0.5)
    result = disclosure(JOINT, made)
    np.testing.assert_allclose(result.prior, JOINT.p_s)
    for y in range(made.n_y):
        for s in range(2):
            reported = sum(JOINT.p[s, x] * made.kernel[x, y] for x in range(6))
            all_told = sum(JOINT.p_x[x] * made.kernel[x, y] for x in range(6))
            assert result.posterior[s, y] == pytest.approx(reported / all_told)
            assert result.mass[y] == pytest.approx(all_told)
    np.testing.assert_allclose(
        result.log_lift, np.log(result.posterior / result.prior[:, None]), atol=1e-12
    )
    assert result.level.max() == pytest.approx(LIP(1).achieved(JOINT, made.kernel))
    assert result.level[result.worst] == result.level.max()


def test_who_knows_a_value_starts_from_another_prior():
    made = m.identity(JOINT)
    result = disclosure(JOINT, made, {0: 1})
    np.testing.assert_allclose(result.prior, [0.5, 0.5])
    np.testing.assert_allclose(result.posterior, np.eye(2))
    assert result.labels == ("x3", "x4")
    assert result.level.tolist() == [np.inf, np.inf]
    sure = disclosure(JOINT, made, {0: 1, 1: 0})
    assert sure.prior.tolist() == [1.0, 0.0]
    assert np.isnan(sure.log_lift[1, 0])
    assert sure.level.tolist() == [0.0]


def test_the_posterior_of_a_mechanism_that_reads_the_secret():
    made = m.conditional_reporting(JOINT, LIP(0.4))
    result = disclosure(JOINT, made)
    np.testing.assert_allclose(
        result.posterior * result.mass, JOINT.release(made.kernel), atol=1e-12
    )
    beliefs = about_x(JOINT, made)
    np.testing.assert_allclose(beliefs.posterior @ beliefs.mass, JOINT.p_x)
    np.testing.assert_allclose(beliefs.posterior.sum(axis=0), 1)


def test_the_worst_side_channel_is_the_srlip_level():
    made = m.optimal(JOINT, LIP(0.5))
    result = side_channels(JOINT, made, ATTRIBUTES)
    assert [channel.known for channel in result] == [(), ("size",), ("kind",)]
    assert max(channel.level for channel in result) == SRLIP(1).achieved(JOINT, made.kernel)
    for j, size in ((0, 3), (1, 2)):
        levels = [disclosure(JOINT, made, {j: value}).level.max() for value in range(size)]
        assert result[1 + j].level == pytest.approx(max(levels), abs=1e-12)


def test_values_that_nobody_has_are_refused():
    joint = replace(Joint.from_counts([[1, 0, 2, 1]]), x_shape=(2, 2))
    with pytest.raises(InvalidInputError, match="No record has these values"):
        disclosure(joint, m.identity(joint), {0: 0, 1: 1})
