"""Mechanisms that merge symbols: watchdog, subset merging, and many of either at once."""
