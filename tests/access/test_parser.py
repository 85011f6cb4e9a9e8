"""The statements about access are those of ClickHouse: its own parser takes what ours does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sluice import errors
from sluice.sql.clickhouse import parse
from sluice.types import quote_string

GOLDEN = Path(__file__).parents[1] / "golden" / "clickhouse" / "access.sql"
_ASK = """
import chdb, sys
for line in sys.stdin.read().splitlines():
    try:
        chdb.query(line)
        print("taken")
    except Exception as bad:
        print(str(bad).replace(chr(10), " ")[:200])
"""


def statements() -> list[str]:
    cases = GOLDEN.read_text("utf-8").split("-" * 80 + "\n")
    return [case.partition("\n---- ")[0].strip() for case in cases]


def taken(text: str) -> bool:
    try:
        parse(text)
    except errors.SluiceError:
        return False
    return True


def test_clickhouse_takes_what_is_taken_here() -> None:
    every = [text for text in statements() if taken(text)]
    assert len(every) > 30
    asked = [f"SELECT formatQuerySingleLine({quote_string(text)})" for text in every]
    told = subprocess.run(
        [sys.executable, "-c", _ASK],
        input="\n".join(asked),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    wrong = {text: said for text, said in zip(every, told, strict=True) if said != "taken"}
    assert not wrong


@pytest.mark.parametrize("text", statements())
def test_secrets_are_not_in_what_is_shown(text: str) -> None:
    try:
        shown = repr(parse(text))
    except errors.SluiceError as bad:
        shown = str(bad)
    assert "secret" not in shown
