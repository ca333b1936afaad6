"""Verify in the browser: a certificate and its files are dropped, checked, and then removed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import verify_release
from core.records.checking.check import Check
from core.records.verifying import failed, unproven
from core.wording import number_of
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import LongAnswer
from pages.ui.work.own_release import ReleasedFiles

LIMIT = 900.0
"""Seconds that the checks may take: the scenario is answered again to check its proof."""

QUICK = 2_000_000
"""Bytes of a released file up to which it is checked in place, where nothing else is given."""

MARKS = {True: ":green[:material/check_circle:]", False: ":red[:material/cancel:]"}
"""Marks of checks that hold and that fail."""

OPEN = ":gray[:material/help:]"
"""The mark of what was not checked."""

_LAST = "_verify"


@dataclass(eq=False)
class Dropped:
    """What was dropped last, its work's name, and what the checks found; `files` go with it."""

    certificate: str
    released: Path
    original: Path | None
    seed: str | None
    files: ReleasedFiles
    name: str = field(default_factory=lambda: secrets.token_hex(16))
    checks: Sequence[Check] | None = None
    error: str = ""

    @property
    def work(self) -> LongAnswer[list[Check]]:
        """The checks, in another process; no other session can ask for them."""
        return LongAnswer(
            DataSpec(),
            ("verify", self.name),
            verify_release,
            lambda: (self.certificate, self.released, self.original, self.seed),
            LIMIT,
            keep=False,
        )

    def end(self) -> None:
        """Remove the files and forget the seed: only what was found stays."""
        for path in filter(None, (self.released, self.original)):
            path.unlink(missing_ok=True)
        self.seed = None


@st.fragment
def show() -> None:
    """Show the fields, and what the checks of the last files found."""
    with st.expander("Verify a release", icon=":material/fact_check:", key="verify"):
        st.caption(
            "Drop a certificate and the released file. The owner can add the original and the "
            "seed to recompute the data, the levels and every draw. Nothing is kept after this "
            "page closes."
        )
        left, right = st.columns(2)
        with left:
            certificate = st.file_uploader("Certificate (JSON)", ["json"], key="verify_certificate")
            released = st.file_uploader("Released file", key="verify_released")
        with right:
            original = st.file_uploader("Original (optional)", key="verify_original")
            seed = st.text_input(
                "Seed (optional)",
                key="verify_seed",
                type="password",
                autocomplete="off",
                max_chars=80,
            )
        wanted = st.button(
            "Verify",
            icon=":material/fact_check:",
            type="primary",
            key="verify_start",
            disabled=certificate is None or released is None,
        )
        if wanted and certificate is not None and released is not None:
            _begin(certificate, released, original, seed.strip() or None)
        last: Dropped | None = st.session_state.get(_LAST)
        if last is not None:
            _outcome(last)


def _begin(
    certificate: UploadedFile,
    released: UploadedFile,
    original: UploadedFile | None,
    seed: str | None,
) -> None:
    """Take the files that were dropped, in place of those before."""
    files = ReleasedFiles()
    text = certificate.getvalue().decode("utf-8", "replace")
    st.session_state[_LAST] = Dropped(
        text,
        _written(files, "released", released),
        None if original is None else _written(files, "original", original),
        seed,
        files,
    )


def _written(files: ReleasedFiles, stem: str, file: UploadedFile) -> Path:
    """Write a file that was dropped to the folder of its own; return where."""
    ending = re.search(r"(\.[a-z0-9]{1,8}){1,2}$", file.name.lower())
    path = files.folder / f"{stem}{ending[0] if ending else ''}"
    path.write_bytes(file.getbuffer())
    return path


def _outcome(last: Dropped) -> None:
    """Show what the checks found, or the work on them."""
    if last.checks is None and not last.error:
        try:
            found = _checked(last)
        except CoreError as error:
            last.error = str(error)
            last.end()
        else:
            if isinstance(found, Job):
                progress.follow(
                    found, "Checking", limit=LIMIT, key="verify_cancel", on_cancel=last.work.stop
                )
                return
            last.checks = found
            last.end()
    if last.error:
        st.error(markdown(last.error), icon=":material/error:")
        return
    checks = last.checks or ()
    if wrong := failed(checks):
        st.error(f"{number_of(len(wrong), 'check')} failed.", icon=":material/gpp_bad:")
    elif left := unproven(checks):
        names = ", ".join(one.name.removeprefix("promised: ") for one in left)
        st.info(
            f"No check failed. Not everything could be checked: {markdown(names)}.",
            icon=":material/gpp_maybe:",
        )
    else:
        st.success("All checks passed.", icon=":material/verified_user:")
    lines = [
        f"- {OPEN if one.passed is None else MARKS[one.passed]} **{markdown(one.name)}**: "
        f"{markdown(one.sentence)}"
        for one in sorted(checks, key=lambda one: {False: 0, True: 1, None: 2}[one.passed])
    ]
    with st.container(key="verify_checks"):
        st.markdown("\n".join(lines))


def _checked(last: Dropped) -> list[Check] | Job[list[Check]]:
    """Return the checks, or the job at work on them."""
    work = last.work
    if last.original is None and last.released.stat().st_size <= QUICK:
        return verify_release(
            last.certificate, last.released, None, last.seed, report=lambda _: None
        )
    long_answer.await_only("verify", [work])
    return work.ask()
