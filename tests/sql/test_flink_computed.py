"""Computed columns get types, and what is wrong with them is found when the table is made."""

from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import parse
from sluice.sql.flink.computed import typed
from sluice.sql.flink.show import DESCRIBED, create_table, describe


def table(text: str) -> ir.CreateTable:
    statement = parse(text)
    assert isinstance(statement, ir.CreateTable)
    return statement


def test_types_of_computed_columns() -> None:
    """FL-40: the columns of the connector's own test."""
    made = typed(
        table(
            "CREATE TABLE t (`computed-price` AS price + 1.0, price DECIMAL(38, 18), n INT,"
            " log_ts TIMESTAMP(3), ts AS log_ts + INTERVAL '1' SECOND, p AS PROCTIME(),"
            " half AS n / 2, d AS n / CAST(2 AS DOUBLE), s AS UPPER(CAST(n AS STRING)), ms BIGINT,"
            " at AS TO_TIMESTAMP_LTZ(ms, 3), m AS MAP_FROM_ARRAYS(ARRAY[n], ARRAY[n]),"
            " r AS ROUND(price, 1),"
            " WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)"
        )
    )
    assert {c.name: str(c.type) for c in made.columns if c.alias} == {
        "computed-price": "Nullable(Decimal(38, 17))",
        "ts": "Nullable(LocalDateTime(3))",
        "p": "Nullable(DateTime64(3))",
        "half": "Nullable(Int32)",
        "d": "Nullable(Float64)",
        "s": "Nullable(String)",
        "at": "Nullable(DateTime64(3))",
        "m": "Optional(Map(Int32, Nullable(Int32)))",
        "r": "Nullable(Decimal(22, 1))",
    }
    assert typed(table(create_table(made))) == made


@pytest.mark.parametrize(
    ("body", "at", "says"),
    [
        ("a INT, b AS nosuch", "1:24", "Unknown column nosuch"),
        ("a INT, b AS uper(a)", "1:24", "Unknown function uper"),
        ("a INT, b AS a + 1, c AS b + 1", "1:36", "Unknown column b"),
        ("a INT, b AS (SELECT 1)", "1:24", "A query inside a single expression"),
        ("a INT, b AS a + 1, WATERMARK FOR b AS b", "1:14", "the time field type is INT"),
        ("a TIMESTAMP(3), WATERMARK FOR a AS nosuch", "1:14", "Unknown column nosuch"),
        ("a AS reflect('java.lang.System', 'exit')", "1:17", "Unknown function reflect"),
    ],
)
def test_what_is_wrong_with_an_expression(body: str, at: str, says: str) -> None:
    with pytest.raises(errors.UserError) as caught:
        typed(table(f"CREATE TABLE t ({body})"))
    place = caught.value.place
    assert place is not None
    assert f"{place.line}:{place.column}" == at
    assert says in str(caught.value)


def test_describe() -> None:
    made = table(
        "CREATE TABLE t (id INT COMMENT 'key', tags ARRAY<STRING NOT NULL> NOT NULL,"
        " ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL, twice AS id * 2, off BIGINT METADATA,"
        " PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)"
    )
    assert describe(typed(made)) == [
        ("id", "INT", "FALSE", "PRI(id)", "", "", "key"),
        ("tags", "ARRAY<STRING NOT NULL>", "FALSE", "", "", "", ""),
        ("ts", "TIMESTAMP(3) *ROWTIME*", "TRUE", "", "METADATA FROM 'timestamp' VIRTUAL",
         "ts - INTERVAL '1' SECOND", ""),
        ("twice", "INT", "TRUE", "", "AS id * 2", "", ""),
        ("off", "BIGINT", "TRUE", "", "METADATA", "", ""),
    ]  # fmt: skip
    assert all(len(row) == len(DESCRIBED) for row in describe(made))
