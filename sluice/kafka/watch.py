"""New messages of idle topics: one request for the end offsets of all topics of a cluster."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from sluice.errors import SluiceError
from sluice.kafka import admins
from sluice.kafka.client import GONE
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from sluice.kafka.cluster import Offsets, Topic

log = logging.getLogger(__name__)

POLL_S = 0.2
"""Seconds between requests for end offsets."""

_SHARE = 4
"""How many times as long as its answer takes nothing is asked, if that is longer."""

DESCRIBE_S = 2.0
"""Seconds between requests for the topics' ids and partitions."""


class Watch:
    """One idle reader's topics: `wake` is called when one of them has changed in any way.

    `same` is called when they were asked for and have not.
    """

    def __init__(
        self,
        poller: _Poller,
        names: Iterable[str],
        wake: Callable[[], None],
        same: Callable[[], None],
    ) -> None:
        self.names = frozenset(names)
        self._wake = wake
        self._same = same
        self._poller = poller
        self._topics: dict[str, Topic] = {}
        self._ends: Offsets | None = None
        self._fault: SluiceError | None = None

    @property
    def answered(self) -> bool:
        """Whether it is known how the topics are, or that no broker answers.

        If not, the cause may be another topic.
        """
        return self._ends is not None or self._fault is not None

    def topics(self, names: Iterable[str]) -> dict[str, Topic]:
        """Those of the topics that exist, as last seen.

        Raises:
            SluiceError: why no broker answers.
        """
        if (fault := self._fault) is not None:
            raise type(fault)(fault.condition, fault.params)
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

    def _seen(
        self, topics: Mapping[str, Topic], ends: Offsets | None, fault: SluiceError | None
    ) -> None:
        mine = {name: topics[name] for name in self.names if name in topics}
        own = None if ends is None else {n: ends[n] for n in self.names if n in ends}
        if (mine, own, _text(fault)) != (self._topics, self._ends, _text(self._fault)):
            self._topics, self._ends, self._fault = mine, own, fault
            self._wake()
        elif own is not None:
            self._same()


def _text(fault: SluiceError | None) -> str:
    return "" if fault is None else fault.text()


class _Poller:
    """Polls one cluster for all its watches, in a thread that runs while there are any."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._cluster = Cluster(properties)
        self._watches: set[Watch] = set()
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None

    def add(
        self, names: Iterable[str], wake: Callable[[], None], same: Callable[[], None]
    ) -> Watch:
        made = Watch(self, names, wake, same)
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
            began = time.monotonic()
            ends: Offsets | None = None
            gone: SluiceError | None = None
            try:
                if not described:
                    topics = self._cluster.topics({n for each in watches for n in each.names})
                    described = time.monotonic()
                ends = self._cluster.ends(topics.values())
            except SluiceError as fault:
                described = 0.0
                gone = fault if fault.condition in GONE else None
            except Exception:
                described = 0.0
                log.exception("the topics of idle tables cannot be asked for")
            pause = DESCRIBE_S if ends is None else _SHARE * (time.monotonic() - began)
            for each in watches:
                each._seen(topics, ends, gone)
            time.sleep(max(POLL_S, pause))
        self._cluster.close()

    def _alive(self) -> list[Watch]:
        with self._lock:
            if not self._watches:
                self._thread = None
            return list(self._watches)


_pollers: WeakValueDictionary[frozenset[tuple[str, str]], _Poller] = WeakValueDictionary()
_lock = threading.Lock()


def watch(
    properties: Mapping[str, str],
    names: Iterable[str],
    wake: Callable[[], None],
    same: Callable[[], None] = lambda: None,
) -> Watch:
    """Call `wake` whenever one of the topics gets messages, or is created, deleted or changed.

    It is called by the thread that asks for all, as is `same` after each question with the same
    answer: neither may wait for anything.
    """
    with _lock:
        poller = _pollers.setdefault(admins.key(properties), _Poller(properties))
    return poller.add(names, wake, same)
