import pytest

from pages.ui.style.units import exact, in_unit, to_nats


def test_each_place_of_a_slider_in_bits_is_read_back_as_it_was_written(subtests):
    for steps in range(0, 232, 7):
        bits = steps * 0.05
        nats = to_nats(bits, "bits")
        with subtests.test(bits=bits):
            assert float(exact(nats, "bits")) == pytest.approx(bits, abs=1e-9)
            assert to_nats(float(exact(nats, "bits")), "bits") == nats


@pytest.mark.parametrize("nats", [0.0, 0.05, 0.1, 1.0, 1.1, 3.35, 8.0, 0.123456789])
def test_a_budget_in_nats_survives_the_way_through_bits(nats):
    assert to_nats(float(exact(nats, "bits")), "bits") == nats
    assert float(exact(nats, "nats")) == nats


def test_a_bit_is_log_2_nats():
    assert in_unit(1.0, "bits") == pytest.approx(1.4426950408889634)
    assert in_unit(1.0, "nats") == 1.0
