"""The embedded Kafka broker of demo and tests: one real KRaft node on 127.0.0.1."""

from sluice.broker.broker import Broker

__all__ = ["Broker"]
