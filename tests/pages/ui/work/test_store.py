import threading
import time

import pytest

from pages.ui.work.store import Store


def test_an_answer_is_made_once():
    store, made = Store(3), []
    for _ in range(3):
        store.get("a", lambda: made.append(1))
    assert made == [1]


def test_the_answer_not_used_for_longest_is_forgotten():
    store = Store(2)
    for key in ("a", "b"):
        store.get(key, lambda: 1)
    store.get("a", lambda: 2)
    store.get("c", lambda: 1)
    assert store.get("a", lambda: 2) == 1
    assert store.get("b", lambda: 2) == 2


def test_an_error_is_not_kept():
    store = Store(2)
    with pytest.raises(ZeroDivisionError):
        store.get("a", lambda: 1 / 0)
    assert store.get("a", lambda: 5) == 5


def test_what_many_ask_for_at_once_is_made_once():
    store, made = Store(2), []

    def make():
        time.sleep(0.05)
        made.append(1)
        return "answer"

    found = []
    threads = [
        threading.Thread(target=lambda: found.append(store.get("a", make))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert found == ["answer"] * 5


def test_what_is_put_takes_the_place_of_what_was_there():
    store = Store(2)
    assert store.find("a") is None
    store.put("a", 1)
    store.put("a", 2)
    assert store.find("a") == store.get("a", lambda: 3) == 2
    store.put("b", 1)
    assert store.find("a") == 2
    store.put("c", 1)
    assert store.find("b") is None
