"""From files, pastes and bundled sets to tables: encodings, separators, headers, columns."""
