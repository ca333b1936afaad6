"""Pasted matrices: every form that is understood, and a sentence for every other."""

import re

import numpy as np
import pytest

from core.data import DataSpec, ReadOptions, count
from core.data.joints import NotNormalisedError, parse_matrix
from core.errors import InvalidInputError

PLAIN = [[3, 1], [0, 4]]


@pytest.mark.parametrize(
    "text",
    [
        "3,1\n0,4",
        "3\t1\n0\t4",
        "3;1\n0;4\n\n",
        "  3   1\n 0  4 ",
        "red,blue\n3,1\n0,4",
        ",red,blue\nyes,3,1\nno,0,4",
        "s\tred\tblue\nyes\t3\t1\nno\t0\t4",
        "yes 3 1\nno 0 4",
        "red blue\nyes 3 1\nno 0 4",
        '"red, dark",blue\n3,1\n0,4',
    ],
)
def test_rows_columns_and_names(text):
    source = parse_matrix(text)
    assert source.weights.tolist() == PLAIN
    assert source.records == 8
    named_x, named_s = "blue" in text, "yes" in text
    first = "red, dark" if "dark" in text else "red"
    assert source.x_labels == ((first, "blue") if named_x else ("x1", "x2"))
    assert source.s_labels == (("yes", "no") if named_s else ("s1", "s2"))


def test_numbers_may_be_names_where_a_corner_is_left_free():
    source = parse_matrix(",1994,1995\nyes,3,1\nno,0,4")
    assert source.x_labels == ("1994", "1995")
    assert source.weights.tolist() == PLAIN


def test_numbers_are_names_between_a_corner_and_a_total():
    source = parse_matrix("sex,2021,2022,Total\nF,3,1,4\nM,0,4,4\nTotal,3,5,8")
    assert (source.s_labels, source.x_labels) == (("F", "M"), ("2021", "2022"))
    assert source.weights.tolist() == PLAIN


def test_probabilities_are_no_records():
    source = parse_matrix("0.1,0.2\n0.3,0.4")
    assert source.records is None
    assert source.weights.sum() == pytest.approx(1)
    assert parse_matrix("1,0\n0,0").records is None


def test_a_matrix_that_does_not_sum_to_one_can_be_normalised(sources):
    with pytest.raises(NotNormalisedError) as caught:
        sources.add_matrix("0.1,0.2\n0.3,0.6")
    assert str(caught.value) == (
        "The entries of the matrix sum to 1.2, probabilities must sum to 1 (normalize them to "
        "divide each by the sum)."
    )
    assert not sources.matrices
    key = sources.add_matrix("0.1,0.2\n0.3,0.6", normalise=True)
    joint = count(DataSpec(key), sources).joint
    assert joint.p == pytest.approx(np.array([[1, 2], [3, 6]]) / 12)
    assert joint.n is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The matrix is empty: paste one row for each level of S."),
        (" \n\t\n", "The matrix is empty: paste one row for each level of S."),
        (
            "1,-2\n3,4",
            "The entry in row 1, column 2 must be a finite number of at least 0, got '-2'.",
        ),
        (
            "1,2\n3,x",
            "The entry in row 2, column 2 must be a finite number of at least 0, got 'x'.",
        ),
        (
            "1,2\nnan,4",
            "The entry in row 2, column 1 must be a finite number of at least 0, got 'nan'.",
        ),
        (
            "1,inf\n3,4",
            "The entry in row 1, column 2 must be a finite number of at least 0, got 'inf'.",
        ),
        ("1,\n3,4", "The entry in row 1, column 2 must be a finite number of at least 0, got ''."),
        ("1,2\n3", "Row 2 of the matrix has 1 entry, row 1 has 2."),
        ("1,2\n3,4,5", "Row 2 of the matrix has 3 entries, row 1 has 2."),
        (
            "x,1\n3,4",
            "The entry in row 1, column 1 must be a finite number of at least 0, got 'x'.",
        ),
        ("a,b\n1,2,3\n3,4,5", "The matrix has 2 column names for 3 columns."),
        ("a,a\n1,2\n3,4", "The column name 'a' occurs more than once."),
        ("a 1 2\na 3 4", "The row name 'a' occurs more than once."),
        ("0,0\n0,0", "The matrix is all zero: no pair ever occurs."),
        ("1e308,1e308\n1,1", "The entries of the matrix must have a finite sum, got inf."),
    ],
)
def test_a_bad_matrix_gets_one_sentence(sources, text, sentence):
    with pytest.raises(InvalidInputError) as caught:
        sources.add_matrix(text)
    assert str(caught.value) == sentence
    assert not sources.matrices


def test_a_quote_that_is_never_closed_is_named():
    with pytest.raises(InvalidInputError, match="quote that is never closed"):
        parse_matrix('1,"2\n3,4')


def test_a_matrix_beyond_the_caps_is_refused():
    row = " ".join(["1"] * 10_001)
    with pytest.raises(InvalidInputError, match="The matrix is 2×10001; at most 10,000 rows"):
        parse_matrix(f"{row}\n{row}")


@pytest.mark.parametrize(("text", "name"), [("1,2,3", "S"), ("1\n2\n3", "X"), ("1,0\n2,0", "X")])
def test_one_level_is_nothing_to_ask_about(sources, text, name):
    with pytest.raises(InvalidInputError, match=f"{name} has only one level"):
        count(DataSpec(sources.add_matrix(text)), sources)


def test_symbols_that_never_occur_are_dropped_and_named(sources):
    counted = count(DataSpec(sources.add_matrix(",a,b,c\nyes,1,0,2\nno,3,0,4")), sources)
    assert counted.joint.x_labels == ("a", "c")
    assert counted.joint.dropped_x == ("b",)
    assert counted.report.n_used == 10


def test_numbers_under_a_named_corner_are_names():
    result = parse_matrix("sex\t2021\t2022\nF\t30\t10\nM\t10\t30")
    assert (result.s_labels, result.x_labels, result.records) == (("F", "M"), ("2021", "2022"), 80)
    assert result.notes == ("The first row, 2021, 2022, is used for names.",)
    plain = parse_matrix("a\t30\t10\nb\t10\t30\nc\t5\t6")  # no years: a row like the others
    assert (plain.s_labels, plain.notes) == (("a", "b", "c"), ())


def test_totals_are_left_out_and_said_and_a_level_called_so_is_kept():
    result = parse_matrix("\tyes\tno\tTotal\nF\t30\t10\t40\nM\t10\t30\t40\nTotal\t40\t40\t80")
    assert (result.s_labels, result.x_labels, result.records) == (("F", "M"), ("yes", "no"), 80)
    assert result.notes == ("The row and column of totals 'Total' sums the others: left out.",)
    level = parse_matrix("\tyes\tno\tTotal\nF\t30\t10\t7\nM\t10\t30\t2")
    assert level.x_labels == ("yes", "no", "Total")


def test_totals_that_were_left_out_are_kept_by_an_option(sources):
    key = sources.add_matrix("\tyes\tno\tTotal\nF\t30\t10\t40\nM\t10\t30\t40")
    assert count(DataSpec(key), sources).joint.x_labels == ("yes", "no")
    kept = ReadOptions(kept=("totals",))
    joint = count(DataSpec(key, read=kept), sources).joint
    assert (joint.n, joint.x_labels) == (160, ("yes", "no", "Total"))
    plain = sources.add_matrix("1 2\n3 4")
    assert count(DataSpec(plain, read=kept), sources).joint.n == 10


@pytest.mark.parametrize("cell", ["1.200", "1,200", "1.200.000"])
def test_marks_of_thousands_are_refused_and_not_read_as_decimals(cell):
    plain = cell.replace(".", "").replace(",", "")
    text = f"The entry in row 1, column 2, '{cell}', may be thousands: write {plain}, or"
    for normalise in (False, True):
        with pytest.raises(InvalidInputError, match=re.escape(text)) as caught:
            parse_matrix(f"4\t{cell}\n3\t4", normalise=normalise)
        assert type(caught.value) is InvalidInputError  # dividing by the sum is not offered
    assert parse_matrix("1.200\t0.5\n3\t4", normalise=True).weights[0, 0] == 1.2
