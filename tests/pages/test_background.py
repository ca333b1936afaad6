"""Work that outlives its page, and sessions that share the workers."""

import traceback
import weakref

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import SolverError
from core.jobs import State
from pages.ui.work import long_answer, under_way, visits


def script():
    import streamlit as st

    from core.data.spec import DataSpec
    from core.errors import CoreError
    from core.jobs import Job
    from pages.ui.work.long_answer import LongAnswer, await_only
    from tests.core.jobs import calls

    work = LongAnswer(
        DataSpec("example:parity"), ("doubled",), calls.double, lambda: (21,), 60.0, keep=False
    )
    if st.session_state.get("elsewhere"):
        await_only("place", ())
        st.stop()
    await_only("place", [work])
    try:
        result = work.ask()
    except CoreError as error:
        st.error(str(error))
        work.again("again")
    else:
        st.write("at work" if isinstance(result, Job) else f"found {result}")
        st.button("Cancel", key="cancel", on_click=work.stop)


def session():
    return AppTest.from_function(script, default_timeout=600).run()


def test_two_sessions_wait_for_one_job_and_each_has_its_answer(sweeps):
    first, second = session(), session()
    assert len(sweeps.taken) == 1
    sweeps.finish()
    assert first.run().markdown[0].value == "found 42"
    assert second.run().markdown[0].value == "found 42"


def test_a_session_that_has_ended_waits_for_nothing_and_the_last_ends_the_work(sweeps):
    first, second = session(), session()
    job = sweeps.taken[0][0]
    under_way.leave_all(first.session_state["_visit"].name)
    assert job.state == State.RUNNING
    under_way.leave_all(second.session_state["_visit"].name)
    assert job.state == State.CANCELLED


def test_a_session_that_comes_back_has_its_work_begun_anew(sweeps):
    page = session()
    under_way.leave_all(page.session_state["_visit"].name)
    assert page.run().markdown[0].value == "at work"
    assert [item[0].state for item in sweeps.taken] == [State.CANCELLED, State.RUNNING]


def test_a_page_that_was_closed_for_a_while_ends_its_sessions_work(sweeps):
    page = session()
    job = sweeps.taken[0][0]
    closed = visits.Pages()
    own = page.session_state["_visit"]
    closed._noted["page"] = own.name, weakref.ref(own)
    assert closed.n_at_work == 1
    closed.look(lambda _: False, 100.0)
    closed.look(lambda _: False, 100.0 + visits.LEAVES / 2)
    assert job.state == State.RUNNING  # a connection may come back
    closed.look(lambda _: True, 100.0 + visits.LEAVES)
    closed.look(lambda _: False, 101.0 + visits.LEAVES)
    assert job.state == State.RUNNING  # it was away twice, each time not long
    closed.look(lambda _: False, 101.0 + 2 * visits.LEAVES)
    assert job.state == State.CANCELLED
    assert closed.n_at_work == 0
    closed.look(lambda _: False, 200.0)
    closed.look(lambda _: pytest.fail("it is known no more"), 300.0)


def test_work_that_was_stopped_starts_again_when_it_is_asked_for(sweeps):
    page = session()
    page.button(key="cancel").click().run()
    assert page.error[0].value == "The work was canceled."
    assert sweeps.taken[0][0].state == State.CANCELLED
    page.button(key="again").click().run()
    assert page.markdown[0].value == "at work"
    sweeps.finish()
    assert page.run().markdown[0].value == "found 42"


def test_an_error_keeps_nothing_of_the_runs_that_show_it(sweeps):
    page = session()
    sweeps.fail(SolverError("The solver gave up."))
    (search,) = page.run().session_state["_visit"].searches.values()

    def depth():
        page.run()
        return len(traceback.extract_tb(search.error.__traceback__))

    first = depth()
    assert first == depth()
    assert page.error[0].value == "The solver gave up."


def cut_script():
    import streamlit as st

    from core.data.spec import DataSpec
    from core.jobs import Job
    from pages.ui.work.long_answer import LongAnswer
    from tests.core.jobs import calls

    work = LongAnswer(
        DataSpec("example:parity"),
        ("enough",),
        calls.double,
        lambda: (10 * work.longer,),
        60.0,
        is_final=lambda result: result >= 80,
    )
    here = st.session_state.get("in_place") and work.longer == 1
    result = work.here() if here else work.ask()
    st.write("at work" if isinstance(result, Job) else f"found {result}")
    st.write(f"last {work.last()}, may search on: {work.may_search_on}")
    st.button("Continue", key="on", on_click=work.search_on)


def cut_session(in_place=False):
    page = AppTest.from_function(cut_script, default_timeout=600)
    page.session_state["in_place"] = in_place
    return page.run()


def markdowns(page):
    return [text.value for text in page.markdown]


@pytest.mark.parametrize("in_place", [False, True])
def test_what_a_time_limit_cut_short_is_kept_for_its_session_alone(sweeps, in_place):
    page = cut_session(in_place)
    if not in_place:
        sweeps.finish()
    page.run()
    assert markdowns(page.run()) == ["found 20", "last 20, may search on: True"]
    assert len(sweeps.taken) == (0 if in_place else 1)
    cut_session()
    assert len(sweeps.open) == 1  # the next session has it worked out itself


def test_a_search_goes_on_for_twice_as_long_until_its_answer_is_everybodys(sweeps):
    page = cut_session()
    sweeps.finish()
    page.run()
    page.button(key="on").click().run()
    assert markdowns(page) == ["at work", "last 20, may search on: True"]
    assert sweeps.open[0][0].time_limit == 120.0
    sweeps.finish()
    assert markdowns(page.run())[0] == "found 40"
    page.button(key="on").click().run()
    sweeps.finish()
    assert markdowns(page.run()) == ["found 80", "last 80, may search on: True"]
    assert markdowns(cut_session()) == ["found 80", "last 80, may search on: True"]
    assert not sweeps.open


def test_what_a_session_that_went_elsewhere_has_not_taken_is_given_to_no_other(sweeps):
    away, page = cut_session(), cut_session()
    sweeps.finish()
    assert markdowns(page.run())[0] == "found 20"
    assert markdowns(cut_session())[0] == "at work"
    assert len(sweeps.open) == 1
    assert markdowns(away.run())[0] == "found 20"


def test_what_contradicts_another_answer_has_failed_for_its_session(sweeps, monkeypatch):
    page = session()

    def refuse(_work, _outcome):
        raise SolverError("One of the two is wrong.")

    monkeypatch.setattr(long_answer.LongAnswer, "give", refuse)
    sweeps.finish()
    for _ in range(2):  # nor is it begun again by itself
        assert page.run().error[0].value == "One of the two is wrong."
    assert not sweeps.open
    page.button(key="again").click().run()
    assert len(sweeps.open) == 1


def test_a_search_does_not_go_on_for_ever(sweeps):
    page = cut_session()
    for _ in range(4):
        page.button(key="on").click().run()
    assert markdowns(page)[1].endswith("may search on: False")
    assert sweeps.open[-1][0].time_limit == 16 * 60.0


def limited_script():
    from core.data.spec import DataSpec
    from pages.ui.work.long_answer import LongAnswer
    from pages.ui.work.progress import awaited
    from tests.core.jobs import calls

    work = LongAnswer(
        *(DataSpec("example:parity"), ("at most",), calls.double, lambda: (10,), 40.0),
        longest=60.0,
        is_final=lambda _: False,
    )
    awaited(work, work.ask, "Doubling", key="double")


def test_the_offer_to_search_longer_says_no_more_seconds_than_the_search_is_given(sweeps):
    page = AppTest.from_function(limited_script, default_timeout=600).run()
    sweeps.finish()
    assert page.run().button(key="double_on").help == "Searches again for up to 60 s."
    page.button(key="double_on").click().run()
    assert sweeps.open[0][0].time_limit == 60.0
    sweeps.finish()
    assert not page.run().button
