"""The files of a Delta table's newest version, from logs that are written by hand."""

from __future__ import annotations

import json
import struct
import threading
import uuid
import zlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap64

from sluice import errors
from sluice.clickhouse.data_files import DataFile, DeletionVector, NotReadable, Snapshot
from sluice.clickhouse.tables import deleted_rows_name
from sluice.engine.storage import delta_log
from sluice.engine.storage.deletion_vectors import DeletedRows, decode_z85, deleted_rows
from sluice.engine.storage.snapshots import Snapshots
from sluice.engine.storage.store_path import StorePath

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sluice.engine.storage.store_path import AnyPath

Action = dict[str, Any]

SCHEMA: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {
            "name": "a",
            "type": "long",
            "nullable": True,
            "metadata": {"delta.columnMapping.physicalName": "col-1"},
        }
    ],
}
METADATA: Action = {
    "metaData": {"id": "t", "schemaString": json.dumps(SCHEMA), "partitionColumns": ["p"]}
}
PROTOCOL: Action = {"protocol": {"minReaderVersion": 3, "readerFeatures": ["deletionVectors"]}}
VECTOR = {"storageType": "u", "pathOrInlineDv": "x" * 20, "offset": 1, "sizeInBytes": 40,
          "cardinality": 6}  # fmt: skip


def add(path: str, **more: Any) -> Action:
    stats = json.dumps({"numRecords": 10})
    return {"add": {"path": path, "partitionValues": {"p": "1"}, "stats": stats, **more}}


def remove(path: str, **more: Any) -> Action:
    return {"remove": {"path": path, **more}}


def commit(table: Path, version: int, *actions: Action) -> None:
    path = table / "_delta_log" / f"{version:020}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, ({"commitInfo": {}}, *actions))), "utf-8")


def checkpoint(table: Path, name: str, actions: Iterable[Action]) -> None:
    """A file of actions, as Delta writes them: a row each, a column for each kind."""
    values = pa.map_(pa.string(), pa.string())
    vector = pa.struct(
        [("storageType", pa.string()), ("pathOrInlineDv", pa.string()), ("offset", pa.int32()),
         ("sizeInBytes", pa.int32()), ("cardinality", pa.int64())]
    )  # fmt: skip
    texts = pa.list_(pa.string())
    schema = pa.schema(
        {
            "txn": pa.struct([("appId", pa.string())]),
            "add": pa.struct(
                [("path", pa.string()), ("partitionValues", values), ("size", pa.int64()),
                 ("stats", pa.string()), ("deletionVector", vector)]
            ),
            "metaData": pa.struct(
                [("id", pa.string()), ("schemaString", pa.string()), ("partitionColumns", texts)]
            ),
            "protocol": pa.struct([("minReaderVersion", pa.int32()), ("readerFeatures", texts)]),
            "sidecar": pa.struct([("path", pa.string())]),
        }
    )  # fmt: skip
    path = table / "_delta_log" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(actions), schema), path)


def snapshot(snapshots: Snapshots, table: AnyPath) -> Snapshot:
    found = snapshots.of(table)
    assert isinstance(found, Snapshot)
    return found


def paths(found: Snapshot) -> list[str]:
    return sorted(file.path for file in found.files)


def test_commits(tmp_path: Path) -> None:
    snapshots = Snapshots()
    assert snapshots.of(tmp_path) == Snapshot(tmp_path)
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a"), add("b%20%C3%A4.parquet"))
    found = snapshot(snapshots, tmp_path)
    assert found.version == 0
    assert found.fields == {"a": SCHEMA["fields"][0]}
    assert found.partitions == ("p",)
    assert found.files == (
        DataFile("a", {"p": "1"}, rows=10),
        DataFile("b ä.parquet", {"p": "1"}, rows=10),
    )
    assert snapshots.of(tmp_path) is found
    commit(tmp_path, 1, remove("a"), add("c"))
    commit(tmp_path, 2, remove("b%20%C3%A4.parquet"))
    assert (snapshot(snapshots, tmp_path).version, paths(snapshot(snapshots, tmp_path))) == (
        2, ["c"])  # fmt: skip


def test_a_version_more_is_one_file_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots = Snapshots()
    commit(tmp_path, 0, PROTOCOL, METADATA)
    for version in range(1, 50):
        commit(tmp_path, version, add(f"f{version}"))
    assert len(snapshot(snapshots, tmp_path).files) == 49
    read: list[str] = []
    actions = delta_log.actions

    def counted(path: AnyPath) -> Iterator[Action]:
        read.append(path.name)
        return actions(path)

    monkeypatch.setattr(delta_log, "actions", counted)
    commit(tmp_path, 50, remove("f1"))
    assert len(snapshot(snapshots, tmp_path).files) == 48
    assert len(snapshot(snapshots, tmp_path).files) == 48
    assert read == [f"{50:020}.json"]


def test_deleted_rows_make_another_file(tmp_path: Path) -> None:
    snapshots = Snapshots()
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a"))
    commit(tmp_path, 1, add("a", deletionVector=VECTOR), remove("a"))
    (file,) = snapshot(snapshots, tmp_path).files
    assert file.deletion == DeletionVector("u", "x" * 20, 40, 6, 1)
    commit(tmp_path, 2, remove("a", deletionVector=VECTOR))
    assert snapshot(snapshots, tmp_path).files == ()


@pytest.mark.parametrize("kind", ["classic", "multi-part", "v2", "v2 json"])
def test_checkpoints(tmp_path: Path, kind: str) -> None:
    """With the commits before it gone, and one after it."""
    head, files = [PROTOCOL, METADATA], [add("a"), add("b", deletionVector=VECTOR)]
    sidecar = {"sidecar": {"path": "s.parquet"}}
    name, log = f"{10:020}.checkpoint", tmp_path / "_delta_log"
    commit(tmp_path, 10, add("ignored"))
    checkpoint(tmp_path, f"{5:020}.checkpoint.parquet", [*head, add("old")])
    checkpoint(tmp_path, f"{11:020}.checkpoint.{1:010}.{2:010}.parquet", [add("incomplete")])
    if kind == "classic":
        checkpoint(tmp_path, f"{name}.parquet", [*files, *head, {"txn": {"appId": "x"}}])
    elif kind == "multi-part":
        checkpoint(tmp_path, f"{name}.{1:010}.{2:010}.parquet", [*head, files[0]])
        checkpoint(tmp_path, f"{name}.{2:010}.{2:010}.parquet", files[1:])
    else:
        checkpoint(tmp_path, "_sidecars/s.parquet", files)
        if kind == "v2":
            checkpoint(tmp_path, f"{name}.{uuid.UUID(int=1)}.parquet", [*head, sidecar])
        else:
            lines = "\n".join(map(json.dumps, [*head, sidecar]))
            (log / f"{name}.{uuid.UUID(int=1)}.json").write_text(lines)
    snapshots = Snapshots()
    found = snapshot(snapshots, tmp_path)
    assert (found.version, paths(found)) == (10, ["a", "b"])
    assert {file.path: file.deletion is not None for file in found.files} == {"a": False, "b": True}
    assert all(file.partition == {"p": "1"} and file.rows == 10 for file in found.files)
    commit(tmp_path, 11, add("c"))
    assert paths(snapshot(snapshots, tmp_path)) == ["a", "b", "c"]


def test_a_table_that_was_recreated(tmp_path: Path) -> None:
    snapshots = Snapshots()
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a"))
    assert paths(snapshot(snapshots, tmp_path)) == ["a"]
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    assert snapshot(snapshots, tmp_path).version == -1
    commit(tmp_path, 0, PROTOCOL, METADATA, add("other"))
    assert paths(snapshot(snapshots, tmp_path)) == ["other"]


def test_commits_that_were_cleaned_up(tmp_path: Path) -> None:
    snapshots = Snapshots()
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a"))
    assert paths(snapshot(snapshots, tmp_path)) == ["a"]
    checkpoint(tmp_path, f"{7:020}.checkpoint.parquet", [PROTOCOL, METADATA, add("b")])
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    commit(tmp_path, 8, add("c"))
    found = snapshot(snapshots, tmp_path)
    assert (found.version, paths(found)) == (8, ["b", "c"])


def test_an_incomplete_log_is_no_empty_table(tmp_path: Path) -> None:
    commit(tmp_path, 3, add("a"))
    with pytest.raises(FileNotFoundError, match=f"{0:020}.json"):
        Snapshots().of(tmp_path)


def test_an_unknown_feature(tmp_path: Path) -> None:
    snapshots = Snapshots()
    commit(tmp_path, 0, PROTOCOL, METADATA)
    assert snapshot(snapshots, tmp_path).version == 0
    features = ["deletionVectors", "variantType"]
    commit(tmp_path, 1, {"protocol": {"minReaderVersion": 3, "readerFeatures": features}})
    for _ in range(2):
        with pytest.raises(errors.SluiceError, match="needs variantType"):
            snapshots.of(tmp_path)


def test_an_object_store() -> None:
    asked = StorePath("s3a://bucket/t", lambda: None)
    assert Snapshots().of(asked) == NotReadable("its files are in an object store")


def test_memory_is_bounded_and_threads_share_it(tmp_path: Path) -> None:
    tables = [tmp_path / str(n) for n in range(8)]
    for table in tables:
        commit(table, 0, PROTOCOL, METADATA, *(add(f"f{n}") for n in range(10)))
    snapshots = Snapshots(files=30)
    wrong: list[int] = []

    def ask() -> None:
        for table in tables * 20:
            found = len(snapshot(snapshots, table).files)
            if found != 10:
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(snapshots._states) <= 3


def portable(rows: list[int]) -> bytes:
    """A bitmap as Delta stores it."""
    return struct.pack("<i", 1681511377) + BitMap64(rows).serialize()


def encode_z85(data: bytes) -> str:
    letters = (
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
    found = ""
    for (number,) in struct.iter_unpack(">I", data + bytes(-len(data) % 4)):
        found += "".join(letters[number // 85**place % 85] for place in (4, 3, 2, 1, 0))
    return found


def test_deletion_vectors(tmp_path: Path) -> None:
    """Inline, in a file of the table, and at an absolute path."""
    assert decode_z85("HelloWorld") == bytes.fromhex("864fd26fb559f75b")
    rows = [0, 3, 4, 70_000, 1 << 33]
    data = portable(rows)
    assert list(deleted_rows(tmp_path, vector("i", encode_z85(data), data, rows))) == rows

    name = uuid.uuid4()
    file = tmp_path / "ab" / f"deletion_vector_{name}.bin"
    file.parent.mkdir()
    stored = struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))
    file.write_bytes(b"\x01" + b"other" + stored)
    relative = vector("u", f"ab{encode_z85(name.bytes)}", data, rows, offset=6)
    assert list(deleted_rows(tmp_path, relative)) == rows
    absolute = vector("p", f"file:{file}", data, rows, offset=6)
    assert list(deleted_rows(tmp_path, absolute)) == rows

    file.write_bytes(b"\x01" + b"other" + stored.replace(data, data[:-1] + b"\x01"))
    with pytest.raises(errors.SluiceError, match="does not match its descriptor"):
        deleted_rows(tmp_path, relative)
    with pytest.raises(errors.SluiceError, match="does not match its descriptor"):
        deleted_rows(tmp_path, vector("i", encode_z85(data), data, rows[1:]))


def vector(
    storage: str, text: str, data: bytes, rows: list[int], offset: int = 0
) -> DeletionVector:
    return DeletionVector(storage, text, len(data), len(rows), offset)


def test_files_of_deleted_rows(tmp_path: Path) -> None:
    """Written once; the ones that were not asked for longest go first."""
    many = [list(range(n, 3000, 7)) for n in range(3)]
    vectors = [vector("i", encode_z85(portable(rows)), portable(rows), rows) for rows in many]
    names = [deleted_rows_name(each) for each in vectors]
    deleted = DeletedRows(tmp_path, limit=1)
    deleted.write(tmp_path, vectors[:2])
    written = (tmp_path / names[1]).read_bytes()
    assert [row for (row,) in struct.iter_unpack("<Q", written)] == many[1]
    assert {path.name for path in tmp_path.iterdir()} == set(names[:2])
    deleted.write(tmp_path, [*vectors[:1], *vectors[:1]])
    deleted.write(tmp_path, vectors[2:])
    assert {path.name for path in tmp_path.iterdir()} == {names[2]}
