"""What a session offers to its browser: to nobody else, kept nowhere, and no longer than needed."""

import gzip
from types import SimpleNamespace

import pytest

from pages.ui.serving import offers


@pytest.fixture(autouse=True)
def nothing_offered(monkeypatch):
    monkeypatch.setattr(offers, "_offered", type(offers._offered)())


def response_of(address, **query):
    token = address.rpartition("/")[2]
    return offers.send(SimpleNamespace(path_params={"token": token}, query_params=query))


def test_an_address_that_was_not_given_answers_nothing():
    offers.offer(lambda _: b"{}")
    assert response_of("frames/guess").status_code == 204


def test_an_answer_is_compressed_and_kept_nowhere():
    address = offers.offer(lambda query: query["near"].encode())
    answer = response_of(address, near="3")
    assert answer.headers["cache-control"] == "no-store"
    assert gzip.decompress(answer.body) == b"3"


def test_an_answer_that_says_nothing_has_no_content():
    assert response_of(offers.offer(lambda _: b"")).status_code == 204


def test_a_query_that_is_none_is_refused():
    assert (
        response_of(offers.offer(lambda query: bytes(int(query["near"]))), near="x").status_code
        == 400
    )


def test_what_is_withdrawn_or_older_than_many_others_is_gone(monkeypatch):
    monkeypatch.setattr(offers, "MOST", 2)
    first, second, third = (offers.offer(lambda _: b"{}") for _ in range(3))
    assert [offers.is_open(item) for item in (first, second, third)] == [False, True, True]
    offers.withdraw(third)
    assert response_of(third).status_code == 204
    assert response_of(second).status_code == 200
