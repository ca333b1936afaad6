"""One experiment a figure, table or example, by paper."""
