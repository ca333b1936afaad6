"""Symbols that become one: their counts add up, their names stay distinct, and nothing is lost."""

from dataclasses import replace

import numpy as np
import pytest

from core.data import DataSpec, Sources, count
from core.data.spec import Binning, LeftOut, Merge
from core.data.treatment.symbols import added_up, merged_names
from core.errors import InvalidInputError

GOVERNMENT = Merge(("workclass",), ("Local-gov", "State-gov", "Federal-gov"))


def column(joint, name):
    return joint.p[:, joint.x_labels.index(name)] * joint.n


def test_counts_of_merged_symbols_add_up_and_the_report_says_so():
    plain = count(DataSpec("adult", ("sex",), ("workclass",))).joint
    result = count(DataSpec("adult", ("sex",), ("workclass",), merges=(GOVERNMENT,)))
    together = sum(column(plain, name) for name in GOVERNMENT.names)
    assert column(result.joint, GOVERNMENT.title) == pytest.approx(together, abs=1e-9)
    others = [name for name in plain.x_labels if name not in GOVERNMENT.names]
    assert set(result.joint.x_labels) == {*others, GOVERNMENT.title}
    for name in others:
        assert column(result.joint, name) == pytest.approx(column(plain, name), abs=1e-9)
    assert result.joint.n == plain.n
    text = result.report.sentences()
    assert (
        "'Federal-gov', 'Local-gov' and 'State-gov' of 'workclass' are merged into one symbol."
        in text
    )


def test_a_side_is_merged_by_its_columns_whichever_it_is():
    plain = count(DataSpec("adult", ("workclass",), ("sex",))).joint
    spec = DataSpec("adult", ("workclass",), ("sex",), merges=(GOVERNMENT,))
    result = count(spec).joint
    rows = [plain.s_labels.index(name) for name in GOVERNMENT.names]
    place = result.s_labels.index(GOVERNMENT.title)
    assert result.p[place] == pytest.approx(plain.p[rows].sum(axis=0), abs=1e-15)
    away = DataSpec("adult", ("sex",), ("race",), merges=(GOVERNMENT,))
    assert count(away).report.sentences() == ()
    assert (
        count(away).joint.x_labels == count(DataSpec("adult", ("sex",), ("race",))).joint.x_labels
    )


def test_bins_joined_columns_and_rare_levels_are_merged_by_their_names():
    cut = (Binning("age", "width", 4),)
    spec = DataSpec("adult", ("sex",), ("age",), binnings=cut)
    plain = count(spec)
    first, *_, last = plain.joint.x_labels
    result = count(
        DataSpec(
            "adult", ("sex",), ("age",), binnings=cut, merges=(Merge(("age",), (first, last)),)
        )
    )
    assert result.joint.x_labels[0] == f"{first} or {last}"
    assert plain.x_values is not None
    assert result.x_values is None  # the merged symbol has no number
    joined = DataSpec("adult", ("sex",), ("race", "relationship"))
    names = count(joined).joint.x_labels[:2]
    both = DataSpec("adult", ("sex",), joined.released, merges=(Merge(joined.released, names),))
    assert count(both).joint.n_x == count(joined).joint.n_x - 1
    assert count(joined).joint.x_shape
    assert not count(both).joint.x_shape  # no product of attributes any more
    rare = DataSpec("adult", ("sex",), ("occupation",), rare_below=1000)
    labels = count(rare).joint.x_labels
    group = labels[-1]
    assert group.startswith("(rare: ")
    merge = Merge(("occupation",), (group, "Sales"))
    result = count(DataSpec("adult", ("sex",), ("occupation",), rare_below=1000, merges=(merge,)))
    sales = column(count(rare).joint, "Sales") + column(count(rare).joint, group)
    assert column(result.joint, f"{group} or Sales") == pytest.approx(sales)


def test_names_that_no_symbol_has_are_ignored():
    merges = (Merge(("sex",), ("Female", "nobody")), Merge(("x",), ("a", "b")))
    assert count(DataSpec(merges=merges)).joint.s_labels == ("Female", "Male")
    assert merged_names(("a", "b"), [Merge(("x",), ("a", "z"))]) == ("a", "b")


def test_a_name_that_another_symbol_has_is_not_given_twice():
    labels = ("a", "b", "c or d", "c", "d", "a or b")
    merges = [Merge(("x",), ("c", "d")), Merge(("x",), ("a", "b"))]
    assert merged_names(labels, merges) == (
        "a or b (2)",
        "a or b (2)",
        "c or d",
        "c or d (2)",
        "c or d (2)",
        "a or b",
    )
    table, names = added_up(np.eye(6), merged_names(labels, merges))
    assert names == ("a or b (2)", "c or d", "c or d (2)", "a or b")
    assert table.sum(axis=0).tolist() == [1] * 6
    assert table.sum(axis=1).tolist() == [2, 1, 2, 1]


def test_all_of_x_in_one_symbol_leaves_nothing_to_release():
    sources = Sources()
    key = sources.add_bytes(b"s,x\n1,a\n2,b\n1,b\n", "a.csv")
    with pytest.raises(InvalidInputError, match="only one level, 'a or b'"):
        count(DataSpec(key, ("s",), ("x",), merges=(Merge(("x",), ("a", "b")),)), sources)


def test_a_task_is_counted_by_merged_symbols_and_refused_beside_a_released_secret():
    spec = DataSpec("adult", ("sex",), ("workclass",), task=("income",), merges=(GOVERNMENT,))
    result = count(spec)
    assert result.task.p_t_given_x.shape[1] == result.joint.n_x
    plain = count(DataSpec("adult", ("sex",), ("workclass",), task=("income",)))
    place = result.joint.x_labels.index(GOVERNMENT.title)
    weights = [plain.joint.p_x[plain.joint.x_labels.index(name)] for name in GOVERNMENT.names]
    rows = [
        plain.task.p_t_given_x[:, plain.joint.x_labels.index(name)] for name in GOVERNMENT.names
    ]
    mixed = sum(w * r for w, r in zip(weights, rows, strict=True)) / sum(weights)
    assert result.task.p_t_given_x[:, place] == pytest.approx(mixed, abs=1e-12)
    released = DataSpec(
        "adult", ("sex",), ("workclass",), True, task=("income",), merges=(GOVERNMENT,)
    )
    with pytest.raises(InvalidInputError, match="remove the task, or the merge"):
        count(released)


def test_with_s_released_too_the_other_part_is_merged():
    plain = count(DataSpec("adult", ("sex",), ("workclass",), True)).joint
    result = count(DataSpec("adult", ("sex",), ("workclass",), True, merges=(GOVERNMENT,))).joint
    assert result.n_x == plain.n_x - 4  # two symbols less for each of two secrets
    assert "Male · Federal-gov or Local-gov" not in result.x_labels
    assert f"Male · {GOVERNMENT.title}" in result.x_labels


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: Merge((), ("a", "b")), "must be of a column, got none"),
        (lambda: Merge(("x",), ("a", "a")), "At least two symbols of 'x' .* got 1"),
        (
            lambda: DataSpec(merges=(Merge(("x",), "ab"), Merge(("x",), "bc"))),
            "'b' of 'x' is merged",
        ),
        (lambda: DataSpec.from_dict({"merges": [{"columns": ["x"]}]}), "must name its columns and"),
        (lambda: DataSpec.from_dict({"merges": 1}), "merges must be a list"),
        (
            lambda: DataSpec.from_dict({"merges": [{"columns": ["x"], "names": "ab"}]}),
            "must be a list",
        ),
    ],
)
def test_a_merge_that_is_none_is_refused(made, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        made()


def test_a_merge_takes_no_symbol_that_is_left_out_and_no_name_of_one():
    names = merged_names(["a", "b", "c"], [Merge(("x",), ("a", "b", "c"))], {"b", "a or c"})
    assert names == ("a or c (2)", "b", "a or c (2)")


def test_bins_left_out_keep_the_edges_and_numbers_of_the_others():
    cut = (Binning("age", "quantile", 4),)
    spec = DataSpec("adult", ("sex",), ("age",), binnings=cut)
    whole = count(spec)
    result = count(replace(spec, left_out=(LeftOut(("age",), (whole.joint.x_labels[1],)),)))
    assert result.joint.x_labels == tuple(np.delete(whole.joint.x_labels, 1))
    assert result.x_values.tolist() == np.delete(whole.x_values, 1).tolist()
    gone = round(whole.joint.n * whole.joint.p_x[1])
    assert result.report.left_out_records == gone
    assert f"{gone:,} of 32,561 records" in result.report.sentences()[-1]
    assert "of 'age'" in result.report.sentences()[-1]


def test_nothing_left_or_a_task_beside_a_secret_left_out_is_one_sentence():
    all_of_x = LeftOut(("sex",), ("Male", "Female"))
    with pytest.raises(
        InvalidInputError, match="leaving out these symbols of 'sex' leaves out all"
    ):
        count(DataSpec("adult", ("race",), ("sex",), left_out=(all_of_x,)))
    some = LeftOut(("race",), ("Other",))
    task = DataSpec("adult", ("race",), ("sex",), task=("income",), left_out=(some,))
    with pytest.raises(InvalidInputError, match="cannot be counted with symbols of S left"):
        count(task)
    released = replace(task, secret=("sex",), released=("race",))
    counted = count(released)
    assert counted.task.p_t_given_x.shape[1] == counted.joint.n_x == 4
    with pytest.raises(InvalidInputError, match="or with any left out while S is"):
        count(replace(released, secret_released=True))


def test_symbols_that_no_record_has_are_told():
    gone = LeftOut(("race",), ("Martian", "Other"))
    merge = Merge(("sex",), ("Male", "Neither"))
    result = count(DataSpec("adult", ("race",), ("sex",), merges=(merge,), left_out=(gone,)))
    assert result.report.unknown == (("race", ("Martian",)), ("sex", ("Neither",)))
    text = result.report.sentences()
    assert (
        "No counted record has 'Martian' of 'race', which the question merges or leaves out."
        in text
    )
    assert result.joint.x_labels == ("Female", "Male")
    many = LeftOut(("race",), ("Other", *"edcba"))
    text = count(DataSpec("adult", ("race",), ("sex",), left_out=(many,))).report.sentences()
    assert "No counted record has 'a', 'b', 'c' or 2 more of 'race', which" in " ".join(text)


def test_known_symbols_need_no_word():
    gone = LeftOut(("race",), ("Other",))
    result = count(DataSpec("adult", ("race",), ("sex",), left_out=(gone,)))
    assert result.report.unknown == ()
    assert not any("No counted record" in item for item in result.report.sentences())
