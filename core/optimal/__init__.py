"""The solver: an optimal mechanism under any convex notion, with an upper bound on the optimum.

What is maximised: a `Utility`, an offset less a cost of each output, over kernels P(y | x) whose
every posterior lies in an `AllowedSet`; by default I(X;Y). Posteriors average to P_X, so this is a
linear program with a column for each allowed output, of which an optimum uses a few.

The order of a solve, as `solve.maximise` goes:

1. `polytopes` brings the set's rows into standard form. Where the set has few vertices they are
   all listed (`enumeration`), and one program mixes them: nothing else is visited.
2. `programs` mixes the outputs known so far: the master program. Its duals price every output.
3. `columns` looks for outputs of negative reduced cost, from vertex to vertex, and returns to
   2 with them, until it finds no more. Sets with too many rows for tableaux are searched by linear
   programs instead.
4. `bounds` proves, by weak duality, that no allowed output undercuts the duals by more than the
   gap; outputs that do go back to 2. So a solve returns to `programs` once for every batch of
   columns, and to `columns` where a proof fails: a search needs duals, and a proof needs the duals
   that a search ends with.
5. `oracles` approximates sets with a curved boundary, from outside by a polytope and from inside
   by allowed outputs. Each of its cuts changes the polytope, so the solve returns to 1. One loop
   does so, `cutting_planes`, for α-lift and for exact robust LDP alike.
6. `budgets` solves where averages over all outputs are bounded too: an output's cost under a
   budget is one more coordinate of it, so the master program has one more row, whose dual is the
   price of the budget, and steps 1 to 5 apply to the wider cone. Smooth costs have a separate
   search, which moves outputs by Newton's steps and proves prices by tangents.
7. `polish` moves the answer inside the set, where rounding left it outside; `core.mechanisms`
   gives it the notion's own check for that.

Who proves what: searches and their tableaux are never trusted. `bounds.prover` works from the rows
as they were given, by vertices in whole numbers, by linear programs whose duals are checked, or by
branch and bound; and `core.audit` looks at the kernel alone. `bounds.consistency` raises an error
where a mechanism is above a bound.

Where time goes: an answer from all vertices takes at most half of the time limit; else the first
search takes at most three quarters, and the proof with its searches the rest. Where tableaux would
be too large nearly all goes into the search. The shares are constants of `solve` and of
`bounds.prover`, each with its reason.
"""
