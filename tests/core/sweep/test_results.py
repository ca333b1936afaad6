import json
import shutil

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import DataSpec
from core.errors import InvalidInputError
from core.scenario import Scenario
from core.sweep import Draws, Results, Sweep, read
from core.sweep import results as module
from core.sweep.points import schema
from core.sweep.results import question_columns

SWEEP = Sweep(
    Scenario(notion="lip", mechanism="grr"),
    (("eps", (0.5, 1.0)),),
    draws=Draws(50, 2, 3),
    measures=("kept",),
)


def some(*points):
    plain = {"status": "s", "solver": "g", "proven": False, "reason": "", "seconds": 0.0}
    rows = [{"point": p, "kept": p / 100} | plain for p in points]
    return pa.Table.from_pylist(rows, schema=schema(("kept",)))


def parts(out):
    return sorted(out.with_name(f"{out.name}.parts").glob("part-*.parquet"))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "results.parquet"


def test_points_are_written_as_they_come_and_read_again(out):
    with Results(SWEEP, out) as results:
        results.add(some(3))
        assert len(parts(out)) == 1
        for point in range(10, 60):
            results.add(some(point))
        assert 1 < len(parts(out)) < 51
        assert results.table()["point"].to_pylist() == [3, *range(10, 60)]
        results.flush()
    assert not out.exists()
    with Results(SWEEP, out, resume=True) as results:
        assert results.count == 51
        assert np.flatnonzero(results.done).tolist() == [3, *range(10, 60)]


def test_a_point_that_comes_twice_is_kept_once(out):
    with Results(SWEEP, out) as results:
        results.add(some(3, 4))
        results.add(some(4, 5))
        assert results.table()["point"].to_pylist() == [3, 4, 5]


def test_the_file_is_sorted_and_says_what_it_is_of(out):
    with Results(SWEEP, out) as results:
        results.add(some(*range(99, 49, -1)))
        results.add(some(*range(50)))
        results.finish()
        assert results.complete
        assert results.table()["point"].to_pylist() == list(range(100))
    assert list(out.parent.iterdir()) == [out]
    table, sweep = read(out)
    assert sweep == SWEEP
    assert table["point"].to_pylist() == list(range(100))
    assert table["kept"].to_pylist() == [p / 100 for p in range(100)]
    assert table["eps"].to_pylist() == [0.5] * 50 + [1.0] * 50
    assert table["source"][3].as_py() == SWEEP.draws.spec(3).source
    assert table["source"][53].as_py() == SWEEP.draws.spec(3).source
    with Results(SWEEP, out) as again:
        assert again.complete
        assert again.count == 100
        again.finish()


def test_a_folder_left_beside_a_complete_file_is_removed(out):
    with Results(SWEEP, out) as results:
        results.add(some(*range(100)))
        results.flush()
        folder = results.folder
        shutil.copytree(folder, out.parent / "copy")
        results.finish()
    (out.parent / "copy").rename(folder)
    with Results(SWEEP, out, resume=True) as results:
        assert results.complete
    assert not folder.exists()


def test_an_earlier_run_is_gone_on_with_only_when_asked(out):
    with Results(SWEEP, out) as results:
        results.add(some(1))
    with pytest.raises(InvalidInputError) as reported, Results(SWEEP, out):
        pass
    assert str(reported.value) == (
        f"'{out}.parts' has 1 of 100 points of this sweep: continue with --resume, or delete it."
    )


OTHER = Sweep(SWEEP.scenario, (("eps", (0.5, 1.5)),), draws=SWEEP.draws, measures=("kept",))


def test_results_of_another_sweep_are_refused(out):
    with Results(SWEEP, out) as results:
        results.add(some(1))
        with pytest.raises(InvalidInputError, match="being written by another run"):
            Results(SWEEP, out, resume=True)
    for resume in (False, True):
        with pytest.raises(InvalidInputError, match="has the results of another sweep"):
            Results(OTHER, out, resume=resume)
    with Results(SWEEP, out, resume=True) as results:
        results.add(some(*range(100)))
        results.finish()
    with pytest.raises(InvalidInputError, match="has the results of another sweep"):
        Results(OTHER, out, resume=True)


def test_results_of_other_counts_are_refused(out):
    with Results(SWEEP, out, counts="one") as results:
        results.add(some(1))
    with pytest.raises(InvalidInputError, match="other records: the data has changed since"):
        Results(SWEEP, out, resume=True, counts="two")
    with Results(SWEEP, out, resume=True, counts="one") as results:
        results.add(some(*range(100)))
        results.finish()
    with Results(SWEEP, out, counts="one") as results:
        assert results.complete
    with pytest.raises(InvalidInputError, match="other records: the data has changed since"):
        Results(SWEEP, out, counts="two")


def test_results_of_another_version_are_refused(out, monkeypatch):
    with Results(SWEEP, out) as results:
        results.add(some(1))
    monkeypatch.setattr(module, "code_hash", lambda: "other")
    with pytest.raises(InvalidInputError, match="another version of liftscope"):
        Results(SWEEP, out, resume=True)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"sex,job\n"])
def test_a_file_that_is_no_results_is_not_overwritten(out, content):
    out.write_bytes(content)
    with pytest.raises(InvalidInputError, match="is not a results file of a sweep: write to"):
        Results(SWEEP, out)
    assert out.read_bytes() == content
    with pytest.raises(InvalidInputError, match="is not a results file"):
        read(out)


def test_a_parquet_file_of_something_else_is_not_overwritten(out):
    parquet.write_table(pa.table({"a": [1]}), out)
    with pytest.raises(InvalidInputError, match="is not a results file"):
        Results(SWEEP, out)
    with pytest.raises(InvalidInputError, match="is not a results file"):
        read(out)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(InvalidInputError, match="it is a folder"):
        Results(SWEEP, tmp_path)
    with pytest.raises(InvalidInputError, match="cannot be written: no such file"):
        Results(SWEEP, tmp_path / "none" / "out.parquet")
    (tmp_path / "out.parts").write_text("a file")
    with pytest.raises(InvalidInputError, match="cannot be written: file exists"):
        Results(SWEEP, tmp_path / "out")


def test_damage_is_told(out):
    with Results(SWEEP, out) as results:
        results.add(some(1))
    (part,) = parts(out)
    whole = part.read_bytes()
    part.write_bytes(whole[:50])
    with pytest.raises(InvalidInputError, match=r"part-.* is damaged: delete it, and resume"):
        Results(SWEEP, out, resume=True)
    part.unlink()
    manifest = part.parent / "sweep.json"
    manifest.write_text(json.dumps({"sweep": 1}))
    with pytest.raises(InvalidInputError, match="is damaged: delete the folder"):
        Results(SWEEP, out, resume=True)


def test_columns_of_questions_leave_out_numbers_without_effect():
    sweep = Sweep(vary=(("notion", ("lip", "alip")), ("lam", (0.2, 0.8)), ("n", (None, 50))))
    result = question_columns(sweep, np.arange(sweep.size))
    assert result["lam"].to_pylist() == [None, 0.2, 0.8]
    assert result["n"].to_pylist() == [None, None, None]
    assert result["notion"].to_pylist() == ["lip", "alip", "alip"]
    data = Sweep(vary=(("data", (DataSpec(), DataSpec("german_credit", ("credit",), ("job",)))),))
    reported = question_columns(data, np.arange(2))
    assert reported["source"].to_pylist() == ["adult", "german_credit"]
    assert json.loads(reported["data"][1].as_py())["released"] == ["job"]
