"""What the README shows is what happens."""

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_stands_below_it():
    program, printed = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.S).groups()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "README", "exec"), {})
    assert out.getvalue() == printed


def test_the_three_commands_are_in_the_first_screen_and_in_the_makefile():
    first_screen = "\n".join(README.splitlines()[:24])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in ("run", "test", "check"):
        assert f"make {command} " in first_screen
        assert re.search(rf"^{command}:", makefile, re.M)


def test_every_file_that_it_names_is_there():
    named = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(
        r"`((?:core|pages|tests)/[^`]*)`", README
    )
    assert named
    for path in named:
        assert (ROOT / path).exists(), path


def test_every_benchmark_that_the_tables_name_is_there():
    tables = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    named = re.findall(r"python -m benchmarks\.(\w+)", tables)
    assert named
    for name in named:
        assert (ROOT / "benchmarks" / f"{name}.py").exists(), name


def test_the_server_with_a_sign_in_is_that_of_the_app():
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    with_sign_in = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    compile(with_sign_in, "docs/deploy.md", "exec")
    middle = re.compile(r"    app = App\(.*?\n    \)\n", re.S)
    (own,) = middle.findall((ROOT / "app.py").read_text(encoding="utf-8"))
    assert middle.findall(with_sign_in) == [own]
