"""What a fault of the world is called: Spark's exceptions as conditions of ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.errors import SluiceError, raised
from sluice.pipelines.rows import bad_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors.raised import Raised


_NO_ANSWER = (
    r"kafka\.common\.errors\.\w*(Timeout|Disconnect|Network)"
    r"|Failed to (construct|create new) [Kk]afka"
)

_NO_SPACE = r"No space left on device|Disk quota exceeded|database or disk is full"
_NO_MEMORY = r"OutOfMemoryError|UNABLE_TO_ACQUIRE_MEMORY|Java heap space|GC overhead limit"
_NO_LOGIN = (
    r"(Sasl|Ssl)AuthenticationException|SSLHandshakeException|javax\.security\.auth\.login"
    r"|InvalidConfigurationException: .*PEM|Failed to load PEM"
)

_TABLE: tuple[tuple[str, Callable[[str, str, str], SluiceError]], ...] = (
    (
        _NO_SPACE,
        lambda table, brokers, why: errors.NO_SPACE(folder="the data folder"),
    ),
    (
        _NO_MEMORY,
        lambda table, brokers, why: errors.OUT_OF_MEMORY(reason=why),
    ),
    (
        r"OffsetOutOfRange|KAFKA_DATA_LOSS|data may have been lost|PARTITION_OFFSET_CHANGED",
        lambda table, brokers, why: errors.KAFKA_DATA_LOSS(table=table, reason=why),
    ),
    (
        r"UnknownTopicOrPartition|does not host this topic-partition",
        lambda table, brokers, why: errors.KAFKA_TOPIC_MISSING(
            topic=f"that {table} reads", brokers=brokers
        ),
    ),
    (
        _NO_LOGIN,
        lambda table, brokers, why: errors.KAFKA_LOGIN_FAILED(brokers=brokers, reason=why),
    ),
    (
        _NO_ANSWER,
        lambda table, brokers, why: errors.BROKER_UNREACHABLE(brokers=brokers, reason=why),
    ),
)


def classify(fault: BaseException, table: str, brokers: str) -> SluiceError:
    """The condition a fault of a batch or of a query is an instance of."""
    if isinstance(fault, SluiceError):
        return fault
    text = "\n".join(said(fault))
    bad = bad_message(text)
    if bad is not None:
        return bad
    ours = condition(fault)
    named = ours.error(table=table) if ours is not None else None
    if named is not None:
        return named
    for pattern, make in _TABLE:
        if re.search(pattern, text):
            return make(table, brokers, reason(fault))
    return errors.BATCH_FAILED(reason=reason(fault))


def condition(fault: BaseException) -> Raised | None:
    """The condition that our Java has raised, None if it is another fault."""
    return raised.find("\n".join(said(fault)), raised.JAVA)


def no_space(fault: BaseException) -> SluiceError | None:
    """The error for a full disk, if that is what a fault of Python, SQLite or the JVM is about."""
    if isinstance(fault, SluiceError) or not re.search(_NO_SPACE, "\n".join(said(fault))):
        return None
    return errors.NO_SPACE(folder="the data folder")


def causes(fault: BaseException, *, implicit: bool = False) -> list[BaseException]:
    """An exception and its causes, outermost first; if `implicit`, also what it was raised during.

    Each is listed once: exceptions of PySpark's may be their own cause.
    """
    found: list[BaseException] = []
    cause: BaseException | None = fault
    while cause is not None and not any(cause is known for known in found):
        found.append(cause)
        during = cause.__context__ if implicit else None
        cause = getattr(cause, "cause", None) or cause.__cause__ or during
    return found


def said(fault: BaseException) -> list[str]:
    """What an exception of Spark's says, and what each of its causes says, outermost first."""
    return [str(cause) for cause in causes(fault)]


def reason(fault: BaseException) -> str:
    """Why it failed, in one sentence: the innermost cause, best one of Spark's conditions."""
    lines = [line.strip() for text in reversed(said(fault)) for line in text.splitlines()]
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
