"""The solver: an optimal mechanism under any convex notion, with an upper bound on the optimum.

A `Utility`, an offset less a cost of each output, is maximized over kernels P(y | x) whose every
posterior lies in an `AllowedSet`: a linear program with a column for each allowed output.

The order of a solve, as `solve.maximise` goes (`direct` alone, where the utility is linear):

1. `polytopes` brings the set's rows into standard form, and lists few vertices (`enumeration`). 2.
`programs` mixes the outputs known so far: the master program, whose duals price every output. 3.
`columns` looks for outputs of negative reduced cost, and returns to 2 until it finds no more. 4.
`bounds` proves, by weak duality, that no allowed output undercuts the duals by more than the gap;
outputs that do go back to 2. 5. `cutting_planes` puts sets with a curved boundary between
polytopes, each of which returns to 1, and allowed outputs, which `whole_kernel` finds first for
robust notions. 6. `budgets` bounds averages over outputs: one more coordinate and master row for
each. 7. `polish` moves the answer inside the set, where rounding left it outside.

Searches and tableaux are never trusted: `bounds.prover` works from the rows as given, `core.audit`
looks at the kernel alone. `plan` lists shares of time and sizes, `tolerances` the precision.
"""
