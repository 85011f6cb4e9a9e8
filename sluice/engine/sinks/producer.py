"""The properties of the Java producers that write to Kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.options.client import PRODUCER
from sluice.planner.spec import EXACTLY_ONCE, NONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.planner.spec import KafkaSinkSpec

PATIENCE_MS = 30_000
"""How long a message may take to be acknowledged, unless `delivery.timeout.ms` is set."""

TRANSACTION_MS = 900_000
"""How long a transaction may be open: the most that brokers allow by default.

Flink's hour is refused by such brokers. A transaction here is open for one batch at most, and what
a killed job left open ends when the job is back, so this only matters for a job that never is.
"""

_DEFAULTS = {
    # A task flushes after its last row, so a long linger delays nothing.
    "linger.ms": "50",
    "batch.size": str(512 << 10),
    # The broker and the topic decide what is too large.
    "max.request.size": str(64 << 20),
    "default.api.timeout.ms": "15000",
    "enable.metrics.push": "false",
}
_GUARANTEES: Mapping[str, Mapping[str, str]] = {
    EXACTLY_ONCE: {"enable.idempotence": "true", "acks": "all"},
    NONE: {"enable.idempotence": "false", "acks": "0", "retries": "0"},
}
_REQUEST_MS = 10_000
_LONGEST_MS = (1 << 31) - 1


def properties(sink: KafkaSinkSpec, partitioner_class: str = "") -> dict[str, str]:
    """The producer's properties: those of the table's connection, defaults, and the guarantee's.

    `buffer.memory` is left out unless it is set: each task gets its part of what a sink may use.
    """
    given = sink.connection.spark(PRODUCER)
    found = _DEFAULTS | {name.removeprefix("kafka."): value for name, value in given.items()}
    patience = _int(found.get("delivery.timeout.ms"), PATIENCE_MS) or _LONGEST_MS
    linger = min(_int(found["linger.ms"], 0), patience // 2)
    request = min(_int(found.get("request.timeout.ms"), _REQUEST_MS), patience - linger)
    found |= {
        "linger.ms": str(linger),
        "request.timeout.ms": str(request),
        "delivery.timeout.ms": str(patience),
        "max.block.ms": found.get("max.block.ms", str(patience)),
    }
    if sink.guarantee == EXACTLY_ONCE:
        found.setdefault("transaction.timeout.ms", str(TRANSACTION_MS))
    if partitioner_class:
        found["partitioner.class"] = partitioner_class
    return {**found, **_GUARANTEES.get(sink.guarantee, {})}


def _int(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else default
