"""Privacy notions: bounds on what the outputs of a mechanism may reveal about S."""

from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.notions.average import Average
from core.notions.base import Notion, PointwiseNotion
from core.notions.compound import EpsDelta, Intersection
from core.notions.divergence import PointwiseDivergence
from core.notions.given import Given
from core.notions.guessing import GuessingProbability, PointwiseMaximalLeakage
from core.notions.ldp import LDP, MetricLDP
from core.notions.lift_norms import AlphaLift, Chi2Lift, Chi2Privacy, L1Lift, L1Privacy, MinLift
from core.notions.lip import ALIP, LIP
from core.notions.rldp import RLDP
from core.notions.robust_markov import RobustALIP, RobustLDP, RobustLIP, RobustPML
from core.notions.srlip import SRLIP, side_channel_levels

__all__ = [
    "ALIP",
    "LDP",
    "LIP",
    "RLDP",
    "SRLIP",
    "AllowedSet",
    "AlphaLift",
    "Average",
    "AverageBudget",
    "Chi2Lift",
    "Chi2Privacy",
    "EpsDelta",
    "Given",
    "GuessingProbability",
    "Intersection",
    "L1Lift",
    "L1Privacy",
    "MetricLDP",
    "MinLift",
    "Notion",
    "PointwiseDivergence",
    "PointwiseMaximalLeakage",
    "PointwiseNotion",
    "RobustALIP",
    "RobustLDP",
    "RobustLIP",
    "RobustPML",
    "side_channel_levels",
]
