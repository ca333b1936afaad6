"""A disk of three megabytes that fills in mid-work: one sentence, nothing half, and it goes on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PATIENCE = 300.0
"""Seconds after which the work counts as hanging."""

MOUNT = 'mount -t tmpfs -o size=3m tmpfs "$1" && shift && exec "$@"'
"""Puts a small disk in a folder, seen by this process and those below it alone."""


def alone(*command):
    return [shutil.which("unshare") or "unshare", "--user", "--map-root-user", "--mount", *command]


def can_mount():
    """Say whether this machine lets a process have a disk of its own."""
    if shutil.which("unshare") is None:
        return False
    tried = alone("sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt")
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


WORK = """
import os, sys, tempfile
from pathlib import Path

disk = Path(sys.argv[1])
tempfile.tempdir = str(disk)

import numpy as np
from core.data import DataSpec, Sources
from core.errors import CoreError
from core.records.applying import apply
from core.records.draws import Seeded
from core.records.design import Plan
from core.scenario import Scenario, evaluate
from core.stored import Folder

def files():
    return sorted(path.name for path in disk.rglob("*") if path.is_file())

def tried(work):
    try:
        work()
        return "done"
    except CoreError as error:
        assert str(disk) not in str(error) or "o.csv" in str(error), error
        return str(error).partition(": ")[2] or str(error)

rng = np.random.default_rng(0)
lines = ["s,x", *(f"{a},{b}" for a, b in rng.integers(0, 9, (30_000, 2)))]
small = "\\n".join(lines).encode()
large = small + b"\\n" + b"\\n".join(f"{i},{i}".encode() for i in range(300_000))

sources = Sources()
print("large:", tried(lambda: sources.add_bytes(large, "large.csv")), files())
key = sources.add_bytes(small, "small.csv")
upload = sources.uploads[key]
result = evaluate(Scenario(DataSpec(key, ("s",), ("x",)), mechanism="watchdog"), sources)

filler = disk / "filler"
left = os.statvfs(disk)
filler.write_bytes(bytes(left.f_bavail * left.f_frsize - 100_000))
held = files()
target = disk / "o.csv"

def release():
    apply(result, upload.table, target, Plan(Seeded(1), "replaced"))

print("release:", "told" if "o space left on device" in tried(release) else "?", files() == held)
shared = Folder(disk / "answers")
print("shared:", shared.put("0" * 64, bytes(200_000)), shared.find("0" * 64), files() == held)
filler.unlink()
print("again:", tried(release), target.stat().st_size > 0)
print("shared again:", shared.put("0" * 64, bytes(200_000)))
"""


@pytest.mark.skipif(not can_mount(), reason="needs a disk of its own, which is not allowed here")
def test_a_disk_that_fills_costs_a_sentence_and_room_that_comes_back_is_used(tmp_path):
    command = alone("sh", "-c", MOUNT, "sh", str(tmp_path), sys.executable, "-c", WORK)
    done = subprocess.run(
        [*command, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "large: the disk is full. []",
        "release: told True",
        "shared: False None True",
        "again: done True",
        "shared again: True",
    ]
    assert list(tmp_path.iterdir()) == []  # outside, nothing of it was seen
