"""The worked examples of docs/contributing.md run, in their order."""

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

TEXT = (Path(__file__).parents[1] / "docs" / "contributing.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_measure_notion_number_and_mechanism_are_what_the_walk_through_says():
    examples = blocks("python")
    assert len(examples) == 4
    scope = {"__name__": "contributing"}
    for number, example in enumerate(examples):
        exec(compile(example, f"docs/contributing.md, example {number + 1}", "exec"), scope)
    assert scope["made"].n_y == scope["joint"].n_x + 1
    assert scope["best"].gap <= 1e-6


def test_the_page_shows_the_answer_to_the_question_of_the_session():
    (example,) = blocks("python page")
    page = AppTest.from_string(example, default_timeout=600).run()
    assert not page.exception
    n_x, n_y = map(int, re.findall(r"\d+", page.title[0].value))
    assert (n_x, n_y > 1) == (15, True)
