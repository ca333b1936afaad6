"""What `pip install .` gives: `core`, the pages, the bundled data and the command."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel that is built of the files that git would hand on, without a registry."""
    folder = tmp_path_factory.mktemp("package")
    source, built = folder / "source", folder / "built"
    for name in kept():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", built, source],
        check=True,
        capture_output=True,
    )
    return next(built.glob("*.whl"))


def kept() -> list[str]:
    """Return what a wheel is made from; neither tests nor caches."""
    files = ["pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE", "app.py"]
    files.append("docs/glossary.md")
    files.append(".streamlit/config.toml")
    for folder in ("core", "pages", "static"):
        result = (path for path in (ROOT / folder).rglob("*") if path.is_file())
        files += [str(path.relative_to(ROOT)) for path in result if "__pycache__" not in path.parts]
    return files


def test_the_wheel_holds_code_data_settings_and_everything_that_pages_show(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    others = [name for name in kept() if name.startswith(("core/", "pages/"))]
    assert set(others) <= names
    assert {"liftscope/app.py", "liftscope/.streamlit/config.toml"} <= names
    assert {"liftscope/docs/glossary.md", "liftscope/static/serif.woff2"} <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


def test_the_installed_command_runs_from_any_folder(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as files:
        files.extractall(tmp_path / "site")
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "from pages.ui import command\n"
        "print(command.application())\n"
        "sys.exit(command.main(['datasets']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    first, *rest = done.stdout.splitlines()
    assert first == str(tmp_path / "site" / "liftscope" / "app.py")
    assert rest[0].startswith("adult ")
    assert "32,561" in rest[0]


def test_the_dependencies_are_the_pinned_requirements(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if name.endswith("METADATA")]
        text = files.read(name).decode()
    pinned = [
        line.split("#")[0].split(";")[0].strip()
        for line in (ROOT / "requirements.txt").read_text().splitlines()
    ]
    for pin in filter(None, pinned):
        assert f"Requires-Dist: {pin}" in text


def test_the_extra_for_clusters_is_pinned_as_the_tests_use_it(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if name.endswith("METADATA")]
        text = files.read(name).decode()
    pinned = (ROOT / "requirements-dev.txt").read_text().splitlines()
    for package in ("dask", "distributed"):
        (pin,) = [line for line in pinned if line.startswith(f"{package}==")]
        assert f'Requires-Dist: {pin}; extra == "cluster"' in text
