"""One run of Ivy: its output read as progress, its failure as one sentence."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_FOUND = re.compile(r"^\s*found [^#\s]+#(?P<name>[^;\s]+);(?P<rev>\S+) in ")
_FETCHED = re.compile(
    r"^\s*\[SUCCESSFUL \] [^#\s]+#[^;\s]+;(?P<rev>[^!\s]+)!(?P<name>\S+)\.jar(?:\(\w+\))? "
)
_MISSING = re.compile(r"^\s*:: [^#\s]+#(?P<name>[^;\s]+);(?P<rev>[^:!\s]+)")


def retrieve(
    command: Sequence[str],
    declared: Path,
    *,
    cache: Path,
    folder: Path,
    log: Path,
    progress: Callable[[str], None],
) -> None:
    """Fetch what `declared` names into `folder`; Ivy's output is written to `log`.

    Raises:
        SluiceError: JARS_UNRESOLVED, naming the jars that are missing.
    """
    arguments = [*command, "-ivy", str(declared), "-cache", str(cache), "-confs", "default"]
    arguments += ["-types", "jar", "bundle"]
    arguments += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
    report = _Report(progress)
    with (
        log.open("w", encoding="utf-8") as kept,
        subprocess.Popen(  # noqa: S603 - our own arguments, no shell
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as run,
    ):
        for line in run.stdout or ():
            kept.write(line)
            report.read(line)
    if run.returncode != 0 or not any(folder.iterdir()):
        raise errors.JARS_UNRESOLVED(reason=f"{report.failure()} (see {log})")


class _Report:
    """What Ivy's lines add up to."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._found = 0
        self._fetched = 0
        self._missing: dict[str, None] = {}  # in the order Ivy names them, each once

    def read(self, line: str) -> None:
        if match := _FOUND.match(line):
            self._found += 1
            self._progress(f"jars: found {self._found}  {match['name']}-{match['rev']}")
        elif match := _FETCHED.match(line):
            self._fetched += 1
            jar = f"{match['name']}-{match['rev']}.jar"
            self._progress(f"jars: {self._fetched} of {self._found}  {jar}")
        elif match := _MISSING.match(line):
            self._missing[f"{match['name']}-{match['rev']}"] = None

    def failure(self) -> str:
        if not self._missing:
            return "Ivy failed"
        return f"not found: {', '.join(self._missing)}"
