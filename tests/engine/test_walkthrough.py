"""The guide's read path: from the topic to a table, with columns for metadata added later."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.broker import github_events
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from engine.lab import Lab

GUIDE = Path(__file__).parent.parent / "golden" / "clickhouse" / "kafka-table-engine.sql"


def columns() -> str:
    """The columns of the guide's table."""
    text = GUIDE.read_text("utf-8")
    found = re.search(r"CREATE TABLE github_queue\n\((.*?)\n\)\nENGINE", text, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_read_path(lab: Lab, topic: str) -> None:
    """Create, read, show the consumers, detach, add metadata columns, resume, change settings."""

    def send(count: int, first: int) -> None:
        produce(lab.cluster, topic, map(Message, github_events.events(count, first=first)))

    lab.make_topic(topic, partitions=3)
    send(2000, 0)
    settings = (
        f"kafka_broker_list='{lab.brokers}', kafka_topic_list='{topic}', "
        "kafka_group_name='clickhouse', kafka_format = 'JSONEachRow', "
        "kafka_thread_per_consumer = 0, kafka_num_consumers = 1"
    )
    queue = f"CREATE TABLE github_queue ({columns()}) ENGINE = Kafka() SETTINGS {settings}"
    lab.sql(queue)
    lab.sql(
        "CREATE TABLE github AS github_queue ENGINE = MergeTree() "
        "ORDER BY (event_type, repo_name, created_at)"
    )
    lab.sql("CREATE MATERIALIZED VIEW github_mv TO github AS SELECT * FROM github_queue")
    lab.counted("github", 2000, "comment_id")
    (consumer,) = lab.sql(
        "SELECT assignments.partition_id FROM clusterAllReplicas('default',system.kafka_consumers) "
        f"WHERE database = '{lab.database}' ORDER BY assignments.partition_id ASC"
    )
    assert consumer == ([0, 1, 2],)

    lab.sql("DETACH TABLE github_queue")
    send(1000, 2000)
    lab.sql("ALTER TABLE github ADD COLUMN topic String, ADD COLUMN partition UInt64")
    lab.sql("DROP VIEW github_mv")
    lab.sql("ATTACH TABLE github_queue")
    lab.sql(
        "CREATE MATERIALIZED VIEW github_mv TO github AS "
        "SELECT *, _topic as topic, _partition as partition FROM github_queue"
    )
    lab.counted("github", 3000, "comment_id")
    assert lab.sql(
        "SELECT topic, count(), max(partition) < 3 FROM github GROUP BY topic ORDER BY topic"
    ) == [("", 2000, True), (topic, 1000, True)]
    newest = json.loads(next(iter(github_events.events(1, first=2999))))
    assert lab.sql("SELECT actor_login, topic FROM github ORDER BY comment_id DESC LIMIT 1") == [
        (newest["actor_login"], topic)
    ]

    lab.sql("ALTER TABLE github_queue MODIFY SETTING kafka_max_block_size = 100")
    lab.sql("ALTER TABLE github ADD COLUMN extra String")
    lab.sql("ALTER TABLE github_queue ADD COLUMN extra String")
    lab.produce(topic, newest | {"comment_id": 1, "extra": "new"})
    lab.arrives("SELECT extra FROM github WHERE comment_id = 1", [("new",)])
    lab.sql("DROP TABLE github_queue")
    send(500, 3000)
    lab.sql(queue)
    lab.arrives("SELECT count(), uniqExact(comment_id) FROM github", [(3501, 3501)])
