"""The secret itself is released: the file holds Y in its place, and its certificate verifies."""

import pytest

from core.records.verifying import failed
from tests.core.records.makers import answer_on, people, read, write
from tests.core.records.test_verifying import certified, outcomes


@pytest.mark.parametrize("notion", ["ldp", "metric_ldp"])
@pytest.mark.parametrize("mechanism", ["optimal", "grr"])
def test_a_release_of_the_secret_verifies(notion, mechanism, tmp_path):
    original = write(people(400), tmp_path / "people.csv")
    result, _ = answer_on(
        original, ("town",), ("town",), notion=notion, eps=0.8, mechanism=mechanism
    )
    assert result.joint.is_secret_released
    body, path = certified(tmp_path, result, original)
    assert body["released"]["column"] == "town"  # Y stands where S was
    assert read(path)["town"] != people(400)["town"]
    assert failed(list(outcomes(body, path, original).values())) == []
