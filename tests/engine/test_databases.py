"""RENAME DATABASE and TRUNCATE beside running pipelines; functions in views, and on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.lab import keys
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab


def test_a_pipeline_goes_on_in_a_renamed_database(lab: Lab, topic: str) -> None:
    old = lab.session.database
    lab.make_topic(topic)
    lab.queue("q", topic)
    lab.sql("CREATE TABLE t (key UInt64, more UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql(f"CREATE FUNCTION more_{old} AS (x, y) -> x * 10 + y")
    lab.sql(f"CREATE MATERIALIZED VIEW m TO t AS SELECT key, more_{old}(key, 1) AS more FROM q")
    lab.sql(f"DROP FUNCTION more_{old}")
    lab.produce(topic, *keys(3))
    lab.arrives("SELECT sum(more) FROM t", [(33,)])
    lab.sql(f"RENAME DATABASE {old} TO {old}_new")
    lab.produce(topic, {"key": 3})
    count = f"SELECT count(), sum(more) FROM {old}_new.t"
    lab.arrives(count, [(4, 64)])
    lab.sql(f"TRUNCATE ALL TABLES FROM {old}_new LIKE 't'")
    assert lab.sql(f"SELECT count() FROM {old}_new.t") == [(0,)]
    lab.produce(topic, {"key": 4})
    lab.arrives(count, [(1, 41)])
    lab.sql(f"RENAME DATABASE {old}_new TO {old}")
    lab.produce(topic, {"key": 5})
    lab.arrives("SELECT count(), sum(more) FROM t", [(2, 92)])


def test_functions_and_arrays_after_in_on_spark(lab: Lab) -> None:
    name = f"twice_{lab.session.database}"
    lab.sql(f"CREATE FUNCTION {name} AS (x) -> x * 2")
    lab.sql("CREATE TABLE t (a UInt8, b Array(UInt8)) ENGINE = MergeTree ORDER BY a")
    lab.sql("INSERT INTO t VALUES (1, [1, 2]), (2, []), (3, [3])")
    lab.sql(f"INSERT INTO t (a) VALUES ({name}({name}(5)))")
    assert lab.sql("SELECT max(a) FROM t") == [(20,)]
    with pytest.raises(SluiceError, match="Cannot parse 'x'") as bad:
        lab.sql("INSERT INTO t (a) FORMAT CSV x")
    assert bad.value.condition.clickhouse_code == 6
    lab.sql("DELETE FROM t WHERE a = 20")
    query = f"SELECT {name}(a) AS d, a NOT IN t.b FROM t WHERE {name}(a) > 2 ORDER BY d"
    found = lab.sql(query)
    assert found == [(4, 1), (6, 0)]
    assert lab.sql(f"{query} SETTINGS sluice_engine = 'spark'") == found
    lab.sql(f"DROP FUNCTION {name}")
