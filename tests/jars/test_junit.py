"""The tests of our Java that need no Spark session: JUnit, in one JVM."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

from sluice.formats.registry import FORMATS
from sluice.formats.settings import with_defaults
from sluice.jars import build, built, fetched, java, resolve
from sluice.jars.resolve import class_path

if TYPE_CHECKING:
    from pathlib import Path

TESTS = build.MODULE / "src/test/java"
OPENED = ("java.lang", "java.lang.invoke", "java.nio", "java.util", "sun.nio.ch")


def test_junit(tmp_path: Path) -> None:
    (launcher,) = fetched(build.MODULE / "junit.ivy.xml")
    against = [launcher, built(), *class_path()]
    sources = sorted(TESTS.rglob("*.java"))
    build.compile_classes(java(), resolve("compiler")[0], against, sources, tmp_path)
    opened = [f"--add-opens=java.base/{each}=ALL-UNNAMED" for each in OPENED]
    parts = ("decoder", "encoder", "fixed")
    formats = {f.name: {part: getattr(f, part) for part in parts} for f in FORMATS if f.reads}
    run = subprocess.run(
        [java(), *opened, "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC",
         f"-Dsluice.settings={json.dumps(with_defaults({}))}",
         f"-Dsluice.formats={json.dumps(formats)}",
         "-cp", os.pathsep.join(map(str, [tmp_path, *against])),
         "org.junit.platform.console.ConsoleLauncher", "execute",
         "--scan-classpath", str(tmp_path), "--details", "summary", "--disable-banner",
         "--disable-ansi-colors", "--fail-if-no-tests"],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
