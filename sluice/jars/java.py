"""Finding a Java that is new enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from sluice import errors

OLDEST = 17
_NEEDED = f"Java {OLDEST} or newer is needed"
_VERSION = re.compile(r'version "((\d+)(?:\.(\d+))?[^"]*)"')


def java() -> Path:
    """The `java` to run: that of JAVA_HOME if it is set, as Spark does it, else that of the PATH.

    Raises:
        SluiceError: JAVA_MISSING, when there is none or it is too old.
    """
    path = _find()
    version, major = _version(path)
    if major is None:
        reason = f"{_NEEDED}; {path} does not say its version: {version}"
        raise errors.JAVA_MISSING(reason=reason)
    if major < OLDEST:
        raise errors.JAVA_MISSING(reason=f"{_NEEDED}; {path} is version {version}")
    return path


def _find() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        path = Path(home, "bin", "java")
        if os.access(path, os.X_OK) and path.is_file():
            return path
        raise errors.JAVA_MISSING(reason=f"{_NEEDED}; JAVA_HOME is {home}, which has no bin/java")
    found = shutil.which("java")
    if found is None:
        raise errors.JAVA_MISSING(reason=f"{_NEEDED}; there is no java on the PATH")
    return Path(found)


@cache
def _version(path: Path) -> tuple[str, int | None]:
    """The version as Java writes it and its major number; its output and None otherwise."""
    try:
        run = subprocess.run(  # noqa: S603 - the user's own java
            [path, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error), None
    output = run.stderr + run.stdout
    match = _VERSION.search(output)
    if match is None:
        return output.strip().partition("\n")[0] or "it printed nothing", None
    text, first, second = match.groups()
    return text, int(second or 0) if first == "1" else int(first)  # 1.8 is Java 8
