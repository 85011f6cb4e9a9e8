"""max_rows_to_read and max_bytes_to_read of queries on Spark: refused before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.engine.storage.totals import File
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from session.lab import Lab

ON_SPARK = "SELECT count() FROM t JOIN u USING (a) SETTINGS sluice_engine = 'spark'"


def files(*_: object) -> Mapping[str, File]:
    return {"x": File(1000, 60, 0), "y": File(500, None, 0)}


@pytest.fixture
def full(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    for name in ("t", "u"):
        lab.run(f"CREATE TABLE {name} (a UInt8) ENGINE = MergeTree ORDER BY a")
    monkeypatch.setattr(type(lab.engine.totals), "files", files)
    return lab


@pytest.mark.parametrize(
    ("setting", "code", "says"),
    [
        ("max_rows_to_read = 119", 158, "would read 120 rows on Spark"),
        ("max_bytes_to_read = 2999", 307, "would read 3000 bytes on Spark"),
    ],
)
def test_asked_for(full: Lab, setting: str, code: int, says: str) -> None:
    with pytest.raises(SluiceError, match=says) as caught:
        full.run(f"{ON_SPARK}, {setting}")
    assert caught.value.condition.clickhouse_code == code


def test_of_a_profile(full: Lab) -> None:
    full.run("CREATE SETTINGS PROFILE small SETTINGS max_rows_to_read = 100 READONLY")
    full.run("CREATE USER someone SETTINGS PROFILE 'small'", "GRANT SELECT ON *.* TO someone")
    with pytest.raises(SluiceError, match="max_rows_to_read allows, 100"):
        full.session.child(user="someone").execute(ON_SPARK)
