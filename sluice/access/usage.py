"""What quotas count: how much each of their keys has used in the current intervals."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.access.effective import Access
    from sluice.access.entities import Interval, Quota

KEYS = {
    "user_name": lambda access: access.user,
    "ip_address": lambda access: access.address,
}
"""What a quota can be keyed by, and how the key is found."""

COUNTED = (
    "queries", "query_selects", "query_inserts", "errors", "result_rows", "read_rows",
    "execution_time",
)  # fmt: skip
"""What a quota can limit."""


@dataclass(slots=True)
class Used:
    """What was used since an interval began."""

    began: float
    counts: Counter[str] = field(default_factory=Counter)


class Usage:
    """Counters in memory: they begin anew with the server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: dict[tuple[str, str, int], Used] = {}

    def begin(self, access: Access, kind: str) -> None:
        """Count a statement, if a quota leaves room for it.

        Raises:
            SluiceError: QUOTA_EXCEEDED.
        """
        counted = {"queries": 1.0}
        if kind in ("Select", "Insert"):
            counted[f"query_{kind.lower()}s"] = 1.0
        with self._lock:
            for quota, interval, used in self._intervals(access):
                for name, limit in interval.limits.items():
                    if used.counts[name] + counted.get(name, 0) > limit or (
                        name not in counted and used.counts[name] >= limit > 0
                    ):
                        raise self._exceeded(access, quota, interval, name, used)
            self._add(access, counted)

    def end(
        self, access: Access, *, failed: bool, rows: int, read: int = 0, seconds: float
    ) -> None:
        """Count what a statement has used."""
        with self._lock:
            counted = {"result_rows": rows, "read_rows": read, "execution_time": seconds}
            self._add(access, counted | ({"errors": 1.0} if failed else {}))

    def _add(self, access: Access, counted: dict[str, float]) -> None:
        for _, _, used in self._intervals(access):
            for name, number in counted.items():
                used.counts[name] += number  # type: ignore[assignment]

    def _intervals(self, access: Access) -> Iterator[tuple[Quota, Interval, Used]]:
        for quota in access.quotas:
            key = key_of(quota, access)
            for interval in quota.intervals:
                yield quota, interval, self._current(quota, key, interval)

    def _current(self, quota: Quota, key: str, interval: Interval) -> Used:
        """The counters of an interval; intervals begin at multiples of their length."""
        began = time.time() // interval.seconds * interval.seconds
        used = self._used.get((quota.id, key, interval.seconds))
        if used is None or used.began != began:
            used = self._used[quota.id, key, interval.seconds] = Used(began)
        return used

    def _exceeded(
        self, access: Access, quota: Quota, interval: Interval, name: str, used: Used
    ) -> errors.SluiceError:
        until = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(used.began + interval.seconds))
        return errors.QUOTA_EXCEEDED(
            user=access.user,
            quota=quota.name,
            resource=name,
            seconds=interval.seconds,
            used=f"{used.counts[name]:g}",
            limit=f"{interval.limits[name]:g}",
            until=until,
        )

    def all(self, quota: Quota) -> list[tuple[str, Interval, Used]]:
        """What was used of a quota, by its keys."""
        with self._lock:
            return [
                (key, interval, used)
                for interval in quota.intervals
                for (id_, key, seconds), used in self._used.items()
                if id_ == quota.id
                and seconds == interval.seconds
                and used.began + interval.seconds > time.time()
            ]


def key_of(quota: Quota, access: Access) -> str:
    """What a user's statements are counted under."""
    return ",".join(KEYS[key](access) for key in quota.keys if key in KEYS)
