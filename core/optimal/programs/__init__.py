"""Linear programs: HiGHS, a batched simplex, the master program, and its interior-point duals."""
