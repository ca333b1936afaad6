"""A mechanism applied to records: what is written, what proves it, and what can be made of it."""
