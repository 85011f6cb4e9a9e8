"""Waiting, through SQL, until a pipeline has brought its rows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.session import Session

POLL_S = 0.5
STALL_S = 90.0
"""Without a new row for so long, something is wrong."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """How far a pipeline is: rows in the target, messages still to read, its state and error."""

    rows: int
    lag: int
    state: str
    error: str

    @property
    def failed(self) -> bool:
        """Whether it has given up."""
        return self.state.startswith("FAILED")


def look(session: Session) -> Ingest:
    """Query the count of `github` and the state of the consumers."""
    counted = session.execute("SELECT count() FROM github").fetchone()
    consumers = session.execute("SELECT * FROM system.kafka_consumers")
    names = [column.name for column in consumers.columns]
    rows = [dict(zip(names, row, strict=True)) for row in consumers]
    return Ingest(
        rows=int(counted[0]) if counted else 0,
        lag=sum(int(row.get("lag") or 0) for row in rows),
        state=", ".join(sorted({str(row.get("state", "")) for row in rows})),
        error=next((text for row in rows for text in reversed(_errors(row))), ""),
    )


def _errors(consumer: dict[str, object]) -> list[str]:
    texts = consumer.get("exceptions.text")
    return [str(text) for text in texts] if isinstance(texts, list) else []


def wait_for(
    session: Session,
    rows: int,
    show: Callable[[Ingest], None],
    stopped: Callable[[float], bool],
    stall_s: float = STALL_S,
) -> Ingest:
    """Poll until all rows have arrived and none is left to read.

    Ends early when the pipeline fails, when nothing moves for `stall_s`, or when `stopped`, which
    waits the seconds it is given, says so. The caller compares the rows.
    """
    state, moved = look(session), time.monotonic()
    while not _is_over(state, rows):
        show(state)
        if stopped(POLL_S) or time.monotonic() - moved > stall_s:
            break
        before, state = state, look(session)
        if state.rows != before.rows:
            moved = time.monotonic()
    return state


def _is_over(state: Ingest, rows: int) -> bool:
    return state.failed or (state.rows >= rows and state.lag == 0)
