"""Compiling Java, once for each state of its sources, on a machine without a compiler."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterable

MODULE = Path(__file__).parents[2] / "java"
"""Our own Java, in a folder with the sources of Sluice; a wheel has `PACKAGED` instead."""

PACKAGED = Path(__file__).with_name("sluice.jar")
"""Our compiled Java in a wheel."""

_SOURCES = MODULE / "src/main/java"
_RESOURCES = MODULE / "src/main/resources"
_LANGUAGE = "17"
_SOON = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""A compiler runs for seconds: with the JVM's own second compiler it takes twice the time."""


def sources() -> list[Path]:
    """The files that are compiled."""
    return sorted(_SOURCES.rglob("*.java"))


def resources() -> list[Path]:
    """Resources of the jar: service files that list our classes for Spark."""
    return sorted(path for path in _RESOURCES.rglob("*") if path.is_file())


def digest(parts: Iterable[bytes]) -> str:
    """A short name for a state of what something is made of."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()[:12]


def compile_jar(java: Path, compiler: Path, class_path: Iterable[Path], jar: Path) -> None:
    """Compile our own Java against a class path into a jar.

    Raises:
        SluiceError: JARS_UNRESOLVED, with the compiler's first words.
    """
    classes = jar.parent / "classes"
    compile_classes(java, compiler, class_path, sources(), classes)
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
        for path in resources():
            archive.write(path, path.relative_to(_RESOURCES))


def compile_classes(
    java: Path, compiler: Path, class_path: Iterable[Path], files: Iterable[Path], classes: Path
) -> None:
    """Compile source files into a folder of classes.

    Raises:
        SluiceError: JARS_UNRESOLVED, with the compiler's first words.
    """
    arguments = [
        str(java),
        *_SOON,
        "-jar",
        str(compiler),
        "-source",
        _LANGUAGE,
        "-target",
        _LANGUAGE,
    ]
    arguments += ["-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", str(classes)]
    arguments += ["-cp", os.pathsep.join(map(str, class_path)), *map(str, files)]
    run = subprocess.run(  # noqa: S603 - our own arguments, no shell
        arguments, capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        output = (run.stderr or run.stdout).strip()[:500]
        raise errors.JARS_UNRESOLVED(reason=f"our own classes do not compile: {output}")
