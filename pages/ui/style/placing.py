"""Names beside the nodes of a drawing: each where it covers neither a node nor another name."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.validation import FloatArray

LINE = 13.0
"""Pixels that a character takes across, and a name up."""

SLACK = 6.0
"""Pixels by which a name may stick out of the drawing: the margins are free."""


OPPOSITE = {"right": "left", "left": "right", "top": "bottom", "bottom": "top"}

GAP = 2.0
"""Pixels between a node's edge and its name."""

SIDES = ("right", "left", "top", "bottom")
"""Sides of a node, tried in this order after the one that faces away from the middle."""

Rectangle = tuple[float, float, float, float]
"""Left, right, bottom and top, in pixels."""


def place_names(
    pixels: FloatArray,
    names: Sequence[str],
    radii: Sequence[float],
    size: tuple[float, float],
) -> list[str]:
    """Return the side of its node, at pixels (n, 2), for each name; "" where there is no room."""
    occupied = [_around(x, y, r, r) for (x, y), r in zip(pixels, radii, strict=True)]
    middle = pixels.mean(axis=0)
    reach = np.maximum(np.abs(pixels - middle).max(axis=0), 1.0)
    # least distance of an outer node from the middle, as a share of the drawing's reach
    outside = np.hypot(*((pixels - middle) / reach).T) > 0.8
    sides = []
    for (x, y), name, radius, outer in zip(pixels, names, radii, outside, strict=True):
        boxes = {
            side: name_box(x, y, side, name, radius)
            for side in _order(x - middle[0], y - middle[1], outer=bool(outer))
        }
        free = (
            side
            for side, box in boxes.items()
            if _inside(box, size) and not any(meet(box, other) for other in occupied)
        )
        side = next(free, "")
        if side:
            occupied.append(boxes[side])
        sides.append(side)
    return sides


def _order(across: float, up: float, *, outer: bool) -> list[str]:
    """Return the sides to try, away from the middle first; of outer nodes not the inner side."""
    if math.hypot(across, up) < 1:
        first = "bottom"
    elif abs(up) > 2.5 * abs(across):
        first = "top" if up > 0 else "bottom"
    else:
        first = "right" if across >= 0 else "left"
    never = OPPOSITE[first] if outer else ""
    return [first, *(side for side in SIDES if side not in (first, never))]


def name_box(x: float, y: float, side: str, name: str, radius: float) -> Rectangle:
    """Return the room that a name takes on a side of its node."""
    # pixels that a character takes across, and a name up
    half = 5.5 * len(name) / 2
    across, up = radius + GAP + half, radius + GAP + LINE / 2
    away = {"right": (across, 0.0), "left": (-across, 0.0), "top": (0.0, up), "bottom": (0.0, -up)}
    return _around(x + away[side][0], y + away[side][1], half, LINE / 2)


def meet(box: Rectangle, other: Rectangle) -> bool:
    """Return whether two boxes overlap."""
    return box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]


def _around(x: float, y: float, across: float, up: float) -> Rectangle:
    return x - across, x + across, y - up, y + up


def _inside(box: Rectangle, size: tuple[float, float]) -> bool:
    left, right, low, high = box
    across = left >= -SLACK and right <= size[0] + SLACK
    return across and low >= -SLACK and high <= size[1] + SLACK
