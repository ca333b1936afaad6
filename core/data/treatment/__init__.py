"""The treatment of values before they are counted: bins, order and names of levels."""
