"""What a table's options mean for how it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from options.tables import NEEDED, clickhouse
from sluice.config import load
from sluice.engine.sources.assignment import components
from sluice.engine.sources.kafka_reader import read_options
from sluice.errors import SluiceError
from sluice.planner.query import QuerySpec
from sluice.planner.source import kafka_source

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.planner.spec import KafkaSource


def source(**settings: Any) -> KafkaSource:
    return kafka_source(clickhouse(NEEDED | settings))


def test_the_configuration_comes_before_our_own_values(tmp_path: Path) -> None:
    """What an operator writes for the clients reaches Spark, also where Sluice has a value."""
    ours = read_options(source())
    assert ours["kafka.isolation.level"] == "read_committed"
    assert ours["kafka.fetch.max.wait.ms"] == "10"
    file = tmp_path / "config.xml"
    file.write_text(
        "<clickhouse><kafka><consumer><fetch_wait_max_ms>77</fetch_wait_max_ms>"
        "<isolation_level>read_uncommitted</isolation_level>"
        "<fetch_min_bytes>5</fetch_min_bytes></consumer></kafka></clickhouse>",
        "utf-8",
    )
    theirs = read_options(kafka_source(clickhouse(NEEDED), config=load(file)))
    assert theirs["kafka.fetch.max.wait.ms"] == "77"
    assert theirs["kafka.isolation.level"] == "read_uncommitted"
    assert theirs["kafka.fetch.min.bytes"] == "5"
    assert theirs["failOnDataLoss"] == "true"


def test_ch_51_batches_and_polls() -> None:
    """CH-51: how often messages are looked for; CH-57: commit_every_batch changes nothing."""
    usual = source()
    assert (usual.waits, usual.look_ms, usual.on_data_loss) == (False, 250, "stop")
    assert source(kafka_flush_interval_ms=7500).waits
    assert source(kafka_consumer_reschedule_ms=300).look_ms == 300
    assert read_options(source(kafka_poll_max_batch_size=7))["kafka.max.poll.records"] == "7"
    given = source(kafka_commit_every_batch=1, kafka_on_data_loss="skip")
    assert (given.max_block, given.flush_ms) == (usual.max_block, usual.flush_ms)
    assert given.skips_lost
    with pytest.raises(SluiceError, match="kafka_on_data_loss"):
        source(kafka_on_data_loss="maybe")


def test_schema_drift() -> None:
    """Columns that a change has and the table has not."""
    assert source().schema_drift == "ignore"
    for drift in ("fail", "evolve"):
        assert source(kafka_format="OggJSON", kafka_schema_drift=drift).schema_drift == drift
    with pytest.raises(SluiceError, match=r"kafka_schema_drift.*change data.*JSONEachRow"):
        source(kafka_schema_drift="fail")


def test_source_transactions_need_debezium() -> None:
    with pytest.raises(SluiceError, match="A Debezium format is needed, and the table's format is"):
        source(kafka_debezium_transactions="server.transaction")


def test_a_bad_pattern_is_refused() -> None:
    assert source(kafka_topic_list="^logs-[0-9]+, other").topics == ("^logs-[0-9]+", "other")
    with pytest.raises(SluiceError, match="not a valid regular expression"):
        source(kafka_topic_list="^logs-[")


def overlap(*sources: KafkaSource) -> bool:
    """Whether tables share partitions."""
    return len(components(QuerySpec.of_table(each, ()) for each in sources)) == 1


def test_ch_23_who_shares() -> None:
    """CH-23: tables share by their group, or by the path they name; topics have to overlap."""
    one = source()
    assert overlap(one, source(kafka_topic_list="s,t"))
    assert overlap(one, source(kafka_topic_list="^t"))
    assert not overlap(one, source(kafka_topic_list="s"))
    assert not overlap(one, source(kafka_group_name="h"))
    assert not overlap(one, source(kafka_broker_list="c:9092"))
    path = {"kafka_keeper_path": "/k/{database}", "kafka_replica_name": "r"}
    assert overlap(source(**path), source(kafka_group_name="h", **path))
    assert not overlap(one, source(**path))
    nameless = source(kafka_group_name="")
    assert not overlap(nameless, nameless)


def test_tables_that_have_to_do_with_each_other() -> None:
    topics = ("a", "c", "b,c", "a,b", "d")
    specs = [QuerySpec.of_table(source(kafka_topic_list=each), ()) for each in topics]
    found = sorted(sorted(",".join(s.source.topics) for s in each) for each in components(specs))
    assert found == [["a", "a,b", "b,c", "c"], ["d"]]
