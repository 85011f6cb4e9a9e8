"""`sluice serve`: the server in the foreground."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sluice.cli.command import Command
from sluice.cli.terminal import print_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.config import Config

PORT = 8123
DATA = "./sluice-data"
_BATCHES_S = 4.0
"""How long batches may take to end once the server is told to stop."""
_LAST_THREADS_S = 0.5
_LOOK_S = 0.5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one (%(default)s)")
    parser.add_argument("--data", type=Path, default=DATA, help="the data folder (%(default)s)")
    parser.add_argument("--host", default="127.0.0.1", help="address to bind to (%(default)s)")
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="allow a --host that other machines can reach, although there are no users yet",
    )
    parser.add_argument(
        "--config",
        type=Path,
        help="ClickHouse's configuration: a file, or a folder with config.xml",
    )
    parser.add_argument(
        "--allow-partitioner",
        action="append",
        default=[],
        metavar="CLASS",
        help="a class that sink.partitioner may name (Python's as package.module:Class)",
    )
    parser.add_argument(
        "--allow-path",
        action="append",
        default=[],
        metavar="DIRECTORY",
        help="a directory, besides the data folder, that the path of a Delta table may lead into",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="a host that the URL of a schema registry may lead to; without any, all that have "
        "public addresses",
    )
    parser.add_argument(
        "--functions",
        metavar="PLACE",
        help="functions that Flink's SQL may call, as package.module:NAME of a dict: for each name "
        "the function, the types it takes, and the type it gives",
    )
    parser.add_argument("--master", default="local[*]", help="the Spark master (%(default)s)")
    parser.add_argument(
        "--conf",
        action="append",
        type=_setting,
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark's; may be given several times",
    )
    parser.add_argument(
        "--catalog",
        metavar="URL",
        default=os.environ.get("SLUICE_CATALOG"),
        help="where the catalog is if not in the data folder, such as "
        "postgresql+psycopg://user@host/database (SLUICE_CATALOG)",
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get("SLUICE_STORE"),
        help="where tables and checkpoints are if not in the data folder, such as "
        "s3a://bucket/folder (SLUICE_STORE); it is remembered",
    )
    copied = parser.add_mutually_exclusive_group()
    copied.add_argument(
        "--moved",
        dest="copied",
        action="store_const",
        const="moved",
        help="the data folder was moved here or restored, and its original does not run any more",
    )
    copied.add_argument(
        "--new-instance",
        dest="copied",
        action="store_const",
        const="new",
        help="the data folder is a copy: from now on it has consumer groups and transactional ids "
        "of its own",
    )


def _setting(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name.startswith("spark."):
        reason = f"{text} is not spark.NAME=VALUE"
        raise argparse.ArgumentTypeError(reason)
    return name, value


def _functions(place: str | None) -> Mapping[str, Any] | None:
    """What `--functions` names."""
    if place is None:
        return None
    from importlib import import_module

    from sluice import errors

    module, _, name = place.partition(":")
    try:
        found: Mapping[str, Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as bad:
        reason = f"--functions {place} cannot be found: {bad}"
        raise errors.BAD_ARGUMENTS(reason=reason) from bad
    return found


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes, or Spark's JVM dies."""
    import sluice
    from sluice.cli.signals import StopSignals
    from sluice.pipelines.watch import EXIT_STATUS
    from sluice.server.run import Server

    data = args.data.absolute()
    config = _config(args.config)
    with StopSignals() as stop, Server(args.host, args.port, insecure=args.insecure) as server:
        session = sluice.connect(
            data=data,
            master=args.master,
            config=config,
            catalog=args.catalog,
            spark=dict(args.conf),
            partitioners=args.allow_partitioner,
            paths=args.allow_path,
            hosts=args.allow_host,
            store=args.store,
            functions=_functions(args.functions),
            copied=args.copied or "",
        )
        try:
            session.start()
            server.start(session)
            session.say_url(server.url)
            ready = f"Sluice is ready on {server.url} (data: {data}, logs: {session.logs})"
            print(ready, flush=True)
            while not stop.wait(_LOOK_S):
                if lost := session.lost():
                    server.stop()
                    print_error(f"sluice: {lost.text()}")
                    _exit_at_once(EXIT_STATUS)
            session.ask_to_stop()
            server.stop()
        finally:
            session.close(_BATCHES_S)
    _leave_stuck_threads()
    return 0


def _config(path: Path | None) -> Config | None:
    """What the configuration says; a mistake in it is told before anything starts."""
    if path is None:
        return None
    from sluice.config import load

    return load(path)


def _leave_stuck_threads() -> None:
    """End now if a cut-off statement still holds a thread, which Python would wait for."""
    others = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    for thread in others:
        thread.join(_LAST_THREADS_S / len(others))
    if any(thread.is_alive() for thread in others):
        _exit_at_once(0)


def _exit_at_once(status: int) -> NoReturn:
    """End the process as it is: whatever it had begun is as safe as after `kill -9`."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(status)


COMMAND = Command("serve", "Run the server: pipelines, and statements over HTTP", configure, run)
