"""A server that dies while it makes a table of a query: the table has its rows, or is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.server import PATIENCE, Server

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_a_table_that_replaces_another(tmp_path: Path) -> None:
    """Killed before the new table is known, then before the files of the old one are deleted."""
    files = tmp_path / "tables"

    def fails(server: Server, text: str) -> None:
        with pytest.raises(ConnectionError):
            server.sql(text)
        assert server.await_end() == -9

    def one_table() -> None:
        eventually(lambda: len(list(files.iterdir())), lambda count: count == 1, PATIENCE)

    create = "CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY a AS SELECT"
    with Server(tmp_path, failpoints="create.after_rows=kill9@2") as server:
        assert server.await_ready()
        server.sql(f"{create} 1 AS a")
        fails(server, f"{create} number AS a FROM numbers(100)")
        assert len(list(files.iterdir())) == 2
    with Server(tmp_path, failpoints="create.after_replacing=kill9") as server:
        assert server.await_ready()
        assert server.sql("SELECT a FROM t") == [[1]]
        one_table()
        fails(server, f"{create} toUInt8(3) AS a")
    with Server(tmp_path) as server:
        assert server.await_ready()
        assert server.sql("SELECT a FROM t") == [[3]]
        one_table()
        assert server.stop() == 0
