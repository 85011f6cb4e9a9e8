"""Spark with executors of their own: the tests marked `cluster` once more, in another process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MASTER = "local-cluster[2,1,1024]"
TESTS = Path(__file__).parents[1]
ENGINE = TESTS / "engine"


@pytest.mark.slow
def test_what_is_marked_cluster() -> None:
    """A process has one Spark, so these begin their own."""
    tests = sorted(ENGINE.rglob("test_*.py"))
    marked = [str(path) for path in tests if "mark.cluster" in path.read_text("utf-8")]
    command = [sys.executable, "-m", "pytest", "-m", "cluster", f"--master={MASTER}", *marked]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        command, cwd=TESTS, env=own, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
