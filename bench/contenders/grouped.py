"""How many customers each city has and the sum of their amounts, as their rows change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import changes
import flows

from contenders.job import expect

if TYPE_CHECKING:
    from collections.abc import Iterable


class Grouped:
    """The flow that groups a changelog, and what comes of it.

    How many messages an engine writes is up to it: the last one of each city counts.
    """

    def __init__(self, broker: str, source: str, sink: str, rows: int) -> None:
        self.flow = flows.groups(broker, source, sink)
        self._wanted = changes.cities(rows)
        self.rows = len(self._wanted)

    def check(self, messages: Iterable[bytes | None]) -> None:
        """The last message of each city has its count and sum."""
        found = {}
        for message in messages:
            if message is not None:
                row = json.loads(message)
                found[row["city"]] = (row["customers"], row["amount"])
        wrong = [each for each in self._wanted.items() if found.get(each[0]) != each[1]]
        expect("cities", wrong[:3], [])
