"""A second broker in the cluster of the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from quick import QUICK

from sluice.broker import Broker
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from pathlib import Path

NODE = 2


class SecondBroker(Broker):
    """A node without a controller of its own: it asks the first one's, which has to run."""

    def __init__(self, data: Path, first: Broker) -> None:
        super().__init__(data, java_options=QUICK)
        self._first = first.logs.parent

    def _take_ports(self) -> None:
        super()._take_ports()
        given = _read(self._properties) | {
            "process.roles": "broker",
            "node.id": str(NODE),
            "listeners": f"PLAINTEXT://{self.address}",
            "controller.quorum.voters": _read(self._first / "server.properties")[
                "controller.quorum.voters"
            ],
        }
        self._properties.write_text("".join(f"{key}={given[key]}\n" for key in given), "utf-8")

    def _cluster_id(self) -> str:
        return _read(self._first / "kafka" / "meta.properties")["cluster.id"]


def keep_inner_topics(broker: Broker, topic: str) -> None:
    """Let the first broker, alone as yet, hold what Kafka keeps of groups and transactions."""
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": "first"})
    producer.init_transactions(30)
    cluster = Cluster({"bootstrap.servers": broker.address})
    cluster.create_topic(topic, 1)
    cluster.commit("first", {topic: {0: 0}})
    cluster.close()


def create_on_second(broker: Broker, topic: str) -> None:
    """Make a topic of one partition that only the second broker holds."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    made = admin.create_topics([NewTopic(topic, 1, replica_assignment=[[NODE]])])
    made[topic].result(30)


def _read(path: Path) -> dict[str, str]:
    lines = path.read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)
