"""Small workbooks of kinds for which there is no writer here, byte by byte."""

import io
import struct
import zipfile
from xml.sax.saxutils import escape

END = struct.pack("<HH", 0x0A, 0)
WORKSHEET, CHART = 0, 2


def xls(sheets, merged=(), extra=b"", style=0):
    """Return an old Excel file: names of sheets with (rows, hidden) or (None, False) for a chart.

    `merged`: (top, bottom, left, right) in each sheet. `extra`: further records of the workbook.
    `style`: the number of all cells' style among them.
    """
    parts = []
    for rows, _ in sheets.values():
        content = record(
            0x809, struct.pack("<HHHHII", 0x600, 0x20 if rows is None else 0x10, 0, 0, 0, 6)
        )
        for row, cells in enumerate(rows or ()):
            content += b"".join(
                _cell(row, column, value, style) for column, value in enumerate(cells)
            )
        if merged:
            places = b"".join(struct.pack("<4H", *item) for item in merged)
            content += record(0xE5, struct.pack("<H", len(merged)) + places)
        parts.append(content + END)
    head = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 6)) + extra
    sizes = [12 + 2 * len(name) for name in sheets]
    place = len(head) + sum(sizes) + len(END)
    for (name, (rows, hidden)), part in zip(sheets.items(), parts, strict=True):
        kind = CHART if rows is None else WORKSHEET
        named = struct.pack("<IBBBB", place, hidden, kind, len(name), 1) + name.encode("utf-16-le")
        head += record(0x85, named)
        place += len(part)
    return compound(head + END + b"".join(parts))


def record(number, content):
    """Return a record of an old Excel file."""
    return struct.pack("<HH", number, len(content)) + content


def _cell(row, column, value, style):
    """Return the record of a number, a text or a truth value; nothing for None."""
    place = struct.pack("<HHH", row, column, style)
    if value is None:
        return b""
    if isinstance(value, bool):
        return record(0x205, place + struct.pack("<BB", value, 0))
    if isinstance(value, str):
        text = struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")
        return record(0x204, place + text)
    return record(0x203, place + struct.pack("<d", value))


def compound(stream, name="Workbook"):
    """Return a compound file that holds one stream."""
    size = max(len(stream), 4096)  # shorter ones would be kept elsewhere
    sectors = -(-size // 512)
    stream = stream.ljust(sectors * 512, b"\0")
    free, end, own = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    chain = [own, end, *range(3, sectors + 2), end]
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(512, b"\xff")
    assert len(table) == 512, "one sector has room for 126 of the stream"

    def entry(called, kind, start, length, child):
        text = called.encode("utf-16-le") + b"\0\0"
        return (
            text.ljust(64, b"\0")
            + struct.pack("<HBB3I", len(text), kind, 1, free, free, child)
            + bytes(36)
            + struct.pack("<IQ", start, length)
        )

    folder = entry("Root Entry", 5, end, 0, 1) + entry(name, 2, 2, size, free) + bytes(256)
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + bytes(10)
        + struct.pack("<IIIIIIIII", 1, 1, 0, 4096, end, 0, end, 0, 0)
    )
    assert len(header) == 80
    header = header[:76] + struct.pack("<I", 0).ljust(436, b"\xff")
    return header + table + folder + stream


def ods(sheets, hidden=(), manifest="<manifest/>"):
    """Return an OpenDocument workbook: names of sheets with the XML of their rows."""
    styles = "".join(
        f'<style:style style:name="{name}" style:family="table"><style:table-properties '
        f'table:display="{str(shown).lower()}"/></style:style>'
        for name, shown in (("on", True), ("off", False))
    )
    tables = "".join(
        f'<table:table table:name="{escape(name)}" table:style-name='
        f'"{"off" if name in hidden else "on"}">{rows}</table:table>'
        for name, rows in sheets.items()
    )
    spaces = " ".join(
        f'xmlns:{item}="urn:oasis:names:tc:opendocument:xmlns:{item}:1.0"'
        for item in ("office", "table", "text", "style", "draw")
    )
    content = (
        f'<?xml version="1.0"?><office:document-content {spaces} xmlns:calcext="urn:calcext">'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        made.writestr("mimetype", kind, zipfile.ZIP_STORED)
        made.writestr("META-INF/manifest.xml", manifest)
        made.writestr("content.xml", content)
    return packed.getvalue()


def row(*cells, **attributes):
    """Return the XML of a row of cells, those that are texts already in XML or values."""
    reported = _attributes(attributes)
    return f"<table:table-row{reported}>{''.join(map(cell, cells))}</table:table-row>"


def cell(value, text=None, **attributes):
    """Return the XML of a cell."""
    if isinstance(value, str) and value.startswith("<table:"):
        return value
    reported = _attributes(attributes)
    if value is None:
        return f"<table:table-cell{reported}/>"
    shown = str(value) if text is None else text
    if isinstance(value, str):
        kind = 'office:value-type="string"'
    else:
        kind = f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {kind}{reported}><text:p>{escape(shown)}</text:p></table:table-cell>"


def _attributes(attributes):
    return "".join(
        f' table:{name.replace("_", "-")}="{value}"' for name, value in attributes.items()
    )


LOCKED = record(0x2F, bytes(6))
"""The record of an old Excel file that is encrypted."""
