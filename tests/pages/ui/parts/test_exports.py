import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from core import mechanisms as m
from core.joint import Joint
from core.notions import LIP
from pages.ui.parts import exports

JOINT = Joint.from_counts([[30, 10, 5], [10, 30, 15]], x_labels=["=1+1", "-b", "c"])
MECHANISM = m.watchdog(JOINT, LIP(0.4))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_cell_that_could_be_a_formula_is_made_text(start):
    assert exports.safe_cell(f"{start}cmd") == f"'{start}cmd"


@pytest.mark.parametrize("value", [-0.5, 3, "-0.5", "+1e-3", "plain", "a=b", "", None, np.nan])
def test_numbers_and_plain_text_stay(value):
    assert exports.safe_cell(value) is value


@pytest.mark.parametrize("value", ["-1+2", "+SUM(A1)", "-", "--1", "1;=2"])
def test_only_a_whole_number_counts_as_one(value):
    kept = exports.safe_cell(value)
    assert kept == (value if value.startswith("1") else f"'{value}")


def test_csv_reads_back_with_safe_headers_and_cells():
    frame = pd.DataFrame({"=x": ["@a", 'q"u,o'], "n": [-1.5, 2.0]})
    rows = list(csv.reader(io.StringIO(exports.csv_bytes(frame).decode())))
    assert rows == [["'=x", "n"], ["'@a", "-1.5"], ['q"u,o', "2.0"]]


def test_kernel_table_has_a_row_for_each_input():
    table = exports.kernel_table(MECHANISM)
    assert list(table["x"]) == ["=1+1", "-b", "c"]
    np.testing.assert_array_equal(table.drop(columns="x").to_numpy(), MECHANISM.kernel)


def test_kernel_table_of_a_mechanism_that_reads_the_secret():
    made = m.conditional_reporting(JOINT, notion=LIP(1.0))
    table = exports.kernel_table(made)
    assert len(table) == JOINT.n_s * JOINT.n_x
    assert table["x"][3].endswith("(s2)")


def test_json_and_npz_hold_the_kernel():
    content = json.loads(exports.mechanism_json(MECHANISM))
    np.testing.assert_array_equal(content["kernel"], MECHANISM.kernel)
    assert content["audited"] is True
    assert content["notion"] == "0.4-LIP"
    with np.load(io.BytesIO(exports.mechanism_npz(MECHANISM)), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["kernel"], MECHANISM.kernel)
        assert tuple(archive["x_labels"]) == JOINT.x_labels
