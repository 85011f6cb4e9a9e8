"""A wheel of the project runs the demo with a Java runtime alone: its Java is compiled in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; its status is 0."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # setuptools writes into the folder that it builds
    for name in ("java", "sluice"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("MANIFEST.in", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, source)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source, cwd=folder)
    (made,) = folder.glob("sluice-*.whl")
    return made


@pytest.mark.slow
def test_the_demo_of_a_wheel(wheel: Path, tmp_path: Path) -> None:
    """The interpreter sees the wheel and its dependencies, and nothing of this folder."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    assert "sluice/jars/sluice.jar" in names
    assert not [name for name in names if name.endswith(".java")]

    folder = str(tmp_path / "installed")
    python = (sys.executable, "-I", "-c")
    start = f"import sys; sys.path.insert(0, {folder!r}); "
    built = run(*python, start + "from sluice.jars import built; print(built())", cwd=tmp_path)
    assert built.strip() == f"{folder}/sluice/jars/sluice.jar"
    demo = "from sluice.cli.main import main; sys.exit(main(['demo', '--rows', '2000', '--exit']))"
    assert "2,000" in run(*python, start + demo, cwd=tmp_path)
