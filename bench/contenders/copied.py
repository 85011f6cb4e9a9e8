"""Every event of a topic in another, once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import flows

from contenders.job import expect
from sluice.broker import github_events

if TYPE_CHECKING:
    from collections.abc import Iterable

_ID = re.compile(rb'"comment_id":(\d+)')


class Copied:
    """The flow that copies events, and how many rows come of it."""

    def __init__(self, broker: str, source: str, sink: str, rows: int, promise: str) -> None:
        self.flow = flows.copy(broker, source, sink, promise)
        self.rows = rows

    def check(self, messages: Iterable[bytes]) -> None:
        """Every event is there, and none twice."""
        seen = bytearray(self.rows)
        count = 0
        for count, message in enumerate(messages, 1):  # noqa: B007 - it is looked at behind
            seen[number(message)] = 1
        expect("rows and distinct", (count, sum(seen)), (self.rows, self.rows))


def number(message: bytes) -> int:
    """Which event of the sequence a message holds."""
    found = _ID.search(message)
    if found is None:
        raise SystemExit(f"no comment_id in {message!r}")
    return int(found[1]) - github_events.FIRST_COMMENT
