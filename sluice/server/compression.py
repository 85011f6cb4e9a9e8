"""Compressed bodies of requests and answers: HTTP's encodings, and ClickHouse's own blocks."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ENCODINGS = {
    "gzip": "gzip", "deflate": "zlib", "br": "brotli", "zstd": "zstd", "lz4": "lz4", "xz": "xz",
    "bz2": "bzip2", "snappy": "snappy",
}  # fmt: skip
"""What Content-Encoding names, as ClickHouse does too, and the codec of each."""

BLOCKS = "blocks of ClickHouse"
"""What `compress=1` and `decompress=1` are about, for errors."""
_CHECKSUM = struct.Struct("<QQ")
_HEAD = struct.Struct("<BII")
"""The method, the size of the block with this head, and the size of what is in it."""
_LZ4, _ZSTD, _NONE = 0x82, 0x90, 0x02
_LARGEST = 1 << 20
"""Bytes that are compressed into one block."""


def accepted(header: str) -> str:
    """The first encoding of an Accept-Encoding header that is known; empty if there is none."""
    for part in header.split(","):
        name, _, quality = part.strip().partition(";")
        if name.strip().lower() in ENCODINGS and quality.replace(" ", "") not in ("q=0", "q=0.0"):
            return name.strip().lower()
    return ""


def encoded(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Bytes in an encoding, while they come."""
    import cramjam

    codec = getattr(cramjam, ENCODINGS[encoding]).Compressor()
    for chunk in chunks:
        codec.compress(chunk)
        if packed := bytes(codec.flush()):
            yield packed
    yield bytes(codec.finish())


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """A body as it was before it was compressed; a larger one than `limit` is not unpacked.

    Raises:
        SluiceError: UNSUPPORTED_CONTENT_ENCODING, CANNOT_DECOMPRESS or QUERY_TOO_LARGE.
    """
    import cramjam

    if encoding.lower() in ("", "identity"):
        return body
    if encoding.lower() not in ENCODINGS:
        raise errors.UNSUPPORTED_CONTENT_ENCODING(encoding=encoding)
    if not body:
        return body
    unpack: Callable[[bytes, Any], int]
    unpack = getattr(cramjam, ENCODINGS[encoding.lower()]).decompress_into
    size = min(limit + 1, max(1 << 20, 16 * len(body)))
    while True:
        out = bytearray(size)
        try:
            return bytes(out[: unpack(body, out)])
        except cramjam.DecompressionError as bad:
            if "whole buffer" not in str(bad):
                raise errors.CANNOT_DECOMPRESS(encoding=encoding, reason=bad) from bad
            if size > limit:
                raise errors.QUERY_TOO_LARGE(size=f"more than {limit}", limit=limit) from bad
            size = min(limit + 1, 8 * size)


def blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Bytes in compressed blocks, each with its checksum: what `compress=1` asks for."""
    for chunk in chunks:
        for start in range(0, len(chunk), _LARGEST):
            yield _block(chunk[start : start + _LARGEST])


def _block(data: bytes) -> bytes:
    import cramjam

    packed = bytes(cramjam.lz4.compress_block(data, store_size=False))
    block = _HEAD.pack(_LZ4, _HEAD.size + len(packed), len(data)) + packed
    return _checksum(block) + block


def unblocked(body: bytes, limit: int) -> bytes:
    """The bytes in compressed blocks, `decompress=1`; more than `limit` are not unpacked.

    Raises:
        SluiceError: CANNOT_DECOMPRESS for a block that is not what it says, or QUERY_TOO_LARGE.
    """
    found, at = bytearray(), 0
    while at < len(body):
        start = at + _CHECKSUM.size
        head = body[start : start + _HEAD.size]
        if len(head) < _HEAD.size:
            raise _broken("a block is cut off")
        method, size, unpacked = _HEAD.unpack(head)
        block = body[start : start + size]
        if size < _HEAD.size or len(block) < size:
            raise _broken(f"a block of {size} bytes is cut off")
        if _checksum(block) != body[at:start]:
            raise _broken("the checksum of a block does not match its data")
        if len(found) + unpacked > limit:
            raise errors.QUERY_TOO_LARGE(size=f"more than {limit}", limit=limit)
        found += _unpacked(method, block[_HEAD.size :], unpacked)
        at = start + size
    return bytes(found)


def _unpacked(method: int, data: bytes, size: int) -> bytes:
    import cramjam

    out = bytearray(size)
    try:
        if method == _NONE:
            count, out = len(data), bytearray(data)
        elif method == _LZ4:
            count = cramjam.lz4.decompress_block_into(data, out, output_len=size)
        elif method == _ZSTD:
            count = cramjam.zstd.decompress_into(data, out)
        else:
            raise _broken(f"the method {method:#x} is unknown; LZ4, ZSTD and NONE are known")
    except (cramjam.DecompressionError, ValueError) as bad:
        raise _broken(str(bad)) from bad
    if count != size:
        raise _broken(f"a block has {count} bytes, and says {size}")
    return bytes(out)


def _checksum(block: bytes) -> bytes:
    from clickhouse_cityhash.cityhash import CityHash128

    value = CityHash128(block)
    return _CHECKSUM.pack(value >> 64, value & ((1 << 64) - 1))


def _broken(reason: str) -> errors.SluiceError:
    return errors.CANNOT_DECOMPRESS(encoding=BLOCKS, reason=reason)
