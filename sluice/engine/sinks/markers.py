"""Transaction markers: what the brokers keep of the last batch that each task of a sink wrote."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import offsets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from sluice.catalog import Instance
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


class Markers:
    """The markers that the tasks of a sink have left in its topic, by task.

    They tell which batches the topic has, and whether a batch may be written: by this server, with
    the tasks and the messages of an earlier attempt.
    """

    def __init__(self, topic: str, instance: Instance) -> None:
        """Those of a topic that `instance` writes to; none until `read`."""
        self._topic = topic
        self._instance = instance
        self._known: Mapping[int, Marker] = {}

    def read(self, found: Mapping[int, tuple[int, str]]) -> None:
        """Take what the brokers have: the batch and the note of each task."""
        self._known = {int(task): Marker.read(batch, note) for task, (batch, note) in found.items()}

    def newest(self) -> int:
        """The newest batch that some task has written; -1 for none."""
        return max((marker.batch for marker in self._known.values()), default=-1)

    def last(self) -> int:
        """The last batch that every task has written; -1 for none."""
        newest = self.newest()
        having = [marker for marker in self._known.values() if marker.batch == newest]
        # A batch begins only when the one before is complete.
        return newest if not having or len(having) == having[0].tasks else newest - 1

    def tasks(self, batch: int) -> int:
        """How many tasks were to write a batch that was begun already; 0 if it was not."""
        begun = (marker.tasks for marker in self._known.values() if marker.batch == batch)
        return next(begun, 0)

    def check_owner(self, token: str) -> None:
        """Make sure that the start of a server with this token was on this data folder.

        Raises:
            SluiceError: DATA_FOLDER_COPIED.
        """
        if not self._instance.wrote(token):
            what = f"a server on another one writes to topic {self._topic}"
            raise errors.DATA_FOLDER_COPIED(what=what)

    def check_batch(self, mine: Marker, ranges: Ranges) -> None:
        """Make sure that the first batch after the start continues what the markers tell.

        Raises:
            SluiceError: SINK_IS_AHEAD, SINK_TASKS_CHANGED, BATCH_RANGES_DIFFER, and
                DATA_FOLDER_COPIED.
        """
        newest = self.newest()
        for marker in self._known.values():
            self.check_owner(marker.by)
        if mine.batch < newest:
            raise errors.SINK_IS_AHEAD(topic=self._topic, newest=newest, batch=mine.batch)
        self.check_ranges(mine.batch, ranges)
        for marker in self._known.values():
            if marker.batch == mine.batch and marker.cut != mine.cut:
                raise errors.SINK_TASKS_CHANGED(
                    topic=self._topic, batch=mine.batch, before=marker.cut, now=mine.cut
                )
        if mine.batch > newest:
            self._known = {}

    def check_ranges(self, batch: int, ranges: Ranges) -> None:
        """Make sure that what some task has written of a batch is of the same messages.

        Raises:
            SluiceError: BATCH_RANGES_DIFFER, or DATA_FOLDER_COPIED.
        """
        mine = digest(ranges)
        for marker in self._known.values():
            if marker.batch == batch and marker.ranges not in ("", mine):
                self.check_owner(marker.by)
                stored = f"messages with the digest {marker.ranges}"
                given = f"{offsets.shown(ranges)} (digest {mine})"
                raise errors.BATCH_RANGES_DIFFER(
                    target=f"Topic {self._topic}", batch=batch, stored=stored, given=given
                )
