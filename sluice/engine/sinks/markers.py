"""Transaction markers: what the brokers keep of the last batch that each task of a sink wrote."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from sluice.engine.offsets import Ranges

_BETWEEN = " | "


@dataclass(frozen=True, slots=True)
class Marker:
    """The last batch that a task has written, committed in the transaction of its messages.

    `cut` is how the batch was cut into tasks, `ranges` a digest of the messages it was made of,
    `by` the token of the server's start that wrote it. Earlier versions kept the first alone.
    """

    batch: int
    cut: str
    ranges: str = ""
    by: str = ""

    def note(self) -> str:
        """Everything except the batch number, as one string."""
        return _BETWEEN.join((self.cut, self.ranges, self.by))

    @classmethod
    def read(cls, batch: int, note: str) -> Self:
        """The marker that `note` was made from."""
        return cls(batch, *note.split(_BETWEEN))

    @property
    def tasks(self) -> int:
        """Into how many tasks the batch was cut."""
        return int(self.cut.split()[0])


def digest(ranges: Ranges) -> str:
    """A short text that differs for different ranges."""
    return hashlib.sha256(json.dumps(ranges, sort_keys=True).encode()).hexdigest()[:32]
