"""Greedy merging of releases by [NonStoch]: its algorithms, utilities and frontiers."""
