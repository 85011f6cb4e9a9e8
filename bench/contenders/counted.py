"""How many events of each type there were in every ten seconds."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import flows

from contenders.job import expect
from sluice.broker import github_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Key = tuple[str, str]

_EVENT = re.compile(rb'"event_type":"(\w+)".*?"created_at":"([^"]+)\d"')
"""The type, and the time without its last digit, which names the window."""

_NAME = len("2023-01-02 00:00:0")
_OPEN = flows.DELAY_S // flows.WINDOW_S + 2


class Counted:
    """The flow that counts, and what comes of it.

    Windows are open until later events close them, so the last ones may be there or not.
    """

    def __init__(self, broker: str, source: str, sink: str, rows: int) -> None:
        self.flow = flows.window(broker, source, sink)
        self._wanted = Counter(_windows(github_events.events(rows)))
        last = sorted({name for name, _ in self._wanted})[-_OPEN:]
        self._open = {key for key in self._wanted if key[0] in last}
        self.rows = len(self._wanted) - len(self._open)

    def check(self, messages: Iterable[bytes]) -> None:
        """Every closed window is there once, with the right count."""
        found: Counter[Key] = Counter()
        for message in messages:
            row = json.loads(message)
            key = (row["window_start"][:_NAME], row["event_type"])
            expect(f"rows of {key} before this one", found[key], 0)
            found[key] = row["events"]
        missing = self._wanted.keys() - self._open - found.keys()
        expect("windows that are missing", len(missing), 0)
        expect("counts", [(k, n) for k, n in found.items() if n != self._wanted[k]][:3], [])


def _windows(events: Iterable[bytes]) -> Iterator[Key]:
    for event in events:
        found = _EVENT.search(event)
        if found is None:
            raise SystemExit(f"no type and time in {event!r}")
        yield found[2].decode(), found[1].decode()
