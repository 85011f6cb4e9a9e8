"""SYSTEM STOP and its like, and RESET OFFSETS, against the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import KAFKA, Lab

if TYPE_CHECKING:
    from pathlib import Path


def make(lab: Lab) -> None:
    lab.run(
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW mv TO t AS SELECT a FROM q",
    )


def test_a_stop_is_remembered(tmp_path: Path) -> None:
    """What was stopped or paused is so in the next process too."""
    with Lab(tmp_path) as lab:
        make(lab)
        shown = lab.shown("q")
        for statement, halted in (
            ("SYSTEM STOP q", "STOPPED"),
            ("SYSTEM PAUSE default.q", "PAUSED"),
            ("SYSTEM START q", ""),
            ("SYSTEM STOP ALL BACKGROUND", "STOPPED"),
            ("SYSTEM RESUME q", ""),
            ("SYSTEM CANCEL q", ""),
            ("SYSTEM REFRESH q", ""),
            ("SYSTEM PAUSE ON CLUSTER default q", "PAUSED"),
        ):
            lab.run(statement)
            assert lab.spec("q").halted == halted, statement
            assert lab.shown("q") == shown
    with Lab(tmp_path) as lab:
        assert lab.spec("q").halted == "PAUSED"


@pytest.mark.parametrize(
    ("statement", "condition", "at", "says"),
    [
        ("SYSTEM STOP t", "NOT_A_KAFKA_TABLE", "1:13", "not a Kafka table"),
        ("SYSTEM STOP mv", "NOT_A_KAFKA_TABLE", "1:13", "not a Kafka table"),
        ("SYSTEM PAUSE nosuch", "UNKNOWN_TABLE", "1:14", "nosuch"),
        ("SYSTEM STOP", "SYNTAX_ERROR", "1:12", "expected a table's name"),
        ("SYSTEM STOP q SYNC", "SYNTAX_ERROR", "1:15", "SYNC"),
        ("SYSTEM RESET OFFSETS q TO", "SYNTAX_ERROR", "", "TIMESTAMP or OFFSETS"),
        ("SYSTEM RESET OFFSETS q TO OFFSETS", "SYNTAX_ERROR", "", "topic:partition:offset"),
        (
            "SYSTEM RESET OFFSETS q TO OFFSETS 't:0'",
            "INVALID_RESET_OFFSETS",
            "1:35",
            "topic:partition",
        ),
        (
            "SYSTEM RESET OFFSETS q TO TIMESTAMP 'now'",
            "INVALID_RESET_TIMESTAMP",
            "1:37",
            "'now' is",
        ),
    ],
)
def test_what_is_refused(shared: Lab, statement: str, condition: str, at: str, says: str) -> None:
    shared.fails(statement, condition, at, says)
