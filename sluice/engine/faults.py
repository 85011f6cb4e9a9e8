"""Spark's exceptions as conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine.sources.decode import bad_message
from sluice.errors import SluiceError, raised

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors.raised import Raised


_NO_SPACE = r"No space left on device|Disk quota exceeded|database or disk is full"
_NO_MEMORY = r"OutOfMemoryError|UNABLE_TO_ACQUIRE_MEMORY|Java heap space|GC overhead limit"
_DATA_LOSS = r"OffsetOutOfRange|KAFKA_DATA_LOSS|data may have been lost|PARTITION_OFFSET_CHANGED"
_NO_TOPIC = r"UnknownTopicOrPartition|does not host this topic-partition"
_NO_LOGIN = (
    r"(Sasl|Ssl)AuthenticationException|SSLHandshakeException|javax\.security\.auth\.login"
    r"|InvalidConfigurationException: .*PEM|Failed to load PEM"
)
_NO_ANSWER = (
    r"kafka\.common\.errors\.\w*(Timeout|Disconnect|Network)"
    r"|Failed to (construct|create new) [Kk]afka"
)

_TABLE: dict[str, Callable[[str, str, str], SluiceError]] = {
    _NO_SPACE: lambda table, brokers, why: errors.NO_SPACE(folder="the data folder"),
    _NO_MEMORY: lambda table, brokers, why: errors.OUT_OF_MEMORY(reason=why),
    _DATA_LOSS: lambda table, brokers, why: errors.KAFKA_DATA_LOSS(table=table, reason=why),
    _NO_TOPIC: lambda table, brokers, why: errors.KAFKA_TOPIC_MISSING(
        topic=f"that {table} reads", brokers=brokers
    ),
    _NO_LOGIN: lambda table, brokers, why: errors.KAFKA_LOGIN_FAILED(brokers=brokers, reason=why),
    _NO_ANSWER: lambda table, brokers, why: errors.BROKER_UNREACHABLE(brokers=brokers, reason=why),
}


def classify(fault: BaseException, table: str, brokers: str) -> SluiceError:
    """The condition a fault of a batch or of a query is an instance of."""
    if isinstance(fault, SluiceError):
        return fault
    text = "\n".join(messages(fault))
    if (bad := bad_message(text)) is not None:
        return bad
    ours = condition(fault)
    if ours is not None and (named := ours.error(table=table)) is not None:
        return named
    for pattern, make in _TABLE.items():
        if re.search(pattern, text):
            return make(table, brokers, reason(fault))
    return errors.BATCH_FAILED(reason=reason(fault))


def condition(fault: BaseException) -> Raised | None:
    """The condition that our Java has raised, None if it is another fault."""
    return raised.find("\n".join(messages(fault)), raised.JAVA)


def no_space(fault: BaseException) -> SluiceError | None:
    """The error for a full disk, if that is what a fault of Python, SQLite or the JVM is about."""
    if isinstance(fault, SluiceError) or not re.search(_NO_SPACE, "\n".join(messages(fault))):
        return None
    return errors.NO_SPACE(folder="the data folder")


def no_memory(fault: BaseException) -> SluiceError | None:
    """The error for a query that took too much memory, if that is what a fault is about."""
    text = "\n".join(messages(fault))
    ours = raised.find(text, raised.JAVA)
    if ours is not None and ours.name == errors.MEMORY_LIMIT_EXCEEDED.name:
        return ours.error()
    for pattern, why in _OF_QUERIES.items():
        if re.search(pattern, text):
            return errors.MEMORY_LIMIT_EXCEEDED(reason=why)
    return None


_OF_QUERIES = {
    r"java\.lang\.OutOfMemoryError": "nothing was left of what all share",
    r"\[UNABLE_TO_ACQUIRE_MEMORY\]": "a step of it cannot do with so little",
    r"\(spark\.driver\.maxResultSize": "its rows are more than an answer may have",
}


def causes(fault: BaseException, *, implicit: bool = False) -> list[BaseException]:
    """An exception and its causes, outermost first; if `implicit`, also what it was raised during.

    Each is listed once: PySpark's exceptions may be their own cause.
    """
    found: list[BaseException] = []
    cause: BaseException | None = fault
    while cause is not None and not any(cause is known for known in found):
        found.append(cause)
        during = cause.__context__ if implicit else None
        cause = getattr(cause, "cause", None) or cause.__cause__ or during
    return found


def messages(fault: BaseException) -> list[str]:
    """The message of a Spark exception and those of its causes, outermost first."""
    return [str(cause) for cause in causes(fault)]


def reason(fault: BaseException) -> str:
    """Why it failed, in one sentence: our or Spark's condition, else the innermost cause."""
    ours = raised.find("\n".join(messages(fault)), raised.EXPRESSION)
    named = ours.error() if ours is not None else None
    if named is not None:
        return named.message
    lines = [line.strip() for text in reversed(messages(fault)) for line in text.splitlines()]
    for line in lines:
        found = _CONDITION.search(line)
        if found and found[1] not in _WRAPPERS:
            return _ADVICE.sub("", found[2]).strip()
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    first = next((line for line in lines if line), type(fault).__name__)
    return (causes[-1] if causes else first)[:_LONGEST]


_CONDITION = re.compile(r"\[([A-Z_]+(?:\.[A-Z_]+)*)\] (.*?)(?: SQLSTATE: \w+.*)?$")
_ADVICE = re.compile(
    r"(?:Use `try_\w+`|If necessary,? set \"?spark\.|Correct the value as per).*", re.S
)
"""What Spark tells to do about it: its settings and functions are not our users'."""
_WRAPPERS = frozenset({"STREAM_FAILED", "TASK_WRITE_FAILED", "FAILED_EXECUTE_UDF"})
_LONGEST = 500
