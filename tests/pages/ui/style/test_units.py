import pytest

from core.notions import LIP, PointwiseDivergence
from core.notions.base import budget_text
from core.release.sentences import promise_text
from pages.ui.style.units import budget, exact, in_unit, most_share, rounded, to_nats


def test_each_place_of_a_slider_in_bits_is_read_back_as_it_was_written(subtests):
    for steps in range(0, 232, 7):
        bits = steps * 0.05
        nats = to_nats(bits, "bits")
        with subtests.test(bits=bits):
            assert float(exact(nats, "bits")) == pytest.approx(bits, abs=1e-9)
            assert to_nats(float(exact(nats, "bits")), "bits") == nats


@pytest.mark.parametrize(
    "nats", [0.0, 1e-24, 8e-13, 1e-12, 2.5e-9, 0.05, 0.1, 1.0, 1.1, 3.35, 8.0, 0.123456789]
)
def test_a_budget_in_nats_survives_the_way_through_bits(nats):
    assert to_nats(float(exact(nats, "bits")), "bits") == nats
    assert float(exact(nats, "nats")) == nats


def test_a_bit_is_log_2_nats():
    assert in_unit(1.0, "bits") == pytest.approx(1.4426950408889634)
    assert in_unit(1.0, "nats") == 1.0


TINY = [1e-24, 8e-13, 1e-12, 1.5e-12, 2.5e-7, 0.00125]


@pytest.mark.parametrize("unit", ["nats", "bits"])
@pytest.mark.parametrize("nats", TINY)
def test_a_tiny_budget_reads_as_what_it_is(nats, unit):
    shown = in_unit(nats, unit)
    for text in (
        budget_text(shown),
        budget(nats, unit).removesuffix(f" {unit}"),
        exact(nats, unit),
        promise_text(LIP(nats), unit).partition("-LIP")[0],
        promise_text(PointwiseDivergence(nats), unit).partition("-KL")[0],
    ):
        assert text[0].isdigit()
        assert float(text) == pytest.approx(shown, rel=5e-4)
        assert len(text) < 19


@pytest.mark.parametrize("value", [*TINY, -1e-12, 0.0999999999, 0.5, 49.123456789])
@pytest.mark.parametrize("places", [6, 10])
def test_what_is_rounded_is_near_and_only_0_becomes_0(value, places):
    result = rounded(value, places)
    assert result != 0
    assert result == pytest.approx(value, rel=10.0**-places, abs=0 if abs(value) < 0.1 else 1e-6)
    assert rounded(result, places) == result
    assert rounded(0.0, places) == 0.0


def test_what_is_possible_at_most_is_never_said_to_be_more_than_a_share():
    assert most_share(0.8371) == "83.7%"
    assert most_share(1.0) == "100.0%"
    assert most_share(0.99951) == "99.96%"
    assert most_share(0.0) == "0.0%"
