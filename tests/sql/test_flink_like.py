"""CREATE TABLE … LIKE takes over what Flink takes over."""
# ruff: noqa: E501, ISC004 - a row is a line

from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import parse
from sluice.sql.flink.like import merge, strategies
from sluice.sql.flink.show import create_table

BASE = """CREATE TABLE base (
  id INT, b STRING, ts TIMESTAMP(3), topic STRING METADATA VIRTUAL, twice AS id * 2,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED
) PARTITIONED BY (b) WITH ('connector' = 'kafka', 'topic' = 'x')"""


def table(text: str) -> ir.CreateTable:
    statement = parse(text)
    assert isinstance(statement, ir.CreateTable)
    return statement


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("CREATE TABLE t LIKE base", BASE.replace("base", "t")),
        (
            "CREATE TABLE t (c INT, big AS id > 9) WITH ('topic' = 'y', 'format' = 'csv') LIKE base",
            """CREATE TABLE t (id INT, b STRING, ts TIMESTAMP(3), topic STRING METADATA VIRTUAL,
            twice AS id * 2, c INT, big AS id > 9, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
            PRIMARY KEY (id) NOT ENFORCED) PARTITIONED BY (b)
            WITH ('connector' = 'kafka', 'topic' = 'y', 'format' = 'csv')""",
        ),
        (
            "CREATE TABLE t (twice AS id + id, WATERMARK FOR ts AS ts) WITH ('a' = 'b') "
            "LIKE base (EXCLUDING ALL OVERWRITING GENERATED)",
            """CREATE TABLE t (id INT NOT NULL, b STRING, ts TIMESTAMP(3), twice AS id + id,
            WATERMARK FOR ts AS ts) WITH ('a' = 'b')""",
        ),
        (
            "CREATE TABLE t (PRIMARY KEY (b) NOT ENFORCED, topic STRING METADATA) LIKE base "
            "(EXCLUDING CONSTRAINTS, OVERWRITING METADATA, EXCLUDING WATERMARKS, EXCLUDING OPTIONS)",
            """CREATE TABLE t (id INT NOT NULL, b STRING, ts TIMESTAMP(3), topic STRING METADATA,
            twice AS id * 2, PRIMARY KEY (b) NOT ENFORCED) PARTITIONED BY (b)""",
        ),
    ],
)  # fmt: skip
def test_what_is_taken_over(text: str, whole: str) -> None:
    merged = merge(table(text), table(BASE))
    assert merged == table(whole)
    assert parse(create_table(merged)) == merged


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(id INT) LIKE base", "A column named 'id' already exists in the base table."),
        ("(twice AS 1) LIKE base", "You might want to specify EXCLUDING GENERATED or OVERWRITING"),
        ("(PRIMARY KEY (b) NOT ENFORCED) LIKE base", "The base table already has a primary key."),
        ("(WATERMARK FOR ts AS ts) LIKE base", "EXCLUDING WATERMARKS or OVERWRITING WATERMARKS."),
        ("PARTITIONED BY (ts) LIKE base", "The base table already has partitions defined."),
        (
            "WITH ('topic' = 'y') LIKE base (INCLUDING ALL)",
            "There already exists an option 'topic'",
        ),
        ("(WATERMARK FOR no AS no) LIKE base (EXCLUDING ALL)", "The rowtime attribute field 'no'"),
        ("(PRIMARY KEY (no) NOT ENFORCED) LIKE base (EXCLUDING ALL)", "Primary key column 'no'"),
    ],
)
def test_what_is_in_both(text: str, says: str) -> None:
    with pytest.raises(errors.UserError) as caught:
        merge(table(f"CREATE TABLE t {text}"), table(BASE))
    assert says in str(caught.value)
    assert caught.value.place is not None


def test_all_comes_first() -> None:
    found = strategies(("INCLUDING GENERATED", "EXCLUDING ALL"))
    assert found.pop("GENERATED") == "INCLUDING"
    assert set(found.values()) == {"EXCLUDING"}
