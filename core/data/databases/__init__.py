"""Tables in databases, through Ibis: only counts leave the engine."""
