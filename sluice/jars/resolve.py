"""Fetching the declared jars into a per-user cache, once, whole or not at all."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sluice import errors
from sluice.jars import build, ivy
from sluice.jars.java import java

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Group = Literal["spark", "broker", "compiler"]


def resolve(group: Group, *, progress: Callable[[str], None] | None = None) -> tuple[Path, ...]:
    """The jars of a group, fetched if this user does not have them yet.

    Args:
        group: `spark` for what a Spark session needs, `broker` for the embedded broker, `compiler`
            for what compiles our own Java.
        progress: Called with a line for every jar found and fetched.

    Raises:
        SluiceError: JARS_UNRESOLVED or JAVA_MISSING.
    """
    return fetched(Path(__file__).with_name(f"{group}.ivy.xml"), progress=progress)


def fetched(declared: Path, *, progress: Callable[[str], None] | None = None) -> tuple[Path, ...]:
    """The jars that a file `<group>.ivy.xml` names, fetched if this user does not have them yet.

    Raises:
        SluiceError: JARS_UNRESOLVED or JAVA_MISSING.
    """
    name = f"{declared.name.partition('.')[0]}-{build.digest([declared.read_bytes()])}"

    def fetch(folder: Path) -> None:
        ivy.retrieve(
            [str(java()), "-jar", str(_spark_jar("ivy-*.jar"))],
            declared,
            cache=folder.parent / "ivy",
            folder=folder,
            log=folder.parent / f"{name}.log",
            progress=progress or _silent,
        )

    return tuple(sorted(made_once(name, fetch).iterdir()))


def built(*, progress: Callable[[str], None] | None = None) -> Path:
    """The jar of the Java classes: that of the wheel, or compiled if the user does not have it yet.

    Raises:
        SluiceError: JARS_UNRESOLVED or JAVA_MISSING.
    """
    if build.PACKAGED.is_file():
        return build.PACKAGED
    if not build.sources():
        raise errors.JARS_UNRESOLVED(
            reason=f"this installation has neither {build.PACKAGED} nor the sources it is made of"
        )
    compiler = resolve("compiler", progress=progress)[0]
    against = class_path(progress=progress)
    texts = [path.read_bytes() for path in (*build.sources(), *build.resources())]
    name = f"sluice-{build.digest([compiler.name.encode(), *texts])}"

    def compile_(folder: Path) -> None:
        (progress or _silent)("jars: compiling our own")
        build.compile_jar(java(), compiler, against, folder / "sluice.jar")

    return made_once(name, compile_) / "sluice.jar"


def class_path(*, progress: Callable[[str], None] | None = None) -> list[Path]:
    """The jars that our own Java is compiled against: Spark's, and what Spark lacks.

    Raises:
        SluiceError: JARS_UNRESOLVED or JAVA_MISSING.
    """
    spark = _spark_jar("spark-catalyst_*.jar").parent
    return [*sorted(spark.glob("*.jar")), *resolve("spark", progress=progress)]


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of the cache that is filled once, whole or not at all.

    It is filled beside its place and renamed into it. Callers in several processes wait for the one
    that fills it.
    """
    root = cache_folder() / "jars"
    folder = root / name
    if folder.is_dir():
        return folder
    root.mkdir(parents=True, exist_ok=True)
    with _locked(root / "lock"):
        if folder.is_dir():  # another process may have made it meanwhile
            return folder
        for abandoned in root.glob(f"{name}.part-*"):  # of a process that was killed
            shutil.rmtree(abandoned)
        part = Path(tempfile.mkdtemp(prefix=f"{name}.part-", dir=root))
        try:
            make(part)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return folder


def cache_folder() -> Path:
    """Where this user keeps what Sluice fetches: SLUICE_CACHE, or the usual cache folder."""
    own = os.environ.get("SLUICE_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return Path(shared or Path.home() / ".cache") / "sluice"


def _spark_jar(pattern: str) -> Path:
    """A jar that PySpark ships; found without importing PySpark."""
    spec = importlib.util.find_spec("pyspark")
    places = spec.submodule_search_locations if spec else None
    for place in places or ():
        for jar in Path(place, "jars").glob(pattern):
            return jar
    raise errors.JARS_UNRESOLVED(
        reason="PySpark, which ships the Ivy that fetches them, is not here"
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the system releases when this process ends, however it ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _silent(line: str) -> None:
    """Progress for callers who do not want it."""
