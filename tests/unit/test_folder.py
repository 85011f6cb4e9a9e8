from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.session.folder import Folder

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from sluice.session.folder import Folder
folder = Folder.open(sys.argv[1])
folder.say("http://127.0.0.1:1")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_is_made_private_with_its_parts(tmp_path: Path) -> None:
    folder = Folder.open(tmp_path / "a" / "b")
    names = {"tables", "checkpoints", "logs", "tmp", "lock"}
    assert names <= {path.name for path in folder.path.iterdir()}
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert folder.logs == folder.path / "logs"
    folder.close()


def test_one_process_has_it(tmp_path: Path) -> None:
    first = Folder.open(tmp_path)
    with pytest.raises(SluiceError, match=f"in use by process {os.getpid()}") as taken:
        Folder.open(tmp_path)
    assert taken.value.condition.name == "WAREHOUSE_LOCKED"
    first.close()
    Folder.open(tmp_path).close()


def test_the_lock_says_where_its_owner_answers(tmp_path: Path) -> None:
    folder = Folder.open(tmp_path)
    folder.say("http://127.0.0.1:8123")
    said = json.loads((tmp_path / "lock").read_text("utf-8"))
    assert said == {"pid": os.getpid(), "url": "http://127.0.0.1:8123"}
    with pytest.raises(SluiceError, match=r"at http://127\.0\.0\.1:8123"):
        Folder.open(tmp_path)
    folder.close()


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"held\n"
        with pytest.raises(SluiceError, match=f"process {owner.pid} at http://127.0.0.1:1"):
            Folder.open(tmp_path)
        owner.kill()
    Folder.open(tmp_path).close()


def test_a_lock_file_with_nonsense_in_it(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("", "utf-8")
    Folder.open(tmp_path).close()
