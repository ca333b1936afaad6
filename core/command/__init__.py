"""Commands of `python -m core` that are more than a few lines."""
