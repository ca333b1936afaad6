"""The Release page: how records are released, a preview, the file and its certificate."""

from __future__ import annotations

import json
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.readers.reading import Upload
from core.errors import CoreError, SolverError
from core.jobs import Job
from core.records.applying import columns_of
from core.records.design import OWNERS, Plan, command_line
from core.records.for_each import ResultForEach
from core.records.several import Several
from core.scenario import Result
from core.wording import number_of, size_of_file
from pages.ui.frame import address, page_frame, state
from pages.ui.parts import tables
from pages.ui.release import columns, controls, for_each, in_turn, results, verify
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress, refining, visits
from pages.ui.work.long_answer import STUDY


def show() -> None:
    """Show the page."""
    _live(page_frame.frame())
    verify.show()


@st.fragment
@page_frame.whole
def _live(places: page_frame.Places) -> None:
    """Show all that changes with a control; only this runs again when one is used."""
    scenario = page_frame.read_sliders(places)
    notices = st.container()
    place = page_frame.answer_head("release", "Release the records", scenario)
    result = page_frame.answer(scenario)
    if result is None:
        _give_up()
        page_frame.report_button(place, "release", None)
    else:
        page_frame.report_button(place, "release", *_answered(result))
    address.warn(*controls.URL.notices(), place=notices)


def _answered(result: Result) -> tuple[Result, str]:
    """Show the controls of a release, its preview and, once it is made, its file.

    Returns the answer for X as it is released, and what the file gives away, for the report.
    """
    head = st.container()
    several, each, text = _planned(result, head)
    if each is not None:
        return result, f"{for_each.reported(each)} {text}".rstrip()
    if several is None:
        return result, text
    own = next(of for of in several.results if of.scenario.data.released == _x(result))
    return own, " ".join([in_turn.sentence(several), in_turn.shared(several), text]).rstrip()


def _x(result: Result) -> tuple[str, ...]:
    return result.scenario.data.released


def _planned(
    result: Result, head: DeltaGenerator
) -> tuple[Several | None, ResultForEach | None, str]:
    """Show all below the headline, and that in `head`.

    Returns the mechanisms of several columns or known values, and what the file gives away.
    """
    refining.follow(result.scenario, result.mechanism)
    try:
        table = results.table(result)
        original = None if table.counted else results.original(result)
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        st.caption("Choose a data set in the sidebar, or upload a file on the Data page.")
        _give_up()
        _headline(head, result)
        return None, None, ""
    with st.container(border=True, key="release_plan"):
        st.markdown(f"**How {markdown(table.title)} is released**")
        plan = controls.show(result, list(table.columns))
    if plan is None:
        _give_up()
        _headline(head, result)
        return None, None, ""
    place = st.container()
    several = in_turn.show(result, plan, table)
    each = for_each.show(result, plan, table)
    _headline(head, result, several, each)
    released = result if each is None else each
    waits = bool(plan.randomize and several is None) or bool(plan.for_each and each is None)
    with place:
        kind = controls.URL.now("file")
        choice = columns.show(released, plan, table, kind, several, waits=waits)
    if waits:
        results.give_up()
        return None, None, ""
    if original is None:
        results.give_up()
        _by_command(released, plan)
        return several, each, choice.sentence
    _preview(released, plan, several)
    allowed = choice.allowed and (several is None or several.holds)
    _made(released, plan, original, several, allowed=allowed)
    return several, each, choice.sentence


def _headline(
    head: DeltaGenerator,
    result: Result,
    several: Several | None = None,
    each: ResultForEach | None = None,
) -> None:
    """Show what is promised, at the page's head."""
    with head:
        if controls.randomized():
            in_turn.headline(result, controls.randomized(), several)
        else:
            for_each.headline(result, each, wanted=controls.URL.now(controls.EACH) > 0)


STAYS = (
    "The records stay in their database: this page has only the counts made on the Data page. To "
    "release records, write the table to a file of your own and run the command on it."
)
"""What a release of a table of a database needs."""


def _by_command(result: Result, plan: Plan) -> None:
    """Show the command that releases the records of a table of a database."""
    with st.container(border=True, key="release_result"):
        st.markdown("**The released file and its certificate**")
        st.markdown(STAYS)
        _command(result, plan, "records.parquet", controls.URL.now("file"))


def _give_up() -> None:
    """Stop all work that is not on screen any more."""
    results.give_up()
    columns.give_up()
    in_turn.give_up()
    for_each.give_up()


def _preview(result: Result, plan: Plan, several: Several | None) -> None:
    """Show the first records before and after."""
    with st.container(border=True, key="card_preview"):
        st.markdown(f"**The first {results.SHOWN} records**")
        try:
            before, after = results.preview(result, plan, several)
        except CoreError as error:
            st.warning(
                f"Among the first {results.SHOWN} records: {markdown(str(error))}",
                icon=":material/block:",
            )
            return
        if plan.columns == OWNERS:
            st.caption("The owner's copy: it contains S and X next to Y. Do not share it.")
        left, right = st.columns(2)
        for place, title, frame in ((left, "Before", before), (right, "After", after)):
            with place:
                st.caption(title)
                st.dataframe(
                    frame,
                    hide_index=True,
                    height=360,
                    placeholder=tables.NONE,
                    key=f"preview_{title.lower()}",
                )


DISCLOSED = (
    "The certificate names all values of S and X, and its figures depend on how many records have "
    "each pair. Anyone who has it can test a guess of these counts. The records stay in the order "
    "of the original: anyone who has another file in the same order can join the two."
)
"""What a certificate shows on purpose, which is said before there is one."""


def _made(
    result: Result, plan: Plan, original: Upload, several: Several | None, *, allowed: bool
) -> None:
    """Show the button that makes the file, the work on it, and the file."""
    kind = controls.URL.now("file")
    key = results.name(result, plan, kind, several)
    with st.container(border=True, key="release_result"):
        st.markdown("**The released file and its certificate**")
        release = results.written(key)
        if release is None and results.is_requested(key):
            release = _work(result, plan, key, several)
        elif release is None:
            results.give_up()
            _lost(plan)
            _of_before(result, plan)
            st.button(
                f"Release {number_of(original.rows, 'record')}",
                icon=":material/lock_open_right:",
                type="primary",
                key="release_make",
                on_click=results.request,
                args=(key,),
                disabled=not allowed,
                help=None if allowed else "Confirm above that these columns stay.",
            )
            st.caption(DISCLOSED)
        if release is not None:
            _downloads(release, plan, original.table.title, _named(result, original))
        _command(result, plan, _named(result, original), kind)
    if release is not None:
        results.show(result, release.made, several)


def _lost(plan: Plan) -> None:
    """Say that the file of the last release is gone, and how to make it again."""
    lost = visits.release().lost
    if not lost:
        return
    secret = plan.draw.kind
    if plan.draw.commitment == lost:
        how = f"The {secret} above drew it, so you can make the same file again."
    else:
        how = "Enter the seed or key that drew it to make the same file again."
    st.info(
        f"The previous file is gone: the server deletes a file soon after its page closes. {how}",
        icon=":material/auto_delete:",
    )


def _of_before(result: Result, plan: Plan) -> None:
    """Say that a file is there of what was on screen before, and offer to go back to that."""
    last = results.earlier()
    if last is None:
        return
    if (last.question, last.columns) == (
        result.scenario,
        (plan.keep, plan.randomize, plan.for_each),
    ):
        st.info(
            "The previous file belongs to other choices. Restore them to see it again, until the "
            "next release.",
            icon=":material/history:",
        )
        return
    st.info(
        "The previous file answers another question. Return to that question to see it again, "
        "until the next release.",
        icon=":material/history:",
    )
    st.button(
        "Back to that question",
        icon=":material/undo:",
        key="release_back",
        on_click=_back,
        args=(last,),
    )


def _back(last: results.Written) -> None:
    """Ask again what a file answers: its question, and what is done with other columns."""
    state.adopt(last.question)
    controls.treat_only(*last.columns)


def _work(
    result: Result, plan: Plan, key: results.Name, several: Several | None
) -> results.Written | None:
    """Show the work on a release; return the release once it is made."""
    work = results.work(result, plan, key, several)
    try:
        release = results.make(result, plan, key, several)
    except CoreError as error:
        if isinstance(error, long_answer.StoppedError):
            st.info("Canceled. No file was written.", icon=":material/cancel:")
        else:
            st.error(markdown(str(error)), icon=":material/error:")
        if isinstance(error, long_answer.StoppedError | SolverError):
            work.again("release_again")
        return None
    if isinstance(release, Job):
        progress.follow(
            release, "Releasing", limit=STUDY, key="release_cancel", on_cancel=work.stop
        )
        return None
    return release


def _downloads(release: results.Written, plan: Plan, title: str, named: str) -> None:
    """Show what was written, and its downloads; the original has a title, and a command's name."""
    applied, size = release.made.applied, release.path.stat().st_size
    sentences = [
        f"{number_of(applied.released, 'record')} of {applied.records:,} released, Y in "
        f"{columns_of(applied)}."
    ]
    if applied.filtered:
        sentences.append(f"{number_of(applied.filtered, 'record')} left out by the data's filters.")
    if applied.unknown:
        treated = (
            "left out" if plan.unknown in controls.TREATMENTS else f"taken as {plan.unknown!r}"
        )
        total = sum(n for _, n in applied.unknown)
        sentences.append(f"{number_of(total, 'record')} with unknown or missing values {treated}.")
    st.markdown(markdown(" ".join(sentences)))
    address = visits.release().files.offer(release.path)
    kind = controls.FILES[release.path.suffix[1:]]
    with st.container(horizontal=True, vertical_alignment="center", key="release_downloads"):
        st.html(
            f'<a class="lsc-download" href="{escape(address)}" download="{release.path.name}">'
            f"Released file ({kind}, {size_of_file(size)})</a>",
            width="content",
        )
        st.download_button(
            "Certificate (JSON)",
            data=lambda: results.as_json(release.made),
            file_name="certificate.json",
            mime="application/json",
            key="release_certificate",
            on_click="ignore",
            icon=":material/verified:",
        )
    command = f"python -m core verify certificate.json {release.path.name}"
    known = "" if title == named else f" (in the command: {markdown(named)})"
    st.caption(
        f"Anyone who has both can check them: `{command}`. With the original, {markdown(title)}"
        f"{known}, and the {plan.draw.kind} you can check everything."
    )


def _named(result: Result, original: Upload) -> str:
    """Return what the commands call the original: a bundled set's key, or a file's name."""
    source = result.scenario.data.source
    return original.name if source.startswith("upload:") else source


def _command(result: Result, plan: Plan, records: str, kind: str) -> None:
    """Show the command that makes the same file."""
    with st.expander("From the command line", icon=":material/terminal:"):
        st.code(command_line(plan, records, f"released.{kind}"), language="bash")
        if plan.draw.kind == controls.KEY:
            st.caption("The file key.txt contains only the key, without a line break.")
        st.download_button(
            "Scenario (JSON)",
            data=lambda: json.dumps(
                result.scenario.to_dict(), indent=1, ensure_ascii=False
            ).encode(),
            file_name="scenario.json",
            mime="application/json",
            key="release_scenario",
            on_click="ignore",
            icon=":material/download:",
        )
        if result.scenario.data.hashed:
            st.caption(
                "This scenario names your file by its SHA-256 hash. Anyone who guesses the file "
                "can confirm the guess, so keep the scenario private. The certificate does not "
                "contain the hash."
            )
