"""The Robust page: designs from samples, and what they give away at the truth."""
