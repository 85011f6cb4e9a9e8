"""Delta's log as files: the commits of a table, and what each of them says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.pipelines.store_path import AnyPath

_INFO = '{"commitInfo"'
_COMMIT = re.compile(r"\d{20}\.json")


def folder(table: AnyPath) -> AnyPath:
    """Where a table's log is."""
    return table / "_delta_log"


def commits(table: AnyPath) -> list[AnyPath]:
    """The commits of a table, oldest first; none if it has no log."""
    found = [p for p in folder(table).glob("*.json") if _COMMIT.fullmatch(p.name)]
    return sorted(found, key=lambda path: path.name)


def exists(table: AnyPath) -> bool:
    """Whether a table has a commit; the first ones are deleted only behind a checkpoint."""
    return commit(table, 0).exists() or (folder(table) / "_last_checkpoint").exists()


def commit(table: AnyPath, version: int) -> AnyPath:
    """The commit that has made a version."""
    return folder(table) / f"{version:020}.json"


def info(table: AnyPath, version: int) -> dict[str, Any] | None:
    """What the commit of a version says of itself; None if it is not there (any more)."""
    try:
        text = commit(table, version).read_text("utf-8")
    except FileNotFoundError:
        return None
    # Only this line is parsed: one for each file of the commit may be beside it.
    said = next((line for line in text.splitlines() if line.startswith(_INFO)), "{}")
    found: dict[str, Any] = json.loads(said).get("commitInfo", {})
    return found


def version(commit: AnyPath) -> int:
    """The version that a commit has made."""
    return int(commit.stem)


def actions(commit: AnyPath) -> Iterator[dict[str, Any]]:
    """What a commit does, and what it says of itself."""
    return map(json.loads, commit.read_text("utf-8").splitlines())
