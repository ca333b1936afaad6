import re
from pathlib import Path

from core.records import estimate

ROOT = Path(estimate.__file__).parents[2]


def test_the_example_of_the_document_runs():
    text = (ROOT / "docs" / "released.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 6
    names = {}
    for block in blocks:
        exec(compile(block, "docs/released.md", "exec"), names)
    assert names["few"].p.sum().round(12) == 1
