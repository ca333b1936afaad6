"""The Release page through Streamlit's own test harness."""

import json
import shlex

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.data import Sources
from core.data.catalogue import FOLDER, bundled
from core.records import design
from core.records.draws import Keyed
from core.records.verifying import failed, verify
from pages.ui.parts import tables
from pages.ui.release import board, results
from pages.ui.style.labels import markdown
from pages.ui.work import own_release
from tests.core.records.makers import people, read, write
from tests.pages.test_explore import ROOT
from tests.pages.waiting import PATIENCE, finished

HEART = {"data": "heart_hungarian", "s": "sex", "x": "cp", "mech": "watchdog"}
SEED = str(2**100 + 7)
MARK = 'class="lsc-download"'
KEY = "a secret of many letters"


def opened(seed=SEED, **query):
    app = AppTest.from_file(ROOT / "pages/release.py", default_timeout=PATIENCE)
    for name, value in (HEART | query).items():
        app.query_params[name] = value
    if seed is not None:
        app.session_state["release_seed"] = seed
    return checked(app.run())


def checked(app):
    assert not app.exception
    return app


def made(app):
    return checked(app.button(key="release_make").click().run())


def link(app):
    """Return the address of the download."""
    (result,) = [item.proto.body for item in app.get("html") if MARK in item.proto.body]
    return result.split('href="')[1].split('"')[0]


def response_of(address):
    """Return the server's answer to a request for an address."""
    _, token, name = address.split("/")
    return own_release.send(
        Request({"type": "http", "path_params": {"token": token, "name": name}})
    )


def is_gone(address):
    with pytest.raises(HTTPException) as refused:
        response_of(address)
    return refused.value.status_code == 404


def written(app):
    return app.session_state["_visit"].release.made


def page_text(app):
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info, app.code)
    return "\n".join(item.value for kind in kinds for item in kind)


def test_it_opens_with_a_preview_and_a_seed_that_nobody_can_guess():
    app = AppTest.from_file(ROOT / "pages/release.py", default_timeout=PATIENCE)
    for name, value in HEART.items():
        app.query_params[name] = value
    checked(app.run())
    assert not app.error
    assert [item.value for item in app.warning] == []
    assert int(app.text_input(key="release_seed").value) > 2**64
    before, after = (item.value for item in app.dataframe)
    assert len(before) == len(after) == 50
    assert "cp" in after.columns
    assert "sex" in before.columns
    assert "sex" not in after.columns
    own = list(design.original(HEART["data"], Sources()).table.columns)
    assert list(before.columns) == own
    assert list(after.columns) == ["cp"]  # Y alone


def switches(app):
    """Return the switch of each column by its name."""
    mark = "release_keep: "
    return {item.key.removeprefix(mark): item for item in app.toggle if item.key.startswith(mark)}


def kept_by(app):
    """Return the columns whose switches are on."""
    return [name for name, item in switches(app).items() if item.value]


def test_each_column_has_a_switch_and_what_it_gives_away():
    app = opened()
    own = list(design.original(HEART["data"], Sources()).table.columns)
    assert set(switches(app)) == {name for name in own if name not in ("sex", "cp")}
    assert kept_by(app) == []
    assert "A release starts with Y alone" in "".join(text.help for text in app.markdown)
    assert "in this file" in page_text(app)
    assert not app.button(key="release_make").disabled
    assert not app.error


def test_a_column_that_breaks_the_promise_needs_a_deliberate_click():
    app = opened()
    app.toggle(key="release_keep: age").set_value(True).run()
    checked(app)
    assert app.query_params["stay"] in ("age", ["age"])
    assert "breaks" in app.error[0].value
    reported = app.error[0].value.replace("\\", "")
    assert "In this file, for these records: 'age' alone can rule out a value of sex" in reported
    assert "An attack that learns from other records guesses sex right for 7" in reported
    assert "of 294 records from Y and this column, compared with 72.4% without them." in reported
    assert app.button(key="release_make").disabled
    assert list(app.dataframe[1].value.columns) == ["age", "cp"]
    app.checkbox(key="release_agreed").set_value(True).run()
    app = made(checked(app))
    body = written(app).made.certificate
    assert body["released"]["columns"] == ["age", "cp"]
    assert body["promises"][0]["about"] == "the file"
    assert body["promises"][0]["status"] == "not promised"
    app.toggle(key="release_keep: chol").set_value(True).run()
    checked(app)
    assert app.checkbox(key="release_agreed").value is False  # it was said of other columns
    assert app.button(key="release_make").disabled
    for name in ("age", "chol"):
        app.toggle(key=f"release_keep: {name}").set_value(False).run()
    checked(app)
    assert not app.error
    assert "stay" not in app.query_params


def test_a_column_becomes_part_of_x():
    app = opened(stay="age")
    button = app.button(key="release_join: age")
    assert "Y then replaces cp and age together" in button.help.replace("\\", "")
    assert "up to 5 s" in button.help
    button.click().run()
    checked(app)
    assert not app.exception
    assert app.query_params["x"] == ["cp", "age"]
    assert "age" not in switches(app)
    assert kept_by(app) == []
    assert "stay" not in app.query_params


def test_a_column_beyond_those_with_a_row_has_one_once_it_is_kept(monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 2)
    app = opened()
    assert len(switches(app)) == 2
    app.multiselect(key="release_keep_others").set_value(["chol"]).run()
    checked(app)
    assert app.query_params["stay"] in ("chol", ["chol"])
    assert kept_by(app) == ["chol"]
    assert len(switches(app)) == 3
    assert "'chol' alone" in page_text(app).replace("\\", "")
    app.button(key="release_randomize: chol").click().run()
    checked(app)
    assert app.query_params["randomize"] in ("chol", ["chol"])
    assert "stay" not in app.query_params


def test_a_twin_of_s_and_an_identifier_are_marked(tmp_path):
    columns = people(400)
    columns["twin"] = [item.upper() for item in columns["sex"]]
    app, _ = with_upload(tmp_path, columns, stay="twin")
    reported = page_text(app).replace("\\", "")
    assert ":red[:material/warning: determines sex" in reported
    assert "is unique for 100% of records" in reported
    assert "determines sex" in app.error[0].value
    assert app.button(key="release_make").disabled


def test_a_link_that_kept_all_columns_opens_with_y_alone():
    app = opened(original="replaced")
    assert app.segmented_control(key="release_original").value == "chosen"
    assert list(app.dataframe[1].value.columns) == ["cp"]
    assert kept_by(app) == []


def test_the_columns_of_a_link_that_cannot_be_kept_are_named():
    app = opened(stay="sex")
    reported = " ".join(item.value for item in app.warning)
    assert "stay=sex, which is S, X or no column of this data" in reported
    assert kept_by(app) == []


def test_figures_that_are_not_there_yet_hold_the_release_back(monkeypatch, sweeps):
    monkeypatch.setattr(results, "QUICK", 0)
    app = opened(stay="age")
    assert app.button(key="columns_each_cancel")
    assert app.button(key="release_make").disabled
    app.button(key="columns_each_cancel").click().run()
    checked(app)
    assert app.button(key="columns_each_again")
    assert app.button(key="release_make").disabled
    app.button(key="columns_each_again").click().run()
    sweeps.finish_all()
    finished(app, lambda: bool(app.error))
    assert "breaks" in app.error[0].value


def test_an_attack_takes_its_time_elsewhere_and_holds_nothing_back(monkeypatch, sweeps):
    rows = design.original(HEART["data"], Sources()).rows
    monkeypatch.setattr(results, "QUICK", 20 * rows)  # counts are made in place
    stay = [name for name in switches(opened()) if name != "age"][:5]
    app = opened(stay=stay)
    assert app.button(key="columns_attack_cancel")
    assert "An attack" not in app.error[0].value
    assert app.checkbox(key="release_agreed")
    app.button(key="columns_attack_cancel").click().run()
    checked(app)
    app.button(key="columns_attack_again").click().run()
    sweeps.finish()
    finished(app, lambda: "An attack" in app.error[0].value)
    assert "from Y and these 5 columns, compared with" in app.error[0].value


def test_what_a_certificate_shows_is_said_before_there_is_one():
    assert board.DISCLOSED in [item.value for item in opened().caption]


def test_what_is_made_is_verified_and_downloaded_from_the_disk(tmp_path):
    app = made(opened())
    assert "slightly larger set of distributions than the levels at the truth" in page_text(app)
    result = written(app)
    sent = response_of(link(app))
    assert sent.path == result.path
    assert sent.headers["content-disposition"] == 'attachment; filename="released.csv"'
    target = tmp_path / "released.csv"
    target.write_bytes(result.path.read_bytes())
    text = json.dumps(result.made.certificate)
    checks = verify(text, target, FOLDER / "heart_hungarian.parquet", SEED)
    assert not failed(checks)
    assert all(item.passed for item in checks)
    reported = page_text(app)
    for promise in result.made.certificate["promises"]:
        assert markdown(promise["sentence"]) in reported
    assert result.made.certificate["original"]["commitment"] in reported
    assert SEED not in text
    name = markdown(bundled(HEART["data"]).title)  # which the sidebar shows
    assert f"How {name} is released" in reported
    assert f"With the original, {name} (in the command: " in reported


def test_the_command_on_the_page_makes_the_same_file(tmp_path, monkeypatch):
    app = made(opened(original="kept", unknown="drop", file="parquet"))
    (command,) = [code.value for code in app.code if "core release" in code.value]
    words = shlex.split(command.replace("\\\n", " "))
    monkeypatch.chdir(tmp_path)
    request = json.dumps(written(app).made.certificate["scenario"])
    (tmp_path / "scenario.json").write_text(request, encoding="utf-8")
    assert main(words[3:]) == 0
    assert (tmp_path / "released.parquet").read_bytes() == written(app).path.read_bytes()
    ours = json.loads((tmp_path / "certificate.json").read_text())
    assert ours == written(app).made.certificate


def test_a_permalink_opens_its_choices_and_holds_no_secret():
    app = opened(stay="chol", unknown="drop", file="parquet", draw="key", id="age")
    assert [item.value for item in app.warning] == []
    assert app.segmented_control(key="release_file").value == "parquet"
    assert app.selectbox(key="release_unknown").value == "drop"
    assert app.selectbox(key="release_id").value == "age"
    assert "Choose the column and enter a key" in page_text(app)
    app.text_input(key="release_key").set_value(KEY).run()
    checked(app)
    assert KEY not in repr(app.query_params)
    assert SEED not in repr(app.query_params)
    assert list(app.dataframe[1].value.columns) == ["cp", "chol"]
    assert kept_by(app) == ["chol"]


def test_what_a_link_has_wrong_is_told_and_falls_back():
    app = opened(original="<b>all</b>", unknown="nowhere", file="pdf", draw="key", id="passport")
    reported = " ".join(item.value for item in app.warning)
    for part in ("original=<b>all</b>", "unknown=nowhere", "file=pdf", "id=passport"):
        assert markdown(part) in reported
    assert app.segmented_control(key="release_original").value == "chosen"
    assert app.selectbox(key="release_unknown").value == "error"
    assert app.selectbox(key="release_id").value is None


@pytest.mark.parametrize("seed", ["", "-1", "seven", "1e3", str(2**256), "9" * 5_000])
def test_a_seed_that_is_none_is_one_sentence(seed):
    app = opened(seed=seed)
    assert len(app.error) == 1
    assert "seed" in app.error[0].value
    assert not app.dataframe
    assert not [item for item in app.button if item.key == "release_make"]


def test_a_small_seed_is_warned_of():
    assert "small enough to guess" in page_text(opened(seed="0"))


def test_a_short_key_is_one_sentence():
    app = opened(draw="key", id="age")
    app.text_input(key="release_key").set_value("short").run()
    checked(app)
    assert "at least 16 bytes, got 5" in app.error[0].value


def test_a_joint_without_records_cannot_be_released():
    app = opened(data="example:parity", s="", x="")
    assert "joint distribution without records" in app.error[0].value


def test_a_set_of_two_files_is_released_as_one():
    app = made(opened(data="adult_all", s="sex", x="education"))
    result = written(app)
    assert result.made.applied.released == 48_842
    assert result.made.certificate["original"]["records"] == 48_842
    assert any("scenario.json adult_all released" in code.value for code in app.code)


def with_upload(tmp_path, columns, **query):
    """Open the page about an uploaded file."""
    app = AppTest.from_file(ROOT / "pages/release.py", default_timeout=PATIENCE)
    path = write(columns, tmp_path / "people.csv")
    checked(app.run())
    own = app.session_state["_visit"].sources
    source = own.add_file(path)
    app.session_state["release_seed"] = SEED
    for name, value in (HEART | {"data": source, "s": "sex", "x": "town"} | query).items():
        app.query_params[name] = value
    return checked(app.run()), path


def test_a_missing_value_is_an_error_with_its_count_or_taken_for_a_level(tmp_path):
    columns = people(300)
    columns["town"][250] = columns["town"][251] = None
    app, path = with_upload(tmp_path, columns, missing="drop")
    app = made(app)
    assert "2 records cannot be released" in app.error[0].value.replace("\\", "")
    assert written(app) is None
    app.selectbox(key="release_unknown").set_value("Köln").run()
    app = made(checked(app))
    assert "2 records with unknown or missing values taken as" in page_text(app)
    assert written(app).made.applied.released == 300
    app.selectbox(key="release_unknown").set_value("drop").run()
    app = made(checked(app))
    assert len(read(written(app).path)["town"]) == 298
    assert not failed(
        verify(json.dumps(written(app).made.certificate), written(app).path, path, SEED)
    )


def test_who_saves_the_question_is_told_what_the_hash_in_it_gives_away(tmp_path):
    reported = "names your file by its SHA-256 hash."
    app, _ = with_upload(tmp_path, people(60))
    assert reported in page_text(app)
    assert reported not in page_text(opened())


def test_it_says_how_missing_values_count(tmp_path):
    columns = people(300)
    columns["town"][2] = columns["town"][7] = columns["sex"][9] = None
    app, _ = with_upload(tmp_path, columns)
    field = app.selectbox(key="release_unknown")
    assert field.label == "Records with an unexpected value"
    reported = page_text(app).replace("\\", "")
    assert (
        "Missing values are a level like any other, (missing): 1 record of 'sex' and 2 records of "
        "'town'." in reported
    )
    before, after = (item.value for item in app.dataframe)
    assert list(before.columns) == list(columns)
    assert list(after.columns) == ["town"]
    assert len(after) == 50
    assert [item.value for item in app.warning] == []
    columns = people(60)
    app, _ = with_upload(tmp_path, columns)
    assert "Missing values" not in page_text(app)  # there are none
    columns["town"][5] = columns["town"][6] = "NA"
    app, _ = with_upload(tmp_path, columns)
    reported = page_text(app).replace("\\", "")
    assert "'NA' in 'town' is taken for a level: 2 records." in reported
    columns["town"][4] = None
    app, _ = with_upload(tmp_path, columns, missing="drop")
    field = app.selectbox(key="release_unknown")
    assert field.label == "Records with a missing or unexpected value"
    assert "Missing values were not counted: 1 record here" in page_text(app).replace("\\", "")


def test_a_keyed_release_is_the_same_again_and_needs_distinct_ids(tmp_path):
    app, _ = with_upload(tmp_path, people(300), draw="key", id="id")
    app.text_input(key="release_key").set_value(KEY).run()
    app = made(checked(app))
    first = read(written(app).path)
    certificate = json.dumps(written(app).made.certificate)
    assert KEY not in certificate
    assert written(app).made.certificate["draw"]["commitment"] == (
        Keyed(KEY.encode(), "id").commitment
    )
    app.segmented_control(key="release_original").set_value("kept").run()
    app = made(checked(app))
    assert read(written(app).path)["released town"] == first["town"]
    app.selectbox(key="release_id").set_value("note").run()
    app = made(checked(app))
    assert "a distinct id for each" in app.error[0].value


def test_a_second_visit_shows_the_file_until_something_changes():
    app = made(opened())
    address = link(app)
    checked(app.run())
    assert link(app) == address
    app.segmented_control(key="release_original").set_value("kept").run()
    checked(app)
    assert not [item for item in app.get("html") if MARK in item.proto.body]
    app = made(app)
    assert link(app) != address
    assert is_gone(address)


def test_the_previous_file_of_an_upload_is_of_the_same_question(tmp_path):
    app, _ = with_upload(tmp_path, people(60))
    app = made(app)
    app.text_input(key="release_seed").set_value(str(2**90)).run()
    assert "belongs to other choices" in page_text(checked(app))


def test_files_go_with_their_session():
    app = made(opened())
    path, address = written(app).path, link(app)
    assert path.exists()
    app.session_state["_visit"].release.files.clear()
    assert not path.exists()
    assert is_gone(address)
    checked(app.run())
    assert app.button(key="release_make")
    assert "The previous file is gone" in page_text(app)
    assert "The seed above drew it" in page_text(app)
    again = made(app)
    assert written(again).path.exists()
    assert "is gone" not in page_text(again)


def test_long_work_is_done_elsewhere_and_can_be_cancelled(monkeypatch, sweeps):
    app = opened()  # other columns are counted in place
    monkeypatch.setattr(results, "QUICK", 0)
    made(app)
    assert app.button(key="release_cancel")
    app.button(key="release_cancel").click().run()
    assert "No file was written" in page_text(checked(app))
    app.button(key="release_again").click().run()
    checked(app)
    sweeps.finish()
    finished(app, lambda: written(app) is not None)
    assert written(app).made.applied.released == 294
