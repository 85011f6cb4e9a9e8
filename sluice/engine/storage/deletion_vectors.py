"""Deletion vectors: the numbers of deleted rows of a data file, as Delta stores them."""

from __future__ import annotations

import struct
import threading
import uuid
import zlib
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pyroaring import BitMap64

from sluice import errors
from sluice.clickhouse.tables import deleted_rows_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.clickhouse.data_files import DeletionVector

_PORTABLE = 1681511377
"""The number before a bitmap in the format that all implementations share."""

_LIMIT = 512 << 20
"""Bytes of files with deleted rows: 64 million of them."""

_UUID = 20
"""Characters of a UUID in Z85."""

_Z85 = {
    letter: value
    for value, letter in enumerate(
        b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
}


class DeletedRows:
    """A folder with the deleted rows of data files, in files that ClickHouse reads.

    They are written once for each vector, which never changes; the ones that were not asked for
    longest are removed when they take more than `limit` bytes together.
    """

    def __init__(self, folder: Path, limit: int = _LIMIT) -> None:
        self.folder = folder
        self._limit = limit
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def write(self, table: Path, vectors: Iterable[DeletionVector]) -> None:
        """Make sure that there is a file for each of these vectors of a table.

        Raises:
            SluiceError: DELETION_VECTOR_INVALID.
        """
        with self._lock:
            asked = {deleted_rows_name(vector): vector for vector in vectors}
            for name, vector in asked.items():
                if name not in self._sizes:
                    self._sizes[name] = self._written(name, deleted_rows(table, vector))
                self._sizes.move_to_end(name)
            total = sum(self._sizes.values())
            while total > self._limit and len(self._sizes) > len(asked):
                name, size = self._sizes.popitem(last=False)
                (self.folder / name).unlink(missing_ok=True)
                total -= size

    def _written(self, name: str, rows: BitMap64) -> int:
        """Write a file, as a whole or not at all: another process may read it."""
        part = self.folder / f"{name}.part"
        part.write_bytes(rows.to_array().tobytes())
        part.rename(self.folder / name)
        return 8 * len(rows)


def deleted_rows(table: Path, vector: DeletionVector) -> BitMap64:
    """The numbers of the deleted rows, from 0.

    Raises:
        SluiceError: DELETION_VECTOR_INVALID if the bytes are not what their descriptor says.
    """
    content = _inline(vector) if vector.storage == "i" else _stored(table, vector)
    if len(content) != vector.size or content[:4] != struct.pack("<i", _PORTABLE):
        raise _invalid(table, vector)
    try:
        found = BitMap64.deserialize(content[4:])
    except ValueError as bad:
        raise _invalid(table, vector) from bad
    if len(found) != vector.rows:
        raise _invalid(table, vector)
    return found


def portable(rows: BitMap64) -> bytes:
    """The numbers of deleted rows as Delta stores them."""
    return struct.pack("<i", _PORTABLE) + rows.serialize()


def vector_path(table: Path, vector: DeletionVector) -> Path:
    """The file that a stored deletion vector is in."""
    if vector.storage == "p":
        return Path(unquote(urlsplit(vector.data).path))
    folder, code = vector.data[:-_UUID], vector.data[-_UUID:]
    return table / folder / f"deletion_vector_{uuid.UUID(bytes=decode_z85(code))}.bin"


def decode_z85(text: str) -> bytes:
    """The bytes that five letters each stand for four of."""
    found = bytearray()
    letters = text.encode("ascii")
    for start in range(0, len(letters), 5):
        number = 0
        for letter in letters[start : start + 5]:
            number = number * 85 + _Z85[letter]
        found += struct.pack(">I", number)
    return bytes(found)


def _inline(vector: DeletionVector) -> bytes:
    return decode_z85(vector.data)[: vector.size]


def _stored(table: Path, vector: DeletionVector) -> bytes:
    """The bytes of a file: their size comes before them, and a checksum after."""
    with vector_path(table, vector).open("rb") as file:
        file.seek(vector.offset)
        (size,) = struct.unpack(">I", file.read(4))
        content = file.read(size)
        checksum = file.read(4)
    if checksum != struct.pack(">I", zlib.crc32(content)):
        raise _invalid(table, vector)
    return content


def _invalid(table: Path, vector: DeletionVector) -> errors.SluiceError:
    return errors.DELETION_VECTOR_INVALID(path=table, vector=vector.id)
