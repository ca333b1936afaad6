"""Numbers as people write them: decimals, fractions, powers, logarithms; all else is refused."""

import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInputError
from core.learning.expressions import LONGEST, number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3.0),
        (" 0,25 ", 0.25),
        (".5", 0.5),
        ("1/8", 0.125),
        ("12.5%", 0.125),
        ("1/8%", 0.00125),
        ("−1", -1.0),
        ("1e-3", 0.001),
        ("ln 7", math.log(7)),
        ("-ln(1/7)", math.log(7)),
        ("Log 7/log 2", math.log2(7)),
        ("log2 8 + log₂(4)", 5.0),
        ("2 ln 3", math.log(9)),
        ("2(1 + 3)", 8.0),
        ("√2/2", math.sqrt(0.5)),
        ("2 sqrt(3)", math.sqrt(12)),
        ("2e^0.5", 2 * math.exp(0.5)),
        ("1 - exp(-1/2)", 1 - math.exp(-0.5)),
        ("2^3^2", 512.0),
        ("-2**2", -4.0),
        ("3·4 − 2×5", 2.0),
        ("ln(2)^2", math.log(2) ** 2),
    ],
)
def test_numbers_as_people_write_them(text, value):
    assert number(text) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        *("", "three", "1/0", "1e400", "nan", "inf", "--1", "9" * 200, "<b>1</b>", "%", "()"),
        *("1/2/3", "ln 1/7", "exp 1/2", "1/2 ln 3", "1+5%"),  # could be read in two ways
        *("ln", "ln()", "(1", "1)", "2 3", "1 000", "e5", "^2", "log10 5", "ln 0", "(-1)^0.5"),
        *("9^9^9^9", "__import__('os')", "a.b", "1;2", "(" * LONGEST),
    ],
)
def test_what_is_no_number_is_refused_in_a_sentence(text):
    with pytest.raises(InvalidInputError, match="An answer must"):
        number(text)


@given(st.text(alphabet="0123456789.,e+-*/^()% lnogsqrtxp√−", max_size=LONGEST))
def test_any_text_is_a_finite_number_or_refused(text):
    try:
        value = number(text)
    except InvalidInputError:
        return
    assert math.isfinite(value)


SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}

WRITTEN = st.recursive(
    st.integers(1, 9).map(lambda value: (str(value), float(value))),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from(sorted(SIGNS)), part).map(
            lambda made: (
                f"({made[0][0]}{made[1]}{made[2][0]})",
                SIGNS[made[1]](made[0][1], made[2][1]),
            )
        ),
        st.tuples(part, st.integers(1, 9)).map(
            lambda made: (f"({made[0][0]}/{made[1]})", made[0][1] / made[1])
        ),
        part.map(lambda made: (f"sqrt({made[0]}^2)", abs(made[1]))),
    ),
    max_leaves=4,
).filter(lambda made: len(made[0]) <= LONGEST)
"""Expressions with their values."""


@given(WRITTEN)
def test_an_expression_has_its_value(made):
    text, value = made
    assert number(text) == pytest.approx(value, rel=1e-12, abs=1e-12)
