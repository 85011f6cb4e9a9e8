"""The environments of the Flink and ClickHouse contenders, made and filled at their first use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import topics

from sluice import jars

if TYPE_CHECKING:
    from pathlib import Path

FLINK = "apache-flink==2.2.1"
CLICKHOUSE = "chdb==3.7.2"
"""The last with Kafka consumers."""


def clickhouse() -> str:
    """The Python of ClickHouse as a reader of topics."""
    return _python(topics.BENCH / ".venv-clickhouse", CLICKHOUSE)


def flink() -> str:
    """The Python of the Flink contenders, with the Kafka connector where Flink looks for jars."""
    venv = topics.BENCH / ".venv-flink"
    python = _python(venv, FLINK)
    (libraries,) = venv.glob("lib/python*/site-packages/pyflink/lib")
    for jar in jars.fetched(topics.BENCH / "flink.ivy.xml", progress=topics.say):
        if not (libraries / jar.name).exists():
            shutil.copy(jar, libraries)
    return python


def _python(venv: Path, package: str) -> str:
    done = venv / f".{package}"
    if not done.exists():
        topics.say(f"installing {package} into {venv}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, package], check=True)
        done.touch()
    return str(venv / "bin" / "python")
