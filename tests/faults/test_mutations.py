"""A server that is killed in the middle of a change of rows has made all of it, or nothing."""

from __future__ import annotations

import urllib.error
from typing import TYPE_CHECKING

import pytest

from faults.server import Server

if TYPE_CHECKING:
    from pathlib import Path

FAULTS = [
    ("delta.before_commit=kill9@2", "UPDATE t SET s = 'new' WHERE id > 1", [[3, 0]]),
    ("delta.after_commit=kill9@1", "UPDATE t SET s = 'new' WHERE id > 1", [[3, 2]]),
    ("delta.before_commit=kill9@1", "DELETE FROM t WHERE id = 3", [[3, 2]]),
]


@pytest.mark.slow
def test_all_or_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    found = [[3, 0]]
    for number, (point, statement, wanted) in enumerate(FAULTS):
        with Server(data, failpoints=point) as server:
            assert server.await_ready()
            if number == 0:
                server.sql("CREATE TABLE t (id UInt64, s String) ENGINE = MergeTree ORDER BY id")
                server.sql("INSERT INTO t VALUES (1, ''), (2, ''), (3, '')")
            asked = "SELECT toUInt32(count()), toUInt32(countIf(s = 'new')) FROM t"
            assert server.sql(asked) == found
            with pytest.raises((OSError, urllib.error.URLError)):
                server.sql(statement)
            assert server.await_end() == -9, point
        found = wanted
    with Server(data) as server:
        assert server.await_ready()
        assert server.sql(asked) == found
        server.sql("DELETE FROM t WHERE s = 'new'")
        assert server.sql(asked) == [[1, 0]]
        assert server.stop() == 0
