from __future__ import annotations

from typing import Any

import pytest

from sluice.parameters.kinds import (
    ClassName,
    Duration,
    Flag,
    Integer,
    Kind,
    Letter,
    ListOf,
    Number,
    Offsets,
    Size,
    Text,
    Url,
    hide_in_url,
)


@pytest.mark.parametrize(
    ("kind", "given", "dialect", "value"),
    [
        (Duration(), "1 s", "flink", 1000),
        (Duration(), "5 min", "flink", 300_000),
        (Duration(), "1000 ms", "flink", 1000),
        (Duration(), "2h", "flink", 7_200_000),
        (Duration(), "1 day", "flink", 86_400_000),
        (Duration(), "0", "flink", 0),
        (Duration(), 250, "clickhouse", 250),
        (Duration(), "1500 us", "flink", 1),
        (Size(), "64 kb", "flink", 65_536),
        (Size(), "1mb", "flink", 1_048_576),
        (Size(), "10", "flink", 10),
        (ListOf(), "a, b,,c", "clickhouse", ("a", "b", "c")),
        (ListOf(), "a; b;", "flink", ("a", "b")),
        (Offsets(), "partition:0,offset:42;partition:1,offset:300", "flink", {0: 42, 1: 300}),
        (Letter(), r"\t", "flink", "\t"),
        (Letter(), ";", "flink", ";"),
        (Flag(), "1", "clickhouse", True),
        (Flag(), "FALSE", "flink", False),
        (Number(), "0.25", "clickhouse", 0.25),
        (Number(), 3, "clickhouse", 3.0),
        (Integer(-1, 5), "-1", "flink", -1),
        (Text(("SQL", "ISO-8601"), exact=True), "SQL", "flink", "SQL"),
        (Url(), "https://r:8081", "flink", "https://r:8081"),
        (ClassName(), "org.mycompany.MyPartitioner", "flink", "org.mycompany.MyPartitioner"),
    ],
)
def test_values_that_are_read(kind: Kind, given: Any, dialect: str, value: Any) -> None:
    assert kind.read(given, dialect) == value


@pytest.mark.parametrize(
    ("kind", "given", "dialect"),
    [
        (Duration(), "1 fortnight", "flink"),
        (Duration(), "-1 s", "flink"),
        (Duration(), "", "flink"),
        (Duration(), True, "flink"),
        (Size(), "1 box", "flink"),
        (Offsets(), "partition:0", "flink"),
        (Offsets(), "partition:-1,offset:2", "flink"),
        (Offsets(), "", "flink"),
        (Letter(), "abc", "flink"),
        (Letter(), "", "flink"),
        (Flag(), "1", "flink"),
        (Flag(), "yes", "clickhouse"),
        (Integer(), "-1", "flink"),
        (Integer(), "1e309", "flink"),
        (Integer(), "NaN", "flink"),
        (Integer(), str(1 << 63), "flink"),
        (Integer(), "9" * 5000, "flink"),
        (Integer(), "0x10", "flink"),
        (Integer(), "", "flink"),
        (Integer(), "１０", "flink"),  # noqa: RUF001 - digits that are not ASCII's
        (Integer(), 1.5, "clickhouse"),
        (Number(), "much", "clickhouse"),
        (Text(("SQL", "ISO-8601"), exact=True), "sql", "flink"),
        (Text(), 5, "clickhouse"),
        (Url(), "file:///etc/passwd", "flink"),
        (ListOf(), 5, "clickhouse"),
    ],
)
def test_values_that_are_refused(kind: Kind, given: Any, dialect: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        kind.read(given, dialect)


def test_an_address_hides_its_user() -> None:
    assert hide_in_url("http://me:pw@r:1/x?u=http://a:b@c") == (
        "http://[HIDDEN]@r:1/x?u=http://[HIDDEN]@c"
    )
    assert hide_in_url("b:9092,c:9092") == "b:9092,c:9092"
