"""System tables over a running pipeline, as SQL users and their tools read them."""

from __future__ import annotations

import socket

import pytest
from waiting import eventually

import sluice.errors as errors
from engine.lab import Lab, keys


def test_what_a_consumer_tells(lab: Lab, topic: str) -> None:
    """CH-49, CH-50: assignments, counters, lag in rows and seconds, the metric of partitions."""
    metric = "SELECT value FROM system.metrics WHERE metric = 'KafkaAssignedPartitions'"
    ((before,),) = lab.sql(metric)
    lab.make_topic(topic, 4)
    lab.pipe(topic, kafka_num_consumers=8)
    lab.produce(topic, *keys(4))
    lab.counted("v", 4)
    consumers = "clusterAllReplicas('default', system.kafka_consumers)"
    mine = f"database = '{lab.database}' AND table = 'q'"
    lab.arrives(
        "SELECT arraySum(assignments.current_offset), num_messages_read, lag, lag_seconds, "
        f"catch_up_seconds, is_currently_used, num_rebalance_assignments FROM {consumers} "
        f"WHERE {mine} AND last_poll_time > last_commit_time",
        [(4, 4, 0, 0.0, 0.0, 1, 1)],
    )
    ((topics, partitions, ends, commits, rate),) = lab.sql(
        "SELECT assignments.topic, assignments.partition_id, assignments.end_offset, "
        f"num_commits, messages_per_second FROM system.kafka_consumers WHERE {mine}"
    )
    assert (topics, partitions) == ([topic] * 4, [0, 1, 2, 3])
    assert (sum(ends), commits >= 1, rate > 0) == (4, True, True)
    assert lab.sql(metric) == [(before + 4,)]
    rows = "SELECT total_rows, total_bytes > 0, engine_full FROM system.tables"
    assert lab.sql(f"{rows} WHERE database = currentDatabase() AND name = 'v'") == [
        (4, True, "MergeTree ORDER BY tuple()")
    ]
    parts = f"SELECT sum(rows) FROM system.parts WHERE database = '{lab.database}' AND active"
    assert lab.sql(parts) == [(4,)]
    views = f"SELECT name, state, source_table FROM system.views WHERE database = '{lab.database}'"
    assert lab.sql(views) == [("m", "RUNNING", "q")]
    lab.sql("DROP TABLE m")
    lab.sql("DROP TABLE q")
    assert lab.sql(metric) == [(before,)]


@pytest.mark.slow
def test_what_was_not_read_has_an_age(lab: Lab, topic: str) -> None:
    """CH-83 beside it: what is wrong stands among the consumer's exceptions."""
    lab.pipe(topic)
    lab.produce(topic, "{", *keys(2))
    mine = f"FROM system.kafka_consumers WHERE database = '{lab.database}' AND table = 'q'"
    _, age, text = eventually(
        lambda: lab.sql(f"SELECT lag, lag_seconds, exceptions.text {mine}")[0],
        lambda row: row[0] == 3 and row[1] is not None and bool(row[2]),
        60,
    )
    assert 0 < age < 60
    assert "offset: 0" in text[-1]
    lab.queue("away", topic, kafka_broker_list="localhost:9876")
    lab.sql("CREATE MATERIALIZED VIEW mm TO v AS SELECT * FROM away")
    gone = f"FROM system.kafka_consumers WHERE database = '{lab.database}' AND table = 'away'"
    ((state, texts),) = eventually(
        lambda: lab.sql(f"SELECT state, exceptions.text {gone}"),
        lambda rows: bool(rows) and bool(rows[0][1]),
    )
    assert state == "WAITING(BROKER_UNREACHABLE)"
    assert "localhost:9876" in texts[0]


def test_what_tools_ask(lab: Lab) -> None:
    """The questions of clients when they connect, and of those that draw trees of tables."""
    assert lab.sql("SELECT timezone(), currentUser(), hostName()") == [
        ("UTC", "default", socket.gethostname())
    ]
    assert lab.sql("SELECT version() != '' AS v, database() = currentDatabase() AS d") == [
        (True, True)
    ]
    assert lab.sql("SELECT number FROM system.numbers WHERE number % 2 = 1 LIMIT 3") == [
        (1,), (3,), (5,)
    ]  # fmt: skip
    assert lab.sql("SELECT count() FROM (SELECT * FROM system.numbers LIMIT 5) AS s") == [(5,)]
    assert lab.sql("SELECT * FROM numbers(10, 2)") == [(10,), (11,)]
    with pytest.raises(errors.SluiceError) as late:
        lab.sql("SELECT count() FROM system.numbers SETTINGS max_execution_time = 1")
    assert late.value.condition.name == "TIMEOUT_EXCEEDED"
    lab.sql("CREATE TABLE t (a UInt64, b Nullable(String)) ENGINE = MergeTree ORDER BY a")
    assert lab.sql(
        "SELECT column_name, IS_NULLABLE, data_type FROM INFORMATION_SCHEMA.COLUMNS "
        f"WHERE table_schema = '{lab.database}' ORDER BY ordinal_position"
    ) == [("a", "NO", "UInt64"), ("b", "YES", "Nullable(String)")]
    assert lab.sql(
        "SELECT name, comment, engine LIKE '%View' FROM system.tables "
        "WHERE is_temporary = 0 AND database = database()"
    ) == [("t", "", False)]
    assert lab.sql("SELECT name, value, readonly FROM system.settings LIMIT 1") != []
    lab.sql("SELECT 'logged', 7 FROM system.one")
    assert lab.sql(
        "SELECT type, query_kind, result_rows, current_database, exception FROM system.query_log "
        "WHERE query LIKE '%''logged'', 7 FROM%' AND query NOT LIKE '%query_log%'"
    ) == [("QueryFinish", "Select", 1, lab.database, "")]
    assert lab.sql("SELECT count() FROM system.processes WHERE query LIKE '%processes%'") == [(1,)]
    for name in ("databases", "events", "asynchronous_metrics", "errors", "time_zones", "users"):
        assert lab.sql(f"SELECT count() > 0 FROM system.{name}") == [(True,)], name
    for name in ("merge_tree_settings", "data_type_families", "build_options", "dictionaries"):
        lab.sql(f"SELECT * FROM system.{name} LIMIT 2")
