"""Many rows of constants after VALUES are read without a tree for each."""

from __future__ import annotations

import pytest
from sqlglot import exp

from sluice.errors import SluiceError
from sluice.sql import ir
from sluice.sql.clickhouse import parse
from sluice.sql.clickhouse.constants import read_as
from sluice.sql.clickhouse.insert import MANY
from sluice.sql.clickhouse.reading import parse_expression
from sluice.types import parse_type


def inserted(rows: str, before: str = "INSERT INTO q (a, `b c`)") -> ir.Insert:
    statement = parse(f"{before} VALUES {rows}")
    assert isinstance(statement, ir.Insert)
    return statement


def test_many_constants() -> None:
    """Integers, texts and NULLs, with or without commas between rows, and a `;` at the end."""
    rows = ", ".join(f"({n}, 'it''s ё', NULL)" for n in range(MANY))
    found = inserted(f"{rows} (-1, '', null)\n;")
    assert found.constants is not None
    assert found.constants[0] == (0, "it's ё", None)
    assert found.constants[-1] == (-1, "", None)
    assert len(found.constants) == MANY + 1
    assert (found.name.table, found.columns, found.rows) == ("q", ("a", "b c"), None)


@pytest.mark.parametrize("other", ["(1.5)", "(1 + 1)", "('a\\n')", "(now())", "([1])", "(1),"])
def test_other_values_are_expressions(other: str) -> None:
    """Whatever is more than that is read as expressions, each."""
    found = inserted(", ".join(["(1)"] * MANY) + f", {other}")
    assert found.rows is not None or other == "(1),"
    assert len(found.rows or found.constants or ()) == MANY + 1


@pytest.mark.parametrize("wrong", ["(1 2)", ",(1)", "(1,,2)", "(", "('a", "(1))"])
def test_wrong_values(wrong: str) -> None:
    """A mistake among many rows is found as one among few is."""
    with pytest.raises(SluiceError, match="Syntax error"):
        inserted(", ".join(["(1)"] * MANY) + f", {wrong}")


def test_few_are_expressions() -> None:
    """A short list is the same as ever."""
    found = inserted("(1, 'a')", "INSERT INTO q SETTINGS async_insert = 1")
    assert (found.constants, len(found.rows or ())) == (None, 1)
    assert found.settings == {"async_insert": 1}


@pytest.mark.parametrize(
    ("value", "type_", "wanted"),
    [
        ("12345678901234567890.5", "Decimal(38, 5)", "'12345678901234567890.50000'"),
        ("-1.5e-3", "Nullable(Decimal(9, 4))", "'-0.0015'"),
        ("1.239", "Decimal(9, 2)", "'1.23'"),
        ("1e999999999", "Decimal(38, 0)", "'1e999999999'"),
        ("1e-999999999", "Decimal(38, 1)", "'0.0'"),
        ("'1.5'", "Decimal(9, 1)", "'1.5'"),
        ("NULL", "Decimal(9, 1)", "NULL"),
        ("-1.9", "Int64", "'-1'"),
        ("18446744073709551615", "UInt64", "'18446744073709551615'"),
        ("12345678901234567890.5", "Float64", "12345678901234567890.5"),
        ("[1.25, (2)]", "Array(Decimal(9, 1))", "['1.2' (2)]"),
    ],
)
def test_a_number_is_read_by_its_type(value: str, type_: str, wanted: str) -> None:
    """The text of a number is cut to the digits of its column before anything computes with it."""
    made = read_as(parse_expression(value), parse_type(type_))
    casts = [node for node in made.find_all(exp.Anonymous) if node.name == "CAST"]
    found = [node.expressions[0].sql("clickhouse") for node in casts] or [made.sql("clickhouse")]
    assert found == wanted.strip("[]").split(" ")
