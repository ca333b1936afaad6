"""The solver's shares of time and sizes of each way, as measured in docs/benchmarks.md.

Results are proven whatever they are: they decide how soon.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shares:
    """Parts of the time left that steps may take, in the order in which a solve meets them."""

    exceptions: float = 0.2
    """For listing the outputs that exceptions may be."""

    strict: float = 0.4
    """For the optimum without exceptions, where these keep another promise."""

    strict_of_many: float = 0.9
    """The same of so many symbols that nothing is proven beside exceptions: a search with them
    found less, and the best mixture with exceptions takes the rest."""

    classes: float = 0.97
    """For the optimum of the classes of symbols with equal posteriors; its answer gets the rest."""

    alike: float = 0.3
    """For the optimum of posteriors that are nearly equal as one, which is a start."""

    each_output: float = 0.3
    """For the optimum where each output keeps a budget on an average, which is a start."""

    start: float = 0.5
    """For the mechanism to start from."""

    merged: float = 0.3
    """Of that, for mergings within budgets on averages."""

    peeling: float = 0.1
    """For outputs taken off P_X, where columns follow; once alone before central duals, which find
    more in as long."""

    entries: float = 0.05
    """For a bound by the largest entries before a search of many symbols: of 206 thirty programs,
    of .02 s, tell nearly all."""

    cones: float = 0.5
    """For one program with cones, or under robust LDP, where cuts can do without."""

    tried_enumeration: float = 0.1
    """For an enumeration before a search that may find few vertices."""

    enumeration: float = 0.5
    """For enumeration; column generation gets the rest."""

    search: float = 0.75
    """For the first search; the proof gets the rest."""

    linear_search: float = 0.95
    """For a search by linear programs; its last mixtures get the rest."""

    settling: float = 0.25
    """At most kept back for the best mixture of the outputs that the central mixture uses."""

    wider_search: float = 0.1
    """For random starts before a proof."""

    last_mixture: float = 0.05
    """Kept back for the last mixture and its audit."""

    first_levels: float = 0.3
    """For a bound by intervals of levels before a climb, which then needs fewer cuts of its own."""

    climb: float = 0.73
    """For climbs over whole kernels before cutting planes."""

    climb_of_few: float = 0.45
    """The same of few symbols and many secrets: their climbs end soon, their proofs take long."""

    climb_of_pairs: float = 0.97
    """The same for pairs of S and U with too many symbols to be enclosed: cuts prove nothing."""

    pairs_first: float = 0.5
    """For their search, before a bound and PolyOpt, which keeps less of most of them."""

    pairs_alone: float = 0.75
    """The same where PolyOpt has no time to find anything."""

    polyopt_last: float = 0.6
    """For PolyOpt after them: its programs are large, and end late."""

    first_polytope: float = 0.05
    """Of cutting planes, for a proof over the first polytope: a weak bound, for want of others."""

    narrowing: float = 0.1
    """For cuts at columns before a polytope is enclosed: a wide one has too many vertices."""

    enclosing: float = 0.6
    """After which `enclose` stops unless it is nearly done."""

    enclosing_leveled: float = 0.35
    """The same after a climb, from which on it is nearly done or will not be."""

    of_itself: float = 0.3
    """Of a bound by levels, for LDP of X itself, most often proven in a tenth of a second."""

    of_lifts: float = 0.6
    """Of the same, for outputs by three lifts, which prove most within half a second."""

    levels: float = 0.5
    """For more levels afterwards, where their bound still falls."""

    rough_boxes: float = 0.1
    """Not of time: of the answer, left open by boxes of few symbols, which an enclosure closes."""

    cutting: float = 0.6
    """After which a proof starts even if polytope and outputs still differ."""

    around: float = 0.05
    """For one search around outputs nearly in use or random starts."""

    enclosure_proof: float = 0.2
    """Kept back for the proof of an enclosure by double description."""

    low_vertices: float = 0.02
    """For vertices that undercut the duals, which is not repeated if in vain."""

    walk: float = 0.25
    """For a walk before branch and bound."""

    first_branching: float = 0.12
    """For the first run of branch and bound."""

    last_branching: float = 0.8
    """For its second run, unless its tree is wide."""

    slices: float = 0.7
    """For a bound by slices."""

    slice_vertices: float = 0.3
    """Of that, for the vertices of one partition."""

    without_budgets: float = 0.15
    """For each problem without budgets, whose result is a start or a bound."""

    before_proof: float = 0.3
    """Of a search under budgets, before its first proof."""

    budget_mixture: float = 0.03
    """Kept back for the last mixture under budgets and its audit."""

    robust_bound: float = 0.1
    """Added to the limit, for an upper bound where a robust search ends without a proof."""

    nominal: float = 0.2
    """For the optimum at P̂ alone, which most often is proven in it."""

    nominal_of_many: float = 0.5
    """For it with more than `cells_over_set`, where no bound is lower than its own."""

    smaller_budgets: float = 0.2
    """For optima at P̂ with smaller budgets: of 6×20 four of them take half a second; most end
    sooner. Moved, they keep more in short limits than climbs find."""

    rare_as_one: float = 0.12
    """For the robust optimum of a few symbols, the rare ones of dozens taken as one: a start."""

    known_of_pairs: float = 0.1
    """For outputs that F of any size allows, at most `Sizes.itself_seconds`."""

    ignoring_secret: float = 0.2
    """For what ignores S: with few u it is proven in less, with many a climb soon leaves it."""

    sides: float = 0.95
    """Of climbs, for those under conditions of one secret each, where there are any."""

    sides_of_few: float = 0.3
    """The same of few symbols: of 18 they kept .4 after .4 s, others .1; then other cuts find more.
    """

    apart: float = 0.85
    """Of that, for these climbs; then the best of them is refined under all cuts."""

    wide_climbs: float = 0.3
    """Of these climbs, from many kernels; then the best mixture is refined."""

    rough_climbs: float = 0.78
    """Of climbs, under rough cuts, which take half as long; the last one is exact."""

    of_line: float = 0.02
    """Of what is left for a line, for one of its budgets beyond a first answer."""

    rough_tangents: float = 0.02
    """Not of time: of what is open, left open by a program with tangents until it gets more."""

    rough_actions: float = 1e-4
    """The same of what is open at first, for a program of some actions."""


@dataclass(frozen=True)
class Sizes:
    """The largest problems, sets or trees for which each way is taken."""

    direct_entries: int = 30_000
    """Variables of one program for all outputs: a larger one begins with some of them."""

    action_symbols: int = 2_000_000
    """The same of guesses of X up to which there is a program at all: with 2,000 symbols none was
    solved in 7 s, of 2.4 GB."""

    robust_entries: int = 100_000
    """Entries P(a | x), times pairs of secrets, up to which robust LDP is one smooth program."""

    robust_line: int = 4
    """Of so many budgets one is searched where a search takes seconds, whatever its limit; the
    others, and all once time is over, have what is known without one."""

    robust_seconds: float = 1.25
    """Seconds for a search along a line under a robust notion of fewer symbols: of 2×29 an answer
    after 0.6 s keeps .08 of H(X) less, and half of the budgets in the same time .08 more. The
    interface has a line's first search end after half of its budgets, so 20 s for 32."""

    least_rise: float = 0.02
    """Share of H(X) by which budgets between two that were searched may rise in all: with less none
    of them is searched, where lines are short of time."""

    robust_groups: int = 5
    """Log2 of the most groups of X to start from: of 32 outputs an audit at 442 symbols takes half
    a second."""

    tightened_cells: int = 200
    """Cells (s, x) for which all parts of the budget and shares of P_X are tried: a check of the
    notion takes 2 ms up to there."""

    tightened_at_all: int = 500
    """Cells for which a few of them are: eight checks of 20 to 60 ms at most."""

    cells_over_set: int = 2_000
    """Cells (s, x) up to which a search over F finds more than its starts in seconds: at 10×442 a
    check of one kernel takes 60 ms."""

    exact_variables: int = 8
    """Symbols and auxiliary variables of an enumeration in whole numbers, which get long."""

    exact_rays: int = 160
    """Rays of an exact enumeration at any time: with more other proofs are faster."""

    rays: int = 512
    """Extreme outputs at any time, each pair of which is compared with all others."""

    vertex_bytes: int = 800_000_000
    """Bytes of the vertices of one polytope."""

    tried_vertices: int = 6_000
    """Vertices that are walked to before a search, where their tableaux are as small as those of
    a walk that is faster than branch and bound: it takes some .03 s, and they are often all."""

    walk_vertices: int = 1_000_000
    """Vertices of a walk, which takes some seconds, and some hundred bytes for each."""

    walk_entries: int = 4_000_000
    """Entries of all tableaux of a walk that is faster than branch and bound."""

    walk_factor: int = 4
    """Factor of that for a polytope of few dimensions."""

    walk_dimensions: int = 20
    """Dimensions of such a polytope."""

    search_entries: int = 60_000
    """Entries of a tableau of a search: PolyOpt has 30,000 at 60 symbols, 190,000 at 240."""

    parted_entries: int = 6_500
    """The same for sets most of whose rows concern a few symbols."""

    enclosed_symbols: int = 20
    """Symbols of a set that double description encloses: with more, columns are faster."""

    enclosed_leveled: int = 10
    """The same after a climb of a set with levels: in the time left boxes prove more."""

    leveled_symbols: int = 64
    """Symbols up to which a bound by intervals of levels is tried, or LDP of X itself as a start:
    42 take half a second."""

    leveled_cells: int = 60
    """Secrets times symbols from which on it is: with fewer the set is soon enclosed."""

    enclosed_vertices: int = 32_000
    """Vertices below the duals, about 10 kB each, that its proof keeps."""

    low_symbols: tuple[int, int] = (20, 50)
    """Symbols with which the vertices that undercut the duals are sought first: two cases."""

    low_rows: tuple[int, int] = (400, 40)
    """Rows in these cases."""

    low_vertices: tuple[int, int] = (2_000, 500)
    """How many of these vertices are kept in these cases; the first number at first elsewhere."""

    wide_tree: float = 0.37
    """Part of a tree's boxes that is open above which it will not end in time."""

    waiting_boxes: int = 100_000
    """Open boxes, some 4 kB each, at which branch and bound stops."""

    box_cuts: tuple[int, int] = (60, 8)
    """Most cuts that join a bound by boxes before each split, of few symbols and of more: programs
    grow with each, and of 15 symbols a bound that got 60 had a third of the boxes after as long."""

    between_looks: int = 2**26
    """Entries of tableaux that pivots change between two looks at the clock, in about .1 s."""

    box_symbols: int = 24
    """Symbols up to which boxes are tried under the levels' cuts."""

    lift_boxes: int = 60_000
    """Boxes of three lifts with which a bound by them ends."""

    slice_vertices: int = 60_000
    """Vertices of all parts of a partition together: each is priced for every cell."""

    budget_symbols: int = 60
    """Symbols for a proof under budgets: with more a vertex has too many edges."""

    budget_vertices: int = 64_000
    """Vertices below the duals that such a proof keeps."""

    staircase_entries: int = 30_000_000
    """Counts of all sets of symbols that are followed at a time where S = X, 8 bytes each."""

    staircase_symbols: int = 200
    """Symbols for which these sets are mixed: with 400 a mixture takes seconds."""

    peeled_symbols: int = 150
    """Symbols from which on a search begins with outputs taken off P_X (`peeling`)."""

    column_rows: int = 10
    """Rows of such a set up to which columns are sought at a mixture's duals alone: with few rows
    their vertices are few. With more central duals come first."""

    quick: float = 1.0
    """Seconds of a search below which it begins with all mechanisms that it is compared with."""

    central_seconds: float = 2.0
    """Seconds without which a search at central duals, by large programs, finds nothing."""

    search_seconds: float = 4.0
    """Seconds of a search at central duals from which on boxes get the others: of 200 symbols they
    prove nothing in less than ten."""

    descents: int = 24
    """Descents between two master programs at central duals, where descents' programs are large."""

    together_rows: int = 60
    """Rows up to which descents pivot together: each has an inverse of as many rows and columns."""

    descents_together: int = 192
    """Descents between two master programs where they do, in a twentieth of a second."""

    peeled_rows: int = 80
    """Rows of the program of a part from which the dual simplex is quicker after new bounds."""

    failed_parts: int = 5
    """Symbols that rounding may leave without a part, beside as many as have one: at 40×400 under
    LDP the sixth was the first, and of P_X all else was left in one output."""

    start_seconds: float = 0.5
    """Seconds for a search within a start, of hundreds of symbols, where less time is left: subset
    random response keeps little of X without them."""

    peeled_alone: int = 400
    """Symbols from which on it has these alone: central duals of 500 take a second each time."""

    peeled_whole: int = 1_000
    """Symbols up to which all of P_X is taken apart: 2,000 take ten seconds. With more the search
    begins with a mechanism of the catalogue, and takes a few outputs apart at a time."""

    growth: int = 4
    """Factor by which the number of vertices that are kept grows where it was too small."""

    searched_cells: int = 300
    """Cells (s, u) up to which a robust search ends in time, whatever its tableaux."""

    all_starts: int = 500
    """Symbols up to which all mechanisms are made before a search: 1,000 took 4 of 5 seconds."""

    started_at_ease: int = 10_000
    """Cells (s, x) up to which they are: of 40×400 under a metric they took two seconds."""

    kernel_entries: int = 3_000
    """Entries of a kernel in one program; of a larger one a few outputs are improved at a time."""

    apart_symbols: int = 12
    """Symbols up to which no climb begins with one secret each: of 8, other climbs end as soon."""

    apart_outputs: int = 16
    """Outputs of a climb under conditions of one secret each, of which most answers have 9 to 13:
    with 40 a program takes ten times as long."""

    climb_depth: float = 0.5
    """How deep cuts of one secret each may be where a climb takes its tangent anew: where it ends
    differs more than this changes."""

    step_depth: float = 0.1
    """The same where a step of a refinement ends, and is mixed until it is allowed."""

    apart_rows: int = 5
    """Rows of its program for each of the first at which those that do not bind are dropped."""

    climb_outputs: int = 20
    """Outputs of a climb of more symbols than are enclosed: with 73, of 41 symbols, none ended in
    its time."""

    climb_programs: int = 400
    """Programs of one climb: most end after 20 to 200."""

    tangent_programs: int = 8
    """Programs under more and more cuts before the tangent of a climb is taken anew."""

    step_programs: int = 3
    """Programs of a step of a refinement."""

    climb_rows: int = 2
    """Rows of a climb's program for each variable at which those that do not bind are dropped."""

    tangents_apart: float = 1e-3
    """Difference of two tangents of a curved set below which a polytope starts from one of them:
    at an output one tells as much, and nearly parallel ones give it thousands of vertices."""

    itself_seconds: float = 0.2
    """Seconds for LDP of X itself as a start: most are proven in a tenth of them."""

    first_actions: int = 60
    """Actions of the first of large programs for all outputs, which is solved in half a second."""

    step_seconds: float = 7e-11
    """Seconds of a step of a large program, for each product of two numbers in it."""

    entry_seconds: float = 1e-7
    """Seconds for each entry of one program's rows, at least: under the χ²-lift that of 543 symbols
    and 30 secrets was made for a second, in which nothing was found."""

    listed_symbols: int = 16
    """Symbols of which all sets are listed, 65,536, as outputs of unary encoding too: 8 MB."""

    merged_at_ease: int = 12_000_000
    """Secrets times the square of symbols up to which a merging keeps no deadline: it takes .1 to
    .5 s; of 30×1629 under the α-lift it took 6.6 of 1 s."""

    merging_pace: int = 16
    """Steps of a merging between two looks at the clock, and least options of a step: with as many
    it takes hardly longer than with one."""

    likely_symbols: int = 3
    """Symbols that stay apart in a robust start where all others are one: with 5 half a second
    finds less."""

    staircase_sets: int = 2_000
    """Partial sets that are followed at a time, at first."""

    best_edges: int = 30
    """Neighbors of one vertex that join the pool, to leave room for those of other vertices."""

    expanded_vertices: int = 48
    """Vertices whose neighbors are priced in one pass."""

    scattered: int = 60
    """Random starts of a search under budgets."""

    cell_vertices: int = 20
    """Vertices that enter the program of a cell of slices at a time."""

    tableaux_bytes: int = 400_000
    """Bytes of the tableaux that are worked on at a time."""


SHARES = Shares()
SIZES = Sizes()


def seconds_to_begin(n_x: int) -> float:
    """Return the seconds before a search by columns finds anything: one at 400 symbols.

    They grow as the square of the symbols.
    """
    return (n_x / SIZES.peeled_alone) ** 2
