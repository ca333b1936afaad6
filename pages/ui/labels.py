"""Labels from data as text: never markup, never longer than there is room for."""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def text(label: object) -> str:
    """Return a label such that Plotly shows every character of it as it is.

    Plotly reads a part of HTML and, where MathJax is there, LaTeX between dollars.

    Examples
    --------
    >>> text("<b>A & B</b> $x$")
    '&lt;b&gt;A &amp; B&lt;/b&gt; &#36;x&#36;'
    """
    plain = _CONTROL.sub(" ", str(label))
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        plain = plain.replace(character, entity)
    return plain


def short(label: object, room: int = 18) -> str:
    """Return a label in at most `room` characters, as `text`, with … for what is left out.

    The end is kept too, since labels of bins and of joined columns differ there.

    Examples
    --------
    >>> short("Married-civ-spouse · Exec-managerial", 17)
    'Married-c…agerial'
    """
    plain = _CONTROL.sub(" ", str(label))
    if len(plain) > room:
        head = (room + 1) // 2
        tail = room - head - 1
        plain = f"{plain[:head]}…{plain[len(plain) - tail :] if tail else ''}"
    return text(plain)


def distinct(labels: tuple[str, ...] | list[str], room: int = 18) -> list[str]:
    """Return short labels, numbered where shortening made two of them alike.

    Examples
    --------
    >>> distinct(["aaaaaaaaaaB1", "aaaaaaaaaaB1", "c"], 5)
    ['aaa…1', 'aaa…1 (2)', 'c']
    """
    seen: dict[str, int] = {}
    result = []
    for label in labels:
        name = short(label, room)
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def markdown(label: object) -> str:
    r"""Return a label such that Streamlit's Markdown shows every character of it as it is.

    Examples
    --------
    >>> markdown("*a* [b](c)")
    '\\*a\\* \\[b\\]\\(c\\)'
    """
    plain = _CONTROL.sub(" ", str(label))
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])", r"\\\1", plain)
