"""The data that joints are counted from: bundled sets, files, random draws, papers' examples."""

from core.data.catalogue import BUNDLED, BundledSet, bundled
from core.data.counts.counting import count
from core.data.counts.report import Counted, CountReport, Grouped, TooManyLevelsError
from core.data.hierarchies import Hierarchy, RareLevels
from core.data.joints import EXAMPLES, Example, example
from core.data.options import ColumnOptions, ReadOptions
from core.data.question import easiest, first_question
from core.data.readers.describe import (
    ColumnInfo,
    ColumnLevels,
    FirstRows,
    PresentMark,
    TableInfo,
    column_levels,
    describe,
    first_rows,
    likely_orders,
    present_marks,
    recognised,
)
from core.data.readers.sources import Sources
from core.data.spec import Binning, DataSpec, Filter
from core.data.treatment.bins import BinPreview, preview

__all__ = [
    "BUNDLED",
    "EXAMPLES",
    "BinPreview",
    "Binning",
    "BundledSet",
    "ColumnInfo",
    "ColumnLevels",
    "ColumnOptions",
    "CountReport",
    "Counted",
    "DataSpec",
    "Example",
    "Filter",
    "FirstRows",
    "Grouped",
    "Hierarchy",
    "PresentMark",
    "RareLevels",
    "ReadOptions",
    "Sources",
    "TableInfo",
    "TooManyLevelsError",
    "bundled",
    "column_levels",
    "count",
    "describe",
    "easiest",
    "example",
    "first_question",
    "first_rows",
    "likely_orders",
    "present_marks",
    "preview",
    "recognised",
]
