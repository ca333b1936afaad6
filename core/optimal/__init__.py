"""The solver: the best mechanism under any convex notion, and how far from best it can be.

What is maximised: Σ_y P(y) worth(P(X | y)) over kernels P(y | x) whose every posterior lies in an
`AllowedSet`; with the default worth that is I(X;Y). Posteriors average to P_X, so this is a linear
program with a column for each allowed output, of which it needs a few.

The order of a solve, as `solve.maximise` goes:

1. `polytopes` brings the set's rows into standard form. Where the set has few vertices they are
   all listed (`enumeration`), and one program mixes them: nothing else is visited.
2. `programs` mixes the outputs known so far: the master. Its duals price every output.
3. `columns` looks for outputs that the duals price too low, from vertex to vertex, and returns to
   2 with them, until it finds no more. Sets with too many rows for tableaux are searched by linear
   programs instead.
4. `bounds` proves that no allowed output undercuts the duals by more than the gap, by weak
   duality; outputs that do are handed back to 2. So a solve comes back to `programs` once for
   every batch of columns, and to `columns` where a proof fails: a search without the duals is
   blind, and duals without a search are too far off to prove anything.
5. `oracles` encloses sets that are round between a polytope and outputs that are allowed. Each of
   its cuts changes the polytope, so it sends the solve back to 1. One loop does so,
   `cutting_planes`: it works out polytope and allowed outputs in turns, for α-lift and for exact
   robust LDP alike.
6. `budgets` answers where averages over all outputs are bounded too: what an output takes of a
   budget is one more symbol of it, so the master has one more row, its dual is the price of the
   budget, and steps 1 to 5 are asked about the wider cone. Smooth costs have a search of their
   own, which moves outputs by Newton's steps and proves prices under tangents.
7. `polish` moves the answer inside the set, where rounding left it outside.

Who proves what: searches and their tableaux are never trusted. `bounds.prover` works from the rows
as they were given, by vertices in whole numbers, by linear programs whose duals are checked, or by
branch and bound; and `core.audit` looks at the kernel alone. `bounds.consistency` raises an error
where a mechanism is above a bound.

Where time goes: an answer from all vertices takes at most half of the time limit; else the first
search takes at most three quarters, and the proof, with the searches it asks for, the rest. Where
tableaux would be too large nearly all goes into the search. The shares stand in `solve` and in
`bounds.prover`, each with its reason.
"""
