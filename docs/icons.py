"""Make static/icons.woff2 of Streamlit's font of icons: `python docs/icons.py`.

It needs `pip install fonttools brotli`. Beside it, icons.txt names what it has: every icon that the
pages name, as far as a word can tell, and those that Streamlit's own scripts show.
"""

from __future__ import annotations

import re
from pathlib import Path

import streamlit
from streamlit.material_icon_names import ALL_MATERIAL_ICONS

ROOT = Path(__file__).parents[1]

STATIC = Path(streamlit.__file__).parent / "static" / "static"

NAMED = re.compile(r":material/(\w+)")

WORD = re.compile(r"[\"'`](\w+)[\"'`]")


def names() -> list[str]:
    """Return the icons that may be shown."""
    icons: set[str] = set()
    for script in (STATIC / "js").glob("*.js"):
        icons.update(NAMED.findall(script.read_text(encoding="utf-8")))
    for file in (ROOT / "pages").rglob("*"):
        if file.suffix in (".py", ".js"):
            written = file.read_text(encoding="utf-8")
            icons.update(NAMED.findall(written), WORD.findall(written))
    return sorted(icons & set(ALL_MATERIAL_ICONS))


def make() -> None:
    """Write the font and the names of its icons."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(next((STATIC / "media").glob("MaterialSymbols-Rounded.*.woff2")))
    letters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    drawn = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in getattr(table, "ExtSubTable", table).ligatures.items():
                for ligature in ligatures:
                    word = "".join(letters.get(part, " ") for part in (first, *ligature.Component))
                    drawn[word] = ligature.LigGlyph
    wanted = names()
    options = subset.Options(layout_features=["*"], layout_closure=False, name_IDs=["*"])
    small = subset.Subsetter(options)
    small.populate(glyphs=[drawn[name] for name in wanted], text="".join(wanted))
    small.subset(font)
    font.flavor = "woff2"
    font.save(ROOT / "static" / "icons.woff2")
    (ROOT / "static" / "icons.txt").write_text("\n".join(wanted) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make()
