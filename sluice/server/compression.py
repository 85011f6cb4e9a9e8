"""Compressed bodies of requests and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Callable

ENCODINGS = {
    "gzip": "gzip", "deflate": "zlib", "br": "brotli", "zstd": "zstd", "lz4": "lz4", "xz": "xz",
    "bz2": "bzip2", "snappy": "snappy",
}  # fmt: skip
"""What Content-Encoding names, as ClickHouse does too, and the codec of each."""


def accepted(header: str) -> str:
    """The first encoding of an Accept-Encoding header that is known; empty if there is none."""
    for part in header.split(","):
        name, _, quality = part.strip().partition(";")
        if name.strip().lower() in ENCODINGS and quality.replace(" ", "") not in ("q=0", "q=0.0"):
            return name.strip().lower()
    return ""


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
