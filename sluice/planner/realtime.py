"""Which jobs can run message by message, in Spark's Real-Time Mode, and why others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.planner.query import Output, QuerySpec

SETTING = "sluice.latency"
REALTIME = "realtime"


def wanted(query: QuerySpec, settings: Mapping[str, str]) -> bool:
    """Whether a query is to run so: its sink says it, or the session did."""
    if settings.get(SETTING) == REALTIME:
        return True
    return any(output.sink is not None and output.sink.realtime for output in query.outputs)


def check(query: QuerySpec) -> None:
    """Make sure that a query can run so.

    Raises:
        SluiceError: REALTIME_NOT_SUPPORTED with the reason.
    """
    for reason, hint, holds in _REASONS:
        if holds(query):
            raise errors.REALTIME_NOT_SUPPORTED(reason=reason, hint=hint)


def _any(test: Callable[[Output], bool]) -> Callable[[QuerySpec], bool]:
    return lambda query: any(test(output) for output in query.outputs)


_REASONS: tuple[tuple[str, str, Callable[[QuerySpec], bool]], ...] = (
    ("the job has several INSERTs", "Run each as a job of its own.", lambda q: len(q.outputs) != 1),
    ("the query keeps state", "", lambda q: q.stateful),
    (
        "the messages are changes of rows",
        "",
        lambda q: any(s.source is not None and s.source.changes for s in q.streams),
    ),
    ("the sink takes changes of rows", "", _any(lambda o: o.sink is not None and o.sink.changes)),
    (
        "the query does not read exactly one Kafka table",
        "",
        lambda q: len(q.streams) != 1 or len(q.inputs) != 1,
    ),
    (
        "the source has debezium.transactions",
        "A transaction is whole in a batch: leave one of the two out.",
        lambda q: any(s.source is not None and s.source.transactions for s in q.streams),
    ),
    ("the source is bounded", "Leave scan.bounded.mode out.", lambda q: q.bounded),
    ("the sink is not a Kafka table", "", _any(lambda o: o.sink is None)),
    (
        "the sink is exactly-once",
        "Real-Time Mode writes at least once: leave sink.delivery-guarantee and sink.semantic out.",
        _any(lambda o: o.sink is not None and o.sink.guarantee == "exactly-once"),
    ),
    (
        "the sink writes the timestamp of its messages",
        "Declare the column as VIRTUAL.",
        _any(lambda o: o.sink is not None and any(m.key == "timestamp" for m in o.sink.metadata)),
    ),
    (
        "the sink has a partitioner written in Python",
        "",
        _any(lambda o: o.sink is not None and ":" in o.sink.partitioner),
    ),
)
