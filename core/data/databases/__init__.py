"""Tables in data bases, through Ibis: only counts leave the engine."""
