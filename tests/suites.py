"""How the suites run: samples, and the longest files first."""

from __future__ import annotations

import os
import random
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from _pytest.terminal import TerminalReporter

TESTS = Path(__file__).parent
SECONDS = TESTS / "durations.txt"
"""The files that take long, as `--seconds-to` has written them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option of whoever measures the tests."""
    parser.addoption("--seconds-to", type=Path, help="write how long each file of tests took")


def pytest_configure(config: pytest.Config) -> None:
    """Every process of a run takes the same samples."""
    os.environ.setdefault("SAMPLE", str(random.randrange(1 << 32)))  # noqa: S311 - no secret


def pytest_report_header(config: pytest.Config) -> str:
    """How to repeat the run."""
    return f"samples: SAMPLE={os.environ['SAMPLE']} repeats them, KILLS=all runs every case"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the samples, and let processes that share the files begin with the longest.

    So they end at about the same time. Files that are not in the list come last: they take little
    time, or are new.
    """
    named = config.option.keyword or any("::" in each for each in config.args)
    if os.environ.get("KILLS") != "all" and not named:
        left_out = set(_left_out(items))
        config.hook.pytest_deselected(items=[each for each in items if each in left_out])
        items[:] = [each for each in items if each not in left_out]
    if hasattr(config, "workerinput"):
        lines = (line.split() for line in SECONDS.read_text("utf-8").splitlines())
        known = {path: float(seconds) for seconds, path in lines}
        items.sort(key=lambda item: -known.get(_file(item.nodeid), 0.0))


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Write what was asked for; with several processes the one that has started them does."""
    if hasattr(config, "workerinput"):
        return
    if path := config.getoption("--seconds-to"):
        path.write_text(_seconds(terminalreporter), "utf-8")


def _left_out(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases of tests marked `sampled(number)` that this run does not take."""
    for test, cases in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        marked = [each for each in cases if each.get_closest_marker("sampled")]
        if marked:
            number = marked[0].get_closest_marker("sampled").args[0]  # type: ignore[union-attr]
            chance = random.Random(f"{os.environ['SAMPLE']} {test}")  # noqa: S311 - no secret
            chosen = chance.sample(marked, min(number, len(marked)))
            yield from (each for each in marked if each not in chosen)


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
