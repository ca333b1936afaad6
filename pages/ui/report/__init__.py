"""The report: a question and its answer as one HTML file that needs no network."""
