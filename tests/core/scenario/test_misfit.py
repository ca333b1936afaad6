"""The program of a question whose mechanism does not fit its promise says what the page says."""

from dataclasses import replace

import pytest

from core.errors import CoreError
from core.mechanisms.catalogue import CATALOGUE
from core.mechanisms.fit import obstacle
from core.notions.catalogue import ALL
from core.scenario import Scenario, evaluate
from core.scenario.purpose import Promise
from core.scenario.snippet import snippet

MISFITS = [
    (notion.key, mechanism.key)
    for notion in ALL
    for mechanism in CATALOGUE.values()
    if obstacle(mechanism, [notion.kind])
]


def errors_of(scenario):
    """Return what the page and the program say, each as its error's sentence."""
    reported = []
    for answer in (lambda: evaluate(scenario), lambda: exec(snippet(scenario), {})):
        with pytest.raises(CoreError) as caught:
            answer()
        reported.append(str(caught.value))
    return reported


def test_there_are_misfits_of_many_kinds():
    assert {mechanism for _, mechanism in MISFITS} > {"polyopt", "srlip_product", "optimal"}


def few():
    """Return for each notion and for each mechanism the last two misfits that it is of."""
    kept = {}
    for notion, mechanism in MISFITS:
        for name in (notion, mechanism):
            kept[name] = [*kept.get(name, ()), (notion, mechanism)][-2:]
    return {pair for pairs in kept.values() for pair in pairs}


@pytest.mark.parametrize("notion", sorted({notion for notion, _ in MISFITS}))
def test_program_and_page_say_the_same(notion, subtests):
    for mechanism in sorted(mechanism for of, mechanism in few() if of == notion):
        with subtests.test(mechanism=mechanism):
            page, program = errors_of(Scenario(notion=notion, mechanism=mechanism, time_limit=0.1))
            assert program == page


def test_program_and_page_say_the_same_of_several_promises():
    scenario = Scenario(notion="lip", also=(Promise("ldp"),), mechanism="polyopt")
    page, program = errors_of(scenario)
    assert page == program == "PolyOpt does not work under intersection; choose another mechanism."


def test_where_all_fits_the_program_has_no_check():
    assert "check_fit" not in snippet(Scenario(notion="lip", mechanism="watchdog"))


@pytest.mark.parametrize(
    "question",
    [
        {"purpose": "task"},
        {"purpose": "distortion", "loss": "absolute"},
        {"purpose": "distortion", "loss": "squared"},
        {"purpose": "distortion", "loss": "table"},
    ],
)
@pytest.mark.parametrize("mechanism", ["optimal", "watchdog"])
def test_program_and_page_say_the_same_of_a_purpose_that_the_data_lack(question, mechanism):
    """Where no task was named the program ended in an AttributeError, of names in a TypeError."""
    page, program = errors_of(
        Scenario(notion="lip", mechanism=mechanism, time_limit=0.1, **question)
    )
    assert program == page


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_the_program_of_an_error_of_numbers_runs(loss):
    data = replace(Scenario().data, released=("age",))
    request = Scenario(
        notion="lip", mechanism="watchdog", data=data, purpose="distortion", loss=loss
    )
    names = {}
    exec(snippet(request), names)
    assert names["purpose"].value(names["joint"], names["mechanism"].kernel) == pytest.approx(
        evaluate(request).mechanism.utility
    )
