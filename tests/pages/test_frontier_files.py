"""The Frontiers page opens results files, through Streamlit's own test harness."""

import io
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import DataSpec, Sources
from core.data.readers.sources import FOLDER
from core.scenario import Scenario
from core.sweep import Draws, Gathered, Results, Sweep, counted_data, counts_hash, run
from core.sweep.points import schema
from core.sweep.results import CODE, COUNTS, described
from pages.ui.frontiers import board, query, results
from pages.ui.work import long_answer
from tests.core.sweep.makers import Here
from tests.pages.pools import HeldPool
from tests.pages.test_frontiers import (
    QUICK,
    SWEEP,
    click,
    desk,
    done,
    errors,
    opened,
    page_text,
    tables,
)
from tests.pages.waiting import busy, finished

ELSEWHERE = {"notion": "alip", "by": "grr", "on": "random", "size": "4x4", "draws": "2"}
"""Another sweep, which is on screen before the file is opened."""


def written(folder, sweep, name="results.parquet"):
    """Compute a sweep as the command does, and return its file."""
    out = folder / name
    counted = counted_data(sweep)
    with Results(sweep, out, counts=counts_hash(counted)) as results:
        run(sweep, results, Here(), counted=counted)
    return out


def rewritten(path, **metadata):
    table = parquet.read_table(path)
    text = table.schema.metadata | {
        {"code": CODE, "counts": COUNTS}[key]: value for key, value in metadata.items()
    }
    parquet.write_table(table.replace_schema_metadata(text), path)


def upload(app, content, name="results.parquet"):
    app.file_uploader(key=board.FILE).set_value((name, content, "application/octet-stream"))
    return app.run()


@pytest.mark.usefixtures("afresh")
def test_a_file_of_the_command_is_shown_and_its_sweep_asked(tmp_path):
    content = written(tmp_path, SWEEP).read_bytes()
    with busy(long_answer.WORKERS):
        app = upload(opened(**ELSEWHERE), content)
        assert not app.exception
        assert not app.error
        assert app.multiselect(key="sweep_by").value == QUICK["by"]
        assert app.number_input(key="sweep_draws").value == 4
        assert app.number_input(key="sweep_to").value == 1.5
        assert desk(app).shown.sweep == SWEEP
        assert desk(app).work is None
        reported = page_text(app).replace("\\", "")
        assert "results.parquet: 16 of 16 points, 2 cases × 2 budgets × 4 draws." in reported
        assert "All are below." in page_text(app)
        table = parquet.read_table(io.BytesIO(content))
        assert desk(app).shown.table.equals(table.replace_schema_metadata(None))
        own = table.to_pandas()
        own = own[(own.mechanism == "subset_merging") & (own.eps == 1.5)]
        means = tables(app)[0]
        row = means[(means.mechanism == "Subset merging") & (means["ε, nats"] == 1.5)].iloc[0]
        assert row["Share kept"] == pytest.approx(own.kept.mean())
        assert app.query_params["draws"] == "4"
        app = app.number_input(key="sweep_draws").set_value(5).run()
        assert any("previous: 16 points" in item.value for item in app.markdown)


@pytest.mark.usefixtures("afresh")
def test_an_unfinished_file_is_gone_on_with_for_this_session_alone(held):
    held.general = pool = HeldPool()
    part = Gathered(SWEEP)
    whole = Gathered(SWEEP)
    run(SWEEP, whole, Here())
    part.add(whole.table().select(schema(SWEEP.measures).names).take([1, 2, 3]))
    content = results.parquet_bytes(asked_shown(part), {})
    app = upload(opened(**ELSEWHERE), content)
    assert not app.error
    assert any("unfinished: 3 of 16 points" in item.value for item in app.markdown)
    assert app.button(key="sweep_start").label == "Continue"
    click(app, "sweep_start")

    def rest():
        pool.finish_all()
        return desk(app).work is None

    finished(app, rest)
    assert not app.error
    assert desk(app).shown.whole
    result = desk(app).shown.table.drop_columns("seconds")
    np.testing.assert_array_equal(result["kept"], whole.table()["kept"])
    other = opened(**QUICK)
    assert desk(other).shown is None  # what came from a file is nobody else's
    assert other.button(key="sweep_start").label == "Run the sweep"


def asked_shown(gathered):
    from pages.ui.frontiers.results import Shown

    return Shown(gathered.sweep, gathered.table())


@pytest.mark.usefixtures("afresh")
def test_a_file_in_the_servers_folder_is_opened(tmp_path, monkeypatch):
    with busy(long_answer.WORKERS):
        assert not [item for item in opened(**QUICK).selectbox if item.key == board.FOLDER]
        written(tmp_path, SWEEP, "mine.parquet")
        (tmp_path / "other.csv").write_text("a\n1\n")
        monkeypatch.setenv(FOLDER, str(tmp_path))
        app = opened(**ELSEWHERE)
        assert app.selectbox(key=board.FOLDER).options == ["mine.parquet"]
        assert app.button(key="sweep_open").disabled
        app = app.selectbox(key=board.FOLDER).set_value("mine.parquet").run()
        app = click(app, "sweep_open")
        assert desk(app).shown.sweep == SWEEP
        app = opened(**ELSEWHERE)
        app = app.selectbox(key=board.FOLDER).set_value("mine.parquet").run()
        (tmp_path / "mine.parquet").unlink()
        app = click(app, "sweep_open")
        assert desk(app).shown is None
        assert any("is not a file in the folder" in item for item in errors(app))
        monkeypatch.setenv(FOLDER, str(tmp_path / "gone"))
        assert any("is not a folder on this server" in item for item in errors(opened(**QUICK)))


ON_DATA = Sweep(
    Scenario(notion="lip", mechanism="watchdog"),
    (("eps", (0.5, 1.0)),),
    ((("notion", "lip"), ("mechanism", "watchdog")),),
    measures=SWEEP.measures,
)


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda _: b"PAR1 and no more", "'results.parquet' is not a results file of a sweep."),
        (
            lambda path: rewritten(written(path, SWEEP), code=b"0" * 64),
            "'results.parquet' was made by another version of liftscope",
        ),
        (
            lambda path: written(path, Sweep(SWEEP.scenario, (("lam", (0.2, 0.4)),))),
            "'results.parquet' has the results of a sweep that this page cannot run: ",
        ),
        (
            lambda path: written(
                path, Sweep(SWEEP.scenario, SWEEP.vary, SWEEP.cases, Draws(1, 1 + 1, 401))
            ),
            "'results.parquet' has the results of a sweep that this page cannot run: ",
        ),
        (
            lambda path: rewritten(written(path, ON_DATA), counts=b"others"),
            "'results.parquet' has the results for other records: the data has changed since.",
        ),
    ],
)
def test_a_file_that_is_no_answer_here_is_one_sentence_and_changes_nothing(
    tmp_path, make, sentence
):
    made = make(tmp_path)
    content = made if isinstance(made, bytes) else (tmp_path / "results.parquet").read_bytes()
    with busy(long_answer.WORKERS):
        app = upload(opened(**ELSEWHERE), content)
        assert not app.exception
        (result,) = errors(app)
        assert result.startswith(sentence)
        assert app.multiselect(key="sweep_by").value == ["grr"]
        assert app.number_input(key="sweep_draws").value == 2
        assert desk(app).shown is None


@pytest.mark.usefixtures("afresh")
def test_a_sweep_on_data_or_on_bundled_sets_is_asked_again(tmp_path):
    with busy(long_answer.WORKERS):
        app = upload(opened(**ELSEWHERE), written(tmp_path, ON_DATA).read_bytes())
        assert not app.error
        assert desk(app).shown.sweep == ON_DATA
        assert app.segmented_control(key="sweep_on").value == query.HERE
        assert "All are below." in page_text(app)
    app = done(opened(notion="lip", by="watchdog", on="sets", set=["adult", "german_credit"]))
    content = results.parquet_bytes(desk(app).shown, {})
    sweep = desk(app).shown.sweep
    with busy(long_answer.WORKERS):
        app = upload(opened(**ELSEWHERE), content)
        assert not app.error
        assert app.multiselect(key="sweep_set").value == ["adult", "german_credit"]
        assert desk(app).shown.sweep == sweep


def test_what_is_exported_has_no_hash_of_an_uploaded_file(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("sex,job\nf,nurse\nf,clerk\nm,clerk\n", encoding="utf-8")
    sources = Sources()
    here, gone = sources.add_file(tmp_path / "people.csv"), "upload:" + "ab" * 32
    monkeypatch.setattr(results.visits, "sources", lambda: sources)
    monkeypatch.setattr(results, "counts", lambda _: "counted")
    for source, called in ((here, "people.csv"), (gone, "upload:not disclosed")):
        data = DataSpec(source, ("sex",), ("job",))
        sweep = Sweep(
            Scenario(data=data, mechanism="watchdog"),
            vary=(("eps", (0.5,)), ("data", (data,))),
        )
        shown = results.Shown(sweep, described(sweep, [empty_point(sweep)]))
        assert results.points(shown)["source"].tolist() == [called]
        message = results.means_json(shown, {}, "").decode()
        content = results.parquet_bytes(shown, {})
        table = parquet.read_table(io.BytesIO(content))
        assert table["source"].to_pylist() == [called]
        for text in (
            message,
            results.points(shown).to_csv(),
            results.definition(sweep),
            content.decode("latin-1"),
            f"{table.to_pydict()}{table.schema.metadata}",
        ):
            assert called in text
            assert source.removeprefix("upload:") not in text


PEOPLE = b"sex,job,id\n" + b"f,a,1\nm,b,2\nf,b,3\nm,a,4\nf,a,5\n" * 8


def of_people(monkeypatch):
    """Return a session's Sources with people.csv, and the results file of its sweep."""
    sources = Sources()
    data = DataSpec(sources.add_bytes(PEOPLE, "people.csv"), ("sex",), ("job",))
    sweep = replace(ON_DATA, scenario=replace(ON_DATA.scenario, data=data))
    counted = counted_data(sweep, sources)
    gathered = Gathered(sweep)
    run(sweep, gathered, Here(), counted=counted)
    with monkeypatch.context() as patched:
        patched.setattr(results.visits, "sources", lambda: sources)
        patched.setattr(results, "counts", lambda _: counts_hash(counted))
        return sweep, results.parquet_bytes(asked_shown(gathered), {})


def with_file(content, name="people.csv"):
    """Open the page in a session with a file."""
    app = opened(**ELSEWHERE)
    app.session_state["_visit"].sources = Sources()
    app.session_state["_visit"].sources.add_bytes(content, name)
    return app.run()


@pytest.mark.usefixtures("afresh")
def test_results_of_ones_own_file_are_opened_again_beside_it(monkeypatch):
    sweep, content = of_people(monkeypatch)
    with busy(long_answer.WORKERS):
        app = upload(with_file(PEOPLE), content)
        assert not app.exception
        assert errors(app) == []
        assert desk(app).shown.sweep == sweep
        assert "All are below." in page_text(app)


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        (
            (PEOPLE, "other.csv"),
            "'results.parquet' uses 'people.csv', which is not in this session. Upload it on",
        ),
        (
            (PEOPLE + b"f,a,6\n", "people.csv"),
            "'results.parquet' has the results for other records: the data has changed since.",
        ),
    ],
)
def test_results_of_a_file_that_is_not_here_are_not_shown(own, sentence, monkeypatch):
    _, content = of_people(monkeypatch)
    with busy(long_answer.WORKERS):
        app = upload(with_file(*own), content)
        assert not app.exception
        (result,) = errors(app)
        assert result.startswith(sentence)
        assert desk(app).shown is None


def empty_point(sweep):
    """Return a table with the first point of a sweep, whose figures are all 0 or empty."""
    fields = schema(sweep.measures)
    none = {"string": "", "bool": False}
    row = {item.name: none.get(str(item.type), 0) for item in fields}
    return pa.Table.from_pylist([row], fields)
