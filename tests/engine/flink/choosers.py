"""Classes that choose partitions, as an operator would have them."""

from __future__ import annotations

from typing import Any


class ByNumber:
    """The row's own number; FL-99."""

    def __init__(self) -> None:
        self.tasks = 0

    def open(self, task: int, tasks: int) -> None:
        assert 0 <= task < tasks
        self.tasks = tasks

    def partition(
        self, row: dict[str, Any], key: bytes | None, value: bytes, topic: str, partitions: int
    ) -> int:
        assert self.tasks == 2
        assert key is None
        assert value == row["v"].encode()
        return int(row["v"]) % partitions


class Beyond:
    """One that is wrong."""

    def partition(self, *_: object) -> int:
        return 99
