"""What commands share: parsers, files to read, and long work that a first Ctrl-C ends well."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

from core import clock
from core.codec import read_json
from core.data import ReadOptions, Sources
from core.data.readers.describe import size_text
from core.data.readers.reading import Upload
from core.errors import InvalidInputError, unwritten
from core.records.design import named_file
from core.scenario import Scenario
from core.wording import printable


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str,
    example: str,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def page_writer(what: str, place: str, instead: str) -> Callable[..., str]:
    """Return the dashboard's function that writes a page; raise where it is not installed."""
    module, _, name = place.rpartition(".")
    if find_spec(module.partition(".")[0]) is None:
        raise InvalidInputError(
            f"{what} needs the dashboard for its charts, and the dashboard is not installed here: "
            f"{instead}."
        )
    writer: Callable[..., str] = getattr(import_module(module), name)
    return writer


def read_text(path: Path, kind: str) -> str:
    """Return the text of a small file; `kind` names the file in the error's sentence."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or no possible path
        raise InvalidInputError(
            f"The {kind} file {str(path)!r} cannot be read: {error}."
        ) from error


def check_apart(read: Iterable[Path | None], written: Iterable[Path | None]) -> None:
    """Raise if a file to be written is one that is read, or is written twice."""
    places = {path.resolve() for path in read if path is not None}
    for path in written:
        if path is None:
            continue
        if path.resolve() in places:
            raise InvalidInputError(f"{str(path)!r} is used twice: write to another file.")
        places.add(path.resolve())


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the option that says how a file is read."""
    parser.add_argument(
        "--read",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how to read the records, as data.read in a scenario: header=3, skip_end=2, "
        "delimiter=tab, missing=NA,-99, weight=Freq, sampling=wt, person=id, first=true (or "
        "drawn=SEED), or a JSON object; may be repeated",
    )


def with_reading(text: str, settings: Sequence[str]) -> str:
    """Return a scenario's JSON text with further settings of how its data is read."""
    if not settings:
        return text
    data = Scenario.from_json(text).data  # refuses what is none
    values = read_json(text, "A scenario")
    read = ReadOptions.from_text(settings, data.read)
    values["data"] = values.get("data", {}) | {"read": read.to_dict()}
    return json.dumps(values)


def tell_reading(upload: Upload) -> None:
    """Say on standard error what was repaired, what may be meant, and which sheet is read."""
    sentences = (
        [] if upload.text is None or not upload.text.phrase() else [f"{upload.text.phrase()}."]
    )
    sentences += [repair.sentence for repair in upload.repairs]
    sentences += [f"{hint.label}? ({hint.setting})" for hint in upload.hints]
    if upload.sheets is not None:
        sentences.append(upload.sheets.sentence())
    for sentence in filter(None, sentences):
        say(f"{upload.name}: {sentence}")


def read_question(
    path: Path,
    data: Path | None = None,
    called: dict[str, str] | None = None,
    settings: Sequence[str] = (),
) -> tuple[Scenario, Sources]:
    """Read a scenario's file, and the file of records that it is about; `called` as `with_file`."""
    text = with_reading(read_text(path, "scenario"), settings)
    scenario, sources = Scenario.from_json(text), Sources(databases=True)
    return with_file(scenario, sources, data, called), sources


def with_file(
    scenario: Scenario,
    sources: Sources,
    data: Path | None = None,
    called: dict[str, str] | None = None,
) -> Scenario:
    """Return a scenario about the file that it names or that is given."""
    source = scenario.data.source
    path = named_file(source) if data is None else data
    if path is None:
        return scenario
    read = scenario.data.read
    known = set(sources.uploads)
    key = sources.add_file(path, read.layout)
    if key not in known:
        tell_reading(sources.uploads[key])
    if source.startswith("upload:") and source != key:
        raise InvalidInputError(
            f"The scenario is about the file {source[7:19]}…, but {path.name} is {key[7:19]}…: "
            "another file, or a changed one."
        )
    if read.weight or read.sampling or read.person:
        say(f"{path.name}: {size_text(key, sources, read)}.")
    if called is not None:
        called[key] = str(path)
    return replace(scenario, data=replace(scenario.data, source=key))


REPORTED = 10
"""Most reports of progress, but for those after half a minute without one, and most unknown values
that a summary names."""

UNFINISHED = 3
"""The exit status of work that ended unfinished and can be done again."""


class Interrupted:
    """Whether the user has asked for work to end."""

    def __init__(self) -> None:
        self.requested = False

    def status(self, otherwise: int = 0) -> int:
        """Return the exit status: `UNFINISHED` if work was cut short."""
        return UNFINISHED if self.requested else otherwise


@contextmanager
def finishing(what: str) -> Iterator[Interrupted]:
    """Let a first interrupt end all searches with the best that they have; a second one stops."""
    state = Interrupted()
    if threading.current_thread() is not threading.main_thread():
        yield state  # only the main thread hears of signals
        return
    with clock.ending() as end, reporting(what):

        def finish(_number: int, _frame: FrameType | None) -> None:
            state.requested = True
            end()
            signal.signal(signal.SIGINT, stop)
            say(
                f"{what} ends with the best result so far; Ctrl-C again stops it without an answer."
            )

        before = signal.signal(signal.SIGINT, finish)
        stop = before if callable(before) else signal.default_int_handler
        try:
            yield state
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
# later reports come ever less often
def reporting(what: str, first: float = 2.0) -> Iterator[None]:
    """Say on standard error what is worked on: after `first` seconds, then ever more rarely."""
    if clock.step() is not None:
        yield
        return
    done = threading.Event()

    def report() -> None:
        wait, passed = first, 0.0
        while not done.wait(wait):
            passed += wait
            say(f"{what}: {passed:,.0f} s")
            wait = passed

    reporter = threading.Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


def put(text: str) -> None:
    """Write an answer on standard output."""
    try:
        print(printable(text), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InvalidInputError(unwritten(error)) from error


def say(text: str) -> None:
    """Write a line on standard error."""
    print(printable(text), file=sys.stderr, flush=True)
