"""Releases of one secret cannot be joined: X formed otherwise is drawn anew, names stay apart."""

import json

import openpyxl
import pytest

from core.__main__ import main
from core.records.verifying import failed, verify
from tests.core.records.makers import SEED, read, write

COUNT = 300

TOWNS = ("Bonn", "Trier", "Ulm")

JOBS = ["vet" if i % 9 == 4 else ("nurse", "clerk")[i * 7 % 5 % 2] for i in range(COUNT)]
"""Jobs of the records; the mechanism is made without vets."""


def people(jobs):
    count = len(jobs)
    return {
        "id": [f"p{i}" for i in range(count)],
        "number": [f"p{i * 7 % count}" for i in range(count)],
        "sex": ["fm"[(job == "nurse") != (i % 4 == 0)] for i, job in enumerate(jobs)],
        "job": list(jobs),
        "town": [TOWNS[i % 3] for i in range(count)],
    }


def book(path, sheets):
    """Write a workbook of people by the jobs of each sheet."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for year, jobs in sheets.items():
        sheet = made.create_sheet(year)
        columns = people(jobs)
        sheet.append(list(columns))
        for row in zip(*columns.values(), strict=True):
            sheet.append(row)
    made.save(path)
    return path


def parents(of_vets, *, turned=False):
    rows = [["nurse", "health"], ["clerk", "office"], ["vet", of_vets]]
    return {
        "hierarchies": [{"column": "job", "kind": "table", "rows": rows[::-1] if turned else rows}]
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "key").write_bytes(b"k" * 32)
    known = [job for job in JOBS if job != "vet"]
    moved = ["clerk" if place % 6 == 1 else job for place, job in enumerate(known)]
    return {
        "key": folder / "key",
        "people": write(people(JOBS), folder / "people.csv"),
        "design": write(people(known), folder / "design.csv"),
        "years": book(folder / "years.xlsx", {"2019": known, "2020": moved}),
        "design of years": book(folder / "design.xlsx", {"2019": known, "2020": known}),
    }


class Released:
    """A release by the command line, which the owner of its secret can check."""

    def __init__(self, folder, kind, files, records, design=None, column="id", options=(), **data):
        folder.mkdir()
        data = {"secret": ["sex"], "released": ["job"]} | data
        request = {"data": data, "notion": "lip", "eps": 0.3, "mechanism": "grr"}
        scenario, self.path = folder / "scenario.json", folder / "out.csv"
        scenario.write_text(json.dumps(request))
        certificate = folder / "out.json"
        self.own = {"seed": str(SEED)} if kind == "seed" else {"key": files["key"]}
        self.files = {"original": records, "design": design}
        secret = [f"--{name}={value}" for name, value in self.own.items()]
        secret += [f"--id={column}"] if kind == "key" else []
        where = [] if design is None else ["--design", str(design)]
        paths = map(str, (scenario, records, self.path))
        written = ["--certificate", str(certificate)]
        assert main(["release", *paths, *written, *secret, *where, *options]) == 0
        self.body = json.loads(certificate.read_text(encoding="utf-8"))
        self.outputs = read(self.path)[self.body["released"]["column"]]

    def check(self):
        result = verify(json.dumps(self.body), self.path, **self.files, **self.own)
        assert failed(result) == []
        assert {item.name: item.passed for item in result}[self.body["draw"]["kind"]] is True

    @property
    def drawn_for(self):
        return self.body["draw"]["mechanism"]


WAYS = {
    "sheet": [{"options": ["--read", f"sheet={year}"]} for year in ("2019", "2020")],
    "unknown": [{"options": ["--unknown", job]} for job in ("nurse", "clerk")],
    "parents": [parents("health"), parents("office")],
    "marks": [{}, {"options": ["--unknown", "drop", "--read", "missing=vet"]}],
    "missing": [{"missing": item} for item in ("level", "drop")],
}
"""Ways to form X from the same records, by how they differ."""


@pytest.mark.parametrize("kind", ["seed", "key"])
@pytest.mark.parametrize("way", WAYS)
def test_records_are_drawn_anew_where_x_is_formed_otherwise(way, kind, files, tmp_path):
    which = ("years", "design of years") if way == "sheet" else ("people", "design")
    records, design = (files[item] for item in which)
    first, second = (
        Released(
            *(tmp_path / str(place), kind, files, records, design),
            **{"options": ["--unknown", "drop"]} | item,
        )
        for place, item in enumerate(WAYS[way])
    )
    kernel = first.body["mechanism"]["kernel"]
    assert kernel == second.body["mechanism"]["kernel"]
    jobs = JOBS if len(first.outputs) == COUNT else [job for job in JOBS if job != "vet"]
    pairs = zip(first.outputs, second.outputs, strict=True)
    differ = [y != z for y, z in pairs]
    same = [job != "vet" and (way != "sheet" or i % 6 != 1) for i, job in enumerate(jobs)]
    stay = [item for item, own in zip(differ, same, strict=True) if own]
    apart = 2 * kernel[0][0] * (1 - kernel[0][0])  # by one number 0: those that differ show X
    assert apart > 0.1
    assert abs(sum(stay) / len(stay) - apart) < 4 * (apart * (1 - apart) / len(stay)) ** 0.5
    assert first.drawn_for != second.drawn_for
    second.check()


def test_by_a_seed_a_filter_has_all_records_drawn_anew(files, tmp_path):
    """Else the shorter release is a part of the longer, which shows what the filter left out."""
    towns = people([job for job in JOBS if job != "vet"])
    towns["town"] = ["Bonn"] * len(towns["id"])
    design = write(towns, tmp_path / "design.csv")
    records = write(
        people([job if job != "vet" else "clerk" for job in JOBS]), tmp_path / "now.csv"
    )
    whole, part, again = (
        Released(tmp_path / str(place), "seed", files, records, design, filters=filters)
        for place, filters in enumerate(
            [[], *2 * [[{"column": "town", "levels": ["Bonn", "Trier"]}]]]
        )
    )
    assert whole.body["mechanism"] == part.body["mechanism"]
    kept = [y for i, y in enumerate(whole.outputs) if TOWNS[i % 3] != "Ulm"]
    assert sum(y != z for y, z in zip(kept, part.outputs, strict=True)) > 0.1 * len(kept)
    assert part.outputs == again.outputs
    part.check()
    keyed = [
        Released(tmp_path / f"key {place}", "key", files, records, design, filters=filters)
        for place, filters in enumerate([[], [{"column": "town", "levels": ["Bonn", "Trier"]}]])
    ]
    kept = [y for i, y in enumerate(keyed[0].outputs) if TOWNS[i % 3] != "Ulm"]
    assert kept == keyed[1].outputs
    keyed[1].check()


@pytest.mark.parametrize("kind", ["seed", "key"])
def test_the_same_question_is_the_same_release(kind, files, tmp_path):
    both = [
        Released(
            *(tmp_path / str(turned), kind, files, files["people"], files["design"]),
            options=["--read", "omit=zzz", "--read", "missing=b,a" if turned else "missing=a,b"],
            **parents("health", turned=turned),
        )
        for turned in (False, True)
    ]
    assert both[0].path.read_bytes() == both[1].path.read_bytes()
    assert both[0].drawn_for == both[1].drawn_for
    both[1].check()


def test_ids_of_two_columns_are_drawn_apart(files, tmp_path):
    """The one's "p7" is another person than the other's."""
    plain = write(people(["nurse", "clerk"] * 200), tmp_path / "plain.csv")
    item, other = (
        Released(tmp_path / column, "key", files, plain, column=column)
        for column in ("id", "number")
    )
    assert item.drawn_for != other.drawn_for
    other.check()


GONE = ("vet", "baker")


@pytest.mark.parametrize("kind", ["seed", "key"])
def test_commitments_to_a_name_left_out_differ_in_each_certificate(kind, files, tmp_path):
    other = write(people([*JOBS[:-1], "baker"]), tmp_path / "other.csv")
    left_out = [{"columns": ["job"], "names": list(GONE)}]
    result = [
        Released(tmp_path / str(place), kind, files, records, left_out=left_out, options=options)
        for place, (records, options) in enumerate(
            [(files["people"], []), (other, []), (files["people"], ["--keep", "town"])]
        )
    ]
    hidden = [item for released in result for item in released.body["design"]["left_out"]["x"]]
    assert len(set(hidden)) == len(hidden) == len(result) * len(GONE)
    assert not any(name in json.dumps(item.body) for item in result for name in GONE)
    result[-1].check()


def counts(body):
    (result,) = [item["sentence"] for item in body["promises"] if item["about"] == "counts"]
    return result


@pytest.mark.parametrize("option", ["--keep", "--known"])
def test_the_certificate_says_what_figures_of_other_columns_follow_from(option, files, tmp_path):
    columns = people(["nurse", "clerk"] * 12)
    moved = columns | {"town": ["Bonn" if sex == "f" else "Ulm" for sex in columns["sex"]]}
    item, other = (
        Released(
            *(tmp_path / name, "seed", files, write(of, tmp_path / f"{name}.csv")),
            options=[option, "town"],
        ).body
        for name, of in (("one", columns), ("other", moved))
    )
    for part in ("mechanism", "levels", "proof"):  # which follow from S and X
        assert item[part] == other[part]
    assert item["beside"]["together"] != other["beside"]["together"]
    assert counts(item) == counts(other)
    assert counts(item).startswith("The mechanism, levels and proof follow from how many records")
    reported = (
        "The figures of 'town' follow from how many records have each combination of S, X and this "
        "column. Anyone who knows the values of this column can find out which S and X fit"
    )
    assert reported in counts(item)
    plain = Released(tmp_path / "plain", "seed", files, tmp_path / "one.csv").body
    assert "The figures of" not in counts(plain)


def test_the_certificate_says_what_a_key_shows_in_the_next_release(files, tmp_path):
    body = Released(tmp_path / "one", "key", files, files["people"]).body
    (reported,) = [item for item in body["promises"] if item["about"] == "repeated releases"]
    assert "two different outputs show that a value has changed" in reported["sentence"]
