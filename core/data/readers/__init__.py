"""Read files, pasted matrices and bundled sets: encodings, separators, headers, columns."""
