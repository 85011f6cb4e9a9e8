"""What a statement answers."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sluice.types import Type

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of an answer."""

    name: str
    type: Type
    spelled: str = ""
    """The type as the dialect of the statement calls it, if that is not ClickHouse's."""

    @property
    def type_name(self) -> str:
        """The type as answers name it."""
        return self.spelled or str(self.type)


class Stream:
    """An answer as bytes, in the format that was asked for, while it is being computed.

    `ended` is called once when all of it was read, or with what stopped that.
    """

    def __init__(
        self,
        chunks: Iterator[bytes],
        ended: Callable[[BaseException | None], None] | None = None,
    ) -> None:
        self._chunks = chunks
        self._ended = ended

    def __iter__(self) -> Iterator[bytes]:
        fault: BaseException | None = None
        try:
            yield from self._chunks
        except BaseException as bad:
            fault = bad
            raise
        finally:
            self.close(fault)

    def __del__(self) -> None:
        self.close()

    def close(self, fault: BaseException | None = None) -> None:
        """Stop reading."""
        if isinstance(self._chunks, Generator):
            self._chunks.close()
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(fault)


@dataclass(slots=True)
class Result:
    """Columns and rows; `format` is what the statement's FORMAT clause asked for.

    Values are plain Python: int, float, Decimal, bool, str, date, aware datetime, list, dict,
    tuple, None. A statement that answers nothing has no columns. With a `stream` the answer is
    that, and there are neither columns nor rows. `written` are the rows that an INSERT has written,
    `written_bytes` the size of their files, `zone` is the time zone of the answer. `progress` tells
    what the statement has read and written, also while a stream is read.
    """

    columns: tuple[ResultColumn, ...] = ()
    rows: Sequence[Row] = ()
    format: str | None = None
    stream: Stream | None = None
    written: int = 0
    written_bytes: int = 0
    zone: str = "UTC"
    progress: Callable[[], Mapping[str, int]] = dict

    def fetchall(self) -> list[Row]:
        """All rows."""
        return list(self.rows)

    def fetchone(self) -> Row | None:
        """The first row, or None."""
        return self.rows[0] if self.rows else None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)
