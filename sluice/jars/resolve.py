"""Fetching the declared jars into a per-user cache, once, whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sluice import errors
from sluice.jars import ivy
from sluice.jars.java import java

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Group = Literal["spark", "broker"]


def resolve(group: Group, *, progress: Callable[[str], None] | None = None) -> tuple[Path, ...]:
    """The jars of a group, fetched if this user does not have them yet.

    A set that is there is complete: it is fetched beside its place and renamed into it. Callers
    in several processes wait for the one that fetches.

    Args:
        group: `spark` for what a Spark session needs, `broker` for the embedded broker.
        progress: Called with a line for every jar found and fetched.

    Raises:
        SluiceError: JARS_UNRESOLVED or JAVA_MISSING.
    """
    declared = Path(__file__).with_name(f"{group}.ivy.xml")
    digest = hashlib.sha256(declared.read_bytes()).hexdigest()[:12]
    root = cache_folder() / "jars"
    folder = root / f"{group}-{digest}"
    if not folder.is_dir():
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / "lock"):
            if not folder.is_dir():  # another process may have fetched it meanwhile
                _fetch(declared, folder, progress or _silent)
    return tuple(sorted(folder.glob("*.jar")))


def cache_folder() -> Path:
    """Where this user keeps what Sluice fetches: SLUICE_CACHE, or the usual cache folder."""
    own = os.environ.get("SLUICE_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return Path(shared or Path.home() / ".cache") / "sluice"


def _fetch(declared: Path, folder: Path, progress: Callable[[str], None]) -> None:
    root = folder.parent
    for abandoned in root.glob(f"{folder.name}.part-*"):  # of a process that was killed
        shutil.rmtree(abandoned)
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=root))
    try:
        ivy.retrieve(
            [str(java()), "-jar", str(_ivy_jar())],
            declared,
            cache=root / "ivy",
            folder=part,
            log=root / f"{folder.name}.log",
            progress=progress,
        )
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _ivy_jar() -> Path:
    """Ivy, as PySpark ships it; found without importing PySpark."""
    spec = importlib.util.find_spec("pyspark")
    places = spec.submodule_search_locations if spec else None
    for place in places or ():
        for jar in Path(place, "jars").glob("ivy-*.jar"):
            return jar
    raise errors.JARS_UNRESOLVED(
        reason="PySpark, which ships the Ivy that fetches them, is not here"
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the system lets go of when this process ends, however it ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _silent(line: str) -> None:
    """Progress for callers who do not want it."""
