"""Allowed sets of outputs: linear inequalities, and cuts where their boundary is curved."""
