"""What the interface hands to a pool gives the same as a call in place."""

import numpy as np
import pytest

from core import nonstochastic as ns
from core.data import ReadOptions, Sources, count
from core.data.readers.reading import read_file
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.jobs import Pool, carry_out
from core.jobs.job import BEGUN
from core.jobs.work import improve_answer, make_release
from core.records.design import Plan
from core.records.draws import Seeded
from core.scenario import Scenario, answer
from tests.core.records.makers import KEPT, answer_on, people, write
from tests.hostile.files import workbook

OCCURS = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool)
VALUES = np.array([0.0, 1.0, 3.0, 7.0])


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as made:
        yield made


@pytest.mark.parametrize("problem", ns.PROBLEMS)
def test_clusterings_and_trade_offs_are_the_same_elsewhere(pool, problem):
    jobs = [
        pool.submit(ns.solve, problem, OCCURS, 0.2, "distortion", VALUES, time_limit=600),
        pool.submit(ns.pareto_frontier, OCCURS, problem, "distortion", VALUES, time_limit=600),
        pool.submit(ns.rivals, problem, OCCURS, "distortion", VALUES, time_limit=600),
    ]
    outcome, points, others = (job.result(600) for job in jobs)
    assert outcome == ns.solve(problem, OCCURS, 0.2, "distortion", VALUES)
    assert points == ns.pareto_frontier(OCCURS, problem, "distortion", VALUES)
    assert others == ns.rivals(problem, OCCURS, "distortion", VALUES)
    assert all(job.progress == BEGUN for job in jobs)


@pytest.mark.parametrize("mechanism", ["optimal", "subset_merging"])
def test_an_answer_that_is_gone_on_with_is_the_one_of_a_search_from_scratch(mechanism):
    scenario = Scenario(
        DataSpec("random:uniform:3x6:1", (), ()), "lip", eps=0.5, mechanism=mechanism
    )
    data = count(scenario.data)
    result = improve_answer(scenario, data, np.ones((6, 1)))
    whole = answer(scenario, data)
    assert result.mechanism.utility == pytest.approx(whole.mechanism.utility, abs=1e-9)
    assert result.mechanism.status == whole.mechanism.status
    assert result.after.achieved["lip"] <= 0.5 + 1e-9


def test_a_release_that_cannot_be_written_names_its_file_alone(tmp_path):
    result, _ = answer_on(write(people(100), tmp_path / "a.csv"))
    original = KEPT[-1].uploads[result.scenario.data.source]
    target = tmp_path / "a-token" / "o.csv"
    with pytest.raises(InvalidInputError, match=r"'o.csv' cannot be written") as caught:
        make_release(result, original, Plan(Seeded(1)), target, report=lambda _: None)
    assert "token" not in str(caught.value)


def test_a_worker_reads_a_workbook_and_leaves_its_records_alone(pool):
    sources = Sources()
    staged = sources.stage(workbook(), "people.xlsx")
    upload = pool.submit(
        read_file, staged, "people.xlsx", staged.parent, ReadOptions(), time_limit=600
    ).result(600)
    source = sources.add_read(upload)
    assert (upload.rows, upload.table.columns) == (4, ("s", "x"))
    assert count(DataSpec(source, ("s",), ("x",)), sources).joint.s_labels == ("x", "y")
    assert {path.suffix for path in staged.parent.iterdir()} == {".parquet", ".data"}
    sources.unstage(staged)
    assert not staged.parent.exists()


def test_a_function_gets_what_reports_its_progress_where_it_takes_that():
    def halved(value, *, report):
        report("half way")
        return value / 2

    reported = []
    assert [carry_out(item, (-4,), reported.append) for item in (halved, abs)] == [-2, 4]
    assert reported == [BEGUN, "half way", BEGUN]
