"""The exercises of docs/exercises.md: answers of `core` beside the textbooks' formulas."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[3] / "docs" / "exercises.md").read_text(encoding="utf-8")


def test_every_exercise_has_the_answer_of_its_formula(subtests):
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^\*\*\d+\. ", TEXT, re.MULTILINE)) == 20
    assert len(blocks) == 22  # imports, the channel, and one each
    scope = {"__name__": "exercises"}
    for number, block in enumerate(blocks):
        with subtests.test(block=number):
            exec(compile(block, f"docs/exercises.md, block {number + 1}", "exec"), scope)
