"""From a table to a joint: counting in DuckDB, and a report of what was counted."""
