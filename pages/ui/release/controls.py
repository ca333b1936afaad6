"""The Release page's own question, in the URL, never a seed or a key; its controls make a plan."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import streamlit as st

from core.errors import CoreError
from core.joint import MISSING
from core.records.design import (
    CHOSEN,
    COLUMNS,
    FORMATS,
    LEAVE_OUT,
    OWNERS,
    REFUSE,
    Plan,
    others_of,
)
from core.records.draws import LEAST_KEY, Draw, Keyed, Seeded
from core.scenario import Result
from core.wording import listed, number_of
from pages.ui.frame.address import PageQuery, Value, one_of, whole_number
from pages.ui.parts.for_each import RARE
from pages.ui.style.labels import markdown
from pages.ui.work import visits

_SETTLED = "_release_keep_settled"

EACH = "each"
"""The key in the URL of the records from which a known value has a mechanism of its own."""

STAY, RANDOMIZE = "stay", "randomize"
"""What can be done with a column beside leaving it out; the keys of such columns in the URL."""

SEED, KEY = "seed", "key"
"""Sources of the random numbers."""

CSV, PARQUET = "csv", "parquet"
"""Kinds of files that are written."""


def widget(key: str) -> str:
    """Return the key of the widget that holds a choice."""
    return f"release_{key}"


def _choice(key: str, *known: str) -> Value:
    return Value(key, known[0], one_of(known), widget(key))


def _treatment(text: str) -> str | None:
    """Read a treatment of columns; what links before were about begins with Y alone."""
    return OWNERS if text == OWNERS else CHOSEN if text in COLUMNS else None


URL = PageQuery(
    "release",
    Value("original", CHOSEN, _treatment, widget("original")),
    Value(STAY, [], held="_release_keep", many=True),
    Value(RANDOMIZE, [], held="_release_randomize", many=True),
    Value(EACH, 0, lambda text: whole_number(text, 1), held="_release_each"),
    _choice("file", CSV, PARQUET),
    _choice("draw", SEED, KEY),
    Value("unknown"),
    Value("id"),
)


def settle(key: str, known: Sequence[str], default: str | None) -> None:
    """Give the widget of a choice that depends on the data a value that it may have."""
    wanted = URL.take(key)
    if wanted is not None and wanted not in known:
        instead = "nothing" if default is None else f"{key}={default}"
        URL.refuse(key, wanted, "is not known here", f"{instead} is used")
        wanted = default
    now = wanted if wanted is not None else st.session_state.get(widget(key), default)
    st.session_state[widget(key)] = now if now in known else default


def publish() -> None:
    """Write the page's choices to the URL; what is the default is left out."""
    wanted = URL.wanted()
    if (unknown := st.session_state.get(widget("unknown"), REFUSE)) != REFUSE:
        wanted["unknown"] = [unknown]
    if URL.now("draw") == KEY and (column := st.session_state.get(widget("id"))) is not None:
        wanted["id"] = [column]
    URL.publish(wanted)


TREATMENTS = {REFUSE: "stop the release and name them", LEAVE_OUT: "leave out those records"}
"""What is done about unknown values, beside taking them for a symbol of X."""


ORIGINAL = {CHOSEN: "those you choose", OWNERS: "all of them"}
"""Short names of the treatments of the original columns, in a row that a phone has room for."""


def kept() -> list[str]:
    """Return the columns that are written beside Y."""
    names: list[str] = URL.now(STAY)
    return names


def randomized() -> list[str]:
    """Return the columns that are randomized separately, beside X."""
    names: list[str] = URL.now(RANDOMIZE)
    return names


def treat(name: str, treatment: str = "") -> None:
    """Keep a column, randomize it separately, or leave it out."""
    for key in (STAY, RANDOMIZE):
        held = [column for column in URL.now(key) if column != name]
        URL.set(key, [*held, name] if key == treatment else held)


def treat_only(keep: Sequence[str], randomize: Sequence[str], each: int) -> None:
    """Keep some columns, randomize others for themselves, and leave out the rest.

    `each`: from how many records a known value has a mechanism of its own.
    """
    URL.set(STAY, [*keep])
    URL.set(RANDOMIZE, [*randomize])
    URL.set(EACH, each)


SOURCES = {SEED: "a seed, once", KEY: "a key, repeatable"}
"""Names of the sources of random numbers."""

FILES = {CSV: "CSV", PARQUET: "Parquet"}
"""Names of the kinds of files."""


def show(result: Result, columns: list[str]) -> Plan | None:
    """Show the controls, and return the plan; None, with a message, where it is incomplete."""
    left, right = st.columns(2, gap="large")
    with left:
        draw = _draw(columns)
    with right:
        _columns(result, columns)
        _for_each(result)
        _unknown(result)
        st.segmented_control(
            "File",
            FILES,
            format_func=lambda key: FILES[key],
            key=widget("file"),
            required=True,
            persist_state="session",
            help="Parquet keeps numbers and dates as they are; CSV opens everywhere.\n\n"
            + markdown(f"{FORMATS[FILES[URL.now('file')]]}."),
        )
    publish()
    if draw is None:
        return None
    unknown = str(st.session_state[widget("unknown")])
    further = tuple(name for name in columns if name in randomized())
    if URL.now("original") == OWNERS:
        return Plan(draw, OWNERS, unknown, randomize=further, for_each=URL.now(EACH))
    stay = tuple(name for name in columns if name in kept())
    return Plan(*(draw, _plan_columns(), unknown, stay), randomize=further, for_each=URL.now(EACH))


def _draw(columns: list[str]) -> Draw | None:
    """Show where random numbers come from; return None, and say why, where that is incomplete."""
    st.segmented_control(
        "Draw Y with",
        SOURCES,
        format_func=lambda key: SOURCES[key],
        key=widget("draw"),
        required=True,
        persist_state="session",
        help="A new seed draws every record afresh, and several releases of one record reveal "
        "more than one. A key gives the record with the same id the same answer each time.",
    )
    try:
        return _seeded() if URL.now("draw") == SEED else _keyed(columns)
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return None


def _seeded() -> Draw:
    field = widget("seed")
    held = visits.release().secrets
    if field not in st.session_state:
        st.session_state[field] = held.get(SEED) or _drawn_seed()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Seed",
            key=field,
            persist_state="session",
            help="The same seed makes the same file again. It is in no file and not in the "
            "address, so write it down.",
        )
        st.button("New seed", icon=":material/casino:", key="release_new_seed", on_click=_new_seed)
    held[SEED] = st.session_state[field]
    draw = Seeded.from_text(st.session_state[field].strip())
    st.caption(
        "This seed is small enough to guess. Use it only for tests."
        if draw.guessable
        else "Keep the seed secret: anyone who knows it can undo the release."
    )
    return draw


def _keyed(columns: list[str]) -> Draw | None:
    settle("id", columns, None)
    st.selectbox(
        "Column with a unique id for each record",
        columns,
        index=None,
        key=widget("id"),
        placeholder="Choose a column",
        persist_state="session",
    )
    held, field = visits.release().secrets, widget("key")
    if field not in st.session_state:
        st.session_state[field] = held.get(KEY, "")
    st.text_input(
        f"Secret key, at least {LEAST_KEY} characters",
        type="password",
        key=field,
        persist_state="session",
        autocomplete="off",
        live=True,  # Tab goes to the field's own button, and does not end what is typed
    )
    st.caption(
        "The key is in no file and not in the address, and the server forgets it soon after the "
        "page closes. Keep it: a release with another key is independent of this one. Choose it "
        "at random, because anyone with the certificate can try words and phrases."
    )
    column, key = st.session_state[widget("id")], st.session_state[field]
    held[KEY] = key
    if column is None or not key:
        st.info("Choose the column and enter a key.", icon=":material/key:")
        return None
    return Keyed(key.encode(), column)


def _new_seed() -> None:
    st.session_state[widget("seed")] = _drawn_seed()


def _drawn_seed() -> str:
    # bits of a seed that the page makes: more than anybody can try
    return str(secrets.randbits(128))


def _columns(result: Result, columns: list[str]) -> None:
    _settle_kept(others_of(result.scenario.data, columns))
    st.segmented_control(
        "Columns next to Y",
        ORIGINAL,
        format_func=lambda key: ORIGINAL[key],
        key=widget("original"),
        required=True,
        persist_state="session",
    )
    if URL.now("original") == OWNERS:
        st.caption(f"{COLUMNS[OWNERS].capitalize()}.")


def _settle_kept(others: Sequence[str]) -> None:
    """Keep the columns that exist; a notice names others in a link, but none of other data."""
    wanted, before = (kept(), randomized()), st.session_state.get(_SETTLED)
    if wanted != before:
        for name in [name for name in kept() if name in randomized()]:
            URL.refuse(STAY, name, "is also to be randomized", "it is not kept")
        ends = ("it is not kept", "it is not randomized")
        for key, names, instead in zip((STAY, RANDOMIZE), wanted, ends, strict=True):
            for name in names:
                if name not in others:
                    URL.refuse(key, name, "is S, X or no column of this data", instead)
    URL.set(RANDOMIZE, [name for name in randomized() if name in others])
    URL.set(STAY, [name for name in kept() if name in others and name not in randomized()])
    st.session_state[_SETTLED] = (kept(), randomized())


def _for_each(result: Result) -> None:
    """Offer a mechanism for each value of what others know."""
    least, records = URL.now(EACH), max(result.joint.n or 1, 1)
    apart = result.joint.known is None or result.mechanism.notion is None
    if least and (apart or randomized()):
        why = "needs columns that others know, and none that are randomized separately"
        URL.refuse(EACH, str(least), why, "one mechanism is used for all")
        URL.set(EACH, least := 0)
    if apart:
        return
    known, key = markdown(result.counted.report.known), widget(EACH)
    st.session_state[key] = least > 0
    st.toggle(
        f"A separate mechanism for each {known}",
        key=key,
        on_change=lambda: URL.set(EACH, min(RARE, records) if st.session_state[key] else 0),
        disabled=bool(randomized()),
        help=f"Y then depends on {known} too, and keeps at least as much of X. The certificate is "
        f"for someone who knows {known}.",
    )
    if least:
        number = widget(f"{EACH}_least")
        st.session_state[number] = min(least, records)
        st.number_input(
            "Values with fewer records share one mechanism",
            *(1, records),
            key=number,
            on_change=lambda: URL.set(EACH, int(st.session_state[number])),
        )


def _plan_columns() -> str:
    return CHOSEN if kept() else Plan.columns


def _unknown(result: Result) -> None:
    labels = result.joint.x_labels
    known = [REFUSE, LEAVE_OUT, *(name for name in labels if name not in TREATMENTS)]
    settle("unknown", known, REFUSE)
    level = result.scenario.data.missing == "level"
    st.selectbox(
        "Records with an unexpected value"
        if level
        else "Records with a missing or unexpected value",
        known,
        format_func=lambda key: TREATMENTS.get(key, f"treat as {key}"),
        key=widget("unknown"),
        persist_state="session",
        help="No record passes through unchanged. A record treated as a symbol of X is answered "
        "as if it had that symbol.",
    )
    if blanks := _blanks(result):
        st.caption(markdown(blanks))


def _blanks(result: Result) -> str:
    """Say how missing values count, and how many there are; "" if there are none to count."""
    report = result.counted.report
    words = "".join(f" {bins.sentence(level=True)}" for bins in report.as_levels)
    if result.scenario.data.missing != "level":
        gone = number_of(report.dropped_missing, "record")
        return f"Missing values were not counted: {gone} here, treated as you choose above.{words}"
    blanks = [
        f"{number_of(rows, 'record')} of {column!r}" for column, rows in report.missing if rows
    ]
    if not blanks:
        return words.strip()
    return f"Missing values are a level like any other, {MISSING}: {listed(blanks)}.{words}"
