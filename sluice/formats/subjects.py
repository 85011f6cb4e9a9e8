"""Subjects under which a registry has schemas: what Java's `Subjects` is told, which names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SUBJECT, TOPIC = "subject", "subject.topic"
"""The subject of the topic, or Flink's own; and the topic, if a strategy may name another."""

_OWN = "output_format_avro_confluent_subject"
"""ClickHouse's setting."""


def of_topic(topic: str, part: str) -> dict[str, str]:
    """What the keys or the values of a topic add to the options of a format with a registry."""
    return {SUBJECT: f"{topic}-{part}", TOPIC: topic}


def among(options: Mapping[str, Any]) -> dict[str, Any]:
    """What of a format's options names subjects and is no setting of ClickHouse."""
    return {key: options[key] for key in (SUBJECT, TOPIC) if key in options}


def read(options: Mapping[str, Any], topic: str) -> str:
    """The subject whose newest schema tells the columns of a topic's values."""
    return str(options.get(SUBJECT) or options.get(_OWN) or of_topic(topic, "value")[SUBJECT])
