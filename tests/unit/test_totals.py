"""What a table holds, from Delta's log alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sluice.engine.storage.totals import Totals

if TYPE_CHECKING:
    from pathlib import Path


def commit(table: Path, version: int, *actions: dict[str, object]) -> None:
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    text = "\n".join(map(json.dumps, actions))
    (log / f"{version:020}.json").write_text(text, "utf-8")


def added(rows: int, **more: object) -> dict[str, object]:
    stats = json.dumps({"numRecords": rows})
    return {"add": {"path": "a.parquet", "size": 1, "stats": stats, **more}}


def test_a_file_with_deleted_rows_stays(tmp_path: Path) -> None:
    """It is added again, before or after it was removed; folders of one name are kept apart."""
    totals = Totals()
    for place, other_way in (("x/t", False), ("y/t", True)):
        table = tmp_path / place
        commit(table, 0, added(5))
        again = added(5, deletionVector={"cardinality": 2})
        actions = [{"remove": {"path": "a.parquet"}}, again]
        commit(table, 1, *(reversed(actions) if other_way else actions))
        assert [file.rows for file in totals.files(table).values()] == [3]
