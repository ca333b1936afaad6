"""Read JSON of any origin: what cannot be used raises `InvalidInputError`."""

from __future__ import annotations

import json
from typing import Any

from core.errors import InvalidInputError
from core.validation import shown


def read_json(text: str, name: str) -> Any:
    """Return the value of a JSON text.

    Parameters
    ----------
    text : str
        The JSON text.
    name : str
        What it is, for the error's sentence.

    Raises
    ------
    InvalidInputError
        If it is no text or no valid JSON, an object names an entry twice, a number has too many
        digits, it is nested too deeply, or a text in it holds half a character.

    Examples
    --------
    >>> read_json('{"eps": [1, "inf"]}', "The scenario")
    {'eps': [1, 'inf']}
    """
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
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidInputError(f"has the entry {shown(key)} twice.")
        found[key] = value
    return found
