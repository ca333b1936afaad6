import json
import re

import pytest

from core.__main__ import main


def help_text(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out.replace("\\\n", " ")


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """Run the example of `release --help`; return its folder."""
    monkeypatch.chdir(tmp_path)
    text = help_text("release", capsys)
    for name, content in re.findall(r"\$ cat (\S+)\n(.*?)\n(?=  \$)", text, re.S):
        lines = "\n".join(line[2:] for line in content.splitlines())
        (tmp_path / name).write_text(f"{lines}\n", encoding="utf-8")
    (command,) = re.findall(r"\$ python -m core (.*)", text)
    assert main(command.split()) == 0
    capsys.readouterr()
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_examples_of_the_help_run(capsys):
    commands = re.findall(r"\$ python -m core (.*)", help_text("verify", capsys))
    assert len(commands) == 2
    assert main(commands[0].split()) == 0
    text = capsys.readouterr()
    assert "not checked  draw: The original was not given" in text.out
    assert "not checked  promised: one record: This promise rests on 'data'" in text.out
    assert text.err == ("Not everything could be checked: proof, one record, sampling error.\n")
    assert main(commands[1].split()) == 0
    text = capsys.readouterr()
    assert text.out.count("holds ") == 29
    assert text.err == ""


def test_a_failed_check_is_named_and_has_status_2(folder, capsys):
    path = folder / "released.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("A", "B", 1), encoding="utf-8")
    assert main(["verify", "certificate.json", "released.csv"]) == 2
    text = capsys.readouterr()
    assert "FAILS        released file: released.csv is not the released file" in text.out
    assert text.err == "1 check failed: released file.\n"


def test_a_certificate_adds_no_line_and_undoes_none(folder, capsys):
    path = folder / "certificate.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    version = "0.1.0).\x1b[1A\x9b2K\u202e\nholds        seed: The seed draws every output"
    body["code"] = {"version": version, "sha256": "0" * 64}
    body["promises"] = [body["promises"][0] | {"about": version, "status": "promised"}]
    path.write_text(json.dumps(body), encoding="utf-8")
    assert main(["verify", "certificate.json", "released.csv"]) == 2
    text = capsys.readouterr()
    assert [line for line in text.out.splitlines() if line.startswith("holds        seed")] == []
    assert (text.out + text.err).replace("\n", "").isprintable()
    assert text.err.count("\n") == 1


@pytest.mark.usefixtures("folder")
def test_the_checks_are_there_as_json(capsys):
    assert main(["verify", "--json", "certificate.json", "released.csv", "people.csv"]) == 0
    checks = json.loads(capsys.readouterr().out)
    reported = {item["name"]: item["passed"] for item in checks}
    # only with the seed these can be told
    assert [reported.pop(name) for name in ("original file", "seed")] == [None, None]
    assert set(reported.values()) == {True}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("none.json released.csv", "certificate file 'none.json' cannot be read"),
        ("people.csv released.csv", "The certificate is not valid JSON"),
        ("scenario.json released.csv", "not a release certificate"),
        ("certificate.json none.csv", "'none.csv' cannot be read"),
        ("certificate.json released.csv none.csv", "There is no file 'none.csv'."),
    ],
)
@pytest.mark.usefixtures("folder")
def test_bad_input_is_one_sentence(line, sentence, capsys):
    assert main(["verify", *line.split()]) == 2
    text = capsys.readouterr()
    assert sentence in text.err
    assert text.err.count("\n") == 1
    assert text.out == ""


def test_a_promise_that_is_not_checked_has_status_3(folder, capsys):
    (folder / "key.txt").write_bytes(b"k" * 20)
    people = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    lines = [f"{line},{i or 'id'}" for i, line in enumerate(people)]
    (folder / "fresh.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    line = "release scenario.json fresh.csv out.csv --design people.csv --key key.txt --id id"
    assert main([*line.split(), "--certificate", "c.json"]) == 0
    capsys.readouterr()
    line = "verify c.json out.csv fresh.csv"
    assert main(line.split()) == 3
    text = capsys.readouterr()
    assert "FAILS" not in text.out
    assert text.err == (
        "Not everything could be checked: proof, one record, sampling error, repeated releases.\n"
    )
    assert main([*line.split(), "--design", "people.csv", "--key", "key.txt"]) == 0
    text = capsys.readouterr()
    assert "not checked" not in text.out
    assert text.err == ""
