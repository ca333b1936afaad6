"""Labels from data as text: never markup, never longer than there is room for."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import wrap

from core.mechanisms.outputs import PART

LEAST = 8
"""Least characters of an input's name next to its share; with less room the share is left out."""

SHORTEST = 5
"""Least characters by which a name can be recognized."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028-\u202e\u2066-\u2069]+")
"""Shown as a space: line ends, and signs that turn the direction of whatever follows a label."""


def text(label: object) -> str:
    """Return a label such that Plotly, which reads HTML and LaTeX, shows it as it is."""
    plain = _plain(label)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        plain = plain.replace(character, entity)
    return plain


def short(label: object, room: int = 18) -> str:
    """Return a label in at most `room` characters, as `text`, with … for what is left out.

    The end is kept too, where bins differ; of an output, the first input and its share if there is
    room.
    """
    plain = _plain(label)
    if len(plain) > room and (parts := PART.findall(plain)) and ";" in plain:
        name, share = parts[0]
        left = room - len(share) - 1
        return text(_cut(name, room) if left < LEAST else f"{_cut(name, left)} {share}")
    return text(_cut(plain, room))


def distinct(labels: Sequence[str], room: int = 18) -> list[str]:
    """Return short labels; alike ones show the parts that differ, or get a number."""
    names = [short(label, room) for label in labels]
    alike = {name for name, count in Counter(names).items() if count > 1}
    telling = _telling(labels, names, alike, room)
    used: set[str] = set()
    result = []
    for label, name in zip(labels, names, strict=True):
        base = telling.get(label, name) if name in alike else name
        chosen, number = base, 2
        while chosen in used:
            chosen = f"{base} ({number})"
            number += 1
        used.add(chosen)
        result.append(chosen)
    return result


def full(label: object, width: int = 64, most: int = 640) -> str:
    """Return a whole label, as `text`, in lines that fit beside the mouse."""
    lines = wrap(_plain(label), width, max_lines=-(-most // width), placeholder=" …")
    return "<br>".join(text(line) for line in lines)


def _plain(label: object) -> str:
    return _CONTROL.sub(" ", str(label))


def _cut(plain: str, room: int) -> str:
    if len(plain) <= room:
        return plain
    head = (room + 1) // 2
    tail = room - head - 1
    return f"{plain[:head]}…{plain[len(plain) - tail :] if tail else ''}"


def _telling(
    labels: Sequence[str], names: Sequence[str], alike: set[str], room: int
) -> dict[str, str]:
    """Return distinct names of labels whose short names are alike, by label."""
    groups: dict[str, list[str]] = {name: [] for name in alike}
    for label, name in zip(labels, names, strict=True):
        if name in alike and label not in groups[name]:
            groups[name].append(label)
    telling: dict[str, str] = {}
    for group in groups.values():
        if len(group) > 1:
            telling |= dict(zip(group, _distinguished(group, room), strict=True))
    return telling


def _distinguished(group: Sequence[str], room: int) -> list[str]:
    """Return names of labels that begin and end alike, by the shortening that separates most."""
    parts = [_parts(label) for label in group]
    start = _differ([name for words in parts for name, _ in words[:2]], room)
    best: list[str] = []
    for way in _ways(max(map(len, parts)), room):
        shortened = [way(words, start) for words in parts]
        fits = max(map(len, shortened)) <= room or not best
        if fits and len(set(shortened)) > len(set(best)):
            best = shortened
    return [text(name) for name in best]


Parts = Sequence[tuple[str, str]]
"""The inputs that an output's name lists, with their shares; any other label is one such part,
with no share."""


def _parts(label: str) -> Parts:
    plain = _plain(label)
    pieces = PART.findall(plain)
    return pieces if len(pieces) > 1 else [(plain, "")]


def _ways(most: int, room: int) -> list[Callable[[Parts, int], str]]:
    """Return ways to shorten a name of inputs (from where they differ), the most telling first."""
    half = (room - 2) // 2

    def pair(parts: Parts, start: int, other: int) -> str:
        if len(parts) == 1:
            return _from(parts[0][0], start, room)
        shown = (parts[0][0], parts[min(other, len(parts) - 1)][0])
        return ", ".join(_from(name, start, half) if start else _cut(name, half) for name in shown)

    def ends(parts: Parts, _: int) -> str:
        shown = [name for name, _ in parts[:2]]
        if len(shown) == 1:
            return _cut(shown[0], room)
        return ", ".join(
            name if len(name) <= half else f"…{name[1 - half :].lstrip()}" for name in shown
        )

    def share(parts: Parts, start: int) -> str:
        name, part = parts[0]
        return f"{_from(name, start, room - len(part) - 1)} {part}" if part else lead(parts, start)

    def lead(parts: Parts, start: int) -> str:
        name, several = parts[0][0], len(parts) > 1
        return f"{_from(name, start, room - 2)} +" if several else _from(name, start, room)

    ways: list[Callable[[Parts, int], str]] = []
    if most > 1 and half >= SHORTEST:
        ways = [lambda parts, _: pair(parts, 0, 1), partial(pair, other=1), ends]
    ways.append(lead)
    if most > 1 and room > LEAST:
        ways.append(share)
        ways += [partial(pair, other=other) for other in range(2, most) if half >= SHORTEST]
    return ways


def _differ(names: Sequence[str], room: int) -> int:
    """Return the place from which names differ, moved to its word's beginning if that is near."""
    several = list(dict.fromkeys(names))
    if len(several) == 1:
        return 0
    letters = enumerate(zip(*several, strict=False))
    differ = next((at for at, column in letters if len(set(column)) > 1), min(map(len, several)))
    return _word(several[0], differ, room // 2)


def _word(plain: str, place: int, most: int) -> int:
    """Return where the word around a place begins, if that is at most `most` before it."""
    begin = max(plain.rfind(mark, 0, place) for mark in " -_·/,") + 1
    return begin if place - begin <= most else place


def _from(plain: str, start: int, room: int) -> str:
    """Return at most `room` characters of a text from a place on, with … for what is left out."""
    start = max(0, min(start, len(plain) - room + 1))
    head = "…" if start else ""
    left = plain[start:]
    space = room - len(head)
    return head + (left if len(left) <= space else f"{left[: space - 1].rstrip()}…")


_JOINER = "\u2060"
"""A word joiner, which is not seen and has no width."""

_SPOTTED = re.compile(
    r"(?i):(?=//)|:(?=[\w+\-/]+:)|www(?=\.)|[-.\w+](?=@[-\w]+\.)"
    r"|(?<!\S)[<>~-](?=(?:->|=|-|>)(?!\S))"
)
"""What Streamlit turns into a link, an icon, an emoji or an arrow after it has read the Markdown:
backslashes do not prevent that, a word joiner behind it does."""


def plain_short(label: object, room: int = 22) -> str:
    """Return a label in at most `room` characters, with … for what is left out; nothing escaped."""
    cut = _cut(_plain(label), room)
    return re.sub(r"\s*…\s*", "…", cut)


def markdown(label: object) -> str:
    r"""Return a label escaped for Streamlit's Markdown: every character is shown as it is."""
    plain = _SPOTTED.sub(lambda match: f"{match[0]}{_JOINER}", _plain(label))
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])", r"\\\1", plain)


def spoken(label: object) -> str:
    """Return a label for a control, read aloud as written: as `markdown`, without backslashes."""
    plain = _SPOTTED.sub(lambda match: f"{match[0]}{_JOINER}", _plain(label))
    return _READ.sub(lambda match: _ALIKE.get(match[0], f"{match[0]}{_JOINER}"), plain)


_READ = re.compile(
    r"[*`~$]|(?<![^\W_])_|_(?![^\W_])|[<&\\]|\](?=[(:])|^[#>+-]|^\d+(?=[.)])"
    r"|:(?=:|[^\W\d]|[^\s\x00-\x7f]|\d[^\s\[{]*[\[{])"
)
"""What Markdown reads as a sign of its own; an underscore within a word is none.

A colon begins a directive whose name may have any letter, a word joiner too. Streamlit drops its
brackets, and all of it where it is the name of a color.
"""

_ALIKE = {"*": "\u2217", "`": "\u02cb", "~": "\u223c", "$": "\uff04", "_": "\uff3f", ":": "\u2236"}
"""Signs that a word joiner does not make plain, each with one that looks like it."""
