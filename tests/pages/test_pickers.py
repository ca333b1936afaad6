"""The pickers of promise and mechanism: families, what each option says, what a choice changes."""

import itertools

import pytest

from core.data.spec import DataSpec
from core.joint import Joint
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.notions.average import Average
from core.notions.entry import FAMILIES
from core.notions.numbers import Numbers, declared
from core.release import implications
from core.scenario import Promise, Scenario, evaluate, spans
from core.scenario.snippet import snippet
from core.scenario.url import to_query
from pages.ui.frame.pickers import ELSEWHERE
from tests.pages.picking import chosen, group, keys, pick
from tests.pages.test_explore import QUICK, figures, opened
from tests.pages.test_purposes import page_text

pytestmark = pytest.mark.usefixtures("no_lines")

ALSO = {"also": '{"notion":"pml","eps":0.3}'}


def captions(radio):
    return [text.replace("\\", "") for text in radio.proto.captions]


def caption_of(app, name, key):
    """Return what stands below an option."""
    radio = group(app, name, key)
    return captions(radio)[keys(radio).index(key)]


def test_every_promise_and_mechanism_is_in_one_family_with_what_it_means():
    app = opened(**QUICK)
    assert not app.exception
    for name, every in (("notion", notions.ALL), ("mech", mechanisms.CATALOGUE.values())):
        groups = [item for item in app.radio if item.key.rpartition("_")[0] == name]
        result = [key for item in groups for key in keys(item)]
        assert sorted(result) == sorted(entry.key for entry in every)
        for entry in every:
            assert caption_of(app, name, entry.key).startswith(entry.meaning)
    families = [item.label.strip("*") for item in app.radio if item.key.startswith("notion")]
    said_so = [name.replace("\\", "").lower() for name in families]
    assert said_so == [*(name.lower() for name in FAMILIES.values()), ELSEWHERE.lower()]
    assert notions.entry("alip").in_numbers(Numbers(), "sex") in page_text(app)
    assert mechanisms.entry("subset_merging").meaning in page_text(app)


@pytest.mark.parametrize("key", [entry.key for entry in notions.ALL])
def test_a_link_to_a_promise_has_it_pressed_and_no_other(key):
    app = opened(notion=key, mech="constant")
    assert not app.exception
    assert chosen(app, "notion") == key
    entry = notions.entry(key)
    assert (entry.in_numbers(Numbers(), "sex") or entry.meaning) in page_text(app)


def test_what_does_not_work_says_why_before_it_is_chosen():
    app = opened(notion="ldp")
    assert "Not under LDP: it works only under RLDP." in caption_of(app, "mech", "polyopt")
    assert "Not under" not in caption_of(app, "mech", "watchdog")
    labels = {label for item in app.radio for label in item.options}
    assert ":material/block: PolyOpt" in labels
    assert "Watchdog" in labels
    assert "Needs “Also release S” switched on" in caption_of(app, "notion", "rldp")
    pick(app, "mech", "polyopt")
    assert not app.exception
    assert "PolyOpt does not work under" in page_text(app)
    assert "Use RLDP" in {button.label for button in app.button}


def test_another_promise_keeps_a_mechanism_that_works_under_it():
    app = opened(**QUICK)
    pick(app, "notion", "ldp")
    assert (chosen(app, "notion"), chosen(app, "mech")) == ("ldp", "subset_merging")
    assert "replaces it" not in page_text(app)
    request = Scenario(notion="ldp", mechanism="subset_merging")
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"


def test_another_promise_goes_to_the_optimum_where_the_mechanism_does_not_work():
    app = opened(**QUICK)
    assert "Optimal would replace it." in caption_of(app, "notion", "average_mi")
    pick(app, "notion", "average_mi")
    assert chosen(app, "mech") == "optimal"
    words = page_text(app)
    assert "Subset merging does not work under this notion: it needs a single notion" in words
    assert "Optimal replaces it." in words
    assert "X itself already satisfies M = 0.1 nats, so M is now 0.05 nats." in words
    assert app.slider(key="eps").value == app.session_state["eps"] == 0.05
    assert not app.error
    pick(app, "mech", "constant")
    assert "replaces it" not in page_text(app)


def test_the_optimum_gives_way_where_no_optimum_is_known():
    app = opened()
    pick(app, "notion", "l1")
    assert chosen(app, "mech") == "subset_merging"
    assert "it needs a notion with a convex set of allowed outputs" in page_text(app)
    assert not app.error


@pytest.mark.usefixtures("afresh")
def test_a_promise_about_pairs_offers_to_release_s_too():
    app = opened(notion="rldp", mech="secret_rr")
    assert "also release S" in page_text(app)
    labels = {button.label.replace("\\", ""): button for button in app.button}
    labels["Also release S"].click().run()
    assert not app.exception
    assert not app.error
    assert app.toggle(key="data_pair").value


def test_several_promises_are_kept_at_once():
    app = opened(**ALSO)
    assert not app.exception
    request = Scenario(also=(Promise(notion="pml", eps=0.3),))
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"
    assert "and 0.3-PML keeps more without reading sex" in page_text(app)
    app.number_input(key="also_0_eps").set_value(0.1).run()
    tighter = Scenario(also=(Promise(notion="pml", eps=0.1),))
    kept = evaluate(tighter).mechanism.nmi
    assert figures(app)["NMI"] == f"{100 * kept:.1f}%"
    assert kept < evaluate(request).mechanism.nmi - 0.01
    app.button(key="also_drop_0").click().run()
    assert app.session_state["_also"] == ()
    assert figures(app)["NMI"] == f"{100 * evaluate(Scenario()).mechanism.nmi:.1f}%"


def test_a_promise_is_added_with_the_numbers_of_the_first():
    app = opened(eps="0.75", **QUICK)
    app.selectbox(key="also_add").set_value("pml").run()
    assert not app.exception
    assert app.session_state["_also"] == (Promise(notion="pml", eps=0.75),)
    assert app.selectbox(key="also_add").value is None
    assert chosen(app, "mech") == "optimal"
    assert "it satisfies one notion at a time" in page_text(app)
    assert "and the additional notions: it satisfies one notion" in caption_of(
        app, "mech", "watchdog"
    )
    request = Scenario(eps=0.75, also=(Promise(notion="pml", eps=0.75),))
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"
    for _ in range(3):
        app.selectbox(key="also_add").set_value("kl").run()
    assert "At most 4 notions can be added." in page_text(app)


def test_promises_that_no_mechanism_keeps_together_can_be_dropped():
    app = opened(notion="l1", **ALSO)
    assert "does not work" in page_text(app) or app.error
    labels = {button.label.replace("\\", ""): button for button in app.button}
    labels["Remove the additional notions"].click().run()
    assert app.session_state["_also"] == ()


def test_a_promise_that_no_mechanism_keeps_with_the_others_is_marked():
    app = opened(**ALSO)
    assert "No mechanism works under it" in caption_of(app, "notion", "l1")
    radio = group(app, "notion", "l1")
    assert radio.options[keys(radio).index("l1")].startswith(":material/block:")


def test_a_bad_further_promise_is_told_and_left_out():
    app = opened(also='{"notion":"fun"}', **QUICK)
    assert not app.exception
    notice = " ".join(item.value for item in app.warning).replace("\\", "")
    assert "also=" in notice
    assert "fun" in notice
    assert app.session_state["_also"] == ()


def test_each_side_has_its_slider_with_infinity_at_its_end():
    app = opened(notion="sides", eps_l="inf", eps_u="0.5", mech="watchdog")
    assert not app.exception
    lower, upper = app.select_slider(key="eps_l"), app.select_slider(key="eps_u")
    assert lower.label == declared()["eps_l"].title
    assert (lower.value, upper.value) == (float("inf"), 0.5)
    assert lower.options[-1] == "∞"
    request = Scenario(notion="sides", eps_l=float("inf"), eps_u=0.5, mechanism="watchdog")
    assert figures(app)["NMI"] == f"{100 * evaluate(request).mechanism.nmi:.1f}%"
    upper.set_value(0.25).run()
    assert app.session_state["eps_u"] == 0.25
    app.segmented_control(key="unit").set_value("bits").run()
    assert app.select_slider(key="eps_u").value == 0.25
    assert "0.36" in app.select_slider(key="eps_u").options


def test_a_bound_out_of_reach_says_what_the_least_is_and_offers_it():
    app = opened(notion="guess", bound="0.5")
    assert not app.exception
    assert "'Male' alone has probability 0.66" in page_text(app)
    labels = {button.label.replace("\\", ""): button for button in app.button}
    labels["Use c = 0.67"].click().run()
    assert not app.error
    assert app.slider(key="bound").value == 0.67
    assert app.slider(key="bound").min == 0.67


def test_a_bound_out_of_reach_moves_within_when_it_is_chosen():
    app = opened(bound="0.5")
    pick(app, "notion", "guess")
    assert not app.error
    assert "On this data no mechanism satisfies c = 0.5, so c is now" in page_text(app)
    assert app.session_state["bound"] >= 0.67


@pytest.mark.parametrize(
    "query",
    [
        {"notion": "average_mi", "eps": "0"},
        {"notion": "average_mi", "eps": "8"},
        {"notion": "sides", "eps_l": "0", "eps_u": "0"},
        {"notion": "sides", "eps_l": "inf", "eps_u": "inf"},
        {"notion": "guess", "bound": "1"},
        {"notion": "lip_delta", "delta": "0"},
        {"notion": "lip_delta", "delta": "0.999"},
    ],
)
@pytest.mark.usefixtures("sweeps")
def test_the_ends_of_sliders_have_answers(query, solves):
    app = settled(opened(**query), solves)
    assert not app.error
    reopened = settled(opened(**to_query_of(app)), solves)
    assert figures(reopened) == figures(app)


def settled(app, solves):
    """Return a page whose answer is final."""
    assert not app.exception
    solves.finish_all()
    app.run()
    assert not app.exception
    assert not solves.open
    return app


def to_query_of(app):
    return {key: values[0] for key, values in to_query(scenario_of(app)).items()}


def scenario_of(app):
    state = app.session_state
    names = ("eps", "eps_l", "eps_u", "bound", "delta")
    return Scenario(notion=state["notion"], **{name: state[name] for name in names})


def test_what_reads_s_is_unavailable_for_a_task_with_the_reason():
    app = opened(t="income", **{"for": "task"}, **QUICK)
    for key in ("optimal_reading_secret", "conditional_reporting"):
        assert "Not for a task: how much a release that reads S reveals" in caption_of(
            app, "mech", key
        )
        label = group(app, "mech", key).options[keys(group(app, "mech", key)).index(key)]
        assert label.startswith(":material/block:")
    switch = app.toggle(key="looks_at_s")
    assert switch.disabled
    assert switch.help.startswith("Off: how much a release that reads S reveals about a task")
    guess = opened(**{"for": "guess"}, **QUICK)
    assert not guess.toggle(key="looks_at_s").disabled
    guess.multiselect(key="data_task").set_value(["income"]).run()
    assert guess.toggle(key="looks_at_s").disabled


def test_a_mechanism_that_reads_s_gives_way_to_a_task():
    app = opened(notion="lip", mech="conditional_reporting")
    app.selectbox(key="for").set_value("task").run()
    app.multiselect(key="data_task").set_value(["income"]).run()
    assert not app.exception
    assert not app.error
    assert chosen(app, "mech") == "optimal"
    app.selectbox(key="for").set_value("information").run()
    pick(app, "mech", "conditional_reporting")
    app.selectbox(key="for").set_value("task").run()
    assert "Conditional reporting does not work for a task" in page_text(app)


def test_a_number_out_of_its_domain_is_told():
    app = opened(notion="guess", bound="2", delta="1", eps_u="-1", **QUICK)
    assert not app.exception
    notice = " ".join(item.value for item in app.warning).replace("\\", "")
    for part in ("bound=2", "delta=1", "eps_u=-1", "[0.01, 1]", "[0, ∞]"):
        assert part in notice


def test_families_of_mechanisms_leave_none_out(monkeypatch):
    assert {entry.key for result in fit.families().values() for entry in result} == set(
        mechanisms.CATALOGUE
    )
    monkeypatch.setattr(fit, "FAMILIES", {"Ends": ("identity", "unknown")})
    result = fit.families()
    assert [entry.key for entry in result["Ends"]] == ["identity"]
    assert len(result["Others"]) == len(mechanisms.CATALOGUE) - 1


def test_an_obstacle_is_told_just_where_the_mechanism_does_not_work():
    for notion, entry in itertools.product(notions.ALL, mechanisms.CATALOGUE.values()):
        reason = fit.obstacle(entry, [notion.kind])
        works = entry.works_under(notion.kind)
        assert bool(reason) == (not works), (notion.key, entry.key)


def test_spans_follow_the_data():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    independent = Joint.from_counts([[1, 1], [1, 1]])
    numbers = Numbers()
    assert spans.span("lip", "eps", joint, numbers) == spans.usual("eps")
    assert spans.span("average_mi", "eps", independent, numbers) == spans.usual("eps")
    result = spans.span("average_guess", "bound", independent, numbers)
    assert (result.low, result.high) == (0.5, 0.51)
    assert spans.span("sides", "eps_u", joint, numbers).high == 8.0
    assert spans.span("average_tv", "eps", joint, numbers).high == 0.25


READING = Scenario(notion="lip", eps=0.25, mechanism="optimal_reading_secret")


@pytest.mark.usefixtures("afresh")
def test_the_switch_lets_the_release_look_at_s_and_warns_who_holds_it(drawn):
    app = opened(notion="lip", eps="0.25", mech="watchdog")
    assert not app.toggle(key="looks_at_s").value
    assert "requires S for every record" not in page_text(app)
    app.toggle(key="looks_at_s").set_value(True).run()
    assert not app.exception
    assert chosen(app, "mech") == "optimal_reading_secret"
    assert "requires S for every record" in page_text(app)
    result = evaluate(READING)
    assert figures(app)["NMI"] == f"{100 * result.mechanism.nmi:.1f}%"
    assert result.mechanism.nmi > evaluate(Scenario(notion="lip", eps=0.25)).mechanism.nmi + 0.01
    assert result.mechanism.audit.holds
    rows = drawn["mechanism"][0]["data"][0]["z"]
    assert len(rows) == result.joint.n_s * result.joint.n_x
    app.session_state["mechanism_more"] = True  # its menu is open
    app.run()
    assert "One row for each pair of secret and input." in page_text(app)
    assert "needs a first one that reads X alone" in page_text(app)
    assert {key: values[0] for key, values in to_query(READING).items()} == {
        "notion": "lip",
        "eps": "0.25",
        "mech": "optimal_reading_secret",
    }
    assert "m.optimal_reading_secret(" in snippet(READING)
    assert Scenario.from_json(READING.to_json()) == READING
    app.toggle(key="looks_at_s").set_value(False).run()
    assert chosen(app, "mech") == "optimal"
    assert "requires S for every record" not in page_text(app)


def test_the_switch_rests_where_no_optimum_that_reads_s_is_known():
    app = opened(notion="srlip", mech="constant")
    assert app.toggle(key="looks_at_s").disabled
    app = opened(notion="l1", mech="subset_merging")
    assert app.toggle(key="looks_at_s").disabled
    app = opened(mech="conditional_reporting")
    assert app.toggle(key="looks_at_s").value


def test_a_purpose_that_is_not_known_of_what_reads_s_says_so():
    app = opened(mech="optimal_reading_secret", t="income", **{"for": "task"})
    assert not app.exception
    assert "of a mechanism that reads S is not defined" in page_text(app)
    assert "Optimal" in {button.label for button in app.button}


@pytest.mark.parametrize("page", ["pages/mechanisms.py", "pages/lift.py"])
def test_other_pages_ask_what_should_survive_too(page):
    app = opened(page, t="income", mech="subset_merging", **{"for": "task"})
    assert not app.exception
    assert app.selectbox(key="for").value == "task"
    assert app.multiselect(key="data_task").value == ["income"]
    request = Scenario(data=DataSpec(task=("income",)), purpose="task", mechanism="subset_merging")
    if "mechanisms" in page:
        result = evaluate(request)
        reported = figures(app)
        assert reported["I(T;Y), nats"] == f"{result.mechanism.utility:.3f}"
        assert reported["I(X;Y), nats"] == f"{result.mechanism.information:.3f}"
        guessed = result.joint.p_x @ result.mechanism.kernel  # outputs' probabilities
        posterior = (result.joint.p_x[:, None] * result.mechanism.kernel).max(axis=0)
        assert guessed.sum() == pytest.approx(1)
        assert reported["X guessed right"] == f"{100 * posterior.sum():.1f}%"
        assert "shows information about all of X" in page_text(app)


def test_an_average_budget_implies_itself():
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    result = implications(joint, Average("mutual_information", 0.02), 0.2)
    assert result["mutual_information"].level == pytest.approx(0.02, abs=1e-9)
    assert implications(joint, Average("chi2", 0.03), 0.2)["chi2_divergence"].level <= 0.03 + 1e-9


def popovers(block):
    """Return the tooltips of a block's popovers by their labels."""
    result = {}
    for child in getattr(block, "children", {}).values():
        proto = getattr(child, "proto", None)
        if hasattr(proto, "popover") and proto.HasField("popover"):
            result[proto.popover.label] = proto.popover.help
        result |= popovers(child)
    return result


def test_the_picker_of_the_promise_says_that_it_is_a_privacy_notion():
    sidebar = opened(**QUICK).sidebar
    named = r"**Privacy notion \(promise\)**: A condition that a mechanism satisfies"
    assert [item.value.startswith(named) for item in sidebar.caption].count(True) == 1
    menus = [text for label, text in popovers(sidebar).items() if ": **" in label]
    assert menus == ["", ""]  # no tooltip lies over the options


def test_a_choice_brings_other_radio_buttons_so_that_no_browser_repeats_the_old_one():
    app = opened(**QUICK)
    before = {item.key for item in app.radio if item.key.startswith("notion_")}
    pick(app, "notion", "pml")
    after = {item.key for item in app.radio if item.key.startswith("notion_")}
    assert len(after) == len(before)
    assert after.isdisjoint(before)
    app.run()
    assert {item.key for item in app.radio if item.key.startswith("notion_")} == after
    assert chosen(app, "notion") == "pml"
