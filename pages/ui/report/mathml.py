r"""LaTeX of the catalogues' formulas as MathML, which browsers show without a program or fonts.

Only what the catalogues use is known: a test converts every formula of theirs.
"""

from __future__ import annotations

import re
from html import escape

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|\.\d+|\S")
"""A command, a letter, a number or a sign; spaces mean nothing."""

LETTERS = {
    "alpha": "α",
    "beta": "β",
    "chi": "χ",
    "delta": "δ",
    "varepsilon": "ε",
    "lambda": "λ",
    "Gamma": "Γ",
    "Lambda": "Λ",
    "Psi": "Ψ",
}
"""Commands that are letters."""

SIGNS = {
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "neq": "≠",
    "mid": "|",
    "Vert": "‖",
    "lVert": "‖",
    "rVert": "‖",
    "cdot": "·",
    "in": "∈",
    "to": "→",
    "dots": "…",
    "propto": "∝",
    "sim": "∼",
    "iff": "⟺",
    "exists": "∃",
    "subseteq": "⊆",
    "subsetneq": "⊊",
    "{": "{",
    "}": "}",
}
"""Commands that are operators or relations."""

LARGE = {"sum": "∑", "prod": "∏"}
"""Operators whose limits are written below and above."""

NAMED = ("max", "min", "log")
"""Operators that are written as words; limits of the first two are written below."""

SPACES = {",": "0.17em", ";": "0.28em", " ": "0.25em", "quad": "1em", "qquad": "2em"}
"""Commands that are spaces, and their widths."""

IGNORED = ("Bigl", "Bigr", "bigl", "bigr", "textstyle")
"""Commands that only change a size."""


def mathml(formula: str) -> str:
    r"""Return a formula as a MathML element that stands on a line of its own.

    Raises
    ------
    ValueError
        If the formula has a command that is not known, or does not end where it should.

    Examples
    --------
    >>> mathml(r"P \le 1")
    '<math display="block"><mrow><mi>P</mi><mo>≤</mo><mn>1</mn></mrow></math>'
    """
    reader = _Reader(formula)
    made = reader.row(None)
    return f'<math display="block">{made}</math>'


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, formula: str) -> None:
        self._formula = formula
        self._texts: list[str] = []
        plain = re.sub(r"\\text\{([^}]*)\}", self._keep, formula)
        self._tokens: list[str] = TOKEN.findall(plain)
        self._at = 0

    def _keep(self, found: re.Match[str]) -> str:
        """Keep a text with its spaces, and put a mark in its place."""
        self._texts.append(found[1])
        return r"\TEXT "

    def row(self, end: str | None) -> str:
        """Read up to a token, which is taken too, as one row."""
        return f"<mrow>{''.join(self.parts(end))}</mrow>"

    def parts(self, *ends: str | None) -> list[str]:
        """Read elements up to one of some tokens, which is taken too; None is the formula's end."""
        found: list[str] = []
        while self._at < len(self._tokens):
            if self._tokens[self._at] in ends:
                self._at += 1
                return found
            found.append(self._scripted())
        if None not in ends:
            raise ValueError(f"The formula {self._formula!r} ends too early.")
        return found

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise ValueError(f"The formula {self._formula!r} ends too early.")
        self._at += 1
        return self._tokens[self._at - 1]

    def _scripted(self) -> str:
        """Read an element with what is written below and above it."""
        token = self._tokens[self._at]
        base = self._element()
        below = above = ""
        while self._at < len(self._tokens) and self._tokens[self._at] in "_^'":
            mark = self._next()
            if mark == "'":
                above += "<mo>′</mo>"
            elif mark == "_":
                below = self._element()
            else:
                above += self._element()
        above = f"<mrow>{above}</mrow>" if above else ""
        limits = token[1:] in LARGE or token[1:] in ("max", "min")
        low, high = ("munder", "mover") if limits else ("msub", "msup")
        if below and above:
            both = "munderover" if limits else "msubsup"
            return f"<{both}>{base}{below}{above}</{both}>"
        if below:
            return f"<{low}>{base}{below}</{low}>"
        return f"<{high}>{base}{above}</{high}>" if above else base

    def _element(self) -> str:
        """Read a group, a command, a letter, a number or a sign."""
        token = self._next()
        if token == "{":
            return self.row("}")
        if token.startswith("\\"):
            return self._command(token[1:])
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token[-1].isdigit():
            return f"<mn>{token}</mn>"
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"

    def _command(self, name: str) -> str:
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in SIGNS:
            return f"<mo>{escape(SIGNS[name])}</mo>"
        if name in LARGE:
            return f"<mo>{LARGE[name]}</mo>"
        if name in NAMED:
            return f"<mi>{name}</mi>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in IGNORED:
            return self._element() if name != "textstyle" else self._scripted()
        if name == "TEXT":
            return f"<mtext>{escape(self._texts.pop(0)).replace(' ', '&#160;')}</mtext>"
        if name in ("frac", "tfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "hat":
            return f'<mover accent="true">{self._element()}<mo>^</mo></mover>'
        if name == "mathrm":
            return f'<mi mathvariant="normal">{"".join(self._letters())}</mi>'
        if name == "begin":
            return self._cases()
        raise ValueError(f"The formula {self._formula!r} has a command that is not known: {name}.")

    def _argument(self) -> str:
        """Read an argument of a fraction: a group, or one digit."""
        token = self._next()
        self._at -= 1
        if token[0].isdigit() and len(token) > 1:
            self._tokens[self._at : self._at + 1] = [token[0], token[1:]]
        return self._element()

    def _letters(self) -> list[str]:
        """Read a group as plain letters."""
        if self._next() != "{":
            raise ValueError(f"The formula {self._formula!r} needs braces after \\mathrm.")
        found = []
        while (token := self._next()) != "}":
            found.append(escape(token))
        return found

    def _cases(self) -> str:
        """Read cases: rows of two columns behind a brace."""
        self._letters()
        rows, cells = [], []
        while True:
            cells.append("".join(self.parts("&", "\\\\", "\\end")))
            ended = self._tokens[self._at - 1]
            if ended != "&":
                rows.append("".join(f"<mtd><mrow>{cell}</mrow></mtd>" for cell in cells))
                cells = []
            if ended == "\\end":
                self._letters()
                table = "".join(f"<mtr>{row}</mtr>" for row in rows)
                return f'<mrow><mo>{{</mo><mtable columnalign="left">{table}</mtable></mrow>'
