"""What Java raises for a failed write; which of Kafka's exceptions is which: `KafkaFaultsTest`."""

from __future__ import annotations

import json

import pytest

from sluice.engine import kafka_faults
from sluice.errors import raised


@pytest.mark.parametrize("name", sorted(kafka_faults._NAMED))
def test_named(name: str) -> None:
    line = raised.JAVA + json.dumps({"condition": name, "reason": "The message is 9 bytes"})
    fault = RuntimeError(
        f"Job aborted: sluice.errors.ConditionException: {line}\n\tat sluice.kafka.Transact"
    )
    found = kafka_faults.named(fault, "t", "b:9092")
    assert found is not None
    assert found.condition.name == name
    assert "sluice.kafka.Transact" not in found.text()


def test_other_faults() -> None:
    for text in (
        "[DIVIDE_BY_ZERO] Division by zero",
        raised.JAVA + '{"condition": "COMMIT_FENCED", "batch": 1}',
    ):
        assert kafka_faults.named(RuntimeError(text), "t", "b") is None
