"""What is done to values before they are counted: bins, order of levels, rare levels."""
