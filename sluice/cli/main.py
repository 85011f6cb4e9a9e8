"""The `sluice` tool: a table of commands.

Nothing heavy is imported until a command runs, so that help is there at once.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import TYPE_CHECKING

from sluice import __version__
from sluice.cli import broker, demo, migrate, serve, sql, topic
from sluice.cli.terminal import print_error
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    serve.COMMAND,
    sql.COMMAND,
    migrate.COMMAND,
    topic.COMMAND,
    broker.COMMAND,
    demo.COMMAND,
)
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The tool's options and commands."""
    top = argparse.ArgumentParser(
        prog="sluice", description="Kafka topics as SQL tables, on Spark, exactly once."
    )
    top.add_argument("--version", action="version", version=f"sluice {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=f"{command.help}.")
        command.configure(sub)
        sub.set_defaults(run=command.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is a sentence on stderr, never a stack trace."""
    args = parser().parse_args(argv)
    # Py4J logs a broken connection by the root logger, which would then write to the terminal.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        status: int = args.run(args)
    except SluiceError as error:
        print_error(f"sluice: {error.text()}")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has left. Nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status
