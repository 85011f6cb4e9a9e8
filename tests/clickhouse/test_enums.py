"""Enums of stored tables, whose files have the names of their values."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sluice.catalog import STORED, Column, Table
from sluice.clickhouse.data_files import DataFile, Snapshot
from sluice.clickhouse.tables import View, view_of
from sluice.errors import SluiceError
from sluice.types import model as m
from sluice.types import parse_type

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.clickhouse.pool import Worker

NAMES = {"a": -5, "": 0, "it's": 3, "ä\\": 127}
SMALL = str(m.Enum(8, tuple(NAMES.items())))
LARGE = str(m.Enum(16, tuple((f"n{n}", n) for n in range(-20, 400))))


def view(folder: Path, types: dict[str, str], **values: list[str | None]) -> View:
    pq.write_table(pa.table(values), folder / "file")
    columns = tuple(Column(name, parse_type(type_)) for name, type_ in types.items())
    table = Table("u", "d", "t", STORED, columns, datetime.now(UTC), engine="MergeTree")
    fields = {name: {"name": name, "type": "string", "metadata": {}} for name in types}
    made = view_of(table, Snapshot(folder, 0, (DataFile("file"),), fields), None, folder)
    assert isinstance(made, View)
    return made


def test_enums_are_read_as_they_were_written(worker: Worker, tmp_path: Path) -> None:
    types = {"s": SMALL, "l": LARGE, "n": f"Nullable({SMALL})"}
    names: list[str | None] = [*NAMES, "a"]
    large: list[str | None] = ["n-20", "n0", "n399", "n7", "n7"]
    made = view(tmp_path, types, s=names, l=large, n=[None, *names[1:]])
    worker.run(f"CREATE OR REPLACE VIEW default.enums ({made.columns}) AS {made.query}")

    def asked(query: str) -> list[list[Any]]:
        lines = worker.run(query, lines="JSONCompactEachRow").splitlines()
        return [json.loads(line) for line in lines]

    numbers = [*NAMES.values(), -5]
    found = asked("SELECT toTypeName(s) LIKE 'Enum8%', toInt8(s) FROM default.enums")
    assert found == [[1, n] for n in numbers]
    assert asked("SELECT groupArray(toInt16(l)) FROM default.enums") == [[[-20, 0, 399, 7, 7]]]
    assert asked("SELECT isNull(n), toString(s) FROM default.enums LIMIT 1") == [[1, "a"]]
    assert asked("SELECT l FROM default.enums WHERE s = 'it\\'s'") == [["n399"]]
    assert asked("SELECT count() FROM default.enums WHERE s IN ('a', '')") == [[3]]
    assert asked("SELECT max(s) FROM default.enums") == [["ä\\"]]
    query = "SELECT s, count() FROM default.enums GROUP BY s ORDER BY s LIMIT 1"
    assert asked(query) == [["a", 2]]


def test_a_name_that_is_none_of_an_enum_is_refused(worker: Worker, tmp_path: Path) -> None:
    made = view(tmp_path, {"s": SMALL, "x": "String"}, s=["a", "b"], x=["1", "2"])
    worker.run(f"CREATE OR REPLACE VIEW default.enums ({made.columns}) AS {made.query}")
    assert worker.run("SELECT x FROM default.enums") == "1\n2\n"
    with pytest.raises(SluiceError, match="NULL value to non-Nullable type"):
        worker.run("SELECT s FROM default.enums")
