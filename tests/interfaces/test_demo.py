"""The demo's parts, without a broker and without Spark."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from interfaces.fakes import FakeSession, result
from sluice.cli import demo
from sluice.cli.progress import Bar
from sluice.cli.watch import Ingest, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.formats.result import Result

CONSUMERS = "table String, lag Int64, state String, exceptions.text Array(String)"


def test_statements_name_the_broker() -> None:
    queue, table, view = demo.statements("127.0.0.1:9999")
    assert queue.startswith("CREATE TABLE github_queue\n(\n    file_time DateTime,")
    assert "kafka_broker_list='127.0.0.1:9999'," in queue
    assert "sasl" not in queue
    assert table.startswith("CREATE TABLE github AS github_queue")
    assert view.startswith("CREATE MATERIALIZED VIEW github_mv TO github AS")


def pipeline(tmp_path: Path, *steps: tuple[int, int, str, list[str]]) -> FakeSession:
    """A session whose count and consumers change with every look; the last step stays."""
    now = iter(steps)
    last = steps[-1]

    def count() -> Result:
        nonlocal last
        last = next(now, last)
        return result("count() UInt64", (last[0],))

    return FakeSession(
        tmp_path,
        {
            "SELECT count() FROM github": count,
            "SELECT * FROM system.kafka_consumers": lambda: result(
                CONSUMERS, ("github_queue", *last[1:])
            ),
        },
    )


def watch(session: FakeSession, rows: int, stall_s: float = 60) -> tuple[Ingest, list[int]]:
    seen: list[int] = []
    state = wait_for(
        session.as_session(), rows, lambda s: seen.append(s.rows), lambda _: False, stall_s
    )
    return state, seen


def test_waits_until_all_rows_are_there_and_nothing_is_left(tmp_path: Path) -> None:
    session = pipeline(
        tmp_path, (0, 10, "RUNNING", []), (4, 6, "RUNNING", []), (10, 3, "RUNNING", []),
        (10, 0, "RUNNING", []),
    )  # fmt: skip
    state, seen = watch(session, 10)
    assert state == Ingest(10, 0, "RUNNING", "")
    assert seen == [0, 4, 10]


def test_a_failed_pipeline_is_not_waited_for(tmp_path: Path) -> None:
    session = pipeline(tmp_path, (3, 7, "FAILED(KAFKA_DATA_LOSS)", ["first", "Kafka lost it"]))
    state, _ = watch(session, 10)
    assert state.failed
    assert demo._problem(state, 10).endswith("7 rows are missing: Kafka lost it")


def test_a_pipeline_that_does_not_move_is_given_up(tmp_path: Path) -> None:
    state, _ = watch(pipeline(tmp_path, (3, 7, "WAITING(broker)", [])), 10, stall_s=0)
    assert demo._problem(state, 10).endswith("the pipeline's state is WAITING(broker)")


def test_duplicate_rows_are_reported(tmp_path: Path) -> None:
    state, _ = watch(pipeline(tmp_path, (12, 0, "RUNNING", [])), 10)
    assert "2 rows are duplicates" in demo._problem(state, 10)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bar_on_a_terminal_is_one_line() -> None:
    out = Terminal()
    bar = Bar("Rows", 200, out)
    bar.show(50)
    bar.show(100, "  lag 100")
    bar.finish(200)
    drawn = out.getvalue()
    assert drawn.count("\r") == 3
    assert drawn.count("\n") == 1
    assert "100 of 200" in drawn


def test_bar_elsewhere_is_a_line_now_and_then() -> None:
    out = io.StringIO()
    bar = Bar("Rows", 200, out)
    for done in range(100):
        bar.show(done)
    bar.finish(200)
    assert len(out.getvalue().splitlines()) == 2
    assert "\r" not in out.getvalue()


def test_bar_of_nothing() -> None:
    out = io.StringIO()
    Bar("Rows", 0, out).finish(0)
    assert "0 of 0" in out.getvalue()
