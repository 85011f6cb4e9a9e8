"""Views over views: a block passes from target to target, and each has it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from walks import Walk, upwards, walked

from engine.lab import keys
from sluice.engine.runtime.batch import BatchRunner
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from engine.lab import Lab

TREE = "ENGINE = MergeTree ORDER BY tuple()"


def test_ch_38_missing_transitive_target(lab: Lab, topic: str) -> None:
    """CH-38: nothing is read while a target downstream of a Null table is missing."""
    lab.make_topic(topic)
    lab.queue("q", topic, "a Int32, b String")
    lab.sql("CREATE TABLE n (a Int32, b String) ENGINE = Null")
    lab.sql("CREATE MATERIALIZED VIEW m1 TO n AS SELECT * FROM q")
    lab.sql("CREATE MATERIALIZED VIEW m2 TO t2 AS SELECT a, b, a + 1 AS c FROM n")
    lab.produce(topic, {"a": 1, "b": "foo"}, {"a": 2, "b": "bar"})
    assert "t2" in lab.becomes("WAITING(TARGET_MISSING)")
    with pytest.raises(SluiceError, match="t2"):
        lab.sql("INSERT INTO n VALUES (3, 'x')")
    lab.sql(f"CREATE TABLE t2 (a Int32, b String, c Int32) {TREE}")
    lab.arrives("SELECT * FROM t2 ORDER BY a", [(1, "foo", 2), (2, "bar", 3)])
    lab.sql("INSERT INTO n VALUES (3, 'x')")
    assert lab.sql("SELECT c FROM t2 WHERE a = 3") == [(4,)]
    assert lab.sql("SELECT count() FROM n") == [(0,)]


def test_a_batch_goes_down(lab: Lab, topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the packages as docs/ARCHITECTURE.md tells it; nothing calls a package above."""
    walk: Walk = []
    run = BatchRunner.__call__

    def call(self: BatchRunner, rows: DataFrame, batch: int) -> None:
        with walked(walk):
            run(self, rows, batch)

    monkeypatch.setattr(BatchRunner, "__call__", call)
    lab.make_topic(topic)
    lab.queue("q", topic)
    lab.sql(f"CREATE TABLE t (key UInt64) {TREE}")
    lab.sql("CREATE MATERIALIZED VIEW m TO t AS SELECT key FROM q")
    lab.produce(topic, *keys(3))
    lab.arrives("SELECT count() FROM t", [(3,)])
    files = {to for _, to in walk}
    told = ("runtime/transforms.py", "sources/decode.py", "sinks/fan_out.py", "sinks/delta.py",
            "storage/commits.py", "sources/stream.py")  # fmt: skip
    assert files.issuperset(f"engine/{name}" for name in told)
    assert upwards(walk) == set()


@pytest.mark.cluster
def test_a_chain_of_views(lab: Lab, topic: str) -> None:
    """From Kafka, or an INSERT, to a table, to a view's own table, to the next one.

    Each view's GROUP BY is over its block. Views come, change and go while all of it runs.
    """
    lab.make_topic(topic)
    lab.queue("q", topic)
    lab.sql(f"CREATE TABLE t (key UInt64, odd Bool) {TREE}")
    lab.sql(
        f"CREATE MATERIALIZED VIEW sums {TREE} AS "
        "SELECT odd, sum(key) AS total, count() AS n FROM t GROUP BY odd"
    )
    lab.sql(f"CREATE TABLE last (odd Bool, n UInt64, name String) {TREE}")
    lab.sql(f"CREATE TABLE names (odd Bool, name String) {TREE}")
    lab.sql("INSERT INTO names VALUES (true, 'odd'), (false, 'even')")
    lab.sql(
        "CREATE MATERIALIZED VIEW to_last TO last AS "
        "SELECT odd, n, name FROM sums JOIN names USING (odd)"
    )
    lab.sql("CREATE MATERIALIZED VIEW m TO t AS SELECT key, key % 2 = 1 AS odd FROM q")
    lab.produce(topic, *keys(10))
    lab.arrives("SELECT name, sum(n) FROM last GROUP BY name ORDER BY 1", [("even", 5), ("odd", 5)])
    assert lab.sql("SELECT odd, sum(total) FROM sums GROUP BY odd ORDER BY odd") == [
        (False, 20),
        (True, 25),
    ]
    lab.sql("INSERT INTO t VALUES (100, false), (102, false)")
    assert lab.sql("SELECT total, n FROM sums WHERE total > 100") == [(202, 2)]
    assert lab.sql("SELECT sum(n) FROM last") == [(12,)]

    lab.sql("ALTER TABLE to_last MODIFY QUERY SELECT odd, n * 100 AS n, 'x' AS name FROM sums")
    lab.sql(f"CREATE TABLE copy (key UInt64) {TREE}")
    lab.sql("CREATE MATERIALIZED VIEW to_copy TO copy AS SELECT key FROM t")
    lab.produce(topic, *keys(4, start=10))
    lab.counted("copy", 4)
    lab.arrives("SELECT sum(n) FROM last", [(412,)])
    lab.sql("DROP VIEW to_last")
    lab.produce(topic, *keys(4, start=14))
    lab.counted("copy", 8)
    lab.arrives("SELECT sum(n) FROM sums", [(20,)])
    assert lab.sql("SELECT sum(n) FROM last") == [(412,)]
    assert lab.sql("SELECT count(), uniqExact(key) FROM t") == [(20, 20)]


def test_ch_39_multiple_read_in_materialized_views(lab: Lab, topic: str) -> None:
    """CH-39: the inner `q` is the same block, and the target is read as before the block."""
    lab.make_topic(topic)
    lab.queue("q", topic, "id Int64")
    lab.sql(f"CREATE TABLE t (id Int64) {TREE}")
    lab.sql(
        "CREATE MATERIALIZED VIEW m TO t AS SELECT id FROM q WHERE id NOT IN "
        "(SELECT id FROM t WHERE id IN (SELECT id FROM q))"
    )
    lab.produce(topic, {"id": 42}, {"id": 43})
    lab.arrives("SELECT id FROM t ORDER BY id", [(42,), (43,)])
    lab.produce(topic, *[{"id": 42}, {"id": 43}] * 10, {"id": 44})
    lab.arrives("SELECT id FROM t ORDER BY id", [(42,), (43,), (44,)])


def test_a_view_in_a_chain_fails(lab: Lab, topic: str) -> None:
    """Targets upstream of it and next to it have the batch, once; those downstream when it works.

    The view that failed gets the rows that the table before it was given, also what is never the
    same again; and that table is read by a view beside it as it was before the batch.
    """
    lab.make_topic(topic)
    lab.queue("q", topic, "key String")
    lab.sql(f"CREATE TABLE t (key String, id String) {TREE}")
    lab.sql(f"CREATE TABLE known (n UInt64) {TREE}")
    lab.sql(f"CREATE TABLE numbers (n UInt8, id String) {TREE}")
    lab.sql(
        "CREATE MATERIALIZED VIEW m TO t AS SELECT key, toString(generateUUIDv4()) AS id FROM q"
    )
    lab.sql("CREATE MATERIALIZED VIEW to_n TO numbers AS SELECT toUInt8(key) AS n, id FROM t")
    lab.sql(f"CREATE MATERIALIZED VIEW beside {TREE} AS SELECT key FROM q")
    lab.produce(topic, {"key": "1"})
    lab.arrives("SELECT n FROM numbers", [(1,)])
    lab.produce(topic, {"key": "2"}, {"key": "no number"})
    assert "to_n" in lab.becomes("WAITING(VIEW_FAILED)")
    assert lab.sql("SELECT count() FROM t") == [(3,)]
    assert lab.sql("SELECT count() FROM numbers") == [(1,)]
    lab.counted("beside", 3)
    lab.sql(
        "CREATE MATERIALIZED VIEW counts TO known AS "
        "SELECT count() AS n FROM q WHERE key IN (SELECT key FROM t)"
    )
    lab.sql("ALTER TABLE to_n MODIFY QUERY SELECT toUInt8OrZero(key) AS n, id FROM t")
    lab.arrives("SELECT n FROM numbers ORDER BY n", [(0,), (1,), (2,)])
    assert lab.sql("SELECT count() FROM t JOIN numbers USING (id)") == [(3,)]
    lab.produce(topic, {"key": "3"})
    lab.arrives("SELECT count(), sum(n) FROM numbers", [(4, 6)])
    for name in ("t", "beside"):
        assert lab.sql(f"SELECT count(), uniqExact(key) FROM {name}") == [(4, 4)]
    # What `counts` looked up in `t` was there before: of its first batch, which was run again,
    # nothing, and of the next ones nothing new.
    assert lab.sql("SELECT sum(n) FROM known") == [(0,)]


@pytest.mark.cluster
def test_a_view_to_a_kafka_table(lab: Lab, topic: str) -> None:
    """What a chain ends in may be a topic; a topic's own table feeds the next pipeline.

    A view that is in another's way is heard of; its own target and the others have the batch once.
    """
    out = f"{topic}-out"
    for name in (topic, out):
        lab.make_topic(name)
    lab.queue("q", topic)
    lab.queue("o", out, "double UInt64")
    lab.sql(f"CREATE TABLE t (key UInt64) {TREE}")
    lab.sql(f"CREATE TABLE back (double UInt64, k String) {TREE}")
    lab.sql("CREATE MATERIALIZED VIEW m TO t AS SELECT key FROM q")
    lab.sql(
        "CREATE MATERIALIZED VIEW to_o TO o AS "
        "SELECT key * 2 AS double, toString(key) AS _key FROM t"
    )
    lab.sql("CREATE MATERIALIZED VIEW b TO back AS SELECT double, _key AS k FROM o")
    lab.produce(topic, *keys(3))
    lab.arrives("SELECT double, k FROM back ORDER BY double", [(0, "0"), (2, "1"), (4, "2")])
    lab.sql("INSERT INTO t VALUES (50)")
    lab.arrives("SELECT double, k FROM back WHERE double > 4", [(100, "50")])
    assert lab.sql("SELECT count() FROM t") == [(4,)]
