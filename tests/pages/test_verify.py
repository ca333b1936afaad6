"""Verify on the Release page: what the checks of dropped files found, and what stays of them."""

import json

import pytest

from pages.ui.release import verify
from pages.ui.style.labels import markdown
from tests.pages.test_release import SEED, checked, made, opened, said, written

FIELDS = {"certificate": "application/json", "released": "text/csv"}


@pytest.fixture(scope="module")
def release():
    """Return a certificate and its released file."""
    found = written(made(opened()))
    return json.dumps(found.made.certificate).encode(), found.path.read_bytes()


def dropped(certificate, released, **more):
    """Drop a certificate and a released file, with what else is known, and press Verify."""
    app = opened()
    for (name, mime), content in zip(FIELDS.items(), (certificate, released), strict=True):
        ending = "json" if name == "certificate" else "csv"
        file = (f"{name}.{ending}", content, mime)
        app.file_uploader(key=f"verify_{name}").set_value(file)
    for name, value in more.items():
        app.text_input(key=f"verify_{name}").set_value(value)
    app.run()
    return checked(app.button(key="verify_start").click().run())


def test_nothing_can_be_checked_before_both_files_are_there():
    assert opened().button(key="verify_start").disabled


def test_the_files_of_a_release_pass_and_what_needs_the_original_is_named(release):
    app = dropped(*release)
    assert not app.error
    told = said(app)
    assert "No check failed." in told
    assert markdown("The certificate is as it was written.") in told
    assert markdown("The original was not given, so this could not be checked.") in told


def test_a_changed_file_fails_in_words(release):
    certificate, content = release
    app = dropped(certificate, content.replace(b"\n", b"\n\n", 1))
    assert "failed." in app.error[0].value
    assert "is not the released file of the certificate" in said(app)


def test_what_is_no_certificate_is_refused_in_a_sentence(release):
    app = dropped(b"{}", release[1])
    assert len(app.error) == 1
    assert "certificate" in app.error[0].value


def test_files_and_seed_are_gone_once_the_checks_are_made_and_no_address_has_the_seed(release):
    app = dropped(*release, seed=SEED)
    last = app.session_state[verify._LAST]
    assert last.checks
    assert last.seed is None
    assert not last.released.exists()
    assert SEED not in repr(app.query_params)
