"""Verify on the Release page: what the checks of dropped files found, and what stays of them."""

import json

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from pages.ui.release import verify
from pages.ui.style.labels import markdown
from pages.ui.work import own_release
from tests.core.records.makers import people
from tests.pages.test_release import (
    KEY,
    SEED,
    checked,
    made,
    opened,
    page_text,
    with_upload,
    written,
)

FIELDS = {"certificate": "application/json", "released": "text/csv"}


@pytest.fixture(scope="module")
def release():
    """Return a certificate and its released file."""
    result = written(made(opened()))
    return json.dumps(result.made.certificate).encode(), result.path.read_bytes()


def dropped(certificate, released, app=None, original=None, **more):
    """Drop a certificate and a released file, with what else is known, and press Verify."""
    app = app or opened()
    for (name, mime), content in zip(FIELDS.items(), (certificate, released), strict=True):
        ending = "json" if name == "certificate" else "csv"
        file = (f"{name}.{ending}", content, mime)
        app.file_uploader(key=f"verify_{name}").set_value(file)
    if original is not None:
        app.file_uploader(key="verify_original").set_value((*original, "text/csv"))
    for name, value in more.items():
        app.text_input(key=f"verify_{name}").set_value(value)
    app.run()
    return checked(app.button(key="verify_start").click().run())


def test_nothing_can_be_checked_before_both_files_are_there():
    assert opened().button(key="verify_start").disabled


def test_the_files_of_a_release_pass_and_what_needs_the_original_is_named(release):
    app = dropped(*release)
    assert not app.error
    reported = page_text(app)
    checks = app.session_state[verify._LAST].checks
    (listed,) = [item.value for item in app.markdown if verify.OPEN in item.value]
    open_ = [check for check in checks if check.passed is None]
    named = [line for line in listed.splitlines() if line.startswith(f"- {verify.OPEN}")]
    assert sum(line.split("**")[1].count(",") + 1 for line in named) == len(open_) > 4
    assert f"No check failed; {len(open_)} of {len(checks)} could not be made" in reported
    assert markdown("The certificate is as it was written.") in reported
    assert markdown("The original was not given, so this was not checked.") in reported


def test_a_changed_file_fails_in_words(release):
    certificate, content = release
    app = dropped(certificate, content.replace(b"\n", b"\n\n", 1))
    assert "failed." in app.error[0].value
    assert "is not the released file that the certificate describes" in page_text(app)


def test_a_verdict_goes_with_the_files_it_is_about(release):
    certificate, content = release
    app = dropped(certificate, content.replace(b"\n", b"\n\n", 1))
    assert app.error
    app.file_uploader(key="verify_released").set_value(("released.csv", content, "text/csv"))
    checked(app.run())
    assert not app.error
    assert "is not the released file" not in page_text(app)


@pytest.mark.parametrize("by", ["seed", "key"])
def test_the_owner_s_own_file_and_secret_have_every_check_hold(tmp_path, monkeypatch, by):
    monkeypatch.setattr(verify.LongAnswer, "ask", verify.LongAnswer.here)
    app, path = with_upload(tmp_path, people(40), draw=by, id="id")
    if by == "key":
        app.text_input(key="release_key").set_value(KEY).run()
    result = written(made(app))
    assert f"With the original, {markdown(path.name)}, and the {by}" in page_text(app)
    certificate = json.dumps(result.made.certificate).encode()
    dropped(
        certificate,
        result.path.read_bytes(),
        app,
        original=(path.name, path.read_bytes()),
        secret=SEED if by == "seed" else KEY,
    )
    assert app.text_input(key="verify_secret").label == f"{by.title()} (optional)"
    assert "All checks passed." in [item.value for item in app.success]
    assert markdown("people.csv is the original file, byte by byte.") in page_text(app)
    last = app.session_state[verify._LAST]
    assert last.seed is None
    assert last.key is None
    assert not last.original.exists()


@pytest.mark.parametrize("name", ["", "..", "a/..", "𝒳" * 80, "a\x00"])
def test_a_name_that_no_file_can_have_is_replaced(name):
    files = own_release.ReleasedFiles()
    file = UploadedFile(UploadedFileRec("1", name, "", b"y"), FileURLs())
    path = verify._written(files, "released", file)
    assert path.read_bytes() == b"y"
    assert path.parent == files.folder / "released"


def test_what_is_no_certificate_is_refused_in_a_sentence(release):
    app = dropped(b"{}", release[1])
    assert len(app.error) == 1
    assert "certificate" in app.error[0].value


def test_files_and_seed_are_gone_once_the_checks_are_made_and_no_address_has_the_seed(release):
    app = dropped(*release, secret=SEED)
    last = app.session_state[verify._LAST]
    assert last.checks
    assert last.seed is None
    assert not last.released.exists()
    assert SEED not in repr(app.query_params)
