"""Parts of pages: cards, tables, key figures, downloads."""
