"""Questions to ask: small joints in whole numbers and a promise, of every kind that went wrong.

A generator takes a `random.Random`, so that Hypothesis, which shrinks what it draws, and the long
run, which reproduces a case by its seed, ask the same questions.
"""

from dataclasses import dataclass
from math import inf

from core.joint import Joint
from tests.exact.promises import Promise

EPSILONS = (0.0, 0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 18.0, 50.0, inf)
EXTREME = (1e-15, 1e-12, 1e-11, 1e-10, 1e-9, 709.5, 1500.0)
"""Budgets below what a mixture is exact to, and beyond the largest double."""

LAMBDAS = (0.0, 0.25, 0.35, 0.5, 0.65, 1.0)
SHAPES = {1: [(1,)], 2: [(2,), (1, 2)], 3: [(3,)], 4: [(2, 2), (2, 2), (4,)], 5: [(5,)]}
"""Attribute sizes by the number of columns."""


@dataclass(frozen=True)
class Question:
    """Counts N(s, x) and what is asked of every output."""

    counts: tuple[tuple[int, ...], ...]
    promise: Promise

    def joint(self):
        """Return the joint of `core`."""
        return Joint.from_counts(self.counts)

    def code(self):
        """Return the joint and the notion as the first lines of a program."""
        counts = [list(row) for row in self.counts]
        return (
            "from math import inf\nfrom core import mechanisms as m\nfrom core.joint import Joint\n"
            f"from core.notions import *\njoint = Joint.from_counts({counts})\n"
            f"notion = {self.promise.code()}"
        )


def question(random):
    """Draw a question."""
    counts = joint_counts(random)
    return Question(counts, promise(random, counts))


def joint_counts(random):
    """Draw counts N(s, x), not all 0; rows and columns of zeros are common."""
    n_s, n_x = random.choice((1, 2, 2, 3, 3, 4)), random.choice((2, 3, 3, 4, 4, 5))
    counts = random.choice(JOINTS)(random, n_s, n_x)
    if not any(map(any, counts)):
        counts[0][0] = 1
    return tuple(map(tuple, counts))


def _small(random, n_s, n_x):
    most = random.choice((1, 2, 3, 6))
    return [[random.randint(0, most) for _ in range(n_x)] for _ in range(n_s)]


def _sparse(random, n_s, n_x):
    return [
        [random.choice((0, 0, 1, random.randint(1, 9))) for _ in range(n_x)] for _ in range(n_s)
    ]


def _real(random, n_s, n_x):
    """Counts as fine as doubles are, some of them 0."""
    share = random.choice((0, 0, 25, 50))
    return [
        [0 if random.randint(1, 100) <= share else random.randint(1, 2**44) for _ in range(n_x)]
        for _ in range(n_s)
    ]


def _tiny(random, n_s, n_x):
    """Probabilities down to 1e-13 beside ordinary ones."""
    cells = [
        [
            random.choice((0, 1, 10 ** random.randint(0, 13))) * random.randint(1, 9)
            for _ in range(n_x)
        ]
        for _ in range(n_s)
    ]
    cells[0][0] += 10**13
    return cells


def _nearly_independent(random, n_s, n_x):
    """Rows that are proportional but for a part in 1e2 to 1e7."""
    left = [random.randint(1, 30) for _ in range(n_s)]
    right = [random.randint(1, 30) for _ in range(n_x)]
    scale = 10 ** random.randint(2, 7)
    noise = random.choice((0, 1, 3, 30))
    return [[a * b * scale + random.randint(-noise, noise) for b in right] for a in left]


def _independent(random, n_s, n_x):
    left = [random.randint(1, 9) for _ in range(n_s)]
    right = [random.randint(1, 9) for _ in range(n_x)]
    return [[a * b for b in right] for a in left]


def _tied(random, n_s, n_x):
    """A small joint in which a column, or a row, is a multiple of another."""
    cells = _small(random, n_s, n_x)
    i, j, factor = random.randint(0, n_x - 1), random.randint(0, n_x - 1), random.randint(1, 3)
    for row in cells:
        row[i] = factor * row[j]
    if random.randint(0, 1):
        cells[-1] = [random.randint(1, 3) * entry for entry in cells[0]]
    return cells


def _deterministic(random, n_s, n_x):
    """S as a function of X."""
    cells = [[0] * n_x for _ in range(n_s)]
    for x in range(n_x):
        cells[random.randint(0, n_s - 1)][x] = random.randint(1, 20)
    return cells


JOINTS = (
    _small, _small, _sparse, _sparse, _real, _real, _tiny, _nearly_independent, _independent,
    _tied, _deterministic,
)  # fmt: skip
"""How counts are drawn: (random, n_s, n_x) to a list of rows; the frequent ones stand twice."""


def promise(random, counts, kinds=None):
    """Draw a polyhedral notion for a joint."""
    kind = random.choice(tuple(PROMISES) if kinds is None else kinds)
    return Promise(kind, PROMISES[kind](random, counts))


def epsilon(random):
    """Draw a budget: mostly a round one."""
    if random.randint(0, 4):
        return random.choice(EPSILONS)
    if not random.randint(0, 4):
        return random.choice(EXTREME)
    return round(10 ** random.uniform(-4, 1), random.randint(2, 6))


def _split(random, _counts):
    eps, lam = epsilon(random), random.choice(LAMBDAS)
    if eps == inf:
        return random.choice(((inf, inf), (epsilon(random), inf), (inf, epsilon(random))))
    return (lam * eps, (1 - lam) * eps)


def _guess(random, counts):
    """A bound on a guess's probability that the prior meets, mostly."""
    best = max(map(sum, counts)) / sum(map(sum, counts))
    room = random.choice((0.0, 1e-9, 1e-4, 0.1, 0.3, 0.5, 0.9, 1.0, -0.2))
    return (min(1.0, best + room * (1 - best)),)


def _several(random, counts):
    simple = [kind for kind in PROMISES if kind != "Intersection"]
    return tuple(promise(random, counts, simple) for _ in range(random.choice((2, 2, 3))))


PROMISES = {
    "LIP": lambda random, _counts: (epsilon(random),),
    "ALIP": _split,
    "LDP": lambda random, _counts: (epsilon(random),),
    "PointwiseMaximalLeakage": lambda random, _counts: (epsilon(random),),
    "GuessingProbability": _guess,
    "L1Privacy": lambda random, _counts: (inf, epsilon(random)),
    "SRLIP": lambda random, counts: (epsilon(random), random.choice(SHAPES[len(counts[0])])),
    "Intersection": _several,
}
"""How the arguments of each kind of promise are drawn."""


def smaller(random, question):
    """Return the question with smaller budgets; None where they are 0 or guessing is bounded."""
    promise = _tightened(random, question.promise)
    return None if promise is None else Question(question.counts, promise)


def _tightened(random, promise):
    kind, arguments = promise.kind, promise.arguments
    if kind == "GuessingProbability":
        return None
    if kind == "Intersection":
        parts = [_tightened(random, part) or part for part in arguments]
        return Promise(kind, tuple(parts)) if tuple(parts) != arguments else None
    lower = [
        random.choice([eps for eps in EPSILONS if eps < a] or [a]) if isinstance(a, float) else a
        for a in arguments
    ]
    if kind == "L1Privacy":
        lower[0] = inf
    return Promise(kind, tuple(lower)) if tuple(lower) != arguments else None


def simpler(question):
    """Yield questions with fewer rows or columns, or smaller counts: to find the least that fails.

    Budgets stay as they are; a notion with a shape keeps its columns.
    """
    counts, promise = [list(row) for row in question.counts], question.promise
    if len(counts) > 1:
        for i in range(len(counts)):
            yield _question([row for j, row in enumerate(counts) if j != i], promise)
    if len(counts[0]) > 1 and not _shaped(promise):
        for x in range(len(counts[0])):
            yield _question([row[:x] + row[x + 1 :] for row in counts], promise)
    if promise.kind == "Intersection":
        for part in promise.arguments:
            yield _question(counts, part)
    for i, row in enumerate(counts):
        for x, entry in enumerate(row):
            for less in sorted({0, 1, entry // 1000, entry // 2, entry - entry % 10} - {entry}):
                if less < entry:
                    changed = [list(r) for r in counts]
                    changed[i][x] = less
                    yield _question(changed, promise)


def _question(counts, promise):
    return Question(tuple(map(tuple, counts)), promise)


def _shaped(promise):
    return promise.kind == "SRLIP" or (
        promise.kind == "Intersection" and any(map(_shaped, promise.arguments))
    )
