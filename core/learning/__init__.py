"""Worked examples, their words and exercises about every privacy notion, on tables of two by two.

`settings` are the numbers that a reader may change, `tables` the tables of the examples,
`lift_examples` and `other_examples` work them out, `words` says them in sentences, `lessons` lists
what is taught, and `exercises` are worked out by the same code as everything else.
"""

from core.learning.answers import Feedback
from core.learning.exercises import Exercise, check, exercises
from core.learning.lessons import LESSONS, Lesson, lesson
from core.learning.settings import SETTINGS, Setting, Values, defaults, from_texts

__all__ = [
    "LESSONS",
    "SETTINGS",
    "Exercise",
    "Feedback",
    "Lesson",
    "Setting",
    "Values",
    "check",
    "defaults",
    "exercises",
    "from_texts",
    "lesson",
]
