"""Mechanisms that merge symbols: watchdog and subset merging, one by one and in batches."""
