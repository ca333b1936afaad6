"""Levels on joints whose smallest entries are far below a linear program's tolerance."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from core.clock import NEVER
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, SRLIP, AlphaLift, Intersection, PointwiseMaximalLeakage
from core.release import implications, implied
from core.release.implications import _of_lifts
from core.release.reach import Reach

LEVELS = ("pml", "min_lift", "ldp", "guess")


def solved(rows, n):
    """The only r with rows·r = 0 and Σ r = 1 in fractions, None where there is none or more."""
    system = [[*row, Fraction(0)] for row in rows] + [[Fraction(1)] * (n + 1)]
    for c in range(n):
        pivot = next((i for i in range(c, n) if system[i][c] != 0), None)
        if pivot is None:
            return None
        system[c], system[pivot] = system[pivot], system[c]
        system[c] = [value / system[c][c] for value in system[c]]
        for i in range(n):
            if i != c:
                by = system[i][c]
                system[i] = [u - by * v for u, v in zip(system[i], system[c], strict=True)]
    return [row[-1] for row in system]


def log(value):
    """The logarithm of a fraction, also of one that no double is."""
    return float(np.log(float(value.numerator)) - np.log(float(value.denominator)))


def exact(weights, pml=np.inf, fall=np.inf, ldp=np.inf):
    """The levels of LEVELS under bounds on lifts, by every vertex in fractions."""
    p = np.array([[Fraction(float(value)) for value in row] for row in weights])
    p = p / p.sum()
    n_x, p_s, p_x = p.shape[1], p.sum(axis=1), p.sum(axis=0)
    lift = p / p_x / p_s[:, None]
    rows = [np.array([Fraction(-int(i == j)) for j in range(n_x)]) for i in range(n_x)]
    rows += [row - Fraction(np.exp(pml)) for row in lift if pml < np.inf]
    rows += [1 - Fraction(np.exp(fall)) * row for row in lift if fall < np.inf]
    factor = Fraction(np.exp(ldp)) if ldp < np.inf else None
    rows += [a - factor * b for a in lift for b in lift if factor is not None and a is not b]
    result = dict.fromkeys(LEVELS, 0.0)
    for chosen in combinations(rows, n_x - 1):
        r = solved(chosen, n_x)
        if r is None or any(row @ r > 0 for row in rows):
            continue
        reported = lift @ r
        high, low = max(reported), min(reported)
        none = low == 0
        mine = (
            log(high),
            np.inf if none else -log(low),
            np.inf if none else log(high / low),
            float(max(reported * p_s)),
        )
        result = {key: max(result[key], item) for key, item in zip(LEVELS, mine, strict=True)}
    return result


def of_lifts(weights, notion):
    """The levels of LEVELS before others bound them."""
    joint = Joint.from_counts(weights)
    result = _of_lifts(joint, Reach(joint, notion.allowed_set(joint), NEVER))
    return {key: result[key].level for key in LEVELS}


TINY = [
    [[0.6, 0.1], [0.2, 1e-11]],
    [[0.6, 0.1, 0.1], [0.1, 0.1, 1e-14]],
    [[0.67, 0.007], [0.009, 1e-14], [0.22, 0.094]],
    [[0.3, 2e-10, 0.0], [0.3, 2e-14, 2.0]],
    [[1e-40, 1.0, 1e-14], [1e-07, 1e-14, 1e-14]],
    [[0.5, 0.5, 1e-12], [0.5, 0.5, 0.0]],
]
"""Weights with entries that a linear program in floating point drops, with zeros and ties."""

PROMISES = [
    (LDP(np.inf), {}),
    (LDP(50.0), {"ldp": 50.0}),
    (LDP(25.0), {"ldp": 25.0}),
    (LIP(30.0), {"pml": 30.0, "fall": 30.0}),
    (PointwiseMaximalLeakage(50.0), {"pml": 50.0}),
    (PointwiseMaximalLeakage(0.1), {"pml": 0.1}),
    (ALIP(22.0, 0.5), {"fall": 22.0, "pml": 0.5}),
    (Intersection(LIP(24.0), LDP(24.5)), {"pml": 24.0, "fall": 24.0, "ldp": 24.5}),
]


@pytest.mark.parametrize("weights", TINY, ids=str)
@pytest.mark.parametrize(("notion", "bounds"), PROMISES, ids=lambda item: str(item))
def test_levels_of_tiny_entries_are_those_of_exact_vertices(weights, notion, bounds):
    assert of_lifts(weights, notion) == pytest.approx(exact(weights, **bounds), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("weights", "notion", "bounds"),
    [
        (
            [[2, 2], [0, 2], [2, 0], [1e-12, 0], [1, 1]],
            AlphaLift(50.0, 5.0, np.inf),
            {"fall": 50.0, "pml": 5.0},
        ),
        (
            [[2, 2, 1, 1], [1, 1, 1e-10, 2], [1e-10, 1, 2, 0], [1, 2, 1, 1e-10]],
            AlphaLift(30.0, 20.0, np.inf),
            {"fall": 30.0, "pml": 20.0},
        ),
        (
            [[2, 2], [0, 2], [2, 0], [1e-12, 0], [1, 1]],
            SRLIP(50.0, (2,)),
            {"fall": 50.0, "pml": 50.0},
        ),
    ],
    ids=("50-lift", "30-lift", "SRLIP"),
)
def test_promises_that_are_alip_bind_small_lifts_as_it_does(weights, notion, bounds):
    assert of_lifts(weights, notion) == pytest.approx(exact(weights, **bounds), rel=1e-6)


def test_a_symbol_without_weight_on_a_secret_makes_no_bound():
    result = implications(Joint.from_counts([[0.6, 0.1], [0.2, 1e-11]]), LDP(50.0), 0.05)
    ratio = (0.1 / 0.7) / (1e-11 / (0.2 + 1e-11))
    assert result["ldp"].level == result["ldp"].reached == pytest.approx(np.log(ratio))


@pytest.mark.parametrize(
    ("weights", "notion", "bounds"),
    [
        (
            [
                [0.8169176554963112, 0.5942600144813431, 0.9048122621582098],
                [0.0, 0.44413143373942554, 0.670577752082892],
                [0.21563076670214454, 0.714818376232337, 0.2623738935433404],
                [0.0, 0.8042160613000923, 0.4241771767554189],
                [0.9901113448034317, 0.0, 0.0],
                [0.0, 0.11281162618043616, 0.0],
            ],
            LIP(20.0),
            {"pml": 20.0, "fall": 20.0},
        ),
        (
            [[0, 0.1, 3, 3e-7], [2e-8, 0.1, 1, 0], [0, 0, 2, 1e-7], [0, 0.2, 0, 0]],
            ALIP(10.0, 12.0),
            {"fall": 10.0, "pml": 12.0},
        ),
    ],
    ids=("20-LIP", "ALIP"),
)
def test_programs_that_scaling_makes_fail_are_solved_without(weights, notion, bounds):
    assert of_lifts(weights, notion) == pytest.approx(exact(weights, **bounds), rel=1e-6)


def test_a_promise_near_zero_binds_a_rare_secret_no_more_than_it_says():
    weights = [[3e-20, 3e-9], [0.7, 0.0]]
    expected = exact(weights, pml=0.5, fall=1e-9)
    assert expected["pml"] > 0.2
    assert of_lifts(weights, ALIP(1e-9, 0.5)) == pytest.approx(expected, rel=1e-6)


def test_rows_that_rounding_makes_contradict_one_another_leave_an_upper_bound():
    weights = [
        [8.626462296581278e-09, 0.48268965659876706, 9.513379828125677e-14, 0.0005184359658088602],
        [
            4.642148590452483e-05,
            0.0002898581996957268,
            3.8756555080337075e-10,
            9.73369508147025e-11,
        ],
        [
            5.396050878183135e-10,
            1.837024444534412e-13,
            1.3109932189081917e-12,
            6.382836225136748e-9,
        ],
        [5.461933731846973e-13, 5.056764046422646e-12, 6.153774006537197e-11, 7.44639839372327e-13],
    ]
    least = exact(weights, fall=0.5, pml=1.0)
    for key, result in implied(Joint.from_counts(weights), ALIP(0.5, 1.0), 0.05).items():
        assert result >= least.get(key, 0.0) * (1 - 1e-9)
        assert result <= {"pml": 1.0, "min_lift": 0.5, "lip": 1.0, "ldp": 1.5}.get(key, 1.2)


def test_rows_that_rounding_makes_contradict_one_another_leave_the_data_itself():
    joint = Joint.from_counts([[0.1, 2e-14], [0.5, 2e-14], [0.1, 0.7]])
    result = _of_lifts(joint, Reach(joint, LDP(0.0).allowed_set(joint), NEVER))
    assert result["pml"].level == pytest.approx(0.0, abs=1e-6)


def test_a_level_of_which_no_output_was_found_is_told_as_an_upper_bound():
    weights = [[2.1e-11, 0.67], [7.6e-5, 0.048], [1.8e-13, 7.0e-10]]
    for result in implications(Joint.from_counts(weights), LDP(0.001)).values():
        assert 0.0 <= result.reached <= result.level
        assert result.output is None or result.output.sum() == pytest.approx(1.0)
