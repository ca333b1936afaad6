"""Linear programs: HiGHS, the master over columns, and an interior point of its duals."""
