"""Files that were published are held against their clean versions by `benchmarks.sniffing`."""

import pytest

from benchmarks import sniffing

FILES = {
    "plain.csv": ("a,b\n1,x\n2,y\n", "a,b\n1,x\n2,y\n"),
    "title.csv": ("Staff\na;b\n1;x\n2;y\n", "a,b\n1,x\n2,y\n"),
    "nameless.csv": ("4,x\n5,y\n6,x\n", "col_0,col_1\n4,x\n5,y\n6,x\n"),
    "other.csv": ("a,b\n1,x\n2,y\n", "a,b\n1,x\n2,z\n"),
    "empty.csv": ("\n", "a,b\n1,x\n"),
}


@pytest.fixture
def folders(tmp_path):
    files, clean = tmp_path / "files", tmp_path / "clean"
    for folder in (files, clean):
        folder.mkdir()
    for name, (file, version) in FILES.items():
        (files / name).write_text(file, encoding="utf-8")
        (clean / name).write_text(version, encoding="utf-8")
    (files / "without.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return files, clean


def test_files_are_held_against_their_clean_versions(folders, capsys, monkeypatch):
    monkeypatch.setattr(sniffing, "find_spec", lambda _: None)
    sniffing.hold(*folders)
    text = capsys.readouterr().out
    assert text.startswith("CleverCSV is not installed, and is left out.\n")
    assert "| 5 files | right | by a click | refused | otherwise |" in text
    assert "| ours | 2 | 1 | 1 | 1 |" in text
    assert "| pandas | 1 | " in text


def test_an_error_of_the_comparison_is_no_refusal(folders, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(sniffing, "find_spec", lambda _: None)
    monkeypatch.setattr(sniffing, "of_ours", lambda *_: "right")
    monkeypatch.setattr(sniffing, "same", broken)
    with pytest.raises(ZeroDivisionError):
        sniffing.hold(*folders)


def test_names_that_a_file_leaves_empty_or_repeats_may_be_any():
    clean = (["a", "", "b", "b"], [["1"] * 4])
    assert sniffing.same((["a", "column 2", "b", "b (2)"], [["1"] * 4]), clean)
    assert not sniffing.same((["c", "", "b", "b"], [["1"] * 4]), clean)
    assert not sniffing.same((["a", "", "b", "b"], [["2"] * 4]), clean)


@pytest.mark.parametrize("kind", ["two rows of names", "no names", "a blank behind each comma"])
def test_each_kind_of_file_is_written_and_found_or_asked(kind):
    result = sniffing.compare(kind, 3)
    assert result["ours"] + result["asked"] >= 2
