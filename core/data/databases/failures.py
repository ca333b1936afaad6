"""What an engine's errors mean, in a sentence's words.

The engine's own words are not shown: they may quote a user, a path or a record.
"""

from __future__ import annotations

CONNECTING = (
    (
        (
            "password authentication",
            "no password supplied",
            "authentication failed",
            "no pg_hba.conf entry",
            'role "',
        ),
        "refused the user or password: PGUSER and PGPASSWORD, or its table in the file that "
        "LIFTSCOPE_SECRETS names, must hold ones that it knows",
    ),
    (
        ('database "',),
        "could not be opened: its server has no data base of this name, or not for this user",
    ),
    (
        ("too many", "connection slots"),
        "could not be opened: its server has no connection left for now",
    ),
    (
        (
            *("refused", "could not translate", "timeout", "timed out", "resolve"),
            *("no such file", "no route", "unreachable", "closed the connection", "reset by peer"),
            *("shutting down", "starting up", "terminating connection"),
        ),
        "could not be reached: a server must be listening at its host and port",
    ),
)
"""What words in an error mean before there is a connection; the first that fits counts."""

ABSENT = "is not there, or not for this user"

CLOSED = "went away while it was asked: its data base must be reached until the answer is there"

UNREADABLE = "must give all its records without an error"

FORBIDDEN = "does not allow this user to read it: grant the right to read there"

WRITING = "tried to write, which is refused: data bases are opened for reading only"

STATES = {
    "08": CLOSED,
    "57P01": CLOSED,
    "57P02": CLOSED,
    "57P03": CLOSED,
    "42P01": ABSENT,
    "3F000": ABSENT,
    "42703": "no longer has the columns that it had a moment ago: ask again",
    "42501": FORBIDDEN,
    "25006": WRITING,
    "55000": "cannot be read yet: a materialized view must have been refreshed once",
    "57014": "was ended by its data base: the answer took longer than is allowed there",
    "53": "could not be counted: its data base has no room, memory or connection left",
}
"""What PostgreSQL's error codes mean, whole or by their first two characters (its appendix A)."""

KINDS = {
    "TableNotFound": ABSENT,
    "ConnectionRefusedError": CLOSED,
    "ConnectionResetError": CLOSED,
    "BrokenPipeError": CLOSED,
    "Py4JNetworkError": CLOSED,
    "Py4JError": CLOSED,
    "AdminShutdown": CLOSED,
    "DataError": "has a date outside the years 1 to 9999: it must be left out, as by a view",
    "PermissionException": FORBIDDEN,
    "OutOfMemoryException": "could not be counted: its engine has no memory left",
}
"""What the classes of other errors mean, by their names."""

CONDITIONS = {"TABLE_OR_VIEW_NOT_FOUND": ABSENT, "SCHEMA_NOT_FOUND": ABSENT}
"""What Spark's error conditions mean."""


def why_unconnected(error: Exception) -> str:
    """Say why there is no connection, as the end of a sentence about an address.

    Examples
    --------
    >>> why_unconnected(ConnectionRefusedError("[Errno 111] Connection refused"))
    'could not be reached: a server must be listening at its host and port'
    """
    said = f"{type(error).__name__}: {error}".lower()
    for words, reason in CONNECTING:
        if any(word in said for word in words):
            return reason
    return f"could not be opened ({type(error).__name__}): it must be a data base of this kind"


def why_unanswered(error: Exception) -> str:
    """Say why there is no answer, as the end of a sentence about a table.

    Examples
    --------
    >>> why_unanswered(ZeroDivisionError("1 / 0"))
    'failed there (ZeroDivisionError): it must give all its records without an error'
    """
    kind = type(error).__name__
    state = str(getattr(error, "sqlstate", None) or "")
    reason = STATES.get(state) or STATES.get(state[:2]) or KINDS.get(kind)
    if reason is None and hasattr(error, "getCondition"):
        reason = CONDITIONS.get(str(error.getCondition()))
    if reason is None and kind == "InvalidInputException" and "read-only mode" in str(error):
        reason = WRITING  # DuckDB's words
    if reason is None and kind == "OperationalError" and not state:
        reason = CLOSED  # PostgreSQL's server is gone: it could not even say why
    return reason or f"failed there ({kind}): it {UNREADABLE}"
