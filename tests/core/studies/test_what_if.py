"""Questions with a symbol less: their joints, and that the data says the same as a matrix."""

from dataclasses import replace

import numpy as np
import pytest

from core.data import Sources, count
from core.data.joints import matrix_id
from core.data.spec import Binning, DataSpec, Filter, LeftOut
from core.errors import InvalidInputError
from core.joint import Joint
from core.scenario import Scenario
from core.studies.what_if import LEFT_OUT, MERGED, nearest, variants

HOURS = Filter("hours-per-week", low=38, high=42)


def few(n_x):
    """Return the first symbol, the last, and one between them."""
    return sorted({0, n_x // 2, n_x - 1})


def variants_of(data, x, sources=None, **more):
    scenario = Scenario(data=data, notion="lip", **more)
    counted = count(data, sources)
    return counted.joint, {one.how: one for one in variants(scenario, counted, x)}


def test_merging_adds_the_records_of_the_nearest_symbol_and_leaving_out_drops_them():
    joint, found = variants_of(DataSpec(), 3, eps=0.7, mechanism="watchdog")
    other = nearest(joint, 3)
    beliefs = joint.p / joint.p.sum(axis=0)
    far = np.abs(beliefs - beliefs[:, [3]]).sum(axis=0)
    assert far[other] == min(np.delete(far, 3))
    merged = found[MERGED].counted().joint
    assert merged.n == joint.n
    assert found[MERGED].partner == joint.x_labels[other]
    place = merged.x_labels.index(f"{joint.x_labels[3]} or {joint.x_labels[other]}")
    assert merged.p[:, place] == pytest.approx(joint.p[:, 3] + joint.p[:, other], abs=1e-15)
    kept = [x for x in range(joint.n_x) if x not in (3, other)]
    others = [merged.x_labels.index(joint.x_labels[x]) for x in kept]
    assert merged.p[:, others] == pytest.approx(joint.p[:, kept], abs=1e-15)
    left = found[LEFT_OUT].counted().joint
    counts = np.delete(joint.p * joint.n, 3, axis=1)
    assert left.n == round(counts.sum())
    assert left.p == pytest.approx(counts / counts.sum(), abs=1e-12)
    for one in found.values():
        assert (one.scenario.eps, one.scenario.mechanism) == (0.7, "watchdog")


@pytest.mark.parametrize(
    "data",
    [
        DataSpec(),
        DataSpec("adult", ("sex",), ("workclass",)),  # with a level for what is missing
        DataSpec("adult", ("sex",), ("workclass",), missing="drop"),
        DataSpec("adult", ("sex",), ("hours-per-week",), filters=(HOURS,)),  # levels are numbers
        DataSpec("adult", ("sex",), ("workclass",), filters=(Filter("race", ("Black",)),)),
        DataSpec(
            "adult",
            ("sex",),
            ("workclass",),
            filters=(Filter("workclass", ("Private", "Local-gov", "State-gov", "(missing)")),),
        ),
    ],
)
def test_a_symbol_is_left_out_as_the_matrix_does_and_as_a_filter_of_the_others_does(data):
    whole = count(data).joint
    for x in few(whole.n_x):
        one = variants_of(data, x)[1][LEFT_OUT]
        (column,) = data.released
        assert one.scenario.data == replace(
            data, left_out=(LeftOut((column,), (whole.x_labels[x],)),)
        )
        kept = Filter(column, tuple(name for name in whole.x_labels if name != whole.x_labels[x]))
        others = tuple(f for f in data.filters if f.is_range or f.column != column)
        by_filter = count(replace(data, filters=(*others, kept))).joint
        found, by_matrix = count(one.scenario.data), one.counted().joint
        for other in (by_filter, by_matrix):
            assert found.joint.x_labels == other.x_labels
            assert found.joint.s_labels == other.s_labels
            assert found.joint.n == found.report.n_used == other.n
            assert (found.joint.p == other.p).all()


COLUMNS = [
    DataSpec("adult", ("sex",), ("age",), binnings=(Binning("age", "quantile", 4),)),
    DataSpec("adult", ("age",), ("race",), binnings=(Binning("age", "quantile", 4),)),
    DataSpec("adult", ("sex",), ("race", "relationship")),
    DataSpec("adult", ("sex",), ("occupation",), rare_below=1000),
]


@pytest.mark.parametrize(
    "data", [*COLUMNS, DataSpec(), DataSpec("adult", ("sex",), ("workclass",))]
)
def test_symbols_merged_or_left_out_stay_a_question_about_the_same_columns(data):
    whole = count(data).joint
    for x in few(whole.n_x):
        for one in variants_of(data, x)[1].values():
            assert not one.is_matrix
            spec = one.scenario.data
            assert (spec.source, spec.secret, spec.released) == (
                data.source,
                data.secret,
                data.released,
            )
            by_columns, by_matrix = count(spec).joint, one.counted().joint
            assert by_columns.x_labels == by_matrix.x_labels
            assert by_columns.s_labels == by_matrix.s_labels
            assert by_columns.n == by_matrix.n
            assert by_columns.p == pytest.approx(by_matrix.p, abs=1e-15)


def test_what_is_merged_is_merged_again_and_left_out_whole():
    data, names = DataSpec("adult", ("sex",), ("workclass",)), []
    for _ in range(3):
        joint, found = variants_of(data, len(names))
        data = found[MERGED].scenario.data
        assert count(data).joint.n_x == joint.n_x - 1
        names = [name for merge in data.merges for name in merge.names]
        assert len(set(names)) == len(names)
    joint = count(data).joint
    place = next(x for x, name in enumerate(joint.x_labels) if " or " in name)
    left = variants_of(data, place)[1][LEFT_OUT]
    assert not left.is_matrix
    kept = np.delete(joint.p, place, axis=1)
    assert count(left.scenario.data).joint.p == pytest.approx(kept / kept.sum(), abs=1e-12)


@pytest.mark.parametrize(
    "data",
    [
        *COLUMNS,
        DataSpec("random:uniform:3x5:0", (), ()),
        DataSpec("example:parity", (), ()),
    ],
)
def test_a_joint_without_columns_becomes_a_matrix_whose_id_is_that_of_a_pasted_one(data):
    joint, found = variants_of(data, 1)
    assert set(found) == {MERGED, LEFT_OUT}
    assert found[MERGED].is_matrix == (not data.released)
    for one in found.values():
        assert one.is_matrix == (not data.released)
        if not one.is_matrix:
            continue
        sources = Sources()
        assert sources.add_matrix(one.matrix) == one.scenario.data.source
        assert one.scenario.data.source == f"matrix:{matrix_id(one.matrix)}"
        pasted = count(one.scenario.data, sources).joint
        assert pasted.x_labels == one.counted().joint.x_labels
        assert (pasted.p == one.counted().joint.p).all()
        assert pasted.n_x == joint.n_x - 1
    left = np.delete(joint.p, 1, axis=1)
    left = left[left.any(axis=1)]
    assert found[LEFT_OUT].counted().joint.p == pytest.approx(left / left.sum(), abs=1e-12)


def test_strange_names_are_read_back():
    text = b'sex,job\nf,"a\tb"\nf,"say ""hi"""\nm,"say ""hi"""\nm,1\nf,"two\nlines"\nm,"a\tb"\n'
    sources = Sources()
    data = DataSpec(sources.add_bytes(text, "odd.csv"), ("sex",), ("job",))
    joint, found = variants_of(data, 0, sources)
    for one in found.values():
        assert one.counted().joint.n_x == joint.n_x - 1
        assert one.counted().joint.n == (joint.n if one.how == MERGED else joint.n - 1)
    again = count(found[LEFT_OUT].scenario.data, sources).joint
    assert (again.p == found[LEFT_OUT].counted().joint.p).all()


def test_there_is_nothing_to_ask_of_two_symbols_or_of_a_secret_that_is_released():
    assert variants_of(DataSpec("random:uniform:2x2:0", (), ()), 0)[1] == {}
    assert variants_of(DataSpec("random:uniform:2x3:0", (), (), secret_released=True), 0)[1] == {}
    with pytest.raises(InvalidInputError, match="place of the symbol"):
        variants_of(DataSpec(), 15)


def test_what_would_leave_one_secret_is_not_asked():
    sources = Sources()
    data = DataSpec(sources.add_matrix("5\t0\t0\n2\t3\t4"), (), ())
    _, found = variants_of(data, 0, sources)
    assert set(found) == {MERGED}


def test_the_nearest_symbol_is_never_itself():
    joint = Joint.from_counts([[1, 1, 1], [1, 1, 1]])
    assert [nearest(joint, x) for x in range(3)] == [1, 0, 0]
