"""The prompt of `sluice sql`: statements end with `;`, commands start with a backslash."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.cli.connections import Refused
from sluice.cli.history import History
from sluice.cli.terminal import failure_text, print_error, writer
from sluice.sql.split import split

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.cli.connections import Connection

PROMPT = "sluice> "
MORE = "     -> "


class Repl:
    """Reads, runs and prints until the user leaves."""

    def __init__(
        self,
        connection: Connection,
        format_name: str,
        read: Callable[[str], str] | None = None,
        dialect: str = "clickhouse",
    ) -> None:
        self.leaving = False
        self.timing = False
        self._connection = connection
        self._format = format_name
        self._dialect = dialect
        self._read = read or input
        self._history = History()

    def talk(self) -> int:
        """The loop. Ctrl-C clears what was typed, Ctrl-D leaves."""
        self._history.load()
        print("Statements end with ; and \\? lists the commands.")
        try:
            self._loop()
        finally:
            self._history.save()
        return 0

    def _loop(self) -> None:
        typed = ""
        while not self.leaving:
            try:
                line = self._read(MORE if typed else PROMPT)
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                print()
                typed = ""
                continue
            if not typed and line.lstrip().startswith("\\"):
                self._history.add(line)
                self.command(line.strip())
                continue
            typed = f"{typed}{line}\n" if typed or line.strip() else ""
            if is_finished(typed, self._dialect):
                self._history.add(typed)
                self.execute(typed)
                typed = ""

    def command(self, line: str) -> None:
        """Run a backslash command."""
        word, _, rest = line.partition(" ")
        for command in COMMANDS:
            if command.name == word:
                command.run(self, rest.strip())
                return
        print(f"Unknown command {word}; \\? lists all commands.", file=sys.stderr)

    def execute(self, text: str) -> None:
        """Run statements and show their answers; an error ends them."""
        for statement in split(text, self._dialect):
            began = time.monotonic()
            try:
                write = writer(sys.stdout.buffer)
                for chunk in self._connection.run(statement, self._format):
                    write(chunk)
            except (errors.SluiceError, Refused) as failed:
                print_error(failure_text(failed, self._dialect))
                return
            except KeyboardInterrupt:
                print("\nCancelled.", file=sys.stderr)
                return
            finally:
                sys.stdout.flush()
            if self.timing:
                print(f"{time.monotonic() - began:.3f} s")


def is_finished(text: str, dialect: str = "clickhouse") -> bool:
    """Whether the last statement is closed by a `;`: what follows would be another one."""
    return bool(text.strip()) and len(split(f"{text}\n0", dialect)) > len(split(text, dialect))


@dataclass(frozen=True, slots=True)
class ReplCommand:
    """A backslash command: its name, arguments, help and handler."""

    name: str
    args: str
    help: str
    run: Callable[[Repl, str], None]


def _describe(repl: Repl, table: str) -> None:
    repl.execute(f"DESCRIBE TABLE {table}" if table else "SHOW TABLES")


def _databases(repl: Repl, _: str) -> None:
    repl.execute("SHOW DATABASES")


def _timing(repl: Repl, _: str) -> None:
    repl.timing = not repl.timing
    print(f"Timing is {'on' if repl.timing else 'off'}.")


def _leave(repl: Repl, _: str) -> None:
    repl.leaving = True


def _help(_: Repl, __: str) -> None:
    for command in COMMANDS:
        print(f"  {f'{command.name} {command.args}':<14}{command.help}")


COMMANDS = (
    ReplCommand("\\d", "[TABLE]", "Show the columns of a table, or all tables", _describe),
    ReplCommand("\\l", "", "Show the databases", _databases),
    ReplCommand("\\timing", "", "Turn the timing of statements on or off", _timing),
    ReplCommand("\\q", "", "Exit (also Ctrl-D)", _leave),
    ReplCommand("\\?", "", "Show this list", _help),
)
