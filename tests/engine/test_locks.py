"""The JVM's lock on its data folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sluice.engine.spark import launch
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from sluice.session import Session

TRY = """
import fcntl, sys
with open(sys.argv[1], "r+") as lock:
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print("held")
    else:
        print("free")
"""


def state(lock: Path) -> str:
    """Whether another process could have the lock."""
    tried = subprocess.run(
        [sys.executable, "-c", TRY, str(lock)], capture_output=True, text=True, check=True
    )
    return tried.stdout.strip()


def test_the_jvm_holds_its_lock_through_garbage_collections(engine: Session, folder: Path) -> None:
    """A lock that only a collected object refers to would be released without a word."""
    lock = folder / "jvm.lock"
    jvm: Any = engine._engine.spark()._jvm
    for _ in range(3):
        jvm.System.gc()
        jvm.System.runFinalization()
    pid = jvm.java.lang.ProcessHandle.current().pid()
    descriptors = [each.resolve() for each in Path(f"/proc/{pid}/fd").iterdir() if each.exists()]
    assert lock in descriptors
    assert state(lock) == "held"
    assert lock.read_text() == str(pid)


def test_a_folder_of_another_jvm_is_waited_for(engine: Session, tmp_path: Path) -> None:
    """What holds the lock is named; it is free again when its holder has closed the folder."""
    hold = f"import fcntl, sys; f = open({str(tmp_path / 'jvm.lock')!r}, 'w'); "
    hold += "f.write('4711'); f.flush(); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); "
    hold += "sys.stdin.read()"
    session = engine._engine.spark()
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(SluiceError, match="in use by process 4711, a JVM that has outlived"):
            launch.lock(session, tmp_path, patience=0.5)
        other.kill()
    launch.lock(session, tmp_path)
    launch.lock(session, tmp_path)
    assert state(tmp_path / "jvm.lock") == "held"
    launch.unlock(session, tmp_path)
    assert state(tmp_path / "jvm.lock") == "free"
