"""Blocks in ClickHouse's Native format as clients of its protocol read them.

ClickHouse writes them here as for a client without a revision. From the first revision on a block
begins with information about itself, and a later one tells of each column whether it is serialized
in a special way. To know where a column ends, a query gets a marker after each: a column whose name
nobody can guess.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.types import quote_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BLOCK_INFO = b"\x01\x00\x02\xff\xff\xff\xff\x00"
"""Nothing overflowed, and no bucket."""
_CUSTOM_SERIALIZATION = 54454
_PLAIN = b"\x00"


@dataclass(frozen=True, slots=True)
class Marked:
    """A query whose columns are followed by markers, and what it makes of them."""

    columns: Sequence[tuple[str, str]]
    revision: int
    marker: str

    @classmethod
    def of(cls, columns: Sequence[tuple[str, str]], revision: int) -> Marked:
        """For a query with columns of these names and types."""
        return cls(columns, revision, secrets.token_hex(16))

    def query(self, query: str) -> str:
        """The query with markers between its columns, which have numbers for names."""
        names = [f"c{at}" for at in range(len(self.columns))]
        shown = ", ".join(
            f"{name}, toUInt8(0) AS {quote_name(f'{self.marker}{name}')}" for name in names
        )
        return f"SELECT {shown} FROM ({query}) AS __query({', '.join(names)})"

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The blocks of the query as they are for the client, one by one."""
        held = _Held(iter(chunks))
        while held.more():
            yield b"".join(self._block(held))
            held.forget()

    def _block(self, held: _Held) -> Iterator[bytes]:
        columns, rows = held.number(), held.number()
        yield _BLOCK_INFO
        yield _number(len(self.columns) if columns else 0)
        yield _number(rows)
        for at in range(columns // 2):
            name, type_ = self.columns[at]
            held.text(), held.text()
            yield _text(name)
            yield _text(type_)
            if self.revision >= _CUSTOM_SERIALIZATION:
                yield _PLAIN
            yield held.until(_text(f"{self.marker}c{at}"))
            held.text()
            held.take(rows)


class _Held:
    """Bytes that were read and not used yet."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._bytes = bytearray()
        self._at = 0

    def more(self) -> bool:
        return self._at < len(self._bytes) or self._read()

    def _read(self) -> bool:
        chunk = next(self._chunks, b"")
        self._bytes += chunk
        return bool(chunk)

    def forget(self) -> None:
        del self._bytes[: self._at]
        self._at = 0

    def take(self, size: int) -> bytes:
        while len(self._bytes) < self._at + size:
            if not self._read():
                raise EOFError
        self._at += size
        return bytes(self._bytes[self._at - size : self._at])

    def until(self, mark: bytes) -> bytes:
        """What is before the mark, which is taken, too."""
        searched = self._at
        while (found := self._bytes.find(mark, searched)) < 0:
            searched = max(self._at, len(self._bytes) - len(mark) + 1)
            if not self._read():
                raise EOFError
        data = bytes(self._bytes[self._at : found])
        self._at = found + len(mark)
        return data

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def text(self) -> bytes:
        return self.take(self.number())


def _number(value: int) -> bytes:
    """A number as VarUInt."""
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _text(text: str) -> bytes:
    made = text.encode("utf-8", "surrogateescape")
    return _number(len(made)) + made
