import csv
import io
import json
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from core import mechanisms as m
from core.joint import Joint
from core.notions import LIP
from core.scenario import Scenario, evaluate
from core.utilities import Guess
from pages.ui.parts import exports
from pages.ui.work import derived

JOINT = Joint.from_counts([[30, 10, 5], [10, 30, 15]], x_labels=["=1+1", "-b", "c"])
MECHANISM = m.watchdog(JOINT, LIP(0.4))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_cell_that_could_be_a_formula_is_made_text(start):
    assert exports.safe_cell(f"{start}cmd") == f"'{start}cmd"


@pytest.mark.parametrize("value", [-0.5, 3, "-0.5", "+1e-3", "plain", "a=b", "", None, np.nan])
def test_numbers_and_plain_text_stay(value):
    assert exports.safe_cell(value) is value


HOSTILE = [
    "x\r=1+1",
    "x\n=1+1",
    "x\r\n\t@sum(A1)",
    "x\u2028=1",
    "x\x85+1+1",
    " =1",
    "\u00a0=1",
    "\u200b=1",
    "\ufeff-1+1",
    "\x00=1",
    "＝1",
    "＋1+1",
    "－1+1",
    "＠a",
    '=HYPERLINK("http://a.example";"b")',
    "\t=1",
    "\r",
]


def begins_with_a_formula(text):
    """Say whether a spreadsheet may find a formula, by a route of its own: letter by letter."""
    at_start = True
    for char in text:
        if char in "=+-@＝＋－＠" and at_start:
            return True
        skipped = char.isspace() or unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}
        at_start = char in "\r\n\v\f\x85\u2028\u2029" or (at_start and skipped)
    return False


@pytest.mark.parametrize("cell", HOSTILE)
def test_no_line_of_a_cell_or_of_a_header_can_be_a_formula(cell):
    assert not begins_with_a_formula(exports.safe_cell(cell))
    written = exports.csv_bytes(pd.DataFrame({cell: [cell, "b"], "n": [1.0, -2.0]})).decode()
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert len(rows) == 3
    for read in (rows[0][0], rows[1][0]):
        assert not begins_with_a_formula(read)
        assert read.replace("'", "") == cell
    assert all(line.count('"') for line in written.split("\n") if "\r" in line)  # in quotes


@given(st.text(st.sampled_from("=+-@＝ \t\r\n\x85\u2028\u200b'a1")))
def test_no_text_at_all_can_be_a_formula(cell):
    safe = exports.safe_cell(cell)
    assert re.fullmatch(r"[+-]\d+", safe) or not begins_with_a_formula(safe)


@pytest.mark.parametrize("cell", HOSTILE)
def test_json_holds_every_label_as_it_is_and_on_one_line(cell):
    joint = Joint.from_counts([[30, 10, 5], [10, 30, 15]], x_labels=[cell, "-b", "c"])
    written = exports.mechanism_json(m.watchdog(joint, LIP(0.4)), joint.x_labels)
    assert json.loads(written)["x_labels"][0] == cell
    assert b"\r" not in written
    for line in written.decode().split("\n"):
        assert not line.strip().startswith(tuple("=+-@＝＋－＠"))


@pytest.mark.parametrize("value", ["-1+2", "+SUM(A1)", "-", "--1", "1,=2"])
def test_only_a_whole_number_counts_as_one(value):
    kept = exports.safe_cell(value)
    assert kept == (value if value.startswith("1") else f"'{value}")


def test_csv_reads_back_with_safe_headers_and_cells():
    frame = pd.DataFrame({"=x": ["@a", 'q"u,o'], "n": [-1.5, 2.0]})
    rows = list(csv.reader(io.StringIO(exports.csv_bytes(frame).decode())))
    assert rows == [["'=x", "n"], ["'@a", "-1.5"], ['q"u,o', "2.0"]]


def test_kernel_table_has_a_row_for_each_input():
    table = exports.kernel_table(MECHANISM, JOINT.x_labels)
    assert list(table["x"]) == ["=1+1", "-b", "c"]
    np.testing.assert_array_equal(table.drop(columns="x").to_numpy(), MECHANISM.kernel)


def test_rows_of_a_mechanism_that_reads_the_secret_name_it():
    result = evaluate(Scenario(mechanism="optimal_reading_secret", notion="ldp"))
    inputs = derived.inputs(result)
    joint, made = result.joint, result.mechanism
    assert inputs[0] == f"{joint.s_labels[0]}: {joint.x_labels[0]}"
    assert inputs[joint.n_x] == f"{joint.s_labels[1]}: {joint.x_labels[0]}"
    table = exports.kernel_table(made, inputs)
    assert list(table["x"]) == list(inputs)
    assert json.loads(exports.mechanism_json(made, inputs))["inputs"] == list(inputs)
    with np.load(io.BytesIO(exports.mechanism_npz(made, inputs)), allow_pickle=False) as archive:
        assert tuple(archive["inputs"]) == inputs
        assert len(archive["kernel"]) == len(inputs)


def test_json_and_npz_hold_the_kernel():
    content = json.loads(exports.mechanism_json(MECHANISM, JOINT.x_labels))
    np.testing.assert_array_equal(content["kernel"], MECHANISM.kernel)
    assert content["audited"] is True
    assert content["notion"] == "0.4-LIP"
    written = exports.mechanism_npz(MECHANISM, JOINT.x_labels)
    with np.load(io.BytesIO(written), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["kernel"], MECHANISM.kernel)
        assert tuple(archive["x_labels"]) == JOINT.x_labels


def test_json_has_information_in_nats_and_the_value_of_another_purpose_beside_it():
    made = m.optimal(JOINT, LIP(0.4), utility=Guess())
    content = json.loads(exports.mechanism_json(made, JOINT.x_labels))
    assert content["utility_nats"] == made.information != made.utility
    assert content["purpose"] == Guess.title
    assert content["purpose_value"] == made.utility
    assert content["purpose_upper_bound"] == made.upper_bound
    assert "upper_bound_nats" not in content


def test_parquet_holds_the_table_and_what_it_is_about():
    frame = pd.DataFrame({"x": ["=a", "b"], "mixed": ["a", 1], "n": [np.inf, 0.1], 3: [None, "c"]})
    about = {"data": "Adult", "notion": "LIP, ε = 0.5 nats"}
    table = parquet.read_table(io.BytesIO(exports.parquet_bytes(frame, about)))
    assert json.loads(table.schema.metadata[b"liftscope"]) == about
    assert table.to_pydict() == {
        "x": ["=a", "b"],
        "mixed": ["a", "1"],
        "n": [np.inf, 0.1],
        "3": [None, "c"],
    }


def test_a_mechanism_says_what_it_is_about():
    about = {"data": "Adult"}
    content = json.loads(exports.mechanism_json(MECHANISM, JOINT.x_labels, about))
    assert content["about"] == about
    archive = np.load(io.BytesIO(exports.mechanism_npz(MECHANISM, JOINT.x_labels, about)))
    assert json.loads(str(archive["about"])) == about


@pytest.mark.parametrize("waiting", [True, False])
def test_an_export_during_a_first_glance_says_so_on_screen_and_in_its_files(monkeypatch, waiting):
    made = {}
    monkeypatch.setattr(exports.answers, "is_refining", lambda _: waiting)
    monkeypatch.setattr(
        exports, "button", lambda label, _name, _mime, make, _key: made.update({label: make()})
    )
    app = AppTest.from_function(_contents_shown)
    app.run()
    assert not app.exception
    text = [item.value for item in app.caption if item.value.startswith("Provisional: ")]
    about = json.loads(made["JSON"])["about"]
    with np.load(io.BytesIO(made["NPZ"])) as archive:
        assert json.loads(str(archive["about"])) == about
    assert bool(text) == ("provisional" in about) == waiting


def _contents_shown():
    from core.scenario import Scenario
    from pages.ui.parts import exports

    exports.contents("here", Scenario(mechanism="watchdog"))


def test_who_exports_a_question_about_a_file_is_told_what_its_hash_gives_away(monkeypatch):
    monkeypatch.setattr(exports, "button", lambda *_: None)
    for shown, reported in ((_contents_shown, False), (_contents_of_a_matrix_shown, True)):
        app = AppTest.from_function(shown)
        app.run()
        assert not app.exception
        assert (exports.HASHED in [item.value for item in app.caption]) == reported
        for program in app.code:
            assert "matrix:" not in program.value


def _contents_of_a_matrix_shown():
    from core.data import DataSpec
    from core.scenario import Scenario
    from pages.ui.parts import exports
    from pages.ui.work import visits

    source = visits.sources().add_matrix("0.1 0.4\n0.3 0.2\n")
    data = DataSpec(source, (), ())
    exports.contents("here", Scenario(data=data, notion="lip", mechanism="watchdog"))


def _own_file_offered():
    from pages.ui.parts import exports
    from pages.ui.work import visits

    source = visits.sources().add_bytes(b"a,b\n1,x\n2,y\n", "own.csv")

    def make():
        return visits.sources().label(source).encode()

    exports.button("Save", "own.txt", "text/plain", make, "save")


def test_what_is_made_at_a_click_has_the_files_of_its_visit(monkeypatch):
    """Streamlit calls it on a thread of its own, where there is no session."""
    made = []
    monkeypatch.setattr("streamlit.download_button", lambda _, *, data, **__: made.append(data))
    app = AppTest.from_function(_own_file_offered).run()
    assert not app.exception
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(made[0]).result() == b"own.csv"


def test_json_has_a_row_of_the_kernel_a_line():
    text = exports.mechanism_json(MECHANISM, JOINT.x_labels).decode()
    lines = text.splitlines()
    first = lines.index(' "kernel": [') + 1
    assert [json.loads(line.rstrip(",")) for line in lines[first : first + JOINT.n_x]] == (
        MECHANISM.kernel.tolist()
    )
