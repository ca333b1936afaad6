"""Privacy notions: what is asked of every output."""
