from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.jars import java

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (tmp_path / "bin").mkdir()
    return tmp_path


def _says(home: Path, text: str, status: int = 0) -> Path:
    script = home / "bin" / "java"
    script.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{text}\nEND\nexit {status}\n")
    script.chmod(0o755)
    return script


def _refusal() -> str:
    with pytest.raises(SluiceError) as caught:
        java()
    assert caught.value.condition.name == "JAVA_MISSING"
    return caught.value.message


def test_the_java_of_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert java().name == "java"


@pytest.mark.parametrize(
    "text",
    [
        'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment',
        'java version "21" 2023-09-19 LTS',
        'Picked up JAVA_TOOL_OPTIONS: -Dx="1"\nopenjdk version "25-ea" 2025-09-16',
    ],
)
def test_a_java_that_is_new_enough(home: Path, text: str) -> None:
    path = _says(home, text)
    assert java() == path


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "11.0.2"),
        ('java version "1.8.0_202"', "1.8.0_202"),
        ('openjdk version "16-ea"', "16-ea"),
    ],
)
def test_a_java_that_is_too_old(home: Path, text: str, version: str) -> None:
    path = _says(home, text)
    assert _refusal() == f"Java 17 or newer is needed; {path} is version {version}"


def test_a_java_that_is_no_java(home: Path) -> None:
    path = _says(home, "Unable to locate a Java Runtime.\nVisit us", status=1)
    assert _refusal() == (
        f"Java 17 or newer is needed; {path} does not say its version: "
        "Unable to locate a Java Runtime."
    )


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _refusal() == "Java 17 or newer is needed; there is no java on the PATH"


def test_a_java_home_without_java(home: Path) -> None:
    assert _refusal() == f"Java 17 or newer is needed; JAVA_HOME is {home}, which has no bin/java"
