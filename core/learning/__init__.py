"""Worked examples, their words and exercises about every privacy notion, on tables of 2 by 2."""

from core.learning.exercises import Exercise, Feedback, check, exercises
from core.learning.lessons import LESSONS, Lesson, lesson
from core.learning.settings import SETTINGS, Setting, Values, defaults

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
    "lesson",
]
