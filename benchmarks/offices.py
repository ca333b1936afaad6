"""Read tables as offices of six countries publish them: right, by one click, refused, or wrong.

`python -m benchmarks.offices` writes ten habits of each country, with the right table beside each,
and counts how many are read right at once, how many by one of the choices that are offered, how
many are refused, and how many are read otherwise, with and without a word.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pyarrow import parquet

from core.data import ReadOptions, Sources
from core.errors import CoreError, ReadingError

Rows = list[list[str]]

Made = tuple[str, list[str], Rows]
"""The text of a file, its names, and its records."""


@dataclass(frozen=True)
class Country:
    """How a country's offices write: delimiter, decimal mark, and words."""

    delimiter: str
    decimal: str
    names: tuple[str, ...]
    places: tuple[str, ...]
    sexes: tuple[str, str]
    title: str
    note: str
    total: str

    def table(self) -> tuple[list[str], Rows]:
        """Return names and records: place, sex, number, share."""
        rows = [
            [place, sex, str(12 + 7 * i + 3 * j), f"{3 + i}{self.decimal}{j + 1}"]
            for i, place in enumerate(self.places)
            for j, sex in enumerate(self.sexes)
        ]
        return list(self.names), rows

    def text(self, rows: Rows) -> str:
        """Return rows as text."""
        file = io.StringIO()
        csv.writer(file, delimiter=self.delimiter, lineterminator="\n").writerows(rows)
        return file.getvalue()


COUNTRIES = {
    "DE": Country(
        ";", ",", ("Land", "Geschlecht", "Personen", "Anteil"),
        ("Bayern", "Sachsen", "Hessen", "Berlin"), ("männlich", "weiblich"),
        "Beschäftigte nach Ländern, 2024", "Quelle: Amt für Statistik; © 2024", "Insgesamt",
    ),
    "FR": Country(
        ";", ",", ("Région", "Sexe", "Effectif", "Part"),
        ("Bretagne", "Corse", "Occitanie", "Île-de-France"), ("Hommes", "Femmes"),
        "Emplois par région, 2024", "Source : Institut national", "Ensemble",
    ),
    "UK": Country(
        ",", ".", ("Area", "Sex", "Persons", "Share"),
        ("Leeds", "Kent, North", "Bath", "York"), ("Male", "Female"),
        "Table 3: staff by area, 2024", "Source: the national office", "Total",
    ),
    "US": Country(
        ",", ".", ("State", "Gender", "Count", "Rate"),
        ("Ohio", "Utah", "Iowa", "Maine"), ("M", "F"),
        "Annual report of wages", "* Estimates are rounded.", "Total",
    ),
    "ES": Country(
        "\t", ",", ("Provincia", "Sexo", "Casos", "Tasa"),
        ("Álava", "Cádiz", "León", "Lugo"), ("Hombre", "Mujer"),
        "Estadística de salud 2024", "Fuente: Instituto de salud", "Total",
    ),
    "PL": Country(
        "|", ",", ("Województwo", "Płeć", "Liczba", "Udział"),
        ("Łódzkie", "Śląskie", "Opolskie", "Lubuskie"), ("kobiety", "mężczyźni"),
        "Ludność według województw", "Źródło: urząd statystyczny", "Razem",
    ),
}  # fmt: skip


def plain(country: Country) -> Made:
    names, rows = country.table()
    return country.text([names, *rows]), names, rows


def titled(country: Country) -> Made:
    names, rows = country.table()
    return f"{country.title}\n\n{country.text([names, *rows])}\n{country.note}\n", names, rows


def padded_title(country: Country) -> Made:
    names, rows = country.table()
    above = [[country.title, "", "", ""], ["", "", "", ""]]
    return country.text([*above, names, *rows, [country.note, "", "", ""]]), names, rows


def with_total(country: Country) -> Made:
    names, rows = country.table()
    shares = sum(float(row[3].replace(",", ".")) for row in rows)
    end = [country.total, "", str(sum(int(row[2]) for row in rows))]
    end.append(f"{shares:.1f}".replace(".", country.decimal))
    return country.text([names, *rows, end]), names, rows


def trailing(country: Country) -> Made:
    names, rows = country.table()
    return country.text([[*row, "", ""] for row in [names, *rows]]), names, rows


def unnamed(country: Country) -> Made:
    names, rows = country.table()
    text = country.text([["", *names], *([str(i), *row] for i, row in enumerate(rows))])
    return text, ["column 1", *names], [[str(i), *row] for i, row in enumerate(rows)]


def repeated(country: Country) -> Made:
    names, rows = country.table()
    again = [[*row, row[2]] for row in rows]
    text = country.text([[*names, names[2]], *again[:4], [*names, names[2]], *again[4:]])
    return text, [*names, f"{names[2]} (2)"], again


def short(country: Country) -> Made:
    names, rows = country.table()
    rows = [row if i % 3 else [*row[:3], ""] for i, row in enumerate(rows)]
    cut = [row if i % 3 else row[:3] for i, row in enumerate(rows)]
    return country.text([names, *cut]), names, rows


def two_lines(country: Country) -> Made:
    _, rows = country.table()
    wide = [[row[0], row[2], row[3], row[2], row[3]] for row in rows[::2]]
    above = [
        [country.names[0], "2023", "", "2024", ""],
        ["", *country.names[2:], *country.names[2:]],
    ]
    years = [f"{year} · {name}" for year in ("2023", "2024") for name in country.names[2:]]
    return country.text([*above, *wide]), [country.names[0], *years], wide


def nameless(country: Country) -> Made:
    names, rows = country.table()
    return country.text(rows), [f"column {i + 1}" for i in range(len(names))], rows


HABITS: tuple[Callable[[Country], Made], ...] = (
    plain, titled, padded_title, with_total, trailing, unnamed, repeated, short, two_lines,
    nameless,
)  # fmt: skip


def read(text: str, options: ReadOptions) -> tuple[list[str], Rows, bool]:
    """Return what is read, and whether anything is said of it."""
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(text.encode(), "table.csv", options)]
    cells = parquet.read_table(upload.table.paths[0]).to_pydict().values()
    rows = [list(row) for row in zip(*cells, strict=True)]
    return list(upload.table.columns), rows, bool(upload.repairs or upload.hints)


def outcome(file: Made) -> str:
    """Return how a file is read."""
    text, names, rows = file
    try:
        *table, notes = read(text, ReadOptions())
    except ReadingError as error:
        for choice in error.choices:
            try:
                if read(text, ReadOptions(**dict(choice.options)))[:2] == (names, rows):
                    return "by one click"
            except CoreError:
                continue
        return "refused"
    except CoreError:
        return "refused"
    if table == [names, rows]:
        return "right"
    return "otherwise, said" if notes else "otherwise, without a word"


def main() -> None:
    total: Counter[str] = Counter()
    print("| habit | " + " | ".join(COUNTRIES) + " |\n|---|" + "---|" * len(COUNTRIES))
    for habit in HABITS:
        outcomes = [outcome(habit(country)) for country in COUNTRIES.values()]
        total.update(outcomes)
        print(f"| {habit.__name__.replace('_', ' ')} | {' | '.join(outcomes)} |", flush=True)
    print(", ".join(f"{name}: {n}" for name, n in total.most_common()))


if __name__ == "__main__":
    main()
