"""Run every benchmark, one after another: `python -m benchmarks`, or some: `… counting batch`."""

import pkgutil
import subprocess
import sys
from pathlib import Path

NAMES = sorted(
    module.name
    for module in pkgutil.iter_modules([str(Path(__file__).parent)])
    if not module.name.startswith("_")
)


def main(names: list[str]) -> int:
    """Run benchmarks by name, each in a process of its own; return how many failed."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}.")
        return 2
    failed = 0
    for name in names or NAMES:
        print(f"\n## {name}: python -m benchmarks.{name}\n", flush=True)
        failed += (
            subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode
            != 0
        )
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
