"""Sampling weights: shares are sums of weights, n is Kish's, and everything else counts records."""

from fractions import Fraction

import numpy as np
import pytest

from core.data import DataSpec, ReadOptions, Sources, count
from core.data.spec import LeftOut
from core.errors import InvalidInputError, ReadingError
from core.joint import Joint
from core.release.perfect_privacy import perfect_privacy
from core.release.sentences import caution
from core.studies.what_if import _weights

READ = ReadOptions(sampling="wt")


def table(seed=0, n=400, zeros=0):
    """Return rows (s, x, k, weight) of levels that are not evenly rare."""
    rng = np.random.default_rng(seed)
    weights = np.round(rng.gamma(1.5, 2.0, n) + 0.001, 4)
    weights[:zeros] = 0.0
    p = [0.5, 0.3, 0.19, 0.01]
    return list(
        zip(
            rng.choice(list("ab"), n).tolist(),
            rng.choice(list("pqrz"), n, p=p).tolist(),
            rng.choice(list("uv"), n).tolist(),
            weights.tolist(),
            strict=True,
        )
    )


def counted(rows, **spec):
    sources = Sources()
    lines = "".join(f"{s},{x},{k},{w}\n" for s, x, k, w in rows)
    source = sources.add_bytes(f"s,x,k,wt\n{lines}".encode(), "survey.csv")
    spec = {"read": READ} | spec
    return count(DataSpec(source, ("s",), ("x",), **spec), sources)


def by_hand(rows):
    """Return exact shares by pair, and Kish's number, as fractions of the weights as written."""
    exact = [(s, x, Fraction(str(w))) for s, x, _, w in rows]
    total = sum(w for *_, w in exact)
    shares = {}
    for s, x, w in exact:
        shares[s, x] = shares.get((s, x), 0) + w / total
    return shares, total**2 / sum(w * w for *_, w in exact)


def assert_shares(joint, shares):
    result = {
        (s, x): joint.p[i, j]
        for i, s in enumerate(joint.s_labels)
        for j, x in enumerate(joint.x_labels)
        if joint.p[i, j] > 0
    }
    assert result == pytest.approx({pair: float(p) for pair, p in shares.items() if p}, rel=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_shares_and_n_are_those_of_the_weights(seed):
    rows = table(seed)
    shares, kish = by_hand(rows)
    result = counted(rows)
    assert_shares(result.joint, shares)
    assert result.joint.n == int(kish) < len(rows)
    assert result.joint.weighted
    assert result.joint.counts is None
    assert (result.report.n_total, result.report.n_used) == (len(rows), len(rows))
    assert f"worth about {int(kish):,}. This n is Kish's" in result.report.sentences()[0]


def test_equal_weights_are_worth_all_records():
    rows = [(s, x, k, 0.1) for s, x, k, _ in table()]
    assert counted(rows).joint.n == len(rows)


def test_whole_weights_are_no_counts():
    rows = [(s, x, k, float(round(w) + 1)) for s, x, k, w in table()]
    shares, kish = by_hand(rows)
    joint = counted(rows).joint
    assert_shares(joint, shares)
    assert joint.n == int(kish) < sum(w for *_, w in rows)


def test_rows_of_weight_0_are_left_out_and_said():
    rows = table(zeros=7)
    shares, kish = by_hand(rows)
    result = counted(rows)
    assert_shares(result.joint, shares)
    assert (result.joint.n, result.report.n_used) == (int(kish), len(rows) - 7)
    assert "7 rows with weight 0 were left out." in result.report.sentences()


def test_rare_levels_and_symbols_left_out_count_records():
    rows = [(s, x, k, 1000.0 if x == "z" else w) for s, x, k, w in table()]
    rare = sum(x == "z" for _, x, *_ in rows)
    assert 0 < rare < 20
    result = counted(rows, rare_below=20)
    assert result.report.grouped_x.records == rare
    shares, _ = by_hand([(s, "(rare)" if x == "z" else x, k, w) for s, x, k, w in rows])
    name = result.joint.x_labels[-1]
    assert_shares(
        result.joint, {(s, name if x == "(rare)" else x): p for (s, x), p in shares.items()}
    )
    left = counted(rows, left_out=(LeftOut(("x",), ("z",)),))
    shares, kish = by_hand([row for row in rows if row[1] != "z"])
    assert_shares(left.joint, shares)
    assert left.joint.n == int(kish)
    assert (left.report.left_out_records, left.report.n_used) == (rare, len(rows) - rare)


def test_what_others_know_has_the_same_shares():
    rows = table(4)
    joint = counted(rows, known=("k",)).joint
    _, kish = by_hand(rows)
    known = joint.known
    dense = np.zeros(known.shape)
    np.add.at(dense, (known.s, known.x, known.k), known.weight)
    assert dense.sum() == pytest.approx(int(kish))
    total = sum(Fraction(str(w)) for *_, w in rows)
    for place, k in enumerate("uv"):
        part, _ = by_hand([row for row in rows if row[2] == k])
        size = sum(Fraction(str(w)) for *_, own, w in rows if own == k) / total
        for (s, x), share in part.items():
            cell = dense[joint.s_labels.index(s), joint.x_labels.index(x), place] / dense.sum()
            assert cell == pytest.approx(float(share * size), rel=1e-13)


def test_the_order_of_rows_does_not_matter():
    rows = table(5, 2_000)
    first, second = counted(rows).joint, counted(rows[::-1]).joint
    assert (first.p == second.p).all()
    assert first.n == second.n


def test_shares_of_weights_are_not_rounded_to_counts():
    joint = counted(
        [("a", "p", "u", 0.4), ("a", "q", "u", 0.1), ("b", "p", "u", 4), ("b", "q", "u", 2)]
    )
    joint = joint.joint
    assert joint.n == 2
    assert _weights(joint) == pytest.approx(joint.p)
    assert perfect_privacy(joint).rank == 2
    assert perfect_privacy(Joint.from_counts(joint.p)).rank == 2


def test_no_confidence_is_claimed_of_weights():
    joint = counted(table()).joint
    assert "is unknown" in caution(joint, of_estimate=True)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("many", "'wt' holds sampling weights, but record 2 (line 3) has 'many': use a number of"),
        ("-0.5", "record 2 (line 3) has '-0.5'"),
        ("", "record 2 (line 3) has no value"),
        ("1e-12", "the largest may be at most 1,000,000,000 times the smallest above 0"),
    ],
)
def test_bad_weights_get_one_sentence(cell, message):
    rows = [("a", "p", "u", 1.5), ("b", "q", "u", cell), ("b", "p", "u", 2), ("a", "q", "u", 2)]
    with pytest.raises(InvalidInputError) as caught:
        counted(rows)
    assert message in str(caught.value)


def test_only_zeros_and_counts_too_are_refused():
    rows = [("a", "p", "u", 0), ("b", "q", "u", 0)]
    with pytest.raises(InvalidInputError, match="has only zeros: no record has a weight"):
        counted(rows)
    with pytest.raises(InvalidInputError, match="cannot stand for several"):
        ReadOptions(sampling="wt", weight="n")


def test_fractions_of_records_offer_to_be_sampling_weights():
    with pytest.raises(ReadingError) as caught:
        counted(table(), read=ReadOptions(weight="wt"))
    (choice,) = caught.value.choices
    assert choice.setting == "--read weight='' --read sampling=wt"
    assert counted(table(), read=ReadOptions(**dict(choice.options))).joint.weighted


def test_weights_with_a_decimal_comma():
    rows = table()
    sources = Sources()
    lines = "".join(f"{s};{x};{str(w).replace('.', ',')}\n" for s, x, _, w in rows)
    source = sources.add_bytes(f"s;x;wt\n{lines}".encode(), "survey.csv")
    read = ReadOptions(sampling="wt", decimal=",")
    joint = count(DataSpec(source, ("s",), ("x",), read=read), sources).joint
    assert_shares(joint, by_hand(rows)[0])


def test_said_saved_and_read_again():
    assert READ.phrases() == ["shares counted by the sampling weights of 'wt'"]
    assert ReadOptions.from_text(["sampling=wt"]) == READ
    assert ReadOptions.from_dict(READ.to_dict()) == READ
    assert READ.within(["s", "x"]) == ReadOptions()
