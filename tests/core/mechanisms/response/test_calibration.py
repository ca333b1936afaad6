import numpy as np
import pytest

from core.errors import InfeasibleError, InvalidInputError
from core.mechanisms.response.calibrated import (
    LARGEST,
    calibrate,
    calibration_note,
    notion_or_lip,
    status_at,
)
from core.notions import ALIP, LDP, LIP, Intersection


def test_eps_alone_asks_for_lip_and_exactly_one_of_the_two_must_be_given():
    assert notion_or_lip(0.5, None, "GRR") == LIP(0.5)
    assert notion_or_lip(None, LDP(2), "GRR") == LDP(2)
    for eps, notion in ((None, None), (1.0, LIP(1))):
        with pytest.raises(InvalidInputError, match="GRR needs either eps or notion"):
            notion_or_lip(eps, notion, "GRR")
    with pytest.raises(InvalidInputError, match="bounds every symbol separately"):
        notion_or_lip(None, Intersection(LIP(1)), "GRR")
    with pytest.raises(InvalidInputError, match="eps must be in"):
        notion_or_lip(-1.0, None, "GRR")


@pytest.mark.parametrize("eps", [1e-9, 0.3, 2.0, 40.0])
def test_the_root_is_close_and_on_the_private_side(eps):
    alpha = calibrate(lambda a: (np.log1p(a), a / 3), LIP(eps))
    assert max(np.log1p(alpha), alpha / 3) <= eps
    wider = alpha * (1 + 1e-9) + 2e-12
    assert max(np.log1p(wider), wider / 3) > eps


def test_the_tighter_side_decides():
    assert calibrate(lambda a: (a, a), ALIP(0.2, np.inf)) == pytest.approx(0.2)
    assert calibrate(lambda a: (a, a), ALIP(0.7, 0.4)) == pytest.approx(0.4)


def test_any_alpha_none_but_0_and_none_at_all():
    assert calibrate(lambda a: (0.0, -np.expm1(-a)), LIP(1)) == np.inf
    assert calibrate(lambda a: (a, a), LIP(np.inf)) == np.inf
    assert calibrate(lambda a: (a, a), LIP(0)) == 0
    assert calibrate(lambda a: (a + 1e-16, a), LIP(0)) == 0  # a level of rounding is no level
    with pytest.raises(InfeasibleError, match="even the constant one breaks it"):
        calibrate(lambda a: (0.5 + a, 0.0), LIP(0.3))


def test_a_level_that_only_no_noise_at_all_breaks_is_met_at_the_largest_alpha():
    assert calibrate(lambda a: (np.inf if a == np.inf else 0.0, 0.0), LIP(1)) == LARGEST


def test_a_jump_is_left_on_the_private_side():
    def levels(alpha):
        return (0.0, 0.1 if alpha < 1 / 3 else 2.0)

    alpha = calibrate(levels, LIP(1))
    assert levels(alpha)[1] == 0.1
    assert alpha == pytest.approx(1 / 3)


def test_notes_and_status_say_which_case_it_is():
    assert calibration_note(np.inf).startswith("Any α will do")
    assert calibration_note(0.0) == "Only α = 0 satisfies the notion."
    assert calibration_note(1.25) == "Runs at α = 1.25."
    assert (status_at(np.inf), status_at(1.0)) == ("no noise needed", "calibrated")
