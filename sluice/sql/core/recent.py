"""What was made of the texts that came last: most statements are sent again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Things by their texts, the `most` that were used last; none of a text that is very long.

    Threads may share it, and what is in it: nobody changes that.
    """

    def __init__(self, most: int = 512, longest: int = 1 << 14) -> None:
        self._most = most
        self._longest = longest
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> T | None:
        """What was made of a text, if that is still known."""
        with self._lock:
            found = self._kept.get(text)
            if found is not None:
                self._kept.move_to_end(text)
            return found

    def keep(self, text: str, made: T) -> None:
        """Remember what was made of a text."""
        if len(text) > self._longest:
            return
        with self._lock:
            self._kept[text] = made
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
