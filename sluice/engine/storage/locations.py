"""Where the files of a table may be that names a place itself."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine.storage import delta_log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.engine.storage.store_path import AnyPath, StorePath

OWN = frozenset({"tables", "checkpoints", "logs", "tmp"})
"""Folders of a data folder that hold what the server keeps for itself."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NAME = re.compile(r"[^\W_][\w\- .]*")
"""What a folder may be called: nothing that Spark or Delta Lake take for a pattern, a partition, a
version, or for a file of their own.
"""


class Locations:
    """The data folder, without what is the server's own, and what the operator allows besides.

    With a store a path that begins nowhere is one in the store, not in the data folder.
    What is refused is refused in the same words whether it is there or not.
    """

    def __init__(
        self, data: Path, allowed: Iterable[str | Path] = (), store: StorePath | None = None
    ) -> None:
        self._data = data.resolve()
        self._allowed = tuple(Path(each).expanduser().resolve() for each in allowed)
        self._store = store
        self._in_store: dict[str, StorePath] = {}

    def find(self, path: str) -> AnyPath:
        """The folder that a table's path means, with every link followed.

        Raises:
            SluiceError: PATH_NOT_ALLOWED.
        """
        text = path.removeprefix("file:")
        if text != path:
            text = text.removeprefix("//")
        if not text or "\0" in text or _SCHEME.match(text) or (text != path and text[0] != "/"):
            raise errors.PATH_NOT_ALLOWED(path=path)
        if self._store is not None and text == path and not text.startswith("/"):
            return self._within(self._store, path)
        try:
            found = (self._data / text).resolve()
        except (OSError, RuntimeError):  # links in a circle
            raise errors.PATH_NOT_ALLOWED(path=path) from None
        inside = found.is_relative_to(self._data)
        for root in (self._data,) if inside else self._allowed:
            if found.is_relative_to(root) and self._fits(found.relative_to(root), root):
                return found
        raise errors.PATH_NOT_ALLOWED(path=path)

    def _within(self, store: StorePath, path: str) -> StorePath:
        """A place in the store; what was found good once is not asked for again."""
        if path not in self._in_store:
            parts = PurePosixPath(path).parts
            bad = not parts or parts[0] in OWN or not all(_NAME.fullmatch(each) for each in parts)
            found = store
            for part in () if bad else parts:
                bad = bad or delta_log.folder(found).exists()
                found = found / part
            if bad:
                raise errors.PATH_NOT_ALLOWED(path=path)
            self._in_store[path] = found
        return self._in_store[path]

    def _fits(self, within: Path, root: Path) -> bool:
        """Whether a place in a folder can be a table's: also not one inside another table."""
        parts = within.parts
        if self._data.is_relative_to(root / within):
            return False
        if root == self._data and (parts[0] in OWN or (root / parts[0]).is_file()):
            return False
        if not all(_NAME.fullmatch(part) for part in parts):
            return False
        above = [root.joinpath(*parts[:n]) for n in range(len(parts))]
        return not any(delta_log.folder(each).exists() for each in above)
