"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.sql.split import split

if TYPE_CHECKING:
    from engine.lab import Lab

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found[1]


def test_first_pipeline(lab: Lab, topic: str) -> None:
    """The statements of the first pipeline, with only the broker and the topic changed."""
    text = block("sql").replace("localhost:9092", lab.brokers).replace("'logs'", f"'{topic}'")
    *made, question = split(text.replace("'group1'", f"'{topic}'"))
    for statement in made:
        lab.sql(statement)
    lab.produce(topic, *({"timestamp": 1, "level": level} for level in ("info", "warn", "info")))
    lab.arrives(f"{question} ORDER BY level", [("info", 2), ("warn", 1)])


def test_python(tmp_path: Path) -> None:
    """The Python example, in a process of its own; nothing but its answer is printed."""
    done = subprocess.run(
        [sys.executable, "-c", block("python")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert (done.stdout, done.stderr) == ("[(2, 'y')]\n", "")
