"""What boards are put together from: cards, tables, key figures, downloads."""
