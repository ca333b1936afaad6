"""The budgets of the Frontiers page in the unit shown, through Streamlit's own test harness."""

import numpy as np
import pytest

from pages.ui.work import long_answer
from tests.pages.test_frontiers import QUICK, opened
from tests.pages.waiting import busy


@pytest.mark.usefixtures("afresh")
def test_the_budgets_follow_the_unit_and_are_kept_in_nats():
    with busy(long_answer.WORKERS):
        app = opened(**QUICK)
        assert app.number_input(key="sweep_from").label == "ε from, nats"
        app = app.segmented_control(key="unit").set_value("bits").run()
        field = app.number_input(key="sweep_from_bits")
        assert field.label == "ε from, bits"
        assert field.value == pytest.approx(0.5 / np.log(2))
        assert app.number_input(key="sweep_to_bits").value == pytest.approx(1.5 / np.log(2))
        assert "from" not in app.query_params  # half a nat is the default
        app = field.set_value(1.0).run()
        assert app.query_params["from"] == f"{np.log(2):g}"
        app = app.number_input(key="sweep_to_bits").set_value(8 / np.log(2)).run()
        assert app.query_params["to"] == "8"
        assert not app.error
        app = app.segmented_control(key="unit").set_value("nats").run()
        assert app.number_input(key="sweep_from").value == pytest.approx(np.log(2), abs=1e-10)
        assert app.number_input(key="sweep_to").value == 8
        app = app.segmented_control(key="unit").set_value("bits").run()
        app = app.multiselect(key="sweep_promise").set_value(["lip", "average_tv"]).run()
        assert app.number_input(key="sweep_from").label == "ε from"  # a distance has no unit
