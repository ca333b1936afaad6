"""Utilities: what a release should preserve of X, and how much of it a mechanism preserves."""

from core.utilities.purposes import (
    Distortion,
    Guess,
    Information,
    Purpose,
    SquaredError,
    Task,
)

__all__ = ["Distortion", "Guess", "Information", "Purpose", "SquaredError", "Task"]
