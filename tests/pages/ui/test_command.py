"""The command `liftscope` opens the dashboard, or does what `python -m core` does."""

import pytest
from click.exceptions import Abort
from streamlit.web import cli

from pages.ui import command


@pytest.fixture
def opened(monkeypatch):
    """Return the calls of Streamlit's command line, which are not made."""
    calls = []
    monkeypatch.setattr(cli, "main", lambda arguments, **_: calls.append(arguments))
    return calls


def test_alone_it_opens_the_dashboard(opened):
    assert command.main([]) == 0
    assert opened == [["run", str(command.ROOT / "app.py")]]


def test_options_of_the_server_are_handed_on(opened):
    assert command.main(["--server.port", "9000"]) == 0
    assert opened[0][2:] == ["--server.port", "9000"]


def test_other_words_are_commands_of_core(opened, capsys):
    assert command.main(["datasets"]) == 0
    assert "German credit" in capsys.readouterr().out
    assert opened == []


def test_a_command_that_fails_says_so(opened, tmp_path, capsys):
    assert command.main(["evaluate", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert opened == []


def test_an_interrupt_ends_the_dashboard_without_a_traceback(monkeypatch):
    def interrupted(*_, **__):
        raise Abort

    monkeypatch.setattr(cli, "main", interrupted)
    assert command.main([]) == 0
