"""JSON of any origin as values, and back: what cannot be used is refused in one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from core.errors import InvalidInputError
from core.validation import shown


def read_json(text: str, name: str) -> Any:
    if not isinstance(text, str):
        raise InvalidInputError(f"{name} must be a JSON text, got {shown(text)}.")
    try:
        values = json.loads(text, object_pairs_hook=_object)
        # JSON can hold a lone surrogate, which cannot be encoded in UTF-8
        json.dumps(values, ensure_ascii=False).encode()
    except InvalidInputError as error:
        raise InvalidInputError(f"{name} {error}") from error
    except RecursionError as error:
        raise InvalidInputError(f"{name} is nested too deeply to be read.") from error
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{name} holds half a character (a lone surrogate).") from error
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"{name} is not valid JSON: {error}.") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise InvalidInputError(f"{name} holds a number of too many digits.") from error
    return values


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object whose entries are all different."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise InvalidInputError(f"has the entry {shown(key)} twice.")
        result[key] = value
    return result


def json_object(values: Any, known: type | Collection[str] | None, name: str) -> dict[str, Any]:
    """Return a JSON object as a dictionary; its entries are names, or fields of a dataclass."""
    if not isinstance(values, Mapping):
        raise InvalidInputError(f"{name} must be a JSON object, got {shown(values)}.")
    if isinstance(known, type):
        known = {item.name for item in fields(known)}
    for entry in values:
        if known is not None and entry not in known:
            raise InvalidInputError(f"{name} has an unknown entry {shown(entry)}.")
    return dict(values)


VERSION = 1
"""Version of the JSON forms of scenarios, projects and sweeps."""


def without_version(values: Any, name: str) -> dict[str, Any]:
    """Return a JSON object without its version, which may be left out but is no other one."""
    entries = json_object(values, None, name)
    stated = entries.pop("version", VERSION)
    if isinstance(stated, bool) or stated != VERSION:
        raise InvalidInputError(f"{name}'s version must be {VERSION}, got {shown(stated)}.")
    return entries


def listed(values: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple):
        raise InvalidInputError(f"{name} must be a list, got {shown(values)}.")
    return tuple(values)


def plain_json(value: Any) -> Any:
    """Return a value for JSON: each ∞, in lists and objects too, as the text "inf", NaN as null."""
    if isinstance(value, Mapping):
        return {name: plain_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(item) for item in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf"
