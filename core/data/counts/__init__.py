"""From a table to a joint: counting in DuckDB, with a report of what was counted."""
