"""The report of a comparison: every column, what differs, and no name of anybody's file."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pandas as pd
import plotly.graph_objects as go
import pytest

from core.data.spec import DataSpec, LeftOut
from core.release.sentences import caution_of
from core.scenario import Project, Scenario, evaluate
from core.studies.side_by_side import Column
from pages.ui import figures
from pages.ui.report.comparison import Picture, report
from pages.ui.report.document import NAMELESS
from pages.ui.style.units import share

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SMALL = DataSpec("random:uniform:3x5:0", (), ())
PROJECT = Project(
    tuple(Scenario(data=SMALL, notion=key, mechanism="watchdog") for key in ("lip", "ldp")),
    ("first & best", "second"),
    ("why *this*", ""),
)
TABLE = pd.DataFrame({"figure": ["LIP, nats"], "difference": [0.5], "first & best": [1.0]})


def columns():
    return [
        Column(name, scenario, evaluate(scenario), "", {})
        for scenario, name in zip(PROJECT.scenarios, PROJECT.names, strict=True)
    ]


def plain(text):
    return re.sub(r"<script>.*?</script>", "", text, flags=re.S)


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_it_has_every_column_what_differs_and_how_to_ask_again(unit):
    answer = columns()
    made = answer[0].result.mechanism
    chart = figures.mechanism_matrix(made.kernel, made.x_labels, made.y_labels)
    text = report(PROJECT, answer, TABLE, [Picture(chart, "P(y | x)", "a kernel")], unit, WHEN)
    message = plain(text)
    for piece in ("first &amp; best", "second", "why *this*", "2026-01-02 03:04 UTC", "LIP, nats"):
        assert piece in message
    for item in answer:
        assert share(item.result.mechanism.kept) in message
    assert f"I(X;Y), {unit}" in message
    (drawn,) = re.findall(r"const FIGURES = (\[.*?\]);\n", text, re.S)
    (only,) = json.loads(drawn)
    go.Figure(only)
    (again,) = re.findall(r"<pre>(.*?)</pre>", message, re.S)
    assert Project.from_json(again.replace("&quot;", '"').replace("&amp;", "&")) == PROJECT


def test_few_records_are_cautioned_of_beside_the_answer():
    sparse = DataSpec("adult", ("native-country",), ("occupation",))
    project = Project(tuple(Scenario(data=data, mechanism="identity") for data in (sparse, SMALL)))
    answer = [
        Column(name, scenario, evaluate(scenario), "", {})
        for scenario, name in zip(project.scenarios, ("a", "b"), strict=True)
    ]
    text = plain(report(project, answer, TABLE, [], "nats", WHEN))
    assert text.count("Few records: ") == 1
    assert caution_of(answer[0].result) in text


def test_a_column_without_an_answer_says_why_and_provisional_ones_are_named():
    failed = Column("second", PROJECT.scenarios[1], None, "It cannot be.", {})
    text = plain(
        report(PROJECT, [columns()[0], failed], TABLE, (), when=WHEN, provisional=["first & best"])
    )
    assert "It cannot be." in text
    assert "first &amp; best: " in text


def test_no_hash_of_an_upload_leaves_the_session():
    secret = "upload:" + "ab" * 32
    own = replace(PROJECT.scenarios[0], data=DataSpec(secret, ("s",), ("x",)))
    project = Project((own,), ("own",), files=((secret, "people.csv"),))
    text = report(project, [Column("own", own, None, "Not here.", {})], TABLE, (), when=WHEN)
    assert "abab" not in text
    assert "people.csv" not in text


def test_symbols_that_are_left_out_of_a_file_are_not_named():
    gone = (LeftOut(("x",), ("vanished",)),)
    for source in ("upload:" + "ab" * 32, "adult"):
        data = DataSpec(source, ("s",), ("x",), left_out=gone)
        own = replace(PROJECT.scenarios[0], data=data)
        project = Project((own,), ("own",))
        text = report(project, [Column("own", own, None, "Not here.", {})], TABLE, (), when=WHEN)
        # what is bundled everyone has
        assert (NAMELESS in text, "vanished" in text) == ((data.hashed != ""), source == "adult")


def test_levels_of_y_alone_are_said_to_be_that_where_something_is_known():
    request = replace(PROJECT.scenarios[0], data=DataSpec(known=("race",)))
    result = [Column("a", request, None, "", {})]
    text = plain(report(Project((request,), ("a",)), result, TABLE, [], "nats", WHEN))
    assert "levels of Y alone, for someone who does not know race" in text
    assert "levels of Y alone" not in plain(report(PROJECT, columns(), TABLE, [], "nats", WHEN))
