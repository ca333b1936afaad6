"""The Papers page: each experiment of the papers with its figure and verdicts, and the errata."""
