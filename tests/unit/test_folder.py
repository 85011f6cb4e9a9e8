from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sluice.engine.folder import Folder
from sluice.engine.logs import log_to
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from sluice.engine.folder import Folder
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


def test_a_folder_that_is_there_is_made_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    Folder.open(tmp_path).close()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


def test_a_folder_of_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(type(tmp_path), "chmod", refuse)
    with pytest.raises(SluiceError, match="other users can reach into it") as refused:
        Folder.open(tmp_path)
    assert refused.value.condition.name == "DATA_FOLDER_REFUSED"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["lock", "jvm.lock", "query_log.jsonl", "logs/sluice.log", "logs/spark.log"]
)
def test_no_link_is_written_through(tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine"
    mine.write_text("kept")
    link = tmp_path / "data" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(mine)
    with pytest.raises(SluiceError, match=f"{name} is a symbolic link") as refused:
        Folder.open(tmp_path / "data")
    assert refused.value.condition.name == "DATA_FOLDER_REFUSED"
    assert mine.read_text() == "kept"


def test_logs_are_private_and_no_links(tmp_path: Path) -> None:
    end = log_to(tmp_path / "sluice.log")
    end()
    assert stat.S_IMODE((tmp_path / "sluice.log").stat().st_mode) == 0o600
    (tmp_path / "other.log").symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match="symbolic link"):
        log_to(tmp_path / "other.log")
    assert not (tmp_path / "mine").exists()


def test_one_process_has_it(tmp_path: Path) -> None:
    first = Folder.open(tmp_path)
    with pytest.raises(SluiceError, match=f"in use by process {os.getpid()}") as taken:
        Folder.open(tmp_path)
    assert taken.value.condition.name == "WAREHOUSE_LOCKED"
    first.close()
    Folder.open(tmp_path).close()


def test_the_lock_has_the_url_of_its_owner(tmp_path: Path) -> None:
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
