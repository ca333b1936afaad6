"""What a browser may say was dropped on the Compare page: a file, or no file at all."""

import pytest

from pages.ui.compare import drop

INFINITE, NONE = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("sent", "size"),
    [
        ({"name": "a.json", "size": 2.0, "text": "{}"}, 2),
        ({"name": "a.json", "size": INFINITE, "text": "{}"}, None),
        ({"name": "a.json", "size": NONE, "text": "{}"}, None),
        ({"name": 1, "size": 2, "text": "{}"}, None),
        ([], None),
    ],
)
def test_only_a_file_of_a_finite_size_counts(monkeypatch, sent, size):
    monkeypatch.setattr(drop, "_sent", lambda: sent)
    result = drop.dropped()
    assert (None if result is None else result.size) == size
