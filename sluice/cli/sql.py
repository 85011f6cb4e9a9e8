"""`sluice sql`: statements from the command line, a file, a pipe or a prompt."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors
from sluice.cli.command import Command
from sluice.cli.serve import PORT
from sluice.cli.terminal import failure_text, print_error, writer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import BinaryIO

    from sluice.cli.connections import Connection

DEFAULT_URL = f"http://127.0.0.1:{PORT}"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "-f", "--file", type=Path, help="run the statements of a file (-: standard input)"
    )
    what.add_argument("-e", "--execute", metavar="SQL", help="run these statements")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--data", type=Path, help="open a data folder in this process, without a server"
    )
    where.add_argument("--url", help=f"connect to a server ({DEFAULT_URL})")
    add_dialect(parser)
    parser.add_argument(
        "--format", help="output format (PrettyCompact on a terminal, else TabSeparated)"
    )
    parser.add_argument("--database", help="the current database")
    parser.add_argument(
        "--user",
        default=os.environ.get("SLUICE_USER"),
        help="the user to log in as on a server; also SLUICE_USER",
    )
    parser.add_argument(
        "--password",
        default=os.environ.get("SLUICE_PASSWORD", ""),
        help="the user's password; other users of this machine can see it here, so rather "
        "SLUICE_PASSWORD",
    )
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="the CA certificate (PEM) of the server"
    )


def add_dialect(parser: argparse.ArgumentParser) -> None:
    """Add the option of the dialect that statements are in."""
    parser.add_argument(
        "--dialect",
        choices=("clickhouse", "flink"),
        default="clickhouse",
        help="the SQL dialect (%(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Run a script and stop at the first error, or talk with the user."""
    from sluice.formats.answers import DEFAULT, find_answer

    talks = args.file is None and args.execute is None and sys.stdin.isatty()
    default = "PrettyCompact" if sys.stdout.isatty() else DEFAULT
    format_name = find_answer(args.format or default).name
    script = None if talks else _script(args)
    piped = args.execute is not None and not sys.stdin.isatty()
    connection = _connection(args)
    try:
        if script is None:
            from sluice.cli.repl import Repl

            return Repl(connection, format_name, dialect=args.dialect).talk()
        read = _data if piped else None
        return run_script(connection, script, format_name, sys.stdout.buffer, args.dialect, read)
    finally:
        connection.close()


def run_script(
    connection: Connection,
    script: str,
    format_name: str,
    out: BinaryIO,
    dialect: str = "clickhouse",
    read: Callable[[], str] | None = None,
) -> int:
    """Run the statements of a script in order; the first error ends it with status 1.

    An INSERT whose data does not follow it takes what `read` gives, which is there once.
    """
    from sluice.cli.connections import Refused
    from sluice.sql.split import VERTICAL, split

    statements, write = split(script, dialect), writer(out)
    at = 0
    for number, statement in enumerate(statements, 1):
        at = script.index(statement.removesuffix(VERTICAL), at)
        try:
            for chunk in connection.run(_with_data(statement, dialect, read), format_name):
                write(chunk)
        except (errors.SluiceError, Refused) as failed:
            out.flush()
            print_error(failure_text(failed, dialect))
            if len(statements) > 1:
                line = script.count("\n", 0, at) + 1
                where = f"(statement {number} of {len(statements)}, from line {line} of the script)"
                print(where, file=sys.stderr)
            return 1
        out.flush()
        at += len(statement)
    return 0


def _with_data(statement: str, dialect: str, read: Callable[[], str] | None) -> str:
    """A statement, with the data that it waits for.

    Raises:
        SluiceError: NO_DATA_TO_INSERT.
    """
    from sluice.sql.clickhouse.insert import awaits_data

    if dialect != "clickhouse" or not awaits_data(statement):
        return statement
    data = read() if read is not None else ""
    if not data:
        raise errors.NO_DATA_TO_INSERT()
    return f"{statement}\n{data}"


def _data() -> str:
    """Standard input with all its bytes: those of formats are not all texts."""
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _standard_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as bad:
        reason = f"it is not UTF-8: {bad.reason}"
        raise errors.CANNOT_READ_FILE(file="standard input", reason=reason) from bad


def _script(args: argparse.Namespace) -> str:
    if args.execute is not None:
        return str(args.execute)
    return _standard_input() if args.file is None else read_script(args.file)


def read_script(file: Path) -> str:
    """The text of a script; `-` is standard input.

    Raises:
        SluiceError: CANNOT_READ_FILE.
    """
    if str(file) == "-":
        return _standard_input()
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as bad:
        problem = bad.strerror if isinstance(bad, OSError) else f"it is not UTF-8: {bad.reason}"
        raise errors.CANNOT_READ_FILE(file=file, reason=problem) from bad


def _connection(args: argparse.Namespace) -> Connection:
    from sluice.cli.connections import Local, Remote

    if args.data is not None:
        return Local(args.data.absolute(), args.dialect, args.database)
    login = (args.user, args.password) if args.user else None
    remote = Remote(args.url or DEFAULT_URL, args.dialect, args.database, login, args.ca)
    if args.url is None and not remote.answers():
        hint = (
            "Start a server with `sluice serve`, give its address with --url, or open a data "
            "folder without a server with --data."
        )
        raise errors.SERVER_UNREACHABLE(url=DEFAULT_URL, reason="no response", hint=hint)
    return remote


COMMAND = Command("sql", "Run SQL statements, or open an interactive prompt", configure, run)
