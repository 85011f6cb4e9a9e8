"""What a column knows of event time: its watermark, and its window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.sql.core.spark import Sql

ROWTIME, PROCTIME, START, END, WINDOW = "rowtime", "proctime", "start", "end", "window"


@dataclass(frozen=True, slots=True)
class Time:
    """A time attribute.

    `role` is ROWTIME, PROCTIME, the START or END of a window, or the WINDOW itself as a key of
    GROUP BY. `delay` is that of the watermark, None for what is no stream. `window` tells windows
    apart, 0 for a time of no window. `carried` is True where Spark knows the watermark of this very
    column. `whole` is the window that Spark has to group by, where start and end are only parts;
    `session` is True for a WINDOW whose end depends on the rows.
    """

    role: str
    delay: int | None = None
    window: int = 0
    carried: bool = True
    whole: Sql | None = None
    session: bool = False

    @property
    def marks(self) -> bool:
        """Whether it can carry the watermark."""
        return self.role in (ROWTIME, END) and self.delay is not None


CLOCK = Time(PROCTIME, carried=False)
"""The time at which a row is processed."""
