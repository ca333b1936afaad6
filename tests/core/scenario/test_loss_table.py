"""A loss table from CSV: what is read, and where what is refused stands."""

import pytest

from core.errors import InvalidInputError
from core.scenario.purpose import read_losses


def test_names_are_left_out_and_numbers_kept():
    assert read_losses("0,1.5\n2,0\n") == ((0.0, 1.5), (2.0, 0.0))
    assert read_losses("\ufeffx,a,b\r\na,0,1\r\nb,2,0\r\n\r\n") == ((0.0, 1.0), (2.0, 0.0))
    assert read_losses("a,b\n0,1\n2,0") == ((0.0, 1.0), (2.0, 0.0))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("0,1\n2", "Row 2 of the loss table has 1 numbers; row 1 has 2"),
        ("0,1\n2,", "row 2, column 2"),
        ("0,-1\n2,0", "'-1' in row 1, column 2"),
        ("0,inf\n2,0", "'inf' in row 1, column 2"),
        ("0," * 600_000, "more than 1,000,000"),
    ],
)
def test_what_is_no_table_is_told_with_its_place(text, part):
    with pytest.raises(InvalidInputError, match=part):
        read_losses(text)
