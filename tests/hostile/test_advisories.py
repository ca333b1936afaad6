"""What the dashboard is built on: pinned, installed as pinned, without known vulnerabilities."""

import re
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.hostile.advisories import ADVISORIES

ROOT = Path(__file__).parents[2]


def requirements_in(name):
    """Return the requirements in a file that hold on this machine."""
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    result = [Requirement(line) for line in lines if line and not line.startswith("-r")]
    return [item for item in result if item.marker is None or item.marker.evaluate()]


def installed():
    """Return the version of everything that runs: what is asked for, and all that needs."""
    result, waiting = {}, [(item.name, item.extras) for item in requirements_in("requirements.txt")]
    waiting += [("distributed", set()), ("setuptools", set())]
    while waiting:
        name, extras = waiting.pop()
        if (key := canonicalize_name(name)) in result and not extras:
            continue
        fresh = key not in result
        result[key] = Version(version(name))
        for needed in map(Requirement, distribution(name).requires or []):
            applies = needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in (*extras, "")
            )
            if applies and (fresh or canonicalize_name(needed.name) not in result):
                waiting.append((needed.name, needed.extras))
    return result


def vulnerable(versions):
    """Return the advisories about versions that are installed."""
    return [
        f"{name} {versions[name]} is before {first}: {fault}"
        for name, first, fault in ADVISORIES
        if name in versions and versions[name] < Version(first)
    ]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_everything_is_pinned_and_installed_as_pinned(name):
    for item in requirements_in(name):
        assert re.fullmatch(r"==[\w.]+", str(item.specifier)), item
        assert version(item.name) in item.specifier, item


def test_nothing_that_runs_has_a_known_vulnerability():
    versions = installed()
    assert {"streamlit", "starlette", "protobuf", "pandas", "duckdb"} <= versions.keys()
    assert vulnerable(versions) == []


def test_an_old_version_would_be_found():
    assert [name for name, *_ in ADVISORIES] == sorted({name for name, *_ in ADVISORIES})
    for name, first, fault in ADVISORIES:
        assert vulnerable({name: Version("0.0.1")}) == [f"{name} 0.0.1 is before {first}: {fault}"]
        assert vulnerable({name: Version(first)}) == []
