"""What DuckDB may reach while it counts: the files that were asked for, and nothing else."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from core.data import Binning, DataSpec, Sources, count, tables
from core.data.tables import FileTable, open_table
from core.errors import InvalidInputError


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "o'clock.parquet"
    pd.DataFrame({"a": [1], "b": [2]}).to_parquet(path)
    (tmp_path / "other.csv").write_text("secret\n1\n")
    return FileTable("o'clock.csv", (path,), ("a", "b"))


def test_no_other_file_can_be_read_nor_written(table, tmp_path):
    with open_table(table) as opened:
        run = opened.backend.con.execute
        assert opened.row(opened.records.aggregate(n=opened.records.count())) == {"n": 1}
        for query in (
            f"SELECT * FROM read_csv('{tmp_path}/other.csv')",
            f"SELECT * FROM glob('{tmp_path}/*')",
            f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
            f"ATTACH '{tmp_path}/new.db'",
        ):
            with pytest.raises(duckdb.PermissionException):
                run(query)
    assert not (tmp_path / "new.csv").exists()


def test_nothing_is_fetched_and_no_setting_can_be_undone(table):
    with open_table(table) as opened:
        run = opened.backend.con.execute
        for query in ("INSTALL httpfs", "LOAD httpfs"):
            with pytest.raises(duckdb.Error):
                run(query)
        with pytest.raises(duckdb.InvalidInputException, match="locked"):
            run("SET enable_external_access = true")


def test_no_progress_bar_is_drawn_where_duckdb_takes_the_program_for_a_person(table, monkeypatch):
    connect = duckdb.connect

    def drawing(*arguments, **settings):
        """Connect as in a program without a file, such as that of python -c."""
        connection = connect(*arguments, **settings)
        connection.execute("SET enable_progress_bar = true")
        return connection

    monkeypatch.setattr(duckdb, "connect", drawing)
    with open_table(table) as opened:
        setting = opened.backend.con.execute("SELECT current_setting('enable_progress_bar')")
        assert setting.fetchall() == [(False,)]


def test_a_file_that_changed_since_it_was_read_gets_one_sentence(table):
    table.paths[0].write_text("a,b\n1,2,3\n")  # what DuckDB says of it stays inside
    with pytest.raises(InvalidInputError) as caught, open_table(table) as opened:
        opened.total()
    assert str(caught.value) == (
        "o'clock.csv could not be read: it is damaged, or has changed since it was opened."
    )


def test_a_parquet_file_that_is_cut_short_gets_one_sentence(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"a": range(5000), "b": range(5000)}).to_parquet(path)
    table = FileTable("a.parquet", (path,), ("a", "b"))
    path.write_bytes(path.read_bytes()[:-100])
    with (
        pytest.raises(InvalidInputError, match=r"^a\.parquet could not be read: .*\.$"),
        open_table(table) as opened,
    ):
        opened.total()


def test_a_file_larger_than_the_memory_for_it_is_counted(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = 3_000_000
    path = tmp_path / "large.parquet"
    noise = rng.random(rows)  # does not compress
    pd.DataFrame({"s": np.arange(rows) % 2, "x": noise, "y": noise[::-1]}).to_parquet(path)
    monkeypatch.setattr(tables, "DUCKDB_MEMORY", "40MB")
    assert path.stat().st_size > 40e6
    sources = Sources()
    spec = DataSpec(
        sources.add_file(path), ("s",), ("x",), binnings=(Binning("x", "edges", edges=(0, 0.5, 1)),)
    )
    counted = count(spec, sources)
    assert counted.joint.n == rows
    assert counted.joint.p_x[0] == pytest.approx((noise < 0.5).mean())
