"""Columns of Avro schemas."""

from __future__ import annotations

from typing import Any

import pytest

from sluice.formats.avro_columns import flink
from sluice.formats.json_columns import flink as of_json
from sluice.types import parse_type
from sluice.types.flink import write_type

NODE = {"type": "record", "name": "n.Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}
POINT = {"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int"}]}


def columns(*types: Any, legacy: bool = True) -> list[str]:
    fields = [{"name": f"f{at}", "type": type_} for at, type_ in enumerate(types)]
    schema = {"type": "record", "name": "r", "namespace": "s", "fields": fields}
    return [write_type(type_) for _, type_ in flink(schema, legacy=legacy)]


def test_types_of_flink() -> None:
    assert columns("boolean", "int", "long", "float", "double", "string", "bytes") == [
        "BOOLEAN NOT NULL", "INT NOT NULL", "BIGINT NOT NULL", "FLOAT NOT NULL", "DOUBLE NOT NULL",
        "STRING NOT NULL", "BYTES NOT NULL",
    ]  # fmt: skip
    logical = [
        {"type": "int", "logicalType": "date"},
        {"type": "int", "logicalType": "time-millis"},
        {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2},
        {"type": "long", "logicalType": "timestamp-millis"},
        {"type": "long", "logicalType": "timestamp-micros"},
        {"type": "long", "logicalType": "unheard-of"},
    ]
    wanted = ["DATE", "TIME(3)", "DECIMAL(5, 2)", "TIMESTAMP(3)", "BIGINT", "BIGINT"]
    assert columns(*logical) == [f"{each} NOT NULL" for each in wanted]
    assert columns(logical[3], legacy=False) == ["BIGINT NOT NULL"]
    nested = [["null", "int"], {"type": "array", "items": ["null", POINT]}]
    nested += [{"type": "map", "values": "s.Point"}, "Point"]
    assert columns(*nested) == [
        "INT",
        "ARRAY<ROW<`x` INT NOT NULL>> NOT NULL",
        "MAP<STRING, ROW<`x` INT NOT NULL> NOT NULL> NOT NULL",
        "ROW<`x` INT NOT NULL> NOT NULL",
    ]


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        (NODE, r"it contains itself \(field next\)"),
        (["int", "string"], r"a union of several types \(field f0\)"),
        ({"type": "enum", "name": "e", "symbols": ["a"]}, "type enum has no Flink type"),
        ("nowhere", "nowhere is unknown"),
    ],
)
def test_what_flink_does_not_read(type_: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        columns(type_)


def test_types_of_json() -> None:
    given = "Tuple(a Int64, b Array(Nullable(Float64)), c Map(String, Bool), d Date, e UInt64)"
    assert write_type(of_json(parse_type(given))) == (
        "ROW<`a` BIGINT, `b` ARRAY<DOUBLE>, `c` MAP<STRING, BOOLEAN>, `d` STRING, "
        "`e` DECIMAL(20, 0)>"
    )
