"""Delta's log as files: the commits of a table and their actions."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.engine.storage.store_path import AnyPath

_INFO = b'{"commitInfo"'
_COMMIT = re.compile(r"\d{20}\.json")


def folder(table: AnyPath) -> AnyPath:
    """Where a table's log is."""
    return table / "_delta_log"


def exists(table: AnyPath) -> bool:
    """Whether a table has a commit; the first ones are deleted only after a checkpoint."""
    return commit(table, 0).exists() or (folder(table) / "_last_checkpoint").exists()


def commit(table: AnyPath, version: int) -> AnyPath:
    """The commit that has made a version."""
    return folder(table) / f"{version:020}.json"


def versions(table: AnyPath) -> list[int]:
    """The versions whose commits are there, oldest first; none if there is no log."""
    if isinstance(table, Path):
        with suppress(FileNotFoundError):  # only names are listed, of perhaps 100,000 commits
            return _versions(os.listdir(f"{table}/_delta_log"))  # noqa: PTH208
        return []
    return _versions(path.name for path in folder(table).glob("*.json"))


def _versions(names: Iterable[str]) -> list[int]:
    return sorted(int(name.partition(".")[0]) for name in names if _COMMIT.fullmatch(name))


def info(table: AnyPath, version: int) -> dict[str, Any] | None:
    """The commitInfo of a version; None if its commit does not exist (any more)."""
    try:
        content = _content(table, version)
    except FileNotFoundError:
        return None
    # Only this line is parsed: one for each file of the commit may be beside it.
    start = 0 if content.startswith(_INFO) else content.find(b"\n" + _INFO) + 1
    if not content.startswith(_INFO, start):
        return {}
    end = content.find(b"\n", start)
    line = content[start:] if end < 0 else content[start:end]
    found: dict[str, Any] = json.loads(line.decode("utf-8"))["commitInfo"]
    return found


def _content(table: AnyPath, version: int) -> bytes:
    """A commit's bytes. There may be 100,000 commits, and a Path for each would take long."""
    if not isinstance(table, Path):
        return commit(table, version).read_bytes()
    with open(f"{table}/_delta_log/{version:020}.json", "rb", buffering=0) as file:  # noqa: PTH123
        return file.readall()


def actions(commit: AnyPath) -> Iterator[dict[str, Any]]:
    """The actions of a commit, its commitInfo among them."""
    return map(json.loads, commit.read_text("utf-8").splitlines())
