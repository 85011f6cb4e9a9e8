"""Ivy and the compiler are played by a script, so that nothing here needs a registry."""

from __future__ import annotations

import threading
from pathlib import Path
from textwrap import dedent

import pytest

from sluice.errors import SluiceError
from sluice.jars import __main__ as command
from sluice.jars import resolve
from sluice.jars.resolve import cache_folder

VERSION = 'case "$*" in -version) echo "openjdk version \\"17.0.1\\"" >&2; exit;; esac'
COMPILES = 'case "$*" in *-proc:none*) echo compiled >> {home}/compiled; exit;; esac'
TARGET = "for last; do :; done; folder=${last%/*}"

FETCHES = """
    echo run >> {home}/runs
    echo ":: resolving dependencies :: sluice#spark-jars;working@vm"
    printf '\\tfound org.apache.kafka#kafka-clients;3.9.2 in public\\n'
    printf '\\tfound org.yaml#snakeyaml;2.5 in public\\n'
    sleep 0.2
    touch "$folder/kafka-clients-3.9.2.jar"
    printf '\\t[SUCCESSFUL ] org.apache.kafka#kafka-clients;3.9.2!kafka-clients.jar (99ms)\\n'
    touch "$folder/snakeyaml-2.5.jar"
    printf '\\t[SUCCESSFUL ] org.yaml#snakeyaml;2.5!snakeyaml.jar(bundle) (131ms)\\n'
"""
FAILS = """
    touch "$folder/kafka-clients-3.9.2.jar"
    printf '\\t\\t::          UNRESOLVED DEPENDENCIES         ::\\n'
    printf '\\t\\t:: org.apache.commons#commons-pool2;2.99.1: not found\\n'
    printf '\\t\\t:: io.delta#delta-storage;4.4.0!delta-storage.jar\\n'
    exit 1
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("SLUICE_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _ivy(home: Path, script: str) -> None:
    path = home / "bin" / "java"
    body = dedent(script).replace("{home}", str(home))
    compiles = COMPILES.replace("{home}", str(home))
    path.write_text(f"#!/bin/sh\n{VERSION}\n{compiles}\n{TARGET}\n{body}")
    path.chmod(0o755)


def _runs(home: Path) -> int:
    return len((home / "runs").read_text().split())


def test_jars_are_fetched_once(home: Path) -> None:
    _ivy(home, FETCHES)
    lines: list[str] = []
    jars = resolve("spark", progress=lines.append)
    assert [jar.name for jar in jars] == ["kafka-clients-3.9.2.jar", "snakeyaml-2.5.jar"]
    assert lines == [
        "jars: found 1  kafka-clients-3.9.2",
        "jars: found 2  snakeyaml-2.5",
        "jars: 1 of 2  kafka-clients-3.9.2.jar",
        "jars: 2 of 2  snakeyaml-2.5.jar",
    ]
    assert resolve("spark", progress=lines.append) == jars
    assert len(lines) == 4
    assert _runs(home) == 1


def test_callers_at_the_same_time_fetch_once(home: Path) -> None:
    _ivy(home, FETCHES)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(resolve("broker"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 4
    assert len(set(map(str, found))) == 1
    assert _runs(home) == 1


def test_what_is_missing_is_named_and_nothing_half_is_kept(home: Path) -> None:
    _ivy(home, FAILS)
    with pytest.raises(SluiceError) as caught:
        resolve("spark")
    assert caught.value.condition.name == "JARS_UNRESOLVED"
    assert "not found: commons-pool2-2.99.1, delta-storage-4.4.0 (see " in caught.value.message
    (log,) = (home / "cache" / "jars").glob("*.log")
    assert str(log) in caught.value.message
    assert "UNRESOLVED DEPENDENCIES" in log.read_text()
    assert not list((home / "cache").rglob("*.jar"))
    _ivy(home, FETCHES)
    assert len(resolve("spark")) == 2


def test_what_a_killed_process_left_is_cleared(home: Path) -> None:
    _ivy(home, FETCHES)
    (folder,) = {jar.parent for jar in resolve("spark")}
    left = folder.with_name(f"{folder.name}.part-killed")
    folder.rename(left)
    assert len(resolve("spark")) == 2
    assert not left.exists()


def test_the_groups_have_folders_of_their_own(home: Path) -> None:
    _ivy(home, FETCHES)
    assert resolve("spark")[0].parent != resolve("broker")[0].parent


def test_cache_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("SLUICE_CACHE")
    assert cache_folder() == Path("/b/sluice")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("/c/.cache/sluice")


def test_no_registry_is_named() -> None:
    for group in ("spark", "broker"):
        text = Path(command.__file__).with_name(f"{group}.ivy.xml").read_text()
        assert "http" not in text


def test_the_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ivy(home, FETCHES)
    said = "jars: 2 for spark, 2 for broker, 2 for compiler, all there\n"
    assert command.main() == 0
    assert capsys.readouterr().out.endswith(f"jars: compiling our own\n{said}")
    assert command.main() == 0
    assert capsys.readouterr().out == said
    assert (home / "compiled").read_text() == "compiled\n"  # once


def test_the_command_reports_why_it_failed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _ivy(home, FAILS)
    assert command.main() == 1
    assert "commons-pool2-2.99.1" in capsys.readouterr().err
