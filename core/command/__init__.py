"""The longer commands of `python -m core`."""
