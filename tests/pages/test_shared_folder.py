"""Files of the server's folder on the Data page: chosen, read in their place, cancelled."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import DataSpec
from core.data.readers.sources import FOLDER
from core.errors import InvalidInputError
from core.jobs import State
from tests.pages.data_page import checked, errors, metrics, open_page, spec
from tests.pages.test_databases import finish, shown


@pytest.fixture
def folder(tmp_path, monkeypatch):
    columns = {"sex": list("fm") * 600, "job": list("abc") * 400}
    parquet.write_table(pa.table(columns), tmp_path / "people.parquet")
    (tmp_path / "few.csv").write_text("town,job\nA,x\nB,y\nA,y\n")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n1,2,3\n")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


def use(app, name):
    app.selectbox(key="shared_file").set_value(name)
    checked(app.run())
    app.button(key="shared_use").click()
    return checked(app.run())


def test_parquet_is_counted_where_it_lies_and_text_is_read(folder, sweeps):
    app = open_page()
    assert app.selectbox(key="shared_file").options == ["bad.csv", "few.csv", "people.parquet"]
    assert not sweeps.taken
    use(app, "people.parquet")
    assert app.button(key="shared_use").disabled
    finish(app, sweeps)
    assert not app.error
    assert metrics(app)["Records n"] == "1,200"
    upload = app.session_state["_visit"].sources.uploads[spec(app).source]
    assert upload.table.paths == (folder / "people.parquet",)
    use(app, "few.csv")
    finish(app, sweeps)
    assert metrics(app)["Records n"] == "3"
    assert {item.name for item in folder.iterdir()} == {"people.parquet", "few.csv", "bad.csv"}


def test_what_cannot_be_read_gives_one_sentence(folder, sweeps):
    app = open_page()
    use(app, "bad.csv")
    finish(app, sweeps)
    assert errors(app) == ["bad.csv has 3 fields in line 3, but its header has 2."]
    assert spec(app) == DataSpec()
    (folder / "few.csv").unlink()
    sweeps.taken.clear()
    use(app, "people.parquet")
    sweeps.fail(InvalidInputError("It is gone."))
    checked(app.run())
    assert errors(app) == ["It is gone."]
    assert metrics(app)["Records n"] == "32,561"


@pytest.mark.usefixtures("folder")
def test_cancel_ends_the_reading(sweeps):
    app = open_page()
    use(app, "people.parquet")
    [(job, _, _)] = sweeps.open
    app.button(key="shared_cancel").click()
    checked(app.run())
    assert job.state == State.CANCELLED
    assert "shared_cancel" not in shown(app)
    assert not app.error


def test_a_folder_that_is_none_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "nosuch"))
    app = open_page()
    assert errors(app) == ["LIFTSCOPE_FOLDER is not a folder on this server."]
    assert metrics(app)["Records n"] == "32,561"
