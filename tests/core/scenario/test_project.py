import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.scenario import Project, Promise, Scenario
from core.scenario.project import LONGEST_NAME, suggested
from tests.core.scenario.test_url import SCENARIOS
from tests.core.test_codec import ODD

LIP, ALIP, LDP = (Scenario(notion=key) for key in ("lip", "alip", "ldp"))
THREE = Project((LIP, ALIP, LDP), ("a", "b", "c"), ("", "why\nnot", ""))
UPLOAD = replace(LIP, data=DataSpec("upload:00ff"))
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)


@st.composite
def projects(draw):
    """Projects of one to five columns, with names, notes and files of any letters."""
    scenarios = tuple(draw(st.lists(SCENARIOS, min_size=1, max_size=5)))
    words = WORDS.map(lambda text: " ".join(text.split())).filter(bool)
    many = {"min_size": len(scenarios), "max_size": len(scenarios)}
    names = draw(st.one_of(st.just(()), st.lists(words, unique=True, **many).map(tuple)))
    notes = draw(st.one_of(st.just(()), st.lists(WORDS, **many).map(tuple)))
    files = draw(st.dictionaries(st.sampled_from(["upload:00ff", "adult", "upload:1"]), words))
    marks = draw(
        st.one_of(st.just(()), st.lists(st.integers(0, 999), unique=True, **many).map(tuple))
    )
    return Project(scenarios, names, notes, tuple(files.items()), marks)


@given(project=projects())
@settings(max_examples=60)
def test_projects_come_back_from_json_and_from_links(project):
    assert Project.from_json(project.to_json()) == project
    assert Project.from_query(project.to_query()) == (project, ())
    assert hash(Project.from_json(project.to_json())) == hash(project)
    assert all(project.to_query()["col"])


@given(project=projects(), data=st.data())
@settings(max_examples=40)
def test_what_is_moved_and_moved_back_is_as_it_was(project, data):
    places = st.integers(0, len(project) - 1)
    place, to = data.draw(places), data.draw(places)
    moved = project.moved(place, to)
    assert moved.moved(to, place) == project
    assert moved.scenarios[to] == project.scenarios[place]
    assert sorted(moved.names) == sorted(project.names)
    longer = project.with_column(LIP, note="new")
    assert longer.without(len(project)) == project
    assert longer.notes[-1] == "new"


def test_a_mark_stays_with_its_column_and_a_new_one_takes_the_least_that_is_free():
    fewer = THREE.without(1)
    assert (fewer.names, fewer.marks) == (("a", "c"), (0, 2))
    assert fewer.moved(1, 0).marks == (2, 0)
    longer = fewer.with_column(ALIP)
    assert longer.marks == (0, 2, 1)
    assert Project.from_query(longer.to_query()) == (longer, ())
    assert "mark" not in THREE.to_json()
    assert all("mark" not in text for text in THREE.to_query()["col"])


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ((0, 0, 1), "The marks of columns must differ, got (0, 0, 1)."),
        ((0, 1), "A project of 3 columns must have as many marks, got 2."),
        ((0, 1, -1), "The mark of a column must be at least 0"),
    ],
)
def test_marks_that_tell_no_columns_apart_are_refused(marks, message):
    with pytest.raises(InvalidInputError) as error:
        replace(THREE, marks=marks)
    assert message in str(error.value)


def test_a_link_with_a_mark_that_may_not_be_says_so_and_takes_a_free_one():
    columns = ["name=a&mark=1", "name=b&mark=1", "name=c&mark=x"]
    project, notices = Project.from_query({"col": columns})
    assert project.marks == (1, 0, 2)
    assert [item[:33] for item in notices] == [
        "Column 2: The link has mark=1, wh",
        "Column 3: The link has mark=x, wh",
    ]


def read(text):
    """Read a project: it is refused in a sentence, or is as good as any other."""
    try:
        project = Project.from_json(text)
    except InvalidInputError as error:
        refusal = str(error)
        assert refusal.endswith(".")
        assert "\n" not in refusal
        assert len(refusal) < 900
    else:
        assert Project.from_json(project.to_json()) == project


ENTRY = st.sampled_from(["name", "note", "scenario"])


@given(entry=ENTRY, value=ODD)
def test_any_entry_of_a_column_may_hold_anything(entry, value):
    read(f'{{"columns": [{{"scenario": {{}}, "{entry}": {value}}}]}}')
    read(f'{{"columns": [{{"scenario": {{}}}}, {{"scenario": {{"data": {value}}}}}]}}')


@given(entry=st.sampled_from(["version", "columns", "files", "other"]), value=ODD)
def test_any_entry_of_a_project_may_hold_anything(entry, value):
    read(f'{{"columns": [{{"scenario": {{}}}}], "{entry}": {value}}}')
    read(f'{{"{entry}": {value}}}')
    read(value)


@given(texts=st.lists(st.one_of(st.text(), ODD), min_size=1, max_size=4), file=st.text())
@settings(max_examples=60)
def test_any_text_may_stand_in_a_link(texts, file):
    project, notices = Project.from_query({"col": texts, "file": file})
    assert len(project) == len(texts)
    assert all(notice.startswith(("Column ", "The link has ")) for notice in notices)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "The project must be a JSON object"),
        ("{", "The project is not valid JSON"),
        ('{"columns": []}', "one scenario or more"),
        ('{"columns": {}}', "must be a list, got {}"),
        ('{"columns": [1]}', "Column 1 must be a JSON object with its scenario, got 1."),
        ('{"columns": [{"scenario": {}, "colour": 1}]}', "Column 1 has an unknown entry 'colour'."),
        ('{"columns": [{"scenario": []}]}', "Column 1: Its scenario must be a JSON object"),
        (
            '{"columns": [{"scenario": {}}, {"scenario": {"eps": -1}}]}',
            "Column 2: eps must be in [0, 50], got -1.",
        ),
        ('{"columns": [{"scenario": {}}], "version": 2}', "version must be 1, got 2"),
        ('{"columns": [{"scenario": {}}], "size": 2}', "unknown entry 'size'"),
        ('{"columns": [{"scenario": {}}], "files": []}', "files must be a JSON object"),
        (
            '{"columns": [{"scenario": {}, "name": "a"}, {"scenario": {}, "name": " a "}]}',
            "must differ, got 'a' twice",
        ),
        ('{"columns": [{"scenario": {}, "name": "a\\u0000"}]}', "no control characters"),
        ('{"columns": [{"scenario": {}, "note": 3}]}', "A note must be a text, got 3."),
        ("[" * 100_000, "nested too deeply"),
        (" " * 2_000_001, "at most 2,000,000 characters, got 2,000,001"),
    ],
)
def test_a_bad_project_is_refused_in_one_sentence(text, sentence):
    with pytest.raises(InvalidInputError) as refused:
        Project.from_json(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Project(()), "one scenario or more"),
        (lambda: Project((LIP, "alip")), "one scenario or more"),
        (lambda: Project((LIP, ALIP), ("a",)), "of 2 columns must have as many names, got 1"),
        (lambda: Project((LIP,), notes=("a", "b")), "of 1 columns must have as many notes, got 2"),
        (lambda: Project((LIP,), ("x" * 61,)), "1 to 60 characters, got 61"),
        (lambda: Project((LIP,), notes=("x" * 2001,)), "0 to 2,000 characters, got 2,001"),
        (lambda: Project((LIP,), files=("ab",)), "its source and its name"),
        (lambda: THREE.renamed(0, " "), "1 to 60 characters, got 0"),
        (lambda: THREE.renamed(0, "b"), "must differ, got 'b' twice"),
        (lambda: THREE.renamed(3, "d"), "The place of a column must be at least 0 and at most 2"),
        (lambda: THREE.moved(0, -1), "at least 0"),
        (lambda: Project((LIP,)).without(0), "only column"),
    ],
)
def test_what_no_project_can_be_is_refused(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        make()


def test_columns_are_renamed_noted_moved_and_removed():
    assert THREE.renamed(1, "  new   name ").names == ("a", "new name", "c")
    assert THREE.noted(0, "x \n").notes == ("x", "why\nnot", "")
    fewer = Project((ALIP, LDP), ("b", "c"), ("why\nnot", ""), marks=(1, 2))
    assert THREE.without(0) == fewer
    assert THREE.moved(0, 2).scenarios == (ALIP, LDP, LIP)
    assert THREE.asking(1, LIP).scenarios == (LIP, LIP, LDP)
    assert THREE.asking(1, LIP).names == ("a", "b", "c")  # a name of one's own stays


def test_names_that_were_made_follow_the_question():
    project = Project((LIP, LIP))
    assert project.names == ("LIP", "LIP (2)")
    assert project.asking(1, LDP).names == ("LIP", "LDP")
    assert project.asking(0, LDP).asking(1, LDP).names == ("LDP", "LDP (2)")
    long = suggested((LIP,) * 12)[-1]
    assert long == "LIP (12)"
    assert suggested((Scenario(mechanism="identity"),)) == ("Identity",)
    many = replace(LIP, also=(Promise("sides"),) * 9)
    assert len(suggested((many, many))[1]) == LONGEST_NAME


def test_a_scenario_by_itself_is_a_project_of_one_column():
    assert Project.from_json(LDP.to_json()) == Project((LDP,), ("LDP",))
    assert Project.from_query({"notion": "ldp"}) == (Project((LDP,), ("LDP",)), ())


def test_a_link_with_faults_keeps_what_is_good():
    project, notices = Project.from_query(
        {"col": ["name=a&notion=lip", "name=a&notion=alip", f"name={'x' * 61}&eps=-1"]}
    )
    assert project.names == ("a", "ALIP", "ALIP (2)")
    assert notices == (
        "Column 2: The link has its name 'a' twice.",
        "Column 3: The link has eps=-1, which is not in [0, 50]; 1 is used.",
        "Column 3: The link has a name that is ignored. The name of a column must have 0 to 60 "
        "characters, got 61.",
    )
    assert Project.from_query({"col": "name=b", "file": "source=adult"})[1] == (
        "The link has a file that is ignored. The name of a file must have 1 to 255 characters, "
        "got 0.",
    )


def test_a_project_remembers_what_its_uploads_were_called():
    project = Project((UPLOAD, LIP)).with_files({"upload:00ff": "people.csv", "upload:1": "b.csv"})
    assert project.files == (("upload:00ff", "people.csv"),)
    assert Project.from_json(project.to_json()).file_of("upload:00ff") == "people.csv"
    assert Project.from_query(project.to_query())[0].file_of("upload:00ff") == "people.csv"
    assert project.without(0).files == ()
    assert project.file_of("adult") == ""


def test_the_json_form_is_readable():
    written = json.loads(THREE.to_json())
    assert [column["name"] for column in written["columns"]] == ["a", "b", "c"]
    assert written["columns"][1]["scenario"]["notion"] == "alip"
    assert written["version"] == 1
    assert "files" not in written


def test_what_a_column_of_a_link_has_that_nothing_reads_is_named():
    columns = ["name=a&epz=2&notion=lip", "%%%", "", "z" * 300]
    project, notices = Project.from_query({"col": columns})
    assert project.scenarios[0].notion == "lip"
    assert len(project) == len(notices) == 4
    assert notices[0] == "Column 1: The link has epz, which this page does not know and ignores."
    assert notices[1] == "Column 2: The link has %%%, which this page does not know and ignores."
    assert notices[2] == ("Column 3: The link has nothing readable here; the defaults are used.")
    assert "z" * 79 + "…" in notices[3]
    assert "z" * 81 not in notices[3]
