"""ClickHouse's errors: their codes and names, and no more of their texts than a user needs."""

from __future__ import annotations

import pytest

from sluice.clickhouse.failures import reported

NESTED = (
    "Code: 73. DB::Exception: Code: 73. DB::Exception: Unknown format N. (UNKNOWN_FORMAT) "
    "(version 26.9.2.1). (UNKNOWN_FORMAT)\n"
)
SYNTAX = "Code: 62. DB::Exception: Syntax error: failed at position 7 (1): 1."
PARSED = f"{SYNTAX} : In scope SELECT formatQuerySingleLine('SELEC 1'). (SYNTAX_ERROR)"
FILE = "Code: 33. DB::Exception: Cannot read all data: (in file/uri {}): While executing File."

CASES = [
    ("Code: 47. DB::Exception: No `x`. (UNKNOWN_IDENTIFIER)", None, 404),
    (NESTED, "Code: 73. DB::Exception: Unknown format N. (UNKNOWN_FORMAT)", 404),
    (PARSED, f"{SYNTAX} (SYNTAX_ERROR)", 400),
    (
        f"{FILE.format('/srv/data/tmp/insert-o8pelnku/data')} (CANNOT_READ_ALL_DATA)",
        f"{FILE.format('(a file of the query)')} (CANNOT_READ_ALL_DATA)",
        500,
    ),
    ("boom", "Code: 1001. DB::Exception: boom. (STD_EXCEPTION)", 500),
]


@pytest.mark.parametrize(("text", "shown", "http"), CASES)
def test_reported(text: str, shown: str | None, http: int) -> None:
    found = reported(text)
    assert (found.clickhouse_text(), found.condition.http) == (shown or text, http)
