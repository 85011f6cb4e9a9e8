"""Flink's formats without a JVM: the columns they have, and how those are described to it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from engine.flink.messages import columns

from sluice.errors import SluiceError
from sluice.formats import described
from sluice.formats.registry import find_format, must_fit
from sluice.types.flink import summary

REFUSED = {
    ("raw", "a INT, b STRING NOT NULL"): "The 'raw' format only supports single physical column. "
    "However the defined schema contains multiple physical columns: "
    "[`a` INT, `b` STRING NOT NULL]",
    ("raw", "a DATE"): "The 'raw' format doesn't supports 'DATE' as column type.",
    ("raw", "a ARRAY<INT>"): "The 'raw' format doesn't supports 'ARRAY<INT>' as column type.",
    ("json", "a MAP<INT, STRING>"): "JSON format doesn't support non-string as key type of map. "
    "The type is: MAP<INT, STRING>",
    ("json", "a ARRAY<ROW<m MAP<DATE, INT>>>"): "JSON format doesn't support non-string as key "
    "type of map. The type is: MAP<DATE, INT>",
    ("json", "a MULTISET<INT>"): "JSON format doesn't support non-string as key type of map. "
    "The type is: MULTISET<INT>",
}


@pytest.mark.parametrize(("format_", "fields"), REFUSED)
def test_columns_that_a_format_does_not_have(format_: str, fields: str) -> None:
    with pytest.raises(SluiceError, match=re.escape(REFUSED[format_, fields])):
        must_fit(find_format(format_, "flink"), columns(fields), {})


def test_columns_that_it_has() -> None:
    for type_ in ("STRING", "CHAR(3)", "BYTES", "BOOLEAN", "TINYINT", "BIGINT", "FLOAT", "DOUBLE"):
        must_fit(find_format("raw", "flink"), columns(f"a {type_} NOT NULL"), {})
    must_fit(
        find_format("json", "flink"),
        columns("a MAP<VARCHAR(3), MAP<STRING, INT>>, b MULTISET<STRING>"),
        {},
    )


KINDS: dict[str, dict[str, Any]] = {
    "TIMESTAMP(3)": {"kind": "local", "precision": 3},
    "TIMESTAMP_LTZ(6)": {"kind": "instant", "precision": 6, "zone": None},
    "TIME(3)": {"kind": "clock", "precision": 3},
    "BINARY(4)": {"kind": "bytes"},
    "VARCHAR(9)": {"kind": "text"},
    "INTERVAL YEAR TO MONTH": {"kind": "interval", "months": True},
    "INTERVAL DAY": {"kind": "interval", "months": False},
    "NULL": {"kind": "nothing"},
}


def test_types_as_java_reads_them() -> None:
    """Each with its name in Flink's words, for errors."""
    for type_, kind in KINDS.items():
        (found,) = json.loads(described.columns(columns(f"a {type_}"), summary))
        assert found == {"column": "a", "type": {"name": type_, "nullable": True, **kind}}
    (found,) = json.loads(described.columns(columns("a MULTISET<STRING> NOT NULL"), summary))
    assert found["type"]["value"]["name"] == "INT"
    assert (found["type"]["kind"], found["type"]["nullable"]) == ("pairs", False)
