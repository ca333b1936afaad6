"""Names beside the nodes of a drawing: each where it covers neither a node nor another name."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.validation import FloatArray

CHARACTER, LINE = 6.0, 13.0
"""Pixels that a character takes across, and a name up."""

NODE = 8.0
"""Pixels from a node's centre to where its name may begin."""

SIDES = ("right", "left", "top", "bottom")
"""Sides of a node, tried in this order after the one that looks away from the middle."""

Box = tuple[float, float, float, float]
"""Left, right, bottom and top, in pixels."""


def place_names(pixels: FloatArray, names: Sequence[str]) -> list[str]:
    """Return on which side of its node each name stands; "" where there is no room for it.

    Parameters
    ----------
    pixels : ndarray
        Places of the nodes in pixels, y upwards, shape (n, 2).
    names : sequence of str
        What is to stand beside them.

    Examples
    --------
    >>> import numpy as np
    >>> place_names(np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 3.0]]), ["a", "b", "c"])
    ['left', 'right', 'left']
    """
    taken = [_around(x, y, NODE - 2, NODE - 2) for x, y in pixels]
    middle = pixels.mean(axis=0)
    sides = []
    for (x, y), name in zip(pixels, names, strict=True):
        boxes = {side: _box(x, y, side, name) for side in _order(x - middle[0], y - middle[1])}
        free = (side for side, box in boxes.items() if not any(_meet(box, one) for one in taken))
        side = next(free, "")
        if side:
            taken.append(boxes[side])
        sides.append(side)
    return sides


def _order(across: float, up: float) -> list[str]:
    """Return the sides in the order in which they are tried: away from the middle first."""
    if math.hypot(across, up) < 1:
        first = "bottom"
    elif abs(up) > 2.5 * abs(across):
        first = "top" if up > 0 else "bottom"
    else:
        first = "right" if across >= 0 else "left"
    return [first, *(side for side in SIDES if side != first)]


def _box(x: float, y: float, side: str, name: str) -> Box:
    half = CHARACTER * len(name) / 2
    away = {
        "right": (NODE + half, 0.0),
        "left": (-NODE - half, 0.0),
        "top": (0.0, NODE + LINE / 2),
        "bottom": (0.0, -NODE - LINE / 2),
    }[side]
    return _around(x + away[0], y + away[1], half, LINE / 2)


def _around(x: float, y: float, across: float, up: float) -> Box:
    return x - across, x + across, y - up, y + up


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
