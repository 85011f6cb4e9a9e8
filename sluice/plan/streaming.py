"""How a query behaves as a stream, and what Spark has to be told before it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """How a query behaves as a stream.

    `updating` is True where a row may change later; `key` then names the columns of the result that
    tell its rows apart, None if they are not all selected, and `why` is the operator that makes it
    so, in Flink's words. `bounded_state` is False where the state grows for ever, unless the data
    itself is limited. `closes` is True where rows come when time is up: Spark does that in the mode
    "append" alone.
    """

    stream: bool = False
    stateful: bool = False
    updating: bool = False
    key: tuple[str, ...] | None = None
    bounded_state: bool = True
    why: str = ""
    closes: bool = False

    @property
    def mode(self) -> str:
        """Spark's output mode."""
        return "update" if self.updating else "append"


STILL = Shape()
"""What ends: a stored table, VALUES, a query without FROM."""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a query that Spark has to know as a view before the query itself.

    Of rows with the same values in `distinct` only the first one is left. `times` are columns that
    carry the watermark, with the milliseconds that they may be late; None takes it off a column.
    """

    view: str
    sql: str
    distinct: tuple[str, ...] = ()
    times: tuple[tuple[str, int | None], ...] = ()
