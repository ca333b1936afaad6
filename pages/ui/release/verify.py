"""Verify in the browser: a certificate and its files are dropped, checked, and then removed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import verify_release
from core.records.checking.check import Check
from core.records.verifying import drawn_by, failed, unproven
from core.wording import file_called, number_of
from pages.ui.release.controls import KEY, SEED
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import QUARTER, LongAnswer
from pages.ui.work.own_release import ReleasedFiles

QUICK = 2_000_000
"""Bytes of a released file up to which it is checked in place, where nothing else is given."""

MARKS = {True: ":green[:material/check_circle:]", False: ":red[:material/cancel:]"}
"""Marks of checks that hold and that fail."""

OPEN = ":gray[:material/help:]"
"""The mark of what was not checked."""

SECRETS = {"": "Seed or key", SEED: "Seed", KEY: "Key"}
"""What the owner alone has, by what a release was drawn by."""

LONGEST = 255
"""Bytes of the longest file name that common file systems take."""

_LAST = "_verify"


@dataclass(eq=False)
class Dropped:
    """What was dropped last, its work's name, and what the checks found; `files` go with it.

    `uploads`: which files of the page's fields these are.
    """

    certificate: str
    released: Path
    original: Path | None
    seed: str | None
    key: bytes | None
    files: ReleasedFiles
    uploads: tuple[str, ...]
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
            lambda: (self.certificate, self.released, self.original, self.seed, self.key),
            QUARTER,
            keep=False,
        )

    def end(self) -> None:
        """Remove the files and forget the secret: only what was found stays."""
        for path in filter(None, (self.released, self.original)):
            path.unlink(missing_ok=True)
        self.seed = self.key = None


@st.fragment
def show() -> None:
    """Show the fields, and what the checks of the last files found."""
    with st.expander("Verify a release", icon=":material/fact_check:", key="verify"):
        st.caption(
            "Drop a certificate and the released file. The owner can add the original and the "
            "seed or key to recompute the data, the levels and every draw. Nothing is kept after "
            "this page closes."
        )
        left, right = st.columns(2)
        with left:
            certificate = st.file_uploader("Certificate (JSON)", ["json"], key="verify_certificate")
            released = st.file_uploader("Released file", key="verify_released")
        with right:
            original = st.file_uploader("Original (optional)", key="verify_original")
            kind = _kind(certificate)
            secret = st.text_input(
                f"{SECRETS[kind]} (optional)",
                key="verify_secret",
                type="password",
                autocomplete="off",
                live="0ms",  # each letter counts at once: Tab goes to the field's own button
                on_change="ignore",
            )
        wanted = st.button(
            "Verify",
            icon=":material/fact_check:",
            type="primary",
            key="verify_start",
            disabled=certificate is None or released is None,
        )
        if wanted and certificate is not None and released is not None:
            _begin(certificate, released, original, kind, secret)
        last: Dropped | None = st.session_state.get(_LAST)
        if last is not None and last.uploads == _uploads(certificate, released, original):
            _outcome(last)
        elif last is not None:
            long_answer.await_only("verify", [])  # it is about other files


def _kind(certificate: UploadedFile | None) -> str:
    """Return what a certificate's release was drawn by; "" where there is none yet."""
    if certificate is None:
        return ""
    try:
        return drawn_by(_text(certificate))
    except CoreError:  # Verify says what is wrong
        return ""


def _text(certificate: UploadedFile) -> str:
    return certificate.getvalue().decode("utf-8", "replace")


def _uploads(*files: UploadedFile | None) -> tuple[str, ...]:
    """Return the server's own names of the uploads in the fields, "" for none."""
    return tuple("" if file is None else file.file_id for file in files)


def _begin(
    certificate: UploadedFile,
    released: UploadedFile,
    original: UploadedFile | None,
    kind: str,
    secret: str,
) -> None:
    """Take the files that were dropped, in place of those before."""
    files = ReleasedFiles()
    by_key = kind == KEY
    st.session_state[_LAST] = Dropped(
        _text(certificate),
        _written(files, "released", released),
        None if original is None else _written(files, "original", original),
        None if by_key else secret.strip() or None,
        secret.encode() or None if by_key else None,
        files,
        _uploads(certificate, released, original),
    )


def _written(files: ReleasedFiles, which: str, file: UploadedFile) -> Path:
    """Write a file that was dropped under its own name, which a certificate has; return where."""
    name = file_called(PurePosixPath(file.name.replace("\\", "/")).name)
    if not name.strip(". ") or len(os.fsencode(name)) > LONGEST:
        name = which
    path = files.folder / which / name
    path.parent.mkdir()
    path.write_bytes(file.getbuffer())
    return path


def _outcome(last: Dropped) -> None:
    """Show what the checks found, or the work on them."""
    if last.checks is None and not last.error:
        try:
            outcome = _checked(last)
        except CoreError as error:
            last.error = str(error)
            last.end()
        else:
            if isinstance(outcome, Job):
                progress.follow(
                    outcome,
                    "Checking",
                    limit=QUARTER,
                    key="verify_cancel",
                    on_cancel=last.work.stop,
                )
                return
            last.checks = outcome
            last.end()
    if last.error:
        st.error(markdown(last.error), icon=":material/error:")
        return
    checks = last.checks or ()
    open_ = [check for check in checks if check.passed is None]
    some = f"{len(open_)} of {len(checks)} could not be made: see the list."
    if wrong := failed(checks):
        st.error(f"{number_of(len(wrong), 'check')} failed.", icon=":material/gpp_bad:")
    elif unproven(checks):
        st.info(f"No check failed; {some}", icon=":material/gpp_maybe:")
    elif open_:
        st.success(f"No check failed; {some}", icon=":material/verified_user:")
    else:
        st.success("All checks passed.", icon=":material/verified_user:")
    alike: dict[tuple[bool | None, str], list[str]] = {}
    for check in sorted(checks, key=lambda check: {False: 0, None: 1, True: 2}[check.passed]):
        alike.setdefault((check.passed, check.sentence), []).append(check.name)
    lines = [
        f"- {OPEN if passed is None else MARKS[passed]} **{markdown(', '.join(names))}**: "
        f"{markdown(sentence)}"
        for (passed, sentence), names in alike.items()
    ]
    with st.container(key="verify_checks"):
        st.markdown("\n".join(lines))


def _checked(last: Dropped) -> list[Check] | Job[list[Check]]:
    """Return the checks, or the job at work on them."""
    work = last.work
    if last.original is None and last.released.stat().st_size <= QUICK:
        return verify_release(last.certificate, last.released, None, last.seed, last.key)
    long_answer.await_only("verify", [work])
    return work.ask()
