"""Scripts take turns: the server's loop shares one interpreter with all that run at once."""

import threading

import pytest

from pages.ui.serving import patches


def test_a_script_holds_its_turn_gives_it_back_and_does_not_wait_for_ever(monkeypatch):
    turns = threading.BoundedSemaphore(1)
    monkeypatch.setattr(patches, "_turns", turns)
    monkeypatch.setattr(patches, "PATIENCE", 0.0)
    free = []

    def run(_, request):
        free.append(turns.acquire(blocking=False))
        if request == "fails":
            raise ValueError("a script's own error")

    monkeypatch.setattr(patches, "_run", run)
    patches._in_turn(None, "runs")
    assert free == [False]
    with pytest.raises(ValueError, match="own error"):
        patches._in_turn(None, "fails")
    assert turns.acquire(blocking=False)  # as a script does that waits for something else
    patches._in_turn(None, "has waited")
    assert len(free) == 3
    assert not turns.acquire(blocking=False)  # it had no turn to give back
    turns.release()
    patches._in_turn(None, "runs")
    assert turns.acquire(blocking=False)
