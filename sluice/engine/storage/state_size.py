"""How much a query keeps in Spark's state stores, from the files of its checkpoint."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.engine.storage.store_path import AnyPath

FOLDERS = ("state", "state-changelog")
"""Where a checkpoint has state: that of Spark's operators, and that of queries over changelogs."""

_VERSION = re.compile(r"(\d+)(?:_[^.]*)?\.(zip|changelog)")
_METADATA = "metadata"


def state_bytes(checkpoint: AnyPath) -> dict[int, int]:
    """The bytes of the newest version of the state, by the number of the operator.

    A version is RocksDB's last snapshot and the changelog files after it. Older versions, which
    are kept so that a batch can run again, do not count.
    """
    found: dict[int, int] = defaultdict(int)
    for folder in FOLDERS:
        root = checkpoint / folder
        stores: dict[str, list[AnyPath]] = defaultdict(list)
        for file in root.glob("*/**/*"):
            store = str(file).removeprefix(f"{root}/").rpartition("/")[0]
            stores[store].append(file)
        for store, files in stores.items():
            found[int(store.partition("/")[0])] += _newest(files)
    return dict(found)


def _newest(files: list[AnyPath]) -> int:
    """The bytes of the newest version of one store."""
    parsed = [(_VERSION.fullmatch(file.name), file) for file in files]
    versions = [(int(found[1]), found[2], file) for found, file in parsed if found]
    snapshots = [(version, file) for version, kind, file in versions if kind == "zip"]
    since, size = -1, 0
    if snapshots:
        since, file = max(snapshots, key=lambda each: each[0])
        size = _snapshot(file)
    changes = [file for version, kind, file in versions if kind == "changelog" and version > since]
    return size + sum(file.stat().st_size for file in changes)


@lru_cache(maxsize=4096)
def _snapshot(file: AnyPath) -> int:
    """The bytes of a snapshot: its archive, which never changes, and the files that it lists."""
    content = file.read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        text = archive.read(_METADATA).decode().partition("\n")[2]
    listed = json.loads(text)["sstFiles"]
    return len(content) + sum(int(each["sizeBytes"]) for each in listed)
