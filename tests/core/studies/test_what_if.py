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
    return counted.joint, {item.how: item for item in variants(scenario, counted, x)}


def test_merging_adds_the_records_of_the_nearest_symbol_and_leaving_out_drops_them():
    joint, result = variants_of(DataSpec(), 3, eps=0.7, mechanism="watchdog")
    other = nearest(joint, 3)
    beliefs = joint.p / joint.p.sum(axis=0)
    far = np.abs(beliefs - beliefs[:, [3]]).sum(axis=0)
    assert far[other] == min(np.delete(far, 3))
    merged = result[MERGED].counted().joint
    assert merged.n == joint.n
    assert result[MERGED].partner == joint.x_labels[other]
    place = merged.x_labels.index(f"{joint.x_labels[3]} or {joint.x_labels[other]}")
    assert merged.p[:, place] == pytest.approx(joint.p[:, 3] + joint.p[:, other], abs=1e-15)
    kept = [x for x in range(joint.n_x) if x not in (3, other)]
    others = [merged.x_labels.index(joint.x_labels[x]) for x in kept]
    assert merged.p[:, others] == pytest.approx(joint.p[:, kept], abs=1e-15)
    left = result[LEFT_OUT].counted().joint
    counts = np.delete(joint.p * joint.n, 3, axis=1)
    assert left.n == round(counts.sum())
    assert left.p == pytest.approx(counts / counts.sum(), abs=1e-12)
    for item in result.values():
        assert (item.scenario.eps, item.scenario.mechanism) == (0.7, "watchdog")


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
        item = variants_of(data, x)[1][LEFT_OUT]
        (column,) = data.released
        assert item.scenario.data == replace(
            data, left_out=(LeftOut((column,), (whole.x_labels[x],)),)
        )
        kept = Filter(column, tuple(name for name in whole.x_labels if name != whole.x_labels[x]))
        others = tuple(f for f in data.filters if f.is_range or f.column != column)
        by_filter = count(replace(data, filters=(*others, kept))).joint
        result, by_matrix = count(item.scenario.data), item.counted().joint
        for other in (by_filter, by_matrix):
            assert result.joint.x_labels == other.x_labels
            assert result.joint.s_labels == other.s_labels
            assert result.joint.n == result.report.n_used == other.n
            assert (result.joint.p == other.p).all()


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
        for item in variants_of(data, x)[1].values():
            assert not item.is_matrix
            spec = item.scenario.data
            assert (spec.source, spec.secret, spec.released) == (
                data.source,
                data.secret,
                data.released,
            )
            by_columns, by_matrix = count(spec).joint, item.counted().joint
            assert by_columns.x_labels == by_matrix.x_labels
            assert by_columns.s_labels == by_matrix.s_labels
            assert by_columns.n == by_matrix.n
            assert by_columns.p == pytest.approx(by_matrix.p, abs=1e-15)


def test_what_is_merged_is_merged_again_and_left_out_whole():
    data, names = DataSpec("adult", ("sex",), ("workclass",)), []
    for _ in range(3):
        joint, result = variants_of(data, len(names))
        data = result[MERGED].scenario.data
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
    joint, result = variants_of(data, 1)
    assert set(result) == {MERGED, LEFT_OUT}
    assert result[MERGED].is_matrix == (not data.released)
    for item in result.values():
        assert item.is_matrix == (not data.released)
        if not item.is_matrix:
            continue
        sources = Sources()
        assert sources.add_matrix(item.matrix) == item.scenario.data.source
        assert item.scenario.data.source == f"matrix:{matrix_id(item.matrix)}"
        pasted = count(item.scenario.data, sources).joint
        assert pasted.x_labels == item.counted().joint.x_labels
        assert (pasted.p == item.counted().joint.p).all()
        assert pasted.n_x == joint.n_x - 1
    left = np.delete(joint.p, 1, axis=1)
    left = left[left.any(axis=1)]
    assert result[LEFT_OUT].counted().joint.p == pytest.approx(left / left.sum(), abs=1e-12)


def test_strange_names_are_read_back():
    text = b'sex,job\nf,"a\tb"\nf,"say ""hi"""\nm,"say ""hi"""\nm,1\nf,"two\nlines"\nm,"a\tb"\n'
    sources = Sources()
    data = DataSpec(sources.add_bytes(text, "odd.csv"), ("sex",), ("job",))
    joint, result = variants_of(data, 0, sources)
    for item in result.values():
        assert item.counted().joint.n_x == joint.n_x - 1
        assert item.counted().joint.n == (joint.n if item.how == MERGED else joint.n - 1)
    again = count(result[LEFT_OUT].scenario.data, sources).joint
    assert (again.p == result[LEFT_OUT].counted().joint.p).all()


def test_there_is_nothing_to_ask_of_two_symbols_or_of_a_secret_that_is_released():
    assert variants_of(DataSpec("random:uniform:2x2:0", (), ()), 0)[1] == {}
    assert variants_of(DataSpec("random:uniform:2x3:0", (), (), secret_released=True), 0)[1] == {}
    with pytest.raises(InvalidInputError, match="place of the symbol"):
        variants_of(DataSpec(), 15)


def test_what_would_leave_one_secret_is_not_asked():
    sources = Sources()
    data = DataSpec(sources.add_matrix("5\t0\t0\n2\t3\t4"), (), ())
    _, result = variants_of(data, 0, sources)
    assert set(result) == {MERGED}


def test_the_nearest_symbol_is_never_itself():
    joint = Joint.from_counts([[1, 1, 1], [1, 1, 1]])
    assert [nearest(joint, x) for x in range(3)] == [1, 0, 0]
