"""The build backend: setuptools, and for a wheel the jar of our own Java compiled into it.

An editable install has no jar: it compiles from these sources when Spark starts.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - all hooks but the one below are setuptools'
from setuptools.command.build_py import build_py
from setuptools.errors import ExecError

ROOT = Path(__file__).parents[1]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Also PySpark, whose jars are compiled against and whose Ivy fetches the others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    spark = [each for each in project["dependencies"] if each.startswith("pyspark")]
    return [*build_meta.get_requires_for_build_wheel(config_settings), *spark]


class BuildPackages(build_py):
    """Copies the packages and adds `sluice/jars/sluice.jar`."""

    def run(self) -> None:
        """Do it; an editable install is left without a jar."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "sluice/jars/sluice.jar")
            shutil.copyfile(_compiled(), target)


def _compiled() -> Path:
    sys.path.insert(0, str(ROOT))
    try:
        from sluice.errors import SluiceError
        from sluice.jars import built
    finally:
        sys.path.remove(str(ROOT))
    try:
        return built(progress=lambda line: print(line, flush=True))  # noqa: T201
    except SluiceError as error:
        message = f"a wheel of Sluice holds its Java compiled, and that failed: {error}"
        raise ExecError(message) from error
