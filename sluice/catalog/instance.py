"""Whose a data folder is: an identity that it keeps, and a name for each start of a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Instance:
    """A data folder, and one start of a server on it.

    A copy of the folder has its `id`, so that alone tells nothing. What is written, to tables and
    to Kafka, carries the `token` of the start that wrote it. `past` are the tokens of all starts
    before: what carries any other was written by a server on a copy of the folder. Starts up to
    `trusted`, in seconds since 1970, count as its own: those of a folder that was restored from a
    backup may be in no catalog.

    A copy that was given an identity of its own, at `renamed`, has a `suffix` for all names in
    Kafka that it would share with the original.
    """

    id: str
    token: str
    past: frozenset[str] = frozenset()
    trusted: int = 0
    suffix: str = ""
    renamed: datetime | None = None

    def wrote(self, token: str) -> bool:
        """Whether this folder's own servers have written something; what has no token counts."""
        if not token or token == self.token or token in self.past:
            return True
        return int(token.split(":")[1]) <= self.trusted

    def named(self, name: str, created: datetime) -> str:
        """A name in Kafka, of what was created at some time: in a copy another than it was."""
        own = name and self.renamed is not None and created < self.renamed
        return f"{name}{self.suffix}" if own else name


NOBODY = Instance("", "")
"""For processes that write nothing another one could write."""
