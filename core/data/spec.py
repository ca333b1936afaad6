"""Which data a question is about, as one small value that fits into a URL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Binning:
    """How a numeric column becomes levels.

    Attributes
    ----------
    column : str
        The column.
    kind : str
        "width" (equal width), "quantile" (equal counts) or "edges" (by hand).
    count : int
        Number of bins, for "width" and "quantile".
    edges : tuple of float
        Inner and outer bin edges in increasing order, for "edges".
    """

    column: str
    kind: str = "quantile"
    count: int = 8
    edges: tuple[float, ...] = ()


@dataclass(frozen=True)
class DataSpec:
    """A data set, its columns and how they become symbols; never the data itself.

    Attributes
    ----------
    source : str
        "adult" or another bundled set's id; "upload:SHA256" of a file; "matrix:SHA256" of a
        pasted joint; "random:LAW:N_SxN_X:SEED" with LAW uniform, dirichlet0.5 or dirichlet1;
        "example:ID" of a paper.
    secret, released : tuple of str
        The columns of S and of X; several are joined. Empty for sources that are joints.
    secret_released : bool
        Whether S is released too: X = (S, U).
    binnings : tuple of Binning
        How numeric columns are cut.
    missing : str
        "level" (a level of its own) or "drop".
    rare_below : int
        Levels with fewer records than this are grouped into one; 0 groups none.
    """

    source: str = "adult"
    secret: tuple[str, ...] = ("sex",)
    released: tuple[str, ...] = ("occupation",)
    secret_released: bool = False
    binnings: tuple[Binning, ...] = ()
    missing: str = "level"
    rare_below: int = 0
