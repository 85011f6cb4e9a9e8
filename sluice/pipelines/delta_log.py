"""Delta's log as files: the commits of a table, and what each of them says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.pipelines.store_path import AnyPath

_COMMIT = re.compile(r"\d{20}\.json")


def folder(table: AnyPath) -> AnyPath:
    """Where a table's log is."""
    return table / "_delta_log"


def commits(table: AnyPath) -> list[AnyPath]:
    """The commits of a table, oldest first; none if it has no log."""
    found = [p for p in folder(table).glob("*.json") if _COMMIT.fullmatch(p.name)]
    return sorted(found, key=lambda path: path.name)


def commit(table: AnyPath, version: int) -> AnyPath:
    """The commit that has made a version."""
    return folder(table) / f"{version:020}.json"


def version(commit: AnyPath) -> int:
    """The version that a commit has made."""
    return int(commit.stem)


def actions(commit: AnyPath) -> Iterator[dict[str, Any]]:
    """What a commit does, and what it says of itself."""
    return map(json.loads, commit.read_text("utf-8").splitlines())
