"""New messages of idle topics: one request for the end offsets of all topics of a cluster."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from sluice.errors import SluiceError
from sluice.kafka import admins
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from sluice.kafka.cluster import Offsets, Topic

POLL_S = 0.2
"""Seconds between requests for end offsets."""

DESCRIBE_S = 2.0
"""Seconds between requests for the topics' ids and partitions."""


class Watch:
    """One idle reader's topics: `wake` is set when one of them has changed in any way."""

    def __init__(self, poller: _Poller, names: Iterable[str], wake: threading.Event) -> None:
        self.names = frozenset(names)
        self.wake = wake
        self._poller = poller
        self._topics: dict[str, Topic] = {}
        self._ends: Offsets | None = None

    @property
    def answered(self) -> bool:
        """Whether the last request was answered; if not, the cause may be another topic."""
        return self._ends is not None

    def topics(self, names: Iterable[str]) -> dict[str, Topic]:
        """Those of the topics that exist, as last seen."""
        return {name: self._topics[name] for name in names if name in self._topics}

    def latest(self, names: Iterable[str]) -> Offsets:
        """Where the topics end, as last seen."""
        ends = self._ends or {}
        return {name: dict(ends[name]) for name in names if name in ends}

    def close(self) -> None:
        """Watch no longer."""
        self._poller.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _seen(self, topics: Mapping[str, Topic], ends: Offsets | None) -> None:
        mine = {name: topics[name] for name in self.names if name in topics}
        own = None if ends is None else {n: ends[n] for n in self.names if n in ends}
        if (mine, own) != (self._topics, self._ends):
            self._topics, self._ends = mine, own
            self.wake.set()


class _Poller:
    """Polls one cluster for all its watches, in a thread that runs while there are any."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._cluster = Cluster(properties)
        self._watches: set[Watch] = set()
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, names: Iterable[str], wake: threading.Event) -> Watch:
        made = Watch(self, names, wake)
        with self._lock:
            self._watches.add(made)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="kafka-watch", daemon=True)
                self._thread.start()
        self._changed.set()
        return made

    def remove(self, watch: Watch) -> None:
        with self._lock:
            self._watches.discard(watch)

    def _run(self) -> None:
        topics: dict[str, Topic] = {}
        described = 0.0
        while watches := self._alive():
            if self._changed.is_set() or time.monotonic() >= described + DESCRIBE_S:
                self._changed.clear()
                described = 0.0
            try:
                if not described:
                    topics = self._cluster.topics({n for each in watches for n in each.names})
                    described = time.monotonic()
                ends = self._cluster.ends(topics.values())
            except SluiceError:
                ends, described = None, 0.0
            for each in watches:
                each._seen(topics, ends)
            time.sleep(POLL_S if ends is not None else DESCRIBE_S)
        self._cluster.close()

    def _alive(self) -> list[Watch]:
        with self._lock:
            if not self._watches:
                self._thread = None
            return list(self._watches)


_pollers: WeakValueDictionary[frozenset[tuple[str, str]], _Poller] = WeakValueDictionary()
_lock = threading.Lock()


def watch(properties: Mapping[str, str], names: Iterable[str], wake: threading.Event) -> Watch:
    """Set `wake` whenever one of the topics gets messages, or is created, deleted or changed."""
    with _lock:
        poller = _pollers.setdefault(admins.key(properties), _Poller(properties))
    return poller.add(names, wake)
