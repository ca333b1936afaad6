"""Labels: readable when short, told apart, whole on request."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mechanisms.outputs import output_names
from pages.ui.style.labels import distinct, full, markdown, short, spoken

JOBS = ["Male · Adm-clerical", "Male · Armed-Forces", "Female · Sales", "(17.0, 25.0]", "a; b"]


def test_an_output_keeps_its_likeliest_input_and_the_share():
    name = "Male · Adm-clerical 62%; Female · Sales 20%; 12 more 18%"
    assert short(name, 16).endswith(" 62%")
    assert short(name, 16).startswith("Male")
    assert len(short(name, 16)) <= 16
    assert short(name, 200) == name.replace(" %", "%")


def test_outputs_with_the_same_lead_say_more_than_a_number():
    names = ["Sales 50%; Tech 50%", "Sales 50%; Clerk 50%", "Tech"]
    assert distinct(names, 12) == ["Sales, Tech", "Sales, Clerk", "Tech"]


@given(st.integers(0, 5_000), st.integers(1, 8), st.sampled_from([4, 8, 12, 16, 20]))
def test_short_names_of_outputs_are_distinct(seed, n_y, room):
    shares = np.random.default_rng(seed).dirichlet(np.full(len(JOBS), 0.3), size=n_y).T.round(2)
    short_names = distinct(output_names(shares, JOBS), room)
    assert len(set(short_names)) == n_y


@given(st.lists(st.sampled_from(["a", "a (2)", "aaaaaaaaaa", "aaaaabaaaa", "b"]), max_size=8))
def test_any_short_names_are_distinct(names):
    assert len(set(distinct(names, 5))) == len(names)


def test_a_whole_label_breaks_into_lines_and_stays_text():
    whole = full("<b>Prof-specialty</b> 62%; Sales 20%; Tech 18%", 30)
    assert whole.count("<br>") == 1
    assert "<b>" not in whole
    assert whole.endswith("Tech 18%")


def test_names_that_differ_in_the_middle_show_where():
    names = [f"street {number:03d} of the old town" for number in range(300)]
    for room in (12, 16, 20):
        shown = distinct(names, room)
        assert all(len(item) <= room for item in shown)
        assert all(f"{number:03d}" in item for number, item in enumerate(shown))


def test_names_that_differ_in_one_far_letter_show_it():
    names = ["a" * 30 + letter + "b" * 30 for letter in "xyz"]
    assert all(letter in item for letter, item in zip("xyz", distinct(names, 10), strict=True))


def mixtures(count):
    """Return names of outputs of a mechanism on streets: of one input, and of several."""
    street = [f"street {number:03d} of the old town" for number in range(count + 7)]
    several = [f"{street[i]} 60%; {street[i + 7]} 30%; {count - 2} more 10%" for i in range(count)]
    return [*several, *street[:count]]


def test_outputs_of_300_streets_all_have_labels_of_their_own_in_the_room_there_is():
    names = mixtures(300)
    for room in (7, 9, 12, 16, 20):
        shown = distinct(names, room)
        assert len(set(shown)) == len(names)
        assert all(len(item) <= room for item in shown)
        assert all(f"{number % 300:03d}" in item for number, item in enumerate(shown))


def test_outputs_with_the_same_inputs_differ_in_their_shares():
    names = [f"street 5 of town {a}%; street 6 of town {100 - a}%" for a in (60, 55)]
    assert distinct(names, 14) == ["stree…town 60%", "stree…town 55%"]


def test_outputs_that_differ_late_say_where():
    names = [f"alpha 40%; beta 30%; {late} 30%" for late in ("gamma", "delta")]
    assert distinct(names, 14) == ["alpha, gamma", "alpha, delta"]


def test_whole_labels_of_different_outputs_differ():
    names = mixtures(40)
    assert len({full(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("label", "spotted"),
    [
        ("http://a.example/b", r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)"),
        ("HTTPS://a.example", r"(?i)(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)"),
        ("www.a.example", r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)"),
        ("me@a.example", r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)"),
        (":material/delete:", r":material/\w+:"),
        (":streamlit:", r":[\w-]+:"),
        ("a:+1:b:heart:", r":\+1:|:-1:|:[\w-]+:"),
    ],
)
def test_a_label_becomes_no_link_icon_or_emoji_behind_markdown(label, spotted):
    """The patterns are those that are looked for in text whose backslashes are gone already."""
    read = re.sub(r"\\(.)", r"\1", markdown(label))
    assert re.search(spotted, label)
    assert not re.search(spotted, read)
    assert read.replace("\u2060", "") == label


@pytest.mark.parametrize("label", ["12:30", "a: b", "a://", "sex · job", "n = 3 @ 4"])
def test_other_labels_are_not_joined(label):
    assert ("\u2060" in markdown(label)) is ("//" in label)


@pytest.mark.parametrize("name", ["Adm-clerical", "hours_per_week", "50-60 (k)", "C++!", "a.b: c"])
def test_a_plain_name_is_spoken_as_it_is(name):
    assert spoken(name) == name


@pytest.mark.parametrize(
    "name",
    ["*a*", "_a_", "`a`", "~~a~~", "$a$", "[a](b)", "<b>", "a\\*b", "&amp;", ":red[a]", "# a"],
)
def test_no_sign_of_markdown_is_left_in_a_spoken_name_and_no_backslash_is_added(name):
    heard = spoken(name)
    assert heard != name
    assert heard.count("\\") == name.count("\\")
    signs = r"[*`$~]|\](?=\()|<(?=\w)|&(?=\w+;)|:(?=\w+\[)|\\(?=[^\w\u2060])|^# |\b_|_\b"
    assert not re.search(signs, heard)


@pytest.mark.parametrize(
    "name",
    [
        ":red[hi]",
        "x:y[b]",
        "10:30[x]",
        "x:y{z=1}",
        "::red[hi]",
        ":::red",
        "::leaf",
        "a:é[x]",
        "x:red",
        "a:help",
        ":small",
        "http:x[1]",
        "x·:red-badge[y]",
        "a:b:c[d]",
    ],
)
def test_no_directive_is_left_in_a_spoken_name(name):
    """A directive's name may begin with any sign but a space or one of ASCII's punctuation."""
    directive = r"::|:[^\W\d]|:[^\s\x00-\x7f]|:\w+[\[{]"
    heard = spoken(name)
    assert re.search(directive, name)
    assert not re.search(directive, heard)
    assert heard.replace("\u2236", ":").replace("\u2060", "") == name


@pytest.mark.parametrize("name", ["[x]: y", "[^1]: z"])
def test_no_definition_which_is_shown_nowhere_is_left_in_a_spoken_name(name):
    assert not re.match(r"\[.*\]:", spoken(name))


@pytest.mark.parametrize("sign", ["<->", "->", "<-", "--", ">=", "<=", "~="])
def test_a_label_keeps_what_streamlit_would_turn_into_an_arrow(sign):
    for label in (sign, f"a {sign} b"):
        read = re.sub(r"\\(.)", r"\1", markdown(label))
        assert not re.search(rf"(?:^|\s){sign}(?:\s|$)", read)
        assert read.replace("\u2060", "") == label


@pytest.mark.parametrize("shown", [short, full, markdown, spoken])
def test_no_label_turns_the_direction_of_what_follows_it(shown):
    signs = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    text = {sign: shown(f"a{sign}b 36%") for sign in signs}
    assert text == dict.fromkeys(signs, shown("a b 36%"))
