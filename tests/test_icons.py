"""The font of icons, of which a missing one would be shown as its name."""

from docs import icons


def test_the_font_has_every_icon_that_pages_and_streamlits_scripts_name():
    there = (icons.ROOT / "static" / "icons.txt").read_text(encoding="utf-8").split()
    assert set(icons.names()) - set(there) == set()
