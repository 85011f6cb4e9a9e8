"""Which jobs can run message by message, in Spark's Real-Time Mode, and why others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.plan.job import Output, QuerySpec

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
        SluiceError: UNSUPPORTED_STATEMENT with the reason.
    """
    for reason, holds in _REASONS:
        if holds(query):
            what = f"A latency of '{REALTIME}' for this job"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=f"{reason}.")


def _any(test: Callable[[Output], bool]) -> Callable[[QuerySpec], bool]:
    return lambda query: any(test(output) for output in query.outputs)


_REASONS: tuple[tuple[str, Callable[[QuerySpec], bool]], ...] = (
    ("It is for a single INSERT, not for a set of them", lambda q: len(q.outputs) != 1),
    ("It is for queries that keep no state", lambda q: q.stateful),
    ("It reads a single table over topics", lambda q: len(q.streams) != 1 or len(q.inputs) != 1),
    ("It is for topics that are read without an end", lambda q: q.bounded),
    ("It writes to a topic, not to a stored table", _any(lambda o: o.sink is None)),
    (
        "It writes at least once; leave sink.delivery-guarantee and sink.semantic out",
        _any(lambda o: o.sink is not None and o.sink.guarantee == "exactly-once"),
    ),
    (
        "Spark cannot give messages a timestamp then; declare the column as VIRTUAL",
        _any(lambda o: o.sink is not None and any(m.key == "timestamp" for m in o.sink.metadata)),
    ),
    (
        "A partitioner of Python's cannot be called then",
        _any(lambda o: o.sink is not None and ":" in o.sink.partitioner),
    ),
)
