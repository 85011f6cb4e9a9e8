"""Documents whose examples are run: their fenced blocks, and walkthroughs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from quick import SPARK
from waiting import eventually

from sluice.broker.settings import free_port
from sluice.cli.connections import Remote
from sluice.sql.split import split

if TYPE_CHECKING:
    from typing import Self

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SQL_PROMPT = re.compile(r"sluice sql( --dialect (?P<dialect>\w+))?\n")
_JOB = re.compile(r"\b[0-9a-f]{32}\b")
_KAFKA, _HTTP = "9092", "8123"
_DONE = "(walkthrough: done)"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a document."""

    language: str
    text: str


def section(document: str, heading: str) -> str:
    """The text under a heading, with the headings below it."""
    marks = heading.split(" ")[0]
    text = (ROOT / document).read_text("utf-8")
    _, found, rest = text.partition(f"\n{heading}\n")
    assert found, heading
    return re.split(rf"^#{{1,{len(marks)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a text."""
    return [Block(*found.groups()) for found in _FENCED.finditer(text)]


@dataclass
class Walkthrough:
    """Does what a reader of a document does, on ports and in a folder of its own.

    `sh` blocks run in one shell. `sluice sql` there chooses the dialect of the `sql` blocks that
    follow, which are sent to the server as the prompt sends them. A `text` block is what the last
    statement of the block before it prints; it runs again until it does. Ids of jobs stand for
    those that the server has chosen.
    """

    folder: Path
    compared: int = 0
    _ports: dict[str, str] = field(init=False)
    _jobs: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ports = {each: str(free_port()) for each in (_KAFKA, _HTTP)}
        self._client = self._prompt("clickhouse")
        self._dialect = "clickhouse"

    def __enter__(self) -> Self:
        command = self.folder / "sluice"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sluice.cli "$@"\n')
        command.chmod(0o700)
        self._shell = subprocess.Popen(
            ["/bin/bash"],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={
                **os.environ,
                "PATH": f"{self.folder}:{os.environ['PATH']}",
                "SLUICE_DRIVER_MEMORY": "2g",
                "SPARK_SUBMIT_OPTS": " ".join(SPARK),
            },
        )
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.communicate()

    def follow(self, text: str) -> None:
        """Do everything in order."""
        found = blocks(text)
        for block, following in zip(found, [*found[1:], None], strict=True):
            match block.language:
                case "sh":
                    self._run(self._here(block.text))
                case "sql":
                    shown = following if following and following.language == "text" else None
                    self._execute(self._here(block.text), shown.text if shown else None)
                case "text":
                    pass
                case other:
                    raise AssertionError(f"a block of {other}")

    def _here(self, text: str) -> str:
        """What a reader would type here: other ports, and the jobs that were started here."""
        for port, ours in self._ports.items():
            text = text.replace(port, ours)
        text = text.replace("sluice topic create", f"sluice topic create --brokers {self._kafka}")
        text = text.replace("sluice topic produce", f"sluice topic produce --brokers {self._kafka}")
        return _JOB.sub(lambda found: self._jobs[found[0]], text)

    @property
    def _kafka(self) -> str:
        return f"localhost:{self._ports[_KAFKA]}"

    def _run(self, command: str) -> None:
        """Run commands until they end, or are ready; `sluice sql` only chooses a dialect."""
        if prompt := _SQL_PROMPT.fullmatch(command):
            self._dialect = prompt["dialect"] or "clickhouse"
            self._client = self._prompt(self._dialect)
            eventually(self._client.answers, within=PATIENCE)
            return
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        self._shell.stdin.write(f"{command}\necho $? '{_DONE}'\n")
        self._shell.stdin.flush()
        starting, status = command.count("&\n"), None
        while status is None or starting:
            line = self._shell.stdout.readline()
            assert line, f"the shell has ended: {command}"
            starting -= " is ready on " in line
            if line.endswith(f" {_DONE}\n"):
                status = line.split(" ")[0]
        assert status == "0", command

    def _prompt(self, dialect: str) -> Remote:
        return Remote(f"http://127.0.0.1:{self._ports[_HTTP]}", dialect, None)

    def _execute(self, script: str, shown: str | None) -> None:
        """Run statements; the last one prints what is shown, now or a little later."""
        *first, last = split(script, self._dialect)
        for statement in first:
            self._ask(statement)
        if shown is None:
            self._ask(last)
            return
        answer = self._ask(last)
        wanted = self._with_jobs_of(answer, shown)
        if answer != wanted:
            try:
                eventually(lambda: self._ask(last), lambda now: now == wanted, PATIENCE)
            except AssertionError as late:
                late.add_note(f"{last}\nprints\n{self._ask(last)}not\n{wanted}")
                raise
        self.compared += 1

    def _ask(self, statement: str) -> str:
        return b"".join(self._client.run(statement, "PrettyCompact")).decode()

    def _with_jobs_of(self, answer: str, shown: str) -> str:
        """What is shown, with the ids of the jobs that a statement has started."""
        ids, ours = _JOB.findall(shown), _JOB.findall(answer)
        if len(ids) == len(ours):
            self._jobs |= zip(ids, ours, strict=True)
        return _JOB.sub(lambda found: self._jobs[found[0]], shown)
