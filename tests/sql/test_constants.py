"""Many rows of constants behind VALUES are read without a tree for each."""

from __future__ import annotations

import pytest

from sluice.errors import SluiceError
from sluice.sql import ir
from sluice.sql.clickhouse import parse
from sluice.sql.clickhouse.insert import MANY


def inserted(rows: str, before: str = "INSERT INTO q (a, `b c`)") -> ir.Insert:
    statement = parse(f"{before} VALUES {rows}")
    assert isinstance(statement, ir.Insert)
    return statement


def test_many_constants() -> None:
    """Whole numbers, texts and NULLs, with or without commas between rows, and a `;` behind."""
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
