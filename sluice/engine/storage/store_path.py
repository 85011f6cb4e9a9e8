"""Paths in a store that is no folder of this machine: an object store, HDFS, what Hadoop knows."""

from __future__ import annotations

import logging
import os
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from py4j.protocol import Py4JJavaError

from sluice import errors
from sluice.parameters.kinds import hide_in_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

log = logging.getLogger(__name__)

_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S*[^/\s]")


class Stat(NamedTuple):
    """Size and modification time of a file, from a listing."""

    st_size: int
    st_mtime: float


class StorePath:
    """A folder or file of a store: as much of pathlib's Path as tables and checkpoints need.

    The JVM is asked, so a store has one set of settings and logins: Spark's.
    """

    def __init__(self, url: str, jvm: Callable[[], Any], stat: Stat | None = None) -> None:
        self._url = url.rstrip("/")
        self._jvm = jvm
        self._stat = stat

    def __str__(self) -> str:
        return self._url

    def __repr__(self) -> str:
        return f"StorePath({self._url!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorePath) and self._url == other._url

    def __hash__(self) -> int:
        return hash(self._url)

    def __truediv__(self, name: str) -> StorePath:
        return StorePath(f"{self._url}/{name}", self._jvm)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names on the way to it, without the address of the store."""
        return PurePosixPath(urlsplit(self._url).path).parts

    @property
    def name(self) -> str:
        """Its own name."""
        return self._url.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return PurePosixPath(self.name).stem

    def exists(self) -> bool:
        """Whether a file or folder is there."""
        return bool(self._ask("exists"))

    def glob(self, pattern: str) -> Iterator[StorePath]:
        """The files that fit; one with a / in it looks into all folders, in one listing."""
        fits = _pattern(pattern)
        lines: str = self._ask("list", "/" in pattern)
        for line in lines.splitlines():
            size, changed, name = line.split("\t", 2)
            if fits.fullmatch(name):
                stat = Stat(int(size), int(changed) / 1000)
                yield StorePath(f"{self._url}/{name}", self._jvm, stat)

    def stat(self) -> Stat:
        """The size and time that the listing gave."""
        if self._stat is None:
            raise FileNotFoundError(self._url)
        return self._stat

    def read_bytes(self) -> bytes:
        """What a file holds.

        Raises:
            FileNotFoundError: it is not there.
        """
        found = self._ask("read")
        if found is None:
            raise FileNotFoundError(self._url)
        return bytes(found)

    def read_text(self, encoding: str) -> str:
        """What a file holds, as text; see `read_bytes`."""
        return self.read_bytes().decode(encoding)

    def write_whole(self, content: bytes) -> None:
        """Make a file, whole or not at all."""
        self._ask("write", content)

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        """Make a folder, and those above it, if they are not there."""
        self._ask("mkdirs")

    def remove(self) -> None:
        """Delete a folder with all that is in it, if it is there."""
        self._ask("remove")

    def _ask(self, what: str, *more: object) -> Any:
        """The store's answer.

        Raises:
            SluiceError: STORE_UNAVAILABLE.
        """
        try:
            return getattr(self._jvm().sluice.delta.Store, what)(self._url, *more)
        except Py4JJavaError as fault:
            reason = str(fault.java_exception.toString()).partition("\n")[0]
            raise errors.STORE_UNAVAILABLE(path=self._url, reason=reason) from fault


AnyPath = Path | StorePath
"""Where tables and checkpoints are: in a folder of this machine, or in a store."""


def check_url(url: str) -> str:
    """The address of a store, without a slash at its end.

    Raises:
        SluiceError: INVALID_STORE_URL.
    """
    url = url.rstrip("/")
    if not _URL.fullmatch(url):
        raise errors.INVALID_STORE_URL(url=hide_in_url(url), reason="its form is not known")
    if urlsplit(url).password is not None or urlsplit(url).query:
        reason = "it may not have a password or a query"
        raise errors.INVALID_STORE_URL(url=hide_in_url(url.partition("?")[0]), reason=reason)
    return url


def write_whole(path: AnyPath, content: str | bytes) -> None:
    """Make a small file, whole or not at all."""
    content = content.encode() if isinstance(content, str) else content
    if isinstance(path, StorePath):
        path.write_whole(content)
        return
    made = path.with_suffix(".new")
    with made.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)


def remove_file(path: AnyPath) -> None:
    """Delete a file, if it is there."""
    if isinstance(path, StorePath):
        path.remove()
    else:
        path.unlink(missing_ok=True)


def remove(folder: AnyPath) -> None:
    """Delete a folder with all that is in it, as far as that can be done."""
    if isinstance(folder, StorePath):
        try:
            folder.remove()
        except errors.SluiceError as fault:
            log.warning("cannot delete %s: %s", folder, fault.text())
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _pattern(pattern: str) -> re.Pattern[str]:
    """A glob pattern as a regular expression, for names below a folder."""
    parts = {"**/": "(?:.*/)?", "*": "[^/]*", "[!_]": "[^_/]", "[0-9]": "[0-9]"}
    split = re.split(r"(\*\*/|\*|\[[^]]+\])", pattern)
    return re.compile("".join(parts.get(each) or re.escape(each) for each in split))
