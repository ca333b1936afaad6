"""Compare through Streamlit's own test harness: the columns, what is done with them, and links."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core import clock
from core.data.spec import DataSpec
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.notions.entry import FAMILIES
from core.scenario import Project, Scenario, evaluate, spans
from core.scenario.presets import standard
from core.scenario.snippet import snippet
from pages.ui.compare import charts
from pages.ui.frame import pickers, pins
from pages.ui.parts import key_figures
from pages.ui.style import units
from tests.pages import sent
from tests.pages.comparing import PAIR, QUICK, SMALL, kept, open_, opened, pinned, share, text
from tests.pages.picking import chosen, keys, pick


@pytest.fixture(autouse=True)
def _no_sweeps(sweeps):
    """Hold the work on frontiers: no test here is about them but one."""
    return sweeps


def test_it_opens_with_three_promises_on_the_data_at_once_and_without_an_error():
    app = opened()
    assert not app.exception
    assert not app.error
    assert not app.warning
    request = standard(Scenario())
    assert kept(app)[:2] == [share(item) for item in request.scenarios[:2]]
    assert len(kept(app)) == 3
    assert [app.slider(key=f"col{i}_eps_nats").value for i in range(3)] == [1.0, 1.0, 1.0]
    assert app.segmented_control(key="reading_choice").value == "markov"
    assert "All three mechanisms read X alone (S – X – Y)." in text(app)
    assert pinned(app) is None


@pytest.mark.usefixtures("solves")
def test_rldps_first_glance_keeps_much_of_x_however_busy_the_machine_and_is_marked():
    """A search whose time is over at once answers with a start."""
    with clock.using(clock.Ticking(1.0)):
        app = opened()
    assert not app.exception
    assert float(kept(app)[2].strip("≥ %")) > 80
    assert sent.answers(app)["figures_2"]["badge"][0] == "quick estimate, not final"
    with clock.using(clock.Ticking(1.0)):
        app.segmented_control(key="reading_choice").set_value("pair").run()
    assert float(kept(app)[2].strip("≥ %")) > 65
    assert sent.answers(app)["figures_2"]["badge"][0] == "quick estimate, not final"


def test_the_common_budget_has_one_answer_in_words_figures_and_chart_wherever_it_is_dragged():
    app = opened(scenario=Scenario(data=SMALL))
    for eps in (0.0, 0.05, 3.85, 8.0):
        app.slider(key="eps").set_value(eps).run()
        assert not app.exception
        assert not app.error
        reported, drawn = sent.answers(app), sent.charts(app)[charts.FRONTIER]
        points = json.loads(drawn["data"])[-drawn["tail"] :]
        assert len(points) == 3
        for place, point in enumerate(points):
            assert point["x"] == [eps]
            (_, number, most), *_ = reported[f"figures_{place}"]["figures"]
            (sentence,) = reported[f"outcome_{place}"]["sentences"]
            assert sentence == f"keeps {number}; {most} is possible"
            waits = reported[f"figures_{place}"]["badge"][0] == "quick estimate, not final"
            text = key_figures.at_least(units.share(point["y"][0]), provisional=waits)
            assert text == number


def test_the_other_reading_asks_all_three_of_the_pair():
    app = opened(scenario=Scenario(data=SMALL))
    app.segmented_control(key="reading_choice").set_value("pair").run()
    assert not app.exception
    assert not app.error
    lip = standard(Scenario(data=SMALL), "pair").scenarios[0]
    assert kept(app)[0] == share(lip)
    assert "the pair X = (S, U)" in text(app)
    assert kept(opened(scenario=Scenario(data=SMALL), reading="pair"))[0] == share(lip)


def test_few_records_are_cautioned_of_in_their_column():
    sparse = DataSpec("adult", ("native-country",), ("occupation",))
    project = Project(
        tuple(Scenario(data=data, mechanism="identity") for data in (sparse, SMALL)), ("a", "b")
    )
    app = opened(project=project)
    assert not app.exception
    assert text(app).count("Few records: ") == 1


def test_data_whose_secret_is_released_is_read_so():
    app = opened(scenario=Scenario(data=PAIR))
    assert not app.error
    assert app.segmented_control(key="reading_choice").value == "pair"


def test_the_sidebars_eps_is_that_of_all_columns_until_one_is_changed():
    app = opened(scenario=Scenario(data=SMALL))
    app.slider(key="eps").set_value(0.5).run()
    assert [app.slider(key=f"col{i}_eps_nats").value for i in range(3)] == [0.5, 0.5, 0.5]
    app.slider(key="col1_eps_nats").set_value(2.0).run()
    assert [item.eps for item in pinned(app).scenarios] == [0.5, 2.0, 0.5]
    assert "eps" not in [slider.key for slider in app.slider]
    request = pinned(app).scenarios
    assert kept(app)[:2] == [share(item) for item in request[:2]]


def test_a_permalink_opens_its_columns():
    app = opened(project=QUICK.noted(1, "why *this*"))
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert kept(app) == [share(item) for item in QUICK.scenarios]
    assert "why *this*" in text(app)
    table = app.dataframe[-1].value
    assert list(table.columns) == ["figure", "difference", *QUICK.names]
    assert app.dataframe[-1].proto.row_height == 35  # one line
    lip = table[table["figure"] == "LIP, nats"].iloc[0]
    levels = [evaluate(item).after.achieved["lip"] for item in QUICK.scenarios]
    assert [lip[name] for name in QUICK.names] == pytest.approx(levels, abs=1e-6)
    assert lip["difference"] == pytest.approx(max(levels) - min(levels), abs=2e-6)


def test_a_bad_permalink_is_told_and_keeps_what_is_good():
    app = opened(
        col=[
            "name=a&data=random:uniform:3x5:0&s=&x=&mech=watchdog&eps=99",
            "notion=mood&limit=600",
        ],
        reading="upside down",
    )
    assert not app.exception
    reported = " ".join(warning.value for warning in app.warning).replace("\\", "")
    assert "Column 1: The link has eps=99" in reported
    assert "Column 2: The link has notion=mood, which is not known" in reported
    assert "Column 2: The link has limit=600, and a link may ask for at most 60 s" in reported
    assert "reading=upside down, which is not known" in reported
    assert [item.eps for item in pinned(app).scenarios] == [1.0, 1.0]
    assert len(kept(app)) == 2


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(data=SMALL, eps=0.0, mechanism="watchdog"),
        Scenario(data=SMALL, eps=8.0, lam=1.0, mechanism="watchdog"),
        Scenario(data=SMALL, lam=0.0, mechanism="subset_merging"),
        Scenario(data=DataSpec("random:uniform:2x2:0", (), ()), mechanism="watchdog"),
        Scenario(data=replace(SMALL, source="random:uniform:4x400:1"), mechanism="watchdog"),
        Scenario(data=SMALL, mechanism="identity"),
    ],
)
def test_extremes_are_shown(scenario):
    project = Project((scenario, replace(scenario, notion="lip")), ("figure", "<b>x</b>"))
    app = opened(project=project)
    assert not app.exception
    assert not app.error
    assert kept(app)[0] in (share(scenario), ">99.9%")
    assert "figure (column)" in app.dataframe[-1].value.columns


def test_an_error_of_the_data_that_all_columns_share_is_said_once():
    app = opened(s="nope", x="income")
    assert not app.exception
    (error,) = app.error
    assert "has no column 'nope'" in error.value.replace("\\", "")
    app.button(key="compare_way_0").click().run()
    assert not app.error
    assert len(kept(app)) == 3


def test_one_column_without_an_answer_leaves_the_others_theirs():
    project = Project((QUICK.scenarios[0], Scenario(data=SMALL, notion="rldp")))
    app = opened(project=project)
    assert not app.exception
    assert len(kept(app)) == 1
    assert "RLDP protects S when S is released" in app.error[0].value.replace("\\", "")
    page = list(app.main)
    (sliders,) = (item for item in app.slider if item.key == "col1_eps_nats")
    assert page.index(app.error[0]) < page.index(sliders)  # in sight, with what can be done
    app.button(key="remedy_1_markov").click().run()
    assert pinned(app).scenarios[1].notion == "robust_ldp"
    assert not app.error
    app = opened(project=project)
    app.button(key="remedy_1_pair").click().run()
    assert pinned(app).scenarios[1].data.secret_released
    wrong = replace(QUICK.scenarios[0], notion="alpha", mechanism="oue")
    app = opened(project=Project((wrong, QUICK.scenarios[0])))
    button = next(item for item in app.button if item.key.startswith("remedy_0"))
    button.click().run()
    assert not app.error
    assert len(kept(app)) == 2


def test_work_is_offered_again_only_where_there_was_work():
    gone = Scenario(data=DataSpec("adult", ("gone",), ("occupation",)), mechanism="watchdog")
    app = opened(project=Project((gone, QUICK.scenarios[0])))
    assert not app.exception
    assert "gone" in app.error[0].value
    assert not [item for item in app.button if item.key.startswith("remedy_0")]


def test_a_budget_on_an_average_is_called_m_and_scaled_only_where_it_has_a_unit():
    plain = Scenario(data=SMALL, notion="average_tv", eps=0.5)
    app = opened(project=Project((plain, replace(plain, notion="average_mi"))))
    app.segmented_control(key="unit").set_value("bits").run()
    assert not app.exception
    first, second = (app.slider(key=f"col{place}_eps_bits") for place in (0, 1))
    assert (first.label, first.value) == ("M", 0.5)
    assert (second.label, second.value) == ("M, bits", pytest.approx(0.5 / 0.69314718))
    assert (first.min, first.max) == (0.0, 0.5)  # what the link asks, more than X itself tells
    first.set_value(0.1).run()
    assert pinned(app).scenarios[0].eps == 0.1
    joint = evaluate(plain).joint
    reported = np.abs(joint.p - np.outer(joint.p_s, joint.p_x)).sum() / 2
    assert reported <= app.slider(key="col0_eps_bits").max < reported + 0.002


def test_columns_are_renamed_noted_moved_copied_and_removed_and_all_of_it_undone():
    app = open_(opened(project=QUICK), "head_0")
    app.text_input(key="col0_name").set_value("new").run()
    assert pinned(app).names == ("new", "second", "third")
    app.text_area(key="col0_note").set_value("a note").run()
    assert pinned(app).notes[0] == "a note"
    app.button(key="col0_right").click().run()
    assert pinned(app).names == ("second", "new", "third")
    open_(app, "head_1")
    app.button(key="col1_left").click().run()
    assert "col1_left" not in {button.key for button in app.button}  # of another column by now
    open_(app, "head_0")
    app.button(key="col0_copy").click().run()
    assert pinned(app).names == ("new", "LIP, Watchdog", "second", "third")
    open_(app, "head_1")
    app.button(key="col1_remove").click().run()
    pick(open_(app, "col0_notion_menu"), "col0_notion", "ldp")
    assert pinned(app).scenarios[0].notion == "ldp"
    pick(open_(app, "col0_mech_menu"), "col0_mech", "subset_merging")
    last = pinned(app)
    assert not app.exception
    for _ in range(8):
        app.button(key="undo").click().run()
    assert pinned(app) == QUICK
    assert app.button(key="undo").disabled
    for _ in range(8):
        app.button(key="redo").click().run()
    assert pinned(app) == last
    assert app.button(key="redo").disabled
    assert app.query_params["col"] == last.to_query()["col"]


def test_a_column_chooses_among_all_families_as_explore_does():
    app = opened(project=QUICK)
    assert not [
        item for item in app.radio if item.key.startswith("col")
    ]  # sent when a menu is opened
    open_(app, "col1_notion_menu")
    shown = [item for item in app.radio if item.key.startswith("col1_notion")]
    *families, last = [item.label.strip("*").replace("\\", "").lower() for item in shown]
    assert families == [family.lower() for family in FAMILIES.values()]
    assert last == pickers.ELSEWHERE.lower()  # RLDP, as S is not released
    assert sorted(key for item in shown for key in keys(item)) == sorted(
        entry.key for entry in notions.ALL
    )
    assert chosen(app, "col1_notion") == "alip"
    open_(app, "col1_mech_menu")
    shown = [item for item in app.radio if item.key.startswith("col1_mech")]
    *families, last = [item.label.strip("*") for item in shown]
    assert last == pickers.ELSEWHERE
    assert families == [item for item in fit.families() if item in families]
    assert sum(len(item.options) for item in shown) == len(mechanisms.CATALOGUE)
    assert chosen(app, "col1_mech") == "watchdog"


def test_a_promise_that_a_columns_mechanism_does_not_keep_takes_another_and_says_so():
    app = opened(project=QUICK)
    pick(open_(app, "col0_notion_menu"), "col0_notion", "robust_ldp")
    assert not app.exception
    assert not app.error
    assert pinned(app).scenarios[0].mechanism == "optimal"
    assert "Watchdog does not work under this notion" in text(app)
    assert f"{mechanisms.entry('optimal').title} replaces it." in text(app)
    app.slider(key="col0_eps_nats").set_value(2.0).run()
    assert "replaces it" not in text(app)
    assert pinned(app).scenarios[1:] == QUICK.scenarios[1:]
    pick(open_(app, "col0_notion_menu"), "col0_notion", "average_mi")
    reported = pinned(app).scenarios[0]
    ends = spans.span("average_mi", "eps", evaluate(reported).joint, reported.numbers)
    assert reported.eps == spans.halfway(ends)
    assert 0 < reported.eps < 2.0
    assert "is now" in text(app)


@pytest.mark.parametrize(
    ("button", "place"),
    [("remove", 0), ("remove", 1), ("copy", 0), ("left", 1), ("right", 0), ("right", 1)],
)
def test_no_menu_stays_open_that_would_edit_another_column(button, place):
    app = open_(opened(project=QUICK), f"head_{place}")
    assert app.text_input(key=f"col{place}_name").value == QUICK.names[place]
    app.button(key=f"col{place}_{button}").click().run()
    assert not app.exception
    assert pinned(app) != QUICK
    menus = [item.key for item in (*app.text_input, *app.text_area) if item.key.startswith("col")]
    assert menus == []
    assert not [item.key for item in app.button if item.key == f"col{place}_remove"]
    names = pinned(app).names
    open_(app, f"head_{place}")
    assert app.text_input(key=f"col{place}_name").value == names[place]
    assert pinned(app).names == names


def test_a_name_that_another_column_has_is_refused_where_it_was_written():
    app = open_(opened(project=QUICK), "head_0")
    app.text_input(key="col0_name").set_value("second").run()
    assert pinned(app) == QUICK
    assert "must differ, got 'second' twice" in text(app)


def test_every_number_of_a_column_has_a_live_slider_in_the_unit_on_screen():
    robust = Scenario(data=SMALL, notion="robust_ldp", mechanism="constant")
    alpha = Scenario(data=SMALL, notion="alpha", mechanism="watchdog")
    app = opened(project=Project((alpha, replace(robust, mechanism="optimal", time_limit=0.05))))
    app.slider(key="col0_lam").set_value(0.25).run()
    app.select_slider(key="col0_alpha").set_value(5.0).run()
    app.slider(key="col1_beta").set_value(0.1).run()
    app.select_slider(key="col1_n").set_value(300).run()
    first, second = pinned(app).scenarios
    assert (first.lam, first.alpha, second.beta, second.n) == (0.25, 5.0, 0.1, 300)
    app.segmented_control(key="unit").set_value("bits").run()
    app.slider(key="col0_eps_bits").set_value(2.0).run()
    assert pinned(app).scenarios[0].eps == pytest.approx(2 * 0.69314718)
    assert not app.exception


def test_a_fifth_column_is_kept_behind_and_brought_to_the_front():
    five = QUICK.with_column(QUICK.scenarios[0]).with_column(QUICK.scenarios[1], "fifth")
    app = opened(project=five)
    assert len(kept(app)) == pins.SHOWN
    assert "The page shows 4 columns. Not shown: fifth." in text(app)
    app.button(key="bring_front").click().run()
    assert pinned(app).names[0] == "fifth"
    assert len(pinned(app)) == 5


def test_a_question_is_pinned_from_any_page_and_stands_in_the_address():
    for page in ("explore", "lift", "mechanisms", "data", "confusability", "robust"):
        request = Scenario(data=SMALL, notion="ldp", eps=0.75, mechanism="watchdog")
        app = opened(page, scenario=request)
        app.button(key="pin").click().run()
        assert not app.exception
        assert pinned(app) == Project((request,))
        assert [app.query_params["col"]] == Project((request,)).to_query()["col"]
        assert "Pinned to Compare as LDP, Watchdog, column 1." in app.toast[0].value.replace(
            "\\", ""
        )
        app.button(key="pin").click().run()
        assert len(pinned(app)) == 1
        assert "already pinned" in app.toast[0].value


def test_pins_follow_to_the_compare_page_and_the_second_visit_shows_them_again():
    app = opened("explore", scenario=QUICK.scenarios[0])
    app.button(key="pin").click().run()
    held = pinned(app)
    again = opened(project=held)
    assert kept(again) == [share(QUICK.scenarios[0])]
    again.run()
    assert kept(again) == [share(QUICK.scenarios[0])]


def test_a_project_is_opened_from_a_file_and_saved_as_it_is():
    app = open_(opened(project=QUICK), "project")
    other = Project((QUICK.scenarios[2],), ("from a file",), ("noted",))
    app.file_uploader(key="project_file").set_value(
        ("p.json", other.to_json().encode(), "application/json")
    ).run()
    assert not app.exception
    assert pinned(app) == other
    app.button(key="undo").click().run()
    assert pinned(app) == QUICK
    app.file_uploader(key="project_file").set_value(
        ("p.json", b'{"columns": []}', "application/json")
    ).run()
    assert pinned(app) == QUICK
    assert "one scenario or more" in app.error[0].value.replace("\\", "")
    app.file_uploader(key="project_file").set_value(
        ("p.json", b"\xff\xfe", "application/json")
    ).run()
    assert "not UTF-8 text" in app.error[0].value.replace("\\", "")


def test_columns_are_begun_anew_and_the_question_on_screen_is_added():
    app = open_(opened(project=QUICK, scenario=QUICK.scenarios[1]), "project")
    app.button(key="add_question").click().run()
    assert pinned(app).scenarios[3] == QUICK.scenarios[1]
    app.button(key="start_over").click().run()
    assert pinned(app) is None
    assert not app.exception
    assert "col" not in app.query_params
    app.button(key="undo").click().run()
    assert len(pinned(app)) == 4


def test_all_columns_are_asked_of_the_data_on_screen():
    other = Scenario(data=DataSpec("random:uniform:3x4:7", (), ()))
    app = opened(project=QUICK, scenario=other)
    app.button(key="all_of_this_data").click().run()
    assert {item.data for item in pinned(app).scenarios} == {other.data}
    assert "all_of_this_data" not in [button.key for button in app.button]


CSV = b"sex,job\n" + b"f,a\nm,b\nf,b\nm,a\nf,a\n" * 8


def test_a_project_with_data_that_is_not_here_names_the_file_and_takes_it():
    from core.data import Sources

    source = Sources().add_bytes(CSV, "people.csv")
    own = Scenario(data=DataSpec(source, ("sex",), ("job",)), notion="lip", mechanism="watchdog")
    project = Project((own, QUICK.scenarios[0]), ("own", "other")).with_files(
        {source: "people.csv"}
    )
    app = opened(project=project)
    assert not app.exception
    assert kept(app) == [share(QUICK.scenarios[0])]
    assert "people.csv is not in this session. Upload it" in text(app)
    bring = app.file_uploader(key="missing_file")
    bring.set_value(("people.csv", CSV + b"f,c\n", "text/csv")).run()
    assert "is not the requested file" in " ".join(e.value for e in app.error).replace("\\", "")
    app.file_uploader(key="missing_file").set_value(("renamed.csv", CSV, "text/csv")).run()
    assert not app.exception
    assert not app.error
    assert len(kept(app)) == 2
    assert "is not in this session" not in text(app)
    assert pinned(app).names == ("own", "other")


def test_a_pasted_matrix_that_is_not_here_is_named():
    own = Scenario(data=DataSpec("matrix:0123456789abcdef", (), ()))
    app = open_(opened(project=Project((own, QUICK.scenarios[0]))), "project")
    assert "name your file by its SHA-256 hash" in text(app)
    assert not app.exception
    assert "The pasted matrix 0123456789ab… is not in this session" in text(app)


def test_a_column_with_a_budget_for_each_side_has_a_slider_for_each_that_ends_at_infinity():
    sides = Scenario(data=SMALL, notion="sides", eps_l=np.inf, eps_u=0.5, mechanism="watchdog")
    app = opened(project=Project((sides, QUICK.scenarios[0])))
    assert not app.exception
    assert kept(app)[0] == share(sides)
    assert app.select_slider(key="col0_eps_l").value == np.inf
    app.select_slider(key="col0_eps_u").set_value(1.0).run()
    assert not app.exception
    assert pinned(app).scenarios[0] == replace(sides, eps_u=1.0)
    assert kept(app)[0] == share(replace(sides, eps_u=1.0))


def test_each_column_is_exported_from_the_same_menu():
    app = open_(opened(project=QUICK), "compare_export")
    assert [item.key for item in app.get("download_button")].count("compare_0_scenario") == 1
    for name, scenario in zip(QUICK.names, QUICK.scenarios, strict=True):
        app.selectbox(key="export_column").set_value(QUICK.names.index(name)).run()
        assert not app.exception
        assert snippet(scenario).strip() in [item.value for item in app.code]
    app = open_(opened(project=Project(QUICK.scenarios[:1])), "compare_export")
    assert app.selectbox(key="export_column").disabled
