"""CHECK TABLE: what is wrong with the files of a table, beside what its log says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from session.lab import Lab


def fill(lab: Lab, name: str, files: dict[str, list[int]]) -> Path:
    """Give a table with an integer column `a` these files; the folder that they are in."""
    folder = lab.engine.store.path(lab.table(name))
    assert isinstance(folder, Path)
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    field = {"name": "a", "type": "integer", "nullable": True, "metadata": {}}
    actions: list[dict[str, Any]] = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": "x",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": [field]}),
                "partitionColumns": [],
                "configuration": {},
            }
        },
    ]
    for file, values in files.items():
        pq.write_table(pa.table({"a": pa.array(values, pa.int32())}), folder / file)
        size, stats = (folder / file).stat().st_size, json.dumps({"numRecords": len(values)})
        added = {"path": file, "size": size, "partitionValues": {}, "modificationTime": 0}
        actions.append({"add": {**added, "dataChange": True, "stats": stats}})
    commit = "\n".join(map(json.dumps, actions))
    (log / f"{0:020}.json").write_text(commit)
    return folder


GOOD = "good.parquet"


def test_files_that_are_not_as_the_log_says(lab: Lab) -> None:
    """CHECK TABLE has a row for each part, and whether it is passed."""
    lab.run("CREATE TABLE t (a UInt16) ENGINE = MergeTree ORDER BY a PARTITION BY a % 10")
    names = (GOOD, "gone", "short", "rows", "torn")
    folder = fill(lab, "t", {name: [at, at + 10] for at, name in enumerate(names)})
    assert lab.run("CHECK TABLE t") == [(name, 1, "") for name in names]
    (folder / "gone").unlink()
    (folder / "short").write_bytes((folder / "short").read_bytes()[:-1])
    for name, values in (("rows", [3]), ("torn", [4, 4])):
        pq.write_table(pa.table({"a": pa.array(values, pa.int32())}), folder / name)
    log = folder / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    (folder / "torn").write_bytes(b"PAR1" + b"\1" * 300)
    for each in actions:
        if "add" in each and each["add"]["path"] != "short":
            path = folder / each["add"]["path"]
            each["add"]["size"] = path.stat().st_size if path.exists() else 1
    log.write_text("\n".join(map(json.dumps, actions)))
    lab.engine.snapshots._states.clear()
    found = {name: (passed, message) for name, passed, message in lab.run("CHECK TABLE t")}
    assert found[GOOD] == (1, "")
    wanted = {"gone": "No such file", "short": "bytes", "rows": "1 rows, and 2", "torn": "Parquet"}
    for name, says in wanted.items():
        passed, message = found[name]
        assert not passed
        assert says in message
        assert str(folder) not in message
    single = "SETTINGS check_query_single_value_result = 1"
    assert lab.run(f"CHECK TABLE t {single}") == [(0,)]
    assert lab.run(f"CHECK TABLE t PART '{GOOD}' {single}") == [(1,)]
    assert lab.run("CHECK TABLE t PART 'nosuch'") == []


def test_partitions_and_all_tables(lab: Lab) -> None:
    table = "(a UInt16) ENGINE = MergeTree ORDER BY a"
    lab.run(
        f"CREATE TABLE p {table} PARTITION BY (a % 2, toString(a < 9))",
        f"CREATE TABLE whole {table}",
        "CREATE TABLE nothing (a UInt16) ENGINE = Null",
    )
    fill(lab, "p", {"odd": [1, 3], "even": [2], "both": [5, 6]})
    fill(lab, "whole", {"all": [1]})
    odd = [("odd", 1, ""), ("both", 1, "")]
    assert lab.run("CHECK TABLE p PARTITION (1, '1')") == odd
    assert lab.run("CHECK TABLE p PARTITION (1 + 1, '1') FORMAT CSV") == []
    id_ = lab.run("SELECT partition_id FROM system.parts WHERE name = 'even'")[0][0]
    assert [row[0] for row in lab.run(f"CHECK TABLE p PARTITION ID '{id_}'")] == ["even", "both"]
    columns = "column, type, rows, column_position, column_data_uncompressed_bytes >= rows * 4"
    assert lab.run(
        f"SELECT name, {columns} FROM system.parts_columns WHERE table = 'p' ORDER BY ALL"
    ) == [
        ("both", "a", "UInt16", 1, 1, 1), ("both", "a", "UInt16", 1, 1, 1),
        ("even", "a", "UInt16", 1, 1, 1), ("odd", "a", "UInt16", 2, 1, 1),
    ]  # fmt: skip
    sizes = "SELECT sum(column_data_compressed_bytes) BETWEEN 1 AND sum(bytes_on_disk)"
    assert lab.run(f"{sizes} FROM system.parts_columns") == [(1,)]
    assert lab.run("CHECK TABLE whole PARTITION ALL") == [("all", 1, "")]
    assert lab.run("CHECK TABLE whole PARTITION tuple()") == [("all", 1, "")]
    every = [("default", "p", name, 1, "") for name in ("odd", "even", "both")]
    assert lab.run("CHECK ALL TABLES") == [*every, ("default", "whole", "all", 1, "")]
    lab.run("CREATE USER one", "GRANT CHECK ON default.whole TO one")
    own = lab.session.child(user="one")
    assert own.execute("CHECK ALL TABLES").fetchall() == [("default", "whole", "all", 1, "")]
    lab.fails("CHECK TABLE nothing", "UNSUPPORTED_BY_STORAGE", "1:13")
    lab.fails("CHECK TABLE system.one", "UNSUPPORTED_BY_STORAGE", "1:13")
    lab.fails("CHECK TABLE p PARTITION 1", "INVALID_PARTITION_VALUE")
    with pytest.raises(SluiceError, match="grant CHECK ON default"):
        own.execute("CHECK TABLE p")
