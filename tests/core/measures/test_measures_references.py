"""The measures against libraries that others wrote."""

import warnings

import dit
import numpy as np
import pandas as pd
import pytest
import qif
from dit.other.sibson_mutual_information import sibson_mutual_information_pmf
from pycanon import anonymity

from core import measures

RNG = np.random.default_rng(11)
JOINTS = [RNG.dirichlet([0.6] * (a * b)).reshape(a, b) for a, b in ((2, 2), (3, 5), (5, 3))]
JOINTS.append(np.array([[0.2, 0.1, 0.0], [0.1, 0.3, 0.0], [0.0, 0.0, 0.3]]))
NATS = np.log(2)


def as_dit(p):
    cells = [(s, y) for s in range(p.shape[0]) for y in range(p.shape[1])]
    return dit.Distribution(cells, list(p.ravel()))


def prior_and_channel(p):
    prior = p.sum(axis=1)
    return prior, p / prior[:, None]


@pytest.mark.parametrize("p", JOINTS)
@pytest.mark.parametrize("alpha", [0.25, 0.8, 1, 1.3, 2, 7, np.inf])
def test_sibson_is_that_of_dit(p, alpha):
    bits = sibson_mutual_information_pmf(p, alpha)
    assert measures.sibson(p, alpha) == pytest.approx(bits * NATS, rel=1e-10)


@pytest.mark.parametrize("p", JOINTS)
def test_information_and_leakage_are_those_of_dit(p):
    other = as_dit(p)
    assert measures.mutual_information(p) == pytest.approx(
        dit.shannon.mutual_information(other, [0], [1]) * NATS, rel=1e-10
    )
    assert measures.maximal_leakage(p) == pytest.approx(
        dit.other.maximal_leakage(other, [0], [1]) * NATS, rel=1e-10
    )
    assert measures.gacs_korner(p) == pytest.approx(
        dit.multivariate.gk_common_information(other) * NATS, abs=1e-12
    )


@pytest.mark.parametrize("p", JOINTS)
def test_leakages_are_those_of_qif(p):
    prior, channel = prior_and_channel(p)
    vulnerability = qif.measure.bayes_vuln
    assert measures.arimoto(p, np.inf) == pytest.approx(
        vulnerability.min_entropy_leakage(prior, channel) * NATS, rel=1e-10
    )
    assert measures.maximal_leakage(p) == pytest.approx(
        np.log(vulnerability.mult_capacity(channel)), rel=1e-10
    )


@pytest.mark.parametrize("p", JOINTS[:3])
def test_largest_lift_ratio_is_the_smallest_epsilon_of_qif(p):
    _, channel = prior_and_channel(p)
    smallest = qif.measure.d_privacy.smallest_epsilon(channel, qif.metric.discrete())
    assert np.log(measures.lift_ratio(p).max()) == pytest.approx(smallest, rel=1e-10)


def test_largest_log_lift_is_the_delta_disclosure_of_pycanon():
    counts = np.random.default_rng(2).integers(1, 7, (3, 4))
    records = [(f"s{s}", f"y{y}") for (s, y), n in np.ndenumerate(counts) for _ in range(n)]
    frame = pd.DataFrame(records, columns=["S", "Y"])
    with warnings.catch_warnings():
        # pycanon groups by a list of one column, which pandas is about to treat otherwise
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        delta = anonymity.delta_disclosure(frame, ["Y"], ["S"])
    lifts = measures.lift(counts / counts.sum())
    assert np.abs(np.log(lifts)).max() == pytest.approx(delta, rel=1e-12)
