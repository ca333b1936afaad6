"""Compare in a real Chromium: what is pinned survives, sessions are apart, files move machines."""

import json
import re

import pytest
from playwright.sync_api import expect

from core.data.spec import DataSpec
from core.scenario import Project, Scenario
from tests.browser import waiting
from tests.browser.test_explore_live import saved

SMALL = DataSpec("random:uniform:3x5:0", (), ())
QUICK = Project(
    tuple(Scenario(data=SMALL, notion=key) for key in ("lip", "alip", "ldp")),
    ("first", "second", "third"),
)
CSV = "sex,job\n" + "f,a\nm,b\nf,b\nm,a\nf,a\n" * 8
BEFORE = Project(QUICK.scenarios[:2], ("here", "before"))
"""What is on the page before another project comes."""


def link(project, page="compare"):
    from urllib.parse import urlencode

    return f"{page}?{urlencode(project.to_query(), doseq=True)}"


def heads(page, count):
    """Return the columns' names once there are so many."""
    page.wait_for_function("n => document.querySelectorAll('.lsc-head b').length === n", arg=count)
    return page.locator(".lsc-head b").all_inner_texts()


KEPT = "[class*='st-key-column_figures_'] [data-testid=stMetricValue]"


def kept(page):
    return page.locator(f"{KEPT} >> visible=true").all_inner_texts()


def settle(page, columns):
    waiting.settle(
        page,
        (
            "column_frontier",
            "column_levels",
            *(f"{key}_{i}" for key in ("matrix", "lifts", "graph") for i in range(columns)),
        ),
        busy=["Computing", "Improving"],
    )


def press(page, key, times, arrow="ArrowRight"):
    slider = page.locator(f".st-key-{key} input[type='range']")
    slider.focus()
    for _ in range(times):
        page.keyboard.press(arrow)


def eps(page, place):
    slider = page.locator(f".st-key-col{place}_eps_nats input[type='range']")
    return float(slider.input_value())


def test_a_column_moves_by_itself_and_reload_back_and_forward_keep_it(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    before = kept(page)
    press(page, "col1_eps_nats", 10)
    page.wait_for_url(re.compile(r"eps%3D1\.5"))
    settle(page, 3)
    after = kept(page)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] != before[1]
    page.reload()
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    assert kept(page) == after
    page.go_back()
    page.wait_for_function("() => !location.search.includes('eps%3D1.5')", timeout=waiting.PATIENCE)
    settle(page, 3)
    page.go_forward()
    page.wait_for_url(re.compile(r"eps%3D1\.5"))
    settle(page, 3)
    assert kept(page) == after


def test_a_columns_promise_and_mechanism_are_chosen_from_families(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    page.locator(".st-key-col1_notion_menu button").first.click()
    menu = page.get_by_test_id("stPopoverBody")
    for family in ("Bounds on the lift", "On guesses of the secret"):
        menu.get_by_text(family, exact=True).wait_for()
    menu.get_by_text("Min-lift", exact=True).click()
    page.wait_for_url(re.compile("min_lift"))
    expect(menu).to_have_count(0)
    page.locator(".st-key-col1_mech_menu button").first.click()
    menu.get_by_text("Merging by joint occurrence", exact=True).wait_for()
    menu.get_by_text("Watchdog", exact=True).click()
    page.wait_for_url(re.compile("mech%3Dwatchdog"))
    expect(menu).to_have_count(0)
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    shown = [page.locator(f".st-key-col1_{kind}_menu button") for kind in ("notion", "mech")]
    for item, words in zip(shown, ("Privacy notion: Min-lift", "Mechanism: Watchdog"), strict=True):
        expect(item.first).to_contain_text(words)


def test_a_match_ends_and_its_column_takes_the_budget_that_was_found(visit):
    page = visit(link(Project(tuple(Scenario(notion=key) for key in ("lip", "ldp")), ("A", "B"))))
    settle(page, 2)
    before = page.url
    page.locator(".st-key-match button").locator("visible=true").first.click()
    menu = page.get_by_test_id("stPopoverBody")
    waiting.choose(page, menu.locator(".st-key-match_target input"), "the same utility")
    menu.locator(".st-key-match_start button").click()
    reported = page.get_by_test_id("stAlert").filter(has_text="B: ")
    reported.wait_for(timeout=waiting.PATIENCE)
    if "B: reached at ε = " in reported.inner_text():
        page.wait_for_function("url => location.href !== url", arg=before)
    else:  # on a machine that has no time for it
        assert "B: not reached: the search stopped at" in reported.inner_text()
        assert page.url == before
    assert page.locator(".st-key-match_cancel").count() == 0


def test_the_divider_stands_above_the_sidebars_text(visit):
    page = visit(link(QUICK))
    heads(page, 3)
    text = page.get_by_text("The columns keep the data they were pinned with.")
    text.wait_for()
    waiting.settle(page)
    line, words = text.evaluate(  # both in one look: what loads meanwhile moves them
        """text => [[...document.querySelectorAll("[data-testid=stSidebar] hr")].at(-1), text]
          .map(one => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"""
    )
    assert line[1] <= words[0], (line, words)


def test_what_is_pinned_on_explore_is_there_after_a_reload_and_on_compare(visit):
    page = visit("?data=random%3Auniform%3A3x5%3A0&mech=watchdog&notion=ldp")
    page.locator(".st-key-pin button").first.click()
    page.wait_for_url(re.compile("col="))
    page.reload()
    page.locator(".st-key-pin button").first.wait_for()
    page.get_by_role("link", name="Compare").first.click()
    assert heads(page, 1) == ["LDP, Watchdog"]
    assert "col=" in page.url


def test_two_sessions_have_columns_of_their_own(visit):
    item, other = visit(link(QUICK)), visit(link(QUICK))
    settle(item, 3)
    settle(other, 3)
    press(item, "col0_eps_nats", 4)
    item.wait_for_url(re.compile(r"eps%3D1\.2"))
    settle(item, 3)
    assert kept(other) != kept(item)
    assert "eps" not in other.url


def open_project(page, name, content):
    page.locator(".st-key-project button").first.click()
    page.locator(".st-key-project_file input[type='file']").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content.encode()}
    )


def test_a_project_made_on_another_machine_is_opened_and_saved_again(visit):
    page = visit(link(BEFORE))
    settle(page, 2)
    open_project(page, "p.json", QUICK.to_json())
    page.wait_for_url(re.compile("name%3Dfirst"))
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    save = page.locator(".st-key-project_save button")
    if not save.is_visible():  # the menu may have been closed by what it did
        page.locator(".st-key-project button").first.click()
    result = saved(page, save)
    with open(result.path(), encoding="utf-8") as file:
        assert json.load(file) == json.loads(QUICK.to_json())


def test_an_upload_survives_a_reload_and_elsewhere_its_file_is_asked_for(visit):
    page = visit("data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    page.wait_for_url(re.compile("upload"))
    page.locator(".st-key-pin button").first.click()
    page.wait_for_url(re.compile("col="))
    page.get_by_role("link", name="Compare").first.click()
    assert heads(page, 1) == ["ALIP"]
    page.locator("[class*='st-key-column_figures_'] [data-testid=stMetricValue]").first.wait_for()
    page.reload()
    page.locator("[class*='st-key-column_figures_'] [data-testid=stMetricValue]").first.wait_for()
    assert page.locator(".st-key-missing_files").count() == 0
    # another browser does not have it, though it knows the address
    other = visit(page.url.split("/", 3)[3])
    other.locator(".st-key-missing_files", has_text="people.csv is not in this session").wait_for()
    other.locator(".st-key-missing_file input[type='file']").set_input_files(
        {"name": "again.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    other.locator("[class*='st-key-column_figures_'] [data-testid=stMetricValue]").first.wait_for()
    assert other.locator(".st-key-missing_files").count() == 0
    assert kept(other) == kept(page)


def test_a_colleagues_link_to_an_upload_asks_for_the_file_on_explore(visit):
    from core.data import Sources

    source = Sources().add_bytes(CSV.encode(), "people.csv")
    page = visit(f"?data={source.replace(':', '%3A')}&s=sex&x=job")
    page.locator(".st-key-remedies", has_text="is not in this session").wait_for()
    bring = page.locator(".st-key-missing_file input[type='file']")
    bring.set_input_files(
        {"name": "b.csv", "mimeType": "text/csv", "buffer": b"sex,job\nf,a\nm,b\n"}
    )
    page.locator(".st-key-remedies", has_text="b.csv is not the requested file").wait_for()
    bring.set_input_files({"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()})
    page.locator(".st-key-strip").wait_for()
    assert page.locator(".st-key-missing_file").count() == 0
    page.get_by_role("heading", name="Does publishing job give away sex?").wait_for()


def drop_file(page, name, content, *, type="application/json"):
    """Drop a file in the middle of the page, as the mouse does: drag over it, then let go."""
    page.locator(".lsc-drop[data-ready]").wait_for(state="attached")
    page.evaluate(
        """([name, content, type]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([content], name, { type }));
          const target = document.querySelector("[data-testid=stMain] h1");
          for (const kind of ["dragenter", "dragover"]) {
            target.dispatchEvent(new DragEvent(
              kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
          }
          window.coverShown = !document.querySelector(".lsc-drop").hidden;
          window.refused = target.dispatchEvent(new DragEvent(
            "drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
        }""",
        [name, content, type],
    )
    assert page.evaluate("[window.coverShown, window.refused]") == [True, False]
    page.locator(".lsc-drop").wait_for(state="hidden")


def test_a_project_made_on_another_machine_is_dropped_anywhere_on_the_page(visit):
    page = visit(link(BEFORE))
    settle(page, 2)
    drop_file(page, "p.json", QUICK.to_json())
    page.wait_for_url(re.compile("name%3Dfirst"))
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    drop_file(page, "people.csv", CSV, type="text/csv")
    page.get_by_test_id("stToast").filter(has_text="people.csv").wait_for()
    assert heads(page, 3) == list(QUICK.names)
    drop_file(page, "p.json", Project(QUICK.scenarios[:2], ("one", "two")).to_json())
    page.wait_for_url(re.compile("name%3Dtwo"))
    settle(page, 2)
    page.locator(".st-key-undo button").click()
    page.wait_for_url(re.compile("name%3Dthird"))
    assert heads(page, 3) == list(QUICK.names)


def test_a_dropped_project_with_data_that_is_not_here_names_the_file_and_restores_the_rest(visit):
    from core.data import Sources

    source = Sources().add_bytes(CSV.encode(), "people.csv")
    own = Scenario(data=DataSpec(source, ("sex",), ("job",)), notion="lip")
    project = Project((own, QUICK.scenarios[0]), ("own", "other"), ("mine", ""))
    page = visit(link(BEFORE))
    settle(page, 2)
    drop_file(page, "p.json", project.with_files({source: "people.csv"}).to_json())
    page.locator(".st-key-missing_files", has_text="people.csv is not in this session").wait_for()
    assert heads(page, 2) == ["own", "other"]
    page.locator(f"{KEPT} >> visible=true").nth(1).wait_for(state="detached")
    assert len(kept(page)) == 1
    page.locator(".st-key-missing_file input[type='file']").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    settle(page, 2)
    assert page.locator(".st-key-missing_files").count() == 0
    assert len(kept(page)) == 2
    assert heads(page, 2) == ["own", "other"]
    assert page.get_by_text("mine", exact=True).count() == 1


def test_undo_and_redo_survive_a_reload(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    for now in (r"eps%3D1\.05", r"eps%3D1\.1"):
        press(page, "col1_eps_nats", 1)
        page.wait_for_url(re.compile(now))
        settle(page, 3)
    last = page.url
    page.locator(".st-key-undo button").click()
    page.wait_for_url(re.compile(r"eps%3D1\.05"))
    settle(page, 3)
    page.reload()
    settle(page, 3)
    page.locator(".st-key-redo button:enabled").click()
    page.wait_for_url(last)
    for then in (lambda url: "eps%3D1.05" in url, lambda url: "eps" not in url):
        page.locator(".st-key-undo button:enabled").click()
        page.wait_for_url(then)
    settle(page, 3)
    assert page.locator(".st-key-undo button").is_disabled()
    assert eps(page, 1) == 1.0
    assert heads(page, 3) == list(QUICK.names)


SOCKETS = """() => {
  const Plain = window.WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Plain {
    constructor(...parts) { super(...parts); window.sockets.push(this); }
  };
}"""


def test_a_lost_connection_loses_nothing_that_was_pinned(visit):
    page = visit("")
    page.add_init_script(f"({SOCKETS})()")
    page.goto(page.url.split("?")[0] + "data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    page.wait_for_url(re.compile("upload"))
    page.locator(".st-key-pin button").first.click()
    page.wait_for_url(re.compile("col="))
    page.get_by_role("link", name="Compare").first.click()
    settle(page, 1)
    press(page, "col0_eps_nats", 1)
    page.wait_for_url(re.compile(r"eps%3D1\.05"))
    settle(page, 1)
    before, address = kept(page), page.url
    made = page.evaluate("window.sockets.length")
    page.evaluate("window.sockets.forEach(one => one.close())")
    page.wait_for_function(
        "made => window.sockets.length > made && window.sockets.at(-1).readyState === 1", arg=made
    )
    settle(page, 1)
    assert (heads(page, 1), kept(page), page.url) == (["ALIP"], before, address)
    assert page.locator(".st-key-missing_files").count() == 0
    page.locator(".st-key-undo button:enabled").click()
    page.wait_for_function("before => location.href !== before", arg=address)
    settle(page, 1)
    assert eps(page, 0) == 1.0


def test_nothing_is_wider_than_a_phone(visit):
    page = visit(link(QUICK), width=390, height=844)
    settle(page, 3)
    wide = page.evaluate(
        """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
             .map(e => e.scrollWidth - e.clientWidth)"""
    )
    assert max(wide) <= 0


def test_the_link_is_copied(visit):
    page = visit(link(QUICK))
    heads(page, 3)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".st-key-project button").first.click()
    page.locator(".st-key-copy_link .lsc-copy").click()
    page.locator(".lsc-copy", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


BESIDE = """
() => {
  const box = one => document.querySelector(one).getBoundingClientRect();
  const columns = [0, 1, 2].map(i => box(`.st-key-compared_${i}`));
  const charts = ["column_frontier", "column_levels"].map(key => box(`.st-key-card_${key}`));
  return {
    left: Math.max(...columns.map(one => one.right)) <= Math.min(...charts.map(one => one.left)),
    top: Math.abs(columns[0].top - charts[0].top),
    order: columns.every((one, i) => i === 0 || one.top >= columns[i - 1].bottom),
    bottom: Math.max(...charts.map(one => one.bottom)),
    kept: box(".st-key-outcome_2").bottom,
    above: columns[0].top - box(".st-key-header").bottom,
  };
}
"""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900)])
def test_sliders_stand_beside_the_charts_on_the_first_screen(visit, width, height):
    page = visit(link(QUICK), width=width, height=height)
    settle(page, 3)
    result = page.evaluate(BESIDE)
    assert result["left"]
    assert result["order"]
    assert result["top"] <= 2
    assert result["bottom"] <= height
    assert result["kept"] <= height
    assert 0 <= result["above"] <= 20


def test_a_note_and_an_error_stand_with_their_column(visit):
    several = tuple(Scenario(data=SMALL, notion=key) for key in ("lip", "rldp", "alip"))
    project = Project(several, ("first", "second", "third"))
    page = visit(link(project.noted(0, "What this column is here to show.")))
    page.locator(".st-key-compared_1 [data-testid=stAlert]").wait_for()
    waiting.settle(page, ("matrix_0", "matrix_2"), busy=["Computing", "Improving"])
    page.locator(".st-key-compared_0").get_by_text("What this column is here to show.").wait_for()
    tops = [page.locator(f".st-key-card_matrix_{i}").bounding_box()["y"] for i in range(3)]
    assert max(tops) - min(tops) <= 1
    boxes = page.evaluate(
        "[...document.querySelectorAll('[class*=st-key-col0_][class*=_menu] button')]"
        ".map(e => e.getBoundingClientRect()).filter(b => b.width)"
        ".map(b => [b.left, b.right, b.y])"
    )
    assert len(boxes) == 2
    (_, end, above), (start, _, below) = boxes
    assert end <= start
    assert above == below
    page.set_viewport_size({"width": 390, "height": 900})
    waiting.settle(page, ("matrix_0", "matrix_2"))
    sliders = [page.locator(f".st-key-column_sliders_{i}").bounding_box()["y"] for i in range(3)]
    assert sliders == sorted(sliders)


def colours(page):
    """Return the mark's color of each column, by name."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".lsc-head")].map(one =>
          [one.querySelector("b").innerText, getComputedStyle(one.querySelector("span")).color]))"""
    )


def test_a_column_keeps_its_colour_where_another_is_removed_or_added(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    before = colours(page)
    page.locator(".st-key-head_0 button").first.click()
    page.get_by_test_id("stPopoverBody").locator(".st-key-col0_remove button").click()
    expect(page.locator(".lsc-head")).to_have_count(2)
    after = colours(page)
    assert after == {name: before[name] for name in ("second", "third")}
    page.locator(".st-key-add_question button").first.click()
    expect(page.locator(".lsc-head")).to_have_count(3)
    longer = colours(page)
    assert {name: longer[name] for name in after} == after
    assert len(set(longer.values())) == 3


def test_the_axes_fit_the_lines_and_are_zoomed_by_the_mouse(visit):
    page = visit(link(QUICK), width=1440, height=900)
    settle(page, 3)
    span = """() => {
      const plot = document.querySelector(".st-key-column_frontier .lsc-plot");
      const { xaxis, yaxis } = plot._fullLayout;
      return [...xaxis.range, ...yaxis.range];
    }"""
    fit = page.evaluate(span)
    assert fit[1] < 8
    page.get_by_text("The axes fit the lines:").wait_for()
    box = page.locator(".st-key-column_frontier .nsewdrag").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.7 * box["height"], steps=5)
    page.mouse.up()
    page.wait_for_function(f"before => ({span})()[1] < before", arg=fit[1])
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.wait_for_function(f"before => ({span})()[1] === before", arg=fit[1])
    page.locator(".st-key-column_axes").get_by_text("Whole", exact=True).click()
    page.wait_for_function(f"() => ({span})()[1] === 8")


@pytest.mark.parametrize("dark", [False, True])
def test_a_saved_picture_is_white_and_keeps_its_legend_and_the_pages_font(visit, dark):
    page = visit(link(QUICK), dark=dark)
    settle(page, 3)
    chart = page.locator(".st-key-column_frontier")
    chart.locator(".lsc-frame").hover()
    result = saved(page, chart.get_by_role("button", name="SVG"))
    picture = result.path().read_text(encoding="utf-8")
    for name in QUICK.names:
        assert f">{name}</text>" in picture
    assert "@font-face" in picture
    assert "rgb(255, 255, 255)" in picture or "#ffffff" in picture
    assert "#e6e9ee" not in picture  # the ink of the dark theme


def test_the_table_of_results_is_copied(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".st-key-differences_copy button").click()
    page.locator(".st-key-differences_copy", has_text="Copied").wait_for()
    head, *rows = page.evaluate("navigator.clipboard.readText()").strip().split("\n")
    assert head.split("\t") == ["figure", "difference", "first", "second", "third"]
    assert any(row.startswith("LIP, nats\t") for row in rows)


def test_a_report_holds_every_column_and_asks_no_other_host(visit, tmp_path):
    page = visit(link(QUICK))
    settle(page, 3)
    result = saved(page, page.locator(".st-key-compare_report button").first)
    target = tmp_path / "comparison.html"
    result.save_as(target)
    reported = page.context.new_page()
    reported.goto(target.as_uri())
    reported.wait_for_function("document.querySelectorAll('.chart .main-svg').length > 0")
    text = reported.inner_text("main")
    for name in QUICK.names:
        assert name in text
    assert "What differs" in text
    assert reported.locator("figure").count() == 2 + 3 * 3
    reported.close()


def test_a_menu_closes_with_its_column_and_does_not_edit_the_next_one(visit):
    notions = ("lip", "ldp", "pml")
    page = visit(link(Project(tuple(Scenario(notion=key) for key in notions), ("A", "B", "C"))))
    settle(page, 3)
    page.locator(".st-key-head_1 button").first.click()
    menu = page.get_by_test_id("stPopoverBody")
    expect(menu.locator(".st-key-col1_name input")).to_have_value("B")
    menu.locator(".st-key-col1_remove button").click()
    expect(page.locator(".lsc-head")).to_have_count(2)
    expect(menu).to_have_count(0)
    page.locator(".st-key-head_1 button").first.click()
    expect(menu.locator(".st-key-col1_name input")).to_have_value("C")


PITCH = """
() => {
  const { xaxis } = document.querySelector(".st-key-matrix_0 .lsc-plot")._fullLayout;
  const [first, second] = xaxis.tickvals.map(value => xaxis.l2p(value));
  return [xaxis.tickvals.length, second - first];
}
"""


def test_long_names_stay_in_their_buttons_and_those_below_a_narrow_matrix_stand_apart(visit):
    request = tuple(Scenario(mechanism=name) for name in ("identity", "watchdog", "grr"))
    page = visit(link(Project(request, ("first", "second", "third"))), width=1280, height=720)
    waiting.settle(page, ["matrix_0"])
    name = page.locator(".st-key-col2_mech_menu strong")
    button = page.locator(".st-key-col2_mech_menu button").bounding_box()
    assert button["x"] < name.bounding_box()["x"]
    assert name.bounding_box()["width"] < button["width"] - 16  # its padding
    count, pitch = page.evaluate(PITCH)
    assert 2 < count < 15  # of all occupations
    assert pitch >= 11  # pixels, as large as their letters


def test_on_a_phone_both_readings_have_all_four_edges(visit):
    page = visit("compare?data=heart_hungarian&s=sex&x=cp", width=390, height=844)
    page.locator(".st-key-reading_choice [role=radio]").first.wait_for()
    sides = page.evaluate(
        """
        [...document.querySelectorAll(".st-key-reading_choice [role=radio]")]
          .map(one => getComputedStyle(one))
          .map(one => new Set([one.borderLeftColor, one.borderRightColor, one.borderTopColor]).size)
        """
    )
    assert sides == [1, 1]


def test_the_names_of_what_is_chosen_are_not_cut(visit):
    """Two menus share a column: RLDP for S – X – Y takes two lines there."""
    page = visit("compare?data=random%3Auniform%3A2x2%3A0&s=&x=", width=1280, height=720)
    names = page.locator("[class*='st-key-pickers_'] button strong")
    names.first.wait_for()
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
    assert names.evaluate_all(cut) == []
    assert names.filter(has_text="RLDP for S – X – Y").count() == 1
