"""What a stored data folder and its topics are compared by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, KafkaError, TopicPartition

from faults.folder.contents import FLINK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faults.server import Server
    from sluice.kafka.cluster import Cluster

FLINK_VIEWS = {text.split()[2] for text in FLINK if text.startswith("CREATE VIEW")}
FLINK_TABLES = {text.split()[2] for text in FLINK}


def committed(cluster: Cluster, topic: str) -> Iterator[int]:
    """The numbers in a topic, as a consumer of committed messages sees them."""
    (found,) = cluster.topics([topic]).values()
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.brokers,
            "group.id": "reads-committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    consumer.assign([TopicPartition(topic, partition, 0) for partition in found.partitions])
    left = len(found.partitions)
    while left:
        for message in consumer.consume(1000, 30):
            error, value = message.error(), message.value()
            if error is None and value is not None:
                yield json.loads(value)["n"]
            else:
                assert error is not None
                assert error.code() == KafkaError._PARTITION_EOF
                left -= 1
    consumer.close()


def committed_rows(table: Path) -> int:
    """How many rows the log of a Delta table that is only appended to has."""
    lines = [
        json.loads(line)
        for entry in sorted((table / "_delta_log").glob("*.json"))
        for line in entry.read_text("utf-8").splitlines()
    ]
    return sum(json.loads(line["add"]["stats"])["numRecords"] for line in lines if "add" in line)


def shown(server: Server) -> dict[str, str]:
    """SHOW CREATE of everything there is, by database and name."""
    own = "WHERE database IN ('default', 'shop') AND NOT startsWith(name, '.')"
    definitions = {}
    for database, name in server.sql(f"SELECT database, name FROM system.tables {own}"):
        flink = database == "default" and name in FLINK_TABLES
        what = "VIEW" if name in FLINK_VIEWS else "TABLE"
        text = f"SHOW CREATE {what} {database}.{name}"
        ((answer,),) = server.sql(text, "flink" if flink else "clickhouse")
        definitions[f"{database}.{name}"] = answer
    return definitions
