"""The solver: the best mechanism under any convex notion, and how far from best it can be."""
