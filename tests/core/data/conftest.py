"""What the data tests share."""

import pytest

from core.data import Sources


@pytest.fixture
def sources():
    """Return a session of its own."""
    return Sources()


@pytest.fixture
def add(sources):
    """Return a function that uploads a frame, as CSV or Parquet, and returns its source text."""

    def upload(frame, kind="parquet"):
        content = (
            frame.to_parquet(index=False)
            if kind == "parquet"
            else frame.to_csv(index=False).encode()
        )
        return sources.add_bytes(content, f"data.{kind}")

    return upload
