"""The size of state, from the files that Spark's RocksDB stores leave in a checkpoint."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

from sluice.engine.storage.state_size import state_bytes

if TYPE_CHECKING:
    from pathlib import Path


def write(file: Path, size: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x" * size)


def snapshot(store: Path, version: int, *sizes: int) -> int:
    """A snapshot of a store with data files of these sizes; the size of its archive."""
    store.mkdir(parents=True, exist_ok=True)
    listed = [{"localFileName": f"{n}.sst", "sizeBytes": size} for n, size in enumerate(sizes)]
    with zipfile.ZipFile(store / f"{version}.zip", "w") as archive:
        archive.writestr("metadata", "v1\n" + json.dumps({"sstFiles": listed, "numKeys": -1}))
    return (store / f"{version}.zip").stat().st_size


def test_the_last_snapshot_and_what_follows_it(tmp_path: Path) -> None:
    """Older versions, checksums and data files of older snapshots do not count."""
    store = tmp_path / "state-changelog" / "1" / "0"
    snapshot(store, 9, 5_000)
    archive = snapshot(store, 10, 700, 90)
    for version, size in ((8, 3_000), (10, 4_000), (11, 5), (12, 6)):
        write(store / f"{version}.changelog", size)
        write(store / f".{version}.changelog.crc", 12)
    write(store / "SSTs" / "0-aa.sst", 5_000)
    assert state_bytes(tmp_path) == {1: archive + 790 + 11}


def test_operators_partitions_and_the_stores_of_a_join(tmp_path: Path) -> None:
    """State without a snapshot yet is all changes; a join has several stores in a partition."""
    for number, store in enumerate(("0/0", "0/1", "1/0/left-keyToNumValues", "1/0/right-x")):
        write(tmp_path / "state" / store / "1.changelog", 10**number)
    write(tmp_path / "state" / "0" / "_metadata" / "metadata", 77)
    assert state_bytes(tmp_path) == {0: 11, 1: 1100}
    assert state_bytes(tmp_path / "nothing") == {}
