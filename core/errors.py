"""The errors that `core` raises on purpose; the interface shows their text as it is."""


class CoreError(Exception):
    """Base of every error that `core` raises on purpose: its text is one sentence for the user."""


class InvalidInputError(CoreError, ValueError):
    """An argument, file, column or value is outside its domain."""


class InfeasibleError(CoreError):
    """The question is well-posed, but nothing satisfies it."""


class NotConvexError(CoreError):
    """The notion's allowed set is not convex, so no optimum over it can be certified."""


class SolverError(CoreError):
    """A solver stopped without an answer that can be trusted."""


class TimeLimitError(SolverError):
    """A solver was stopped by its time limit before it had an answer."""


class NoMemoryError(SolverError):
    """An answer needs more memory than there is."""


class AuditError(CoreError):
    """A mechanism gives less privacy than was asked."""


def unwritten(error: OSError) -> str:
    """Return the sentence for standard output that cannot be written, as on a full disk.

    Examples
    --------
    >>> unwritten(OSError(28, "No space left on device"))
    'Standard output cannot be written: no space left on device.'
    """
    why = error.strerror or type(error).__name__
    return f"Standard output cannot be written: {why[:1].lower()}{why[1:]}."
