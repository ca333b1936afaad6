"""What a release is made for: what is to survive of X, and how much of it does."""

from core.utilities.purposes import (
    Distortion,
    Guess,
    Information,
    Purpose,
    SquaredError,
    Task,
)

__all__ = ["Distortion", "Guess", "Information", "Purpose", "SquaredError", "Task"]
