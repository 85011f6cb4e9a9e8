"""The embedded Kafka broker of demo and tests: one real KRaft node on 127.0.0.1."""

from sluice.broker.broker import Broker
from sluice.broker.listeners import Listener

__all__ = ["Broker", "Listener"]
