import pandas as pd
import pytest

from core.data import Sources, column_levels
from core.errors import InvalidInputError
from core.joint import MISSING


@pytest.fixture
def source():
    frame = pd.DataFrame({"n": ["10", "9", "9", None, "-2"], "w": ["b", "a", "a", "c", "c"]})
    sources = Sources()
    return sources.add_bytes(frame.to_csv(index=False).encode(), "few.csv"), sources


def test_levels_come_in_the_order_of_counting_with_their_records(source):
    result = column_levels(source[0], "n", source[1])
    assert result.labels == ("-2", "9", "10", MISSING)
    assert result.counts == (1, 2, 1, 1)
    assert result.left_out == 0


def test_the_rarest_are_left_out_and_counted(source):
    result = column_levels(source[0], "w", source[1], most=2)
    assert (result.labels, result.counts, result.left_out) == (("a", "c"), (2, 2), 1)


def test_what_has_no_columns_or_not_this_one_is_refused(source):
    with pytest.raises(InvalidInputError, match=r"few.csv has no column 'z'"):
        column_levels(source[0], "z", source[1])
    with pytest.raises(InvalidInputError, match="it has no columns to read"):
        column_levels("random:uniform:2x2:0", "x")
