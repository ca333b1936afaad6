"""Apply a mechanism to records, certify and verify the release, and estimate from it."""
