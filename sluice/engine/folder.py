"""A data folder, and the lock that makes it belong to one process."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sluice import errors

if TYPE_CHECKING:
    from typing import Self

_WRITTEN = ("lock", "jvm.lock", "query_log*.jsonl", "catalog.sqlite*", "logs/*")
"""Files that are opened to be written, whatever is there."""


class Folder:
    """`catalog.sqlite`, `tables/`, `checkpoints/`, `logs/` and `tmp/` of one warehouse.

    The lock is the operating system's, so it ends with its process, however that ends; the
    content of the file is only for people.
    """

    def __init__(self, path: Path, lock: TextIO) -> None:
        self.path = path
        self._lock = lock
        for name in ("tables", "checkpoints", "logs", "tmp"):
            (path / name).mkdir(exist_ok=True)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Take the folder, making it if it is new.

        Raises:
            SluiceError: WAREHOUSE_LOCKED, naming the process that has it. DATA_FOLDER_REFUSED if
                others can reach into it.
        """
        folder = Path(path).expanduser().resolve()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(folder)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.fdopen(os.open(folder / "lock", flags, 0o600), "a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = json.loads(lock.read() or "{}")
            lock.close()
            where = f" at {owner['url']}" if owner.get("url") else ""
            pid = owner.get("pid", "(unknown)")
            raise errors.WAREHOUSE_LOCKED(folder=folder, pid=pid, where=where) from None
        taken = cls(folder, lock)
        taken.say()
        return taken

    def say(self, url: str = "") -> None:
        """Write into the lock who has it, and where it answers."""
        self._lock.seek(0)
        self._lock.truncate()
        self._lock.write(json.dumps({"pid": os.getpid(), "url": url}))
        self._lock.flush()

    @property
    def place(self) -> str:
        """What tells the folder from a copy of it; it stays when the folder is renamed."""
        return str(self.path.stat().st_ino)

    @property
    def logs(self) -> Path:
        """The log files."""
        return self.path / "logs"

    def close(self) -> None:
        """Give the folder back."""
        self._lock.close()


def _make_private(folder: Path) -> None:
    """Keep other users out, and refuse links that they may have left for us to write through."""
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        try:
            folder.chmod(0o700)
        except PermissionError:
            owner = folder.stat().st_uid
            reason = f"other users can reach into it, and it belongs to user {owner}"
            raise errors.DATA_FOLDER_REFUSED(folder=folder, reason=reason) from None
    for pattern in _WRITTEN:
        for path in folder.glob(pattern):
            if path.is_symlink():
                reason = f"{path.relative_to(folder)} is a symbolic link, to {path.readlink()}"
                raise errors.DATA_FOLDER_REFUSED(folder=folder, reason=reason)
