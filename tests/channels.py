"""Known joints P(s, y), with what is known of them."""

import numpy as np

DETERMINISTIC = np.array([[0.2, 0.0, 0.3], [0.0, 0.5, 0.0]])
"""S = f(Y): y tells s without a doubt."""

INDEPENDENT = np.outer([0.2, 0.3, 0.5], [0.1, 0.6, 0.05, 0.25])
"""S and Y tell nothing of each other."""

SYMMETRIC = np.array([[0.375, 0.125], [0.125, 0.375]])
"""A fair bit through a channel that flips it a quarter of the time: lifts 1.5 and 0.5."""

WITH_ZERO = np.array([[0.5, 0.0], [0.25, 0.25]])
"""P_S = (½, ½), P_Y = (¾, ¼), lifts 4/3, 0 above 2/3, 2."""

PRINTED_COUNTEREXAMPLE = np.where(np.eye(5) > 0, 0.05, 1.2375) / 25
"""P_S and P_Y uniform on 5, lift .05 where s = y and 1.2375 elsewhere.

It is (log 20, log 1.2375)-ALIP, yet T = .19 > ½(1.2375 − 1) = .119: [Lift] Prop. 1(2) and 3(1–2)
are false as printed.
"""

INVERSE_COUNTEREXAMPLE = np.where(np.eye(10) > 0, 1.5, 17 / 18) / 100
"""P_S and P_Y uniform on 10, lift 1.5 where s = y and 17/18 elsewhere.

Its ℓ1-lift-inverse .0863 is above 18/17 − 1 = .0588: [Lift] Prop. 5(1–2) is false as printed.
"""

MERGING_COUNTEREXAMPLE = (
    np.array([[1.5, 2.4, 0.7625], [2.4, 1.5, 0.7625], [0.05, 0.05, 1.2375], [0.05, 0.05, 1.2375]])
    * [0.1, 0.1, 0.8]
    / 4
)
"""P_S uniform on 4; y1 and y2 are alike up to a swap of s1 and s2.

Merging them raises the ℓ1- and the χ²-lift-inverse of the worst output, and the mean over the
outputs: the two are not convex in the posterior, and data processing fails for them.
"""
