"""Sets of distributions that a sample leaves possible."""

from core.uncertainty.ball import RenyiBall
from core.uncertainty.extremes import renyi_divergence

__all__ = ["RenyiBall", "renyi_divergence"]
