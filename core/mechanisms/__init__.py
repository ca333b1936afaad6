"""Ways to release X: each returns a `Mechanism` that passed its audit."""
