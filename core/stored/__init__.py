"""Answers on disk, for several servers: as bytes that run no code, in a folder bounded in bytes."""

from core.stored.folder import Folder
from core.stored.plain import from_bytes, to_bytes

__all__ = ["Folder", "from_bytes", "to_bytes"]
