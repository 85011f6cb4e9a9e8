"""What a fault of the world is called: Spark's exceptions as conditions of ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.errors import SluiceError
from sluice.pipelines.source import bad_message

if TYPE_CHECKING:
    from collections.abc import Callable


_NO_ANSWER = (
    r"kafka\.common\.errors\.\w*(Timeout|Disconnect|Network)"
    r"|Failed to (construct|create new) [Kk]afka"
)

_TABLE: tuple[tuple[str, Callable[[str, str, str], SluiceError]], ...] = (
    (
        r"No space left on device|Disk quota exceeded",
        lambda table, brokers, text: errors.NO_SPACE(folder="the data folder"),
    ),
    (
        r"OffsetOutOfRange|KAFKA_DATA_LOSS|data may have been lost|PARTITION_OFFSET_CHANGED",
        lambda table, brokers, text: errors.KAFKA_DATA_LOSS(table=table, reason=first_line(text)),
    ),
    (
        r"UnknownTopicOrPartition|does not host this topic-partition",
        lambda table, brokers, text: errors.KAFKA_TOPIC_MISSING(
            topic=f"that {table} reads", brokers=brokers
        ),
    ),
    (
        _NO_ANSWER,
        lambda table, brokers, text: errors.BROKER_UNREACHABLE(
            brokers=brokers, reason=first_line(text)
        ),
    ),
)


def classify(fault: BaseException, table: str, brokers: str) -> SluiceError:
    """The condition a fault of a batch or of a query is an instance of."""
    if isinstance(fault, SluiceError):
        return fault
    text = str(fault)
    bad = bad_message(text)
    if bad is not None:
        return bad
    for pattern, make in _TABLE:
        if re.search(pattern, text):
            return make(table, brokers, text)
    return errors.BATCH_FAILED(reason=first_line(text) or type(fault).__name__)


def first_line(text: str) -> str:
    """What an exception of Spark's says, without its stack and its SQLSTATE."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    for line in lines:
        found = re.search(r"\[([A-Z_.]+)\] (.*?)(?: SQLSTATE: \w+)?$", line)
        if found and found[1] != "STREAM_FAILED":
            return found[2]
    for line in lines:
        if line.startswith("Caused by:"):
            return line.removeprefix("Caused by:").strip()
    return lines[0][:500] if lines else ""
