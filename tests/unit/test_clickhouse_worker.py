"""The process that answers with ClickHouse's code, without a server around it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

AFTER_A_FAILURE = """
from sys import argv
from chdb.session import Session
from sluice.clickhouse.worker import Memory, answered
session, memory = Session(argv[1]), Memory()
failing = "SELECT number, throwIf(number = 200000) FROM numbers(300000) SETTINGS max_threads = 1"
for query in (failing, "SELECT 'own'"):
    print(answered(session, memory, {"sql": query, "format": "TSV"}, []))
"""


def test_an_answer_has_nothing_of_a_query_that_failed(tmp_path: Path) -> None:
    """chdb keeps the rows that a query has written before it fails, for whoever asks next."""
    run = [sys.executable, "-c", AFTER_A_FAILURE, str(tmp_path / "data")]
    found = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT)
    failed, answer = found.stdout.splitlines()
    assert "throwIf" in failed
    assert answer == str({"text": "own\n"})
