"""Labels from data as text: never markup, never longer than there is room for."""

import re
from collections import Counter
from collections.abc import Sequence
from textwrap import wrap

from core.mechanisms.outputs import PART

LEAST = 8
"""Characters of an input's name without which its share is left out."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def text(label: object) -> str:
    """Return a label such that Plotly shows every character of it as it is.

    Plotly reads a part of HTML and, where MathJax is there, LaTeX between dollars.

    Examples
    --------
    >>> text("<b>A & B</b> $x$")
    '&lt;b&gt;A &amp; B&lt;/b&gt; &#36;x&#36;'
    """
    plain = _plain(label)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        plain = plain.replace(character, entity)
    return plain


def short(label: object, room: int = 18) -> str:
    """Return a label in at most `room` characters, as `text`, with … for what is left out.

    The end is kept too, since labels of bins and of joined columns differ there. Of the name of
    an output, a list of inputs with their shares, the first input is kept, and its share where
    there is room for both.

    Examples
    --------
    >>> short("Married-civ-spouse · Exec-managerial", 17)
    'Married-c…agerial'
    >>> short("Prof-specialty 62 %; Sales 20 %; 5 more 18 %", 17)
    'Prof-s…ialty 62 %'
    """
    plain = _plain(label)
    if len(plain) > room and (parts := PART.findall(plain)) and ";" in plain:
        name, share = parts[0]
        left = room - len(share) - 1
        return text(_cut(name, room) if left < LEAST else f"{_cut(name, left)} {share}")
    return text(_cut(plain, room))


def distinct(labels: Sequence[str], room: int = 18) -> list[str]:
    """Return short labels; those that shortening made alike show where they differ.

    Where that cannot be shown they have a number.

    Examples
    --------
    >>> distinct(["aaaaaaaaaaB1", "aaaaaaaaaaB1", "c"], 5)
    ['aaa…1', 'aaa…1 (2)', 'c']
    >>> distinct(["Sales 50 %; Tech 50 %", "Sales 50 %; Clerk 50 %"], 14)
    ['Sales, Tech', 'Sales, Clerk']
    >>> distinct(["street 005 of the old town", "street 017 of the old town"], 12)
    ['…005 of the…', '…017 of the…']
    """
    names = [short(label, room) for label in labels]
    alike = {name for name, count in Counter(names).items() if count > 1}
    telling = _telling(labels, names, alike, room)
    taken: set[str] = set()
    result = []
    for label, name in zip(labels, names, strict=True):
        found = telling.get(label, name) if name in alike else name
        chosen, number = found, 2
        while chosen in taken:
            chosen = f"{found} ({number})"
            number += 1
        taken.add(chosen)
        result.append(chosen)
    return result


def full(label: object, width: int = 64, most: int = 320) -> str:
    """Return a whole label, as `text`, in lines that fit beside the mouse.

    Examples
    --------
    >>> full("Prof-specialty 62 %; Sales 38 %", 20)
    'Prof-specialty 62 %;<br>Sales 38 %'
    """
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
    """Return for labels whose short names are alike what tells them apart, by label."""
    groups: dict[str, list[str]] = {name: [] for name in alike}
    for label, name in zip(labels, names, strict=True):
        if name in alike and label not in groups[name]:
            groups[name].append(label)
    found = {}
    for group in groups.values():
        plain = [_plain(label) for label in group]
        if len(group) == 1:
            continue
        letters = enumerate(zip(*plain, strict=False))
        differ = next((at for at, each in letters if len(set(each)) > 1), min(map(len, plain)))
        start = _word(plain[0], differ, room // 2)
        for label, whole in zip(group, plain, strict=True):
            several = len(PART.findall(whole)) > 1
            found[label] = _first_two(label, room) if several else text(_from(whole, start, room))
    return found


def _word(plain: str, place: int, most: int) -> int:
    """Return where the word around a place begins, if that is not far before it."""
    begin = max(plain.rfind(mark, 0, place) for mark in " -_·/,") + 1
    return begin if place - begin <= most else place


def _from(plain: str, start: int, room: int) -> str:
    """Return so many characters of a text from a place on, with … for what is left out."""
    start = max(0, min(start, len(plain) - room + 1))
    head = "…" if start else ""
    left = plain[start:]
    space = room - len(head)
    return head + (left if len(left) <= space else f"{left[: space - 1]}…")


def _first_two(label: str, room: int) -> str:
    """Return the first two inputs of an output's name, where it has two."""
    parts = PART.findall(_plain(label))
    if len(parts) < 2:
        return short(label, room)
    half = max(5, (room - 2) // 2)
    return text(", ".join(_cut(name, half) for name, _ in parts[:2]))


def markdown(label: object) -> str:
    r"""Return a label such that Streamlit's Markdown shows every character of it as it is.

    Examples
    --------
    >>> markdown("*a* [b](c)")
    '\\*a\\* \\[b\\]\\(c\\)'
    """
    plain = _plain(label)
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])", r"\\\1", plain)
