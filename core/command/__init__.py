"""The commands of `python -m core`, a module each."""
