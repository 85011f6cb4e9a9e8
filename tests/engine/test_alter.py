"""Tables that hold rows are changed, while a pipeline writes to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab


def test_columns_of_a_table_with_rows(lab: Lab, topic: str) -> None:
    """Old rows have a new column's default; a dropped column does not come back with its values."""
    lab.queue("q", topic, "a UInt32, s String")
    lab.sql("CREATE TABLE t (a UInt32, s String) ENGINE = MergeTree ORDER BY a")
    lab.sql("CREATE MATERIALIZED VIEW v TO t AS SELECT * FROM q")
    lab.produce(topic, {"a": 1, "s": "one"})
    lab.arrives("SELECT * FROM t", [(1, "one")])
    lab.sql("ALTER TABLE t ADD COLUMN n UInt8, ADD COLUMN m Nullable(Int8) FIRST")
    lab.arrives("SELECT * FROM t", [(None, 1, "one", 0)])
    lab.sql("ALTER TABLE t RENAME COLUMN n TO k")
    lab.sql("INSERT INTO t VALUES (7, 2, 'two', 5)")
    lab.produce(topic, {"a": 3, "s": "three"})
    rows = [(None, 1, "one", 0), (7, 2, "two", 5), (None, 3, "three", 0)]
    lab.arrives("SELECT m, a, s, k FROM t ORDER BY a", rows)
    lab.sql("ALTER TABLE t DROP COLUMN k")
    lab.sql("ALTER TABLE t ADD COLUMN k UInt8")
    assert lab.sql("SELECT k FROM t ORDER BY a") == [(0,), (0,), (0,)]
    lab.sql("ALTER TABLE t MODIFY COLUMN s LowCardinality(String)")
    with pytest.raises(SluiceError, match="Changing k from UInt8 to UInt32"):
        lab.sql("ALTER TABLE t MODIFY COLUMN k UInt32")
    lab.produce(topic, {"a": 4, "s": "four"})
    lab.arrives("SELECT count(), uniqExact(a), max(s) FROM t", [(4, 4, "two")])


def test_defaults_of_added_columns(lab: Lab) -> None:
    """Rows of before a column was added have its DEFAULT as it is now, whatever that uses."""
    for engine in ("MergeTree", "ReplacingMergeTree"):
        lab.sql(f"CREATE TABLE t (a UInt32) ENGINE = {engine} ORDER BY a")
        lab.sql("INSERT INTO t VALUES (1), (2)")
        lab.sql("ALTER TABLE t ADD COLUMN d UInt8 DEFAULT c * 2 + a, ADD COLUMN c UInt32 DEFAULT 9")
        assert lab.sql("SELECT a, c, d FROM t ORDER BY a") == [(1, 9, 19), (2, 9, 20)]
        lab.sql("INSERT INTO t (a, d) VALUES (3, 250)")
        lab.sql("ALTER TABLE t MODIFY COLUMN c DEFAULT 127")
        assert lab.sql("SELECT a, c, d FROM t ORDER BY a") == [
            (1, 127, 255),
            (2, 127, 0),
            (3, 9, 250),
        ]
        lab.sql("ALTER TABLE t ADD COLUMN n Nullable(Int8) DEFAULT 5")
        lab.sql("OPTIMIZE TABLE t FINAL")
        found = [(1, 127, 255, None), (2, 127, 0, None), (3, 9, 250, None)]
        assert lab.sql("SELECT a, c, d, n FROM t ORDER BY a") == found
        lab.sql("DROP TABLE t")


def test_truncate_and_optimize(lab: Lab, topic: str) -> None:
    """TRUNCATE empties the table and nothing is read again; OPTIMIZE changes no row."""
    lab.queue("q", topic, "a UInt32")
    lab.sql("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
    lab.sql("CREATE MATERIALIZED VIEW v TO t AS SELECT a FROM q")
    lab.produce(topic, {"a": 1}, {"a": 2})
    lab.arrives("SELECT count() FROM t", [(2,)])
    lab.sql("TRUNCATE TABLE t")
    assert lab.sql("SELECT count() FROM t") == [(0,)]
    lab.produce(topic, {"a": 3})
    lab.arrives("SELECT a FROM t", [(3,)])
    lab.sql("OPTIMIZE TABLE t FINAL")
    assert lab.sql("SELECT a FROM t") == [(3,)]
