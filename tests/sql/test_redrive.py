"""REDRIVE DEAD LETTERS as a statement."""

from __future__ import annotations

import pytest

from sluice import errors
from sluice.errors import Place
from sluice.sql import ir
from sluice.sql.clickhouse import parse


def read(text: str) -> ir.Redrive:
    statement = parse(text)
    assert isinstance(statement, ir.Redrive)
    return statement


def test_every_clause() -> None:
    found = read(
        "REDRIVE DEAD LETTERS FROM d.q WHERE kafka_offset > 3 AND error LIKE '%x%' "
        "USING 'CSV' SETTINGS format_csv_delimiter = '|' DRY RUN FORMAT JSON;"
    )
    assert str(found.name) == "d.q"
    assert found.query.text == (
        "SELECT * FROM system.dead_letter_queue WHERE kafka_offset > 3 AND error LIKE '%x%'"
    )
    assert (found.using, found.settings) == ("CSV", {"format_csv_delimiter": "|"})
    assert (found.dry, found.format) == (True, "JSON")
    assert found.writes


def test_nothing_but_the_table() -> None:
    found = read("redrive dead letters from q")
    assert found.query.text == "SELECT * FROM system.dead_letter_queue"
    assert (found.using, found.settings, found.dry, found.format) == (None, {}, False, None)


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("REDRIVE DEAD LETTERS q", 22, "expected FROM"),
        ("REDRIVE DEAD LETTERS FROM q WHERE", 34, "expected a condition"),
        ("REDRIVE DEAD LETTERS FROM q USING CSV", 35, "expected a format's name in quotes"),
        ("REDRIVE DEAD LETTERS FROM q WHERE a = 1, 2", 40, "',' is not expected here"),
        ("REDRIVE DEAD LETTERS FROM q DRY", 29, "'DRY' is not expected here"),
    ],
)
def test_what_is_wrong(text: str, column: int, says: str) -> None:
    with pytest.raises(errors.SluiceError, match="Syntax error") as caught:
        parse(text)
    assert caught.value.place == Place(1, column)
    assert says in str(caught.value)
