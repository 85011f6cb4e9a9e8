"""How the suites run: the longest files first, and what failed is told to `make`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from _pytest.terminal import TerminalReporter

TESTS = Path(__file__).parent
SECONDS = TESTS / "durations.txt"
"""The files that take long, as `--seconds-to` has written them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of `make test-all`, and of whoever measures the tests."""
    parser.addoption("--failed-to", type=Path, help="append the names of failed tests to a file")
    parser.addoption("--seconds-to", type=Path, help="write how long each file of tests took")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let processes that share the files begin with the longest: they end at about the same time.

    Files that are not in the list come last: they take little time, or are new.
    """
    if hasattr(config, "workerinput"):
        lines = (line.split() for line in SECONDS.read_text("utf-8").splitlines())
        known = {path: float(seconds) for seconds, path in lines}
        items.sort(key=lambda item: -known.get(_file(item.nodeid), 0.0))


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Write what was asked for; with several processes the one that has started them does."""
    if hasattr(config, "workerinput"):
        return
    if path := config.getoption("--failed-to"):
        reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
        with path.open("a", encoding="utf-8") as out:
            out.writelines(f"{name}\n" for name in dict.fromkeys(r.nodeid for r in reports))
    if path := config.getoption("--seconds-to"):
        path.write_text(_seconds(terminalreporter), "utf-8")


def _seconds(reporter: TerminalReporter) -> str:
    taken: dict[str, float] = {}
    for reports in reporter.stats.values():
        for report in reports:
            if hasattr(report, "duration") and hasattr(report, "when"):
                file = _file(report.nodeid)
                taken[file] = taken.get(file, 0.0) + report.duration
    longest = sorted(taken.items(), key=lambda each: -each[1])
    return "".join(f"{seconds:.0f} {file}\n" for file, seconds in longest if seconds >= 1)


def _file(node: str) -> str:
    """A test's file, relative to the folder of the tests."""
    return node.partition("::")[0].removeprefix("tests/")
