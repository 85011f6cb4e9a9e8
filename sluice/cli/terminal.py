"""Writing to a terminal what others have written: records, names and errors of servers.

A terminal obeys control characters: they can rewrite what was shown, set its title, and with some
terminals type for the user. Their codes are shown instead.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from sluice.errors import SluiceError, printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_BYTES = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]")
_OPEN = re.compile(rb"[\r\xc2]\Z")
"""The end of a chunk that may be the beginning of a control character."""


def failure_text(failed: Exception, dialect: str) -> str:
    """An error as the tools of a dialect show it."""
    return failed.text_for(dialect) if isinstance(failed, SluiceError) else str(failed)


def print_error(text: str) -> None:
    """Print an error; it may quote anything."""
    print(printable(text), file=sys.stderr, flush=True)


def writer(out: BinaryIO) -> Callable[[bytes], object]:
    """What writes an answer: as it is into a file or pipe, without control characters elsewhere."""
    return Terminal(out).write if out.isatty() else out.write


class Terminal:
    """Writes chunks of UTF-8 to a terminal."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._kept = b""

    def write(self, chunk: bytes) -> None:
        """Write a chunk; its last byte may wait for the next chunk."""
        data = self._kept + chunk
        open_ = _OPEN.search(data)
        self._kept = open_[0] if open_ else b""
        self._out.write(_BYTES.sub(_escaped, data[: len(data) - len(self._kept)]))


def _escaped(found: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % found[0][-1]
