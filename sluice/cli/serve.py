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

    from sluice.config import Config, Tls

PORT = 8123
DATA = "./sluice-data"
_BATCHES_S = 4.0
"""How long batches may take to end once the server is told to stop."""
_LAST_THREADS_S = 0.5
_LOOK_S = 0.5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    for options in (_listening, _allowed, _logging, _storage):
        options(parser)


def _listening(parser: argparse.ArgumentParser) -> None:
    """Where the server listens, and who may connect."""
    parser.add_argument(
        "--port", type=int, default=PORT, help="HTTP port; 0 chooses a free one (%(default)s)"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the data folder (%(default)s)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="serve HTTP without TLS on a --host that other machines can reach, and let users "
        "without passwords log in from there",
    )
    parser.add_argument(
        "--https-port", type=int, metavar="PORT", help="HTTPS port; 0 chooses a free one"
    )
    parser.add_argument(
        "--certificate", type=Path, metavar="FILE", help="the server's certificate chain (PEM)"
    )
    parser.add_argument("--key", type=Path, metavar="FILE", help="the certificate's key (PEM)")
    parser.add_argument(
        "--ca",
        type=Path,
        metavar="FILE",
        help="the CA certificates (PEM) that client certificates are verified with",
    )


def _allowed(parser: argparse.ArgumentParser) -> None:
    """What statements may use."""
    parser.add_argument(
        "--config",
        type=Path,
        help="ClickHouse configuration: a file, or a folder with config.xml",
    )
    parser.add_argument(
        "--allow-partitioner",
        action="append",
        default=[],
        metavar="CLASS",
        help="a partitioner class that sink.partitioner may name (Python: package.module:Class); "
        "repeatable",
    )
    parser.add_argument(
        "--allow-path",
        action="append",
        default=[],
        metavar="DIRECTORY",
        help="a directory, in addition to the data folder, that may contain the path of a Delta "
        "table; repeatable",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="a host that the URL of a schema registry, or --openlineage-url, may point to; "
        "repeatable (default: all hosts with public addresses)",
    )
    parser.add_argument(
        "--format-schemas",
        type=Path,
        metavar="DIRECTORY",
        help="the directory with the schemas of formats such as Protobuf "
        "(default: format_schemas in the data folder)",
    )
    parser.add_argument(
        "--functions",
        metavar="MODULE:NAME",
        help="Python functions for the Flink dialect, as package.module:NAME of a dict that maps a "
        "function's name to the function, its argument types and its result type",
    )


def _logging(parser: argparse.ArgumentParser) -> None:
    """What the server writes about itself."""
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="how lines of sluice.log and server.log are written; json: an object per line "
        "(%(default)s)",
    )
    parser.add_argument(
        "--openlineage",
        type=Path,
        metavar="FILE",
        help="add OpenLineage events of pipelines and jobs to a file, one JSON object per line",
    )
    parser.add_argument(
        "--openlineage-url",
        default="",
        metavar="URL",
        help="post OpenLineage events to a URL, such as https://HOST/api/v1/lineage; "
        "OPENLINEAGE_API_KEY is its key",
    )
    parser.add_argument(
        "--openlineage-namespace",
        default="sluice",
        metavar="NAME",
        help="the namespace of this server's jobs in OpenLineage events (%(default)s)",
    )


def _storage(parser: argparse.ArgumentParser) -> None:
    """Where Spark runs, and where data is stored."""
    parser.add_argument("--master", default="local[*]", help="the Spark master (%(default)s)")
    parser.add_argument(
        "--conf",
        action="append",
        type=_setting,
        default=[],
        metavar="NAME=VALUE",
        help="a Spark setting, spark.NAME=VALUE; repeatable",
    )
    parser.add_argument(
        "--catalog",
        metavar="URL",
        default=os.environ.get("SLUICE_CATALOG"),
        help="the catalog's database, such as postgresql+psycopg://user@host/database; also "
        "SLUICE_CATALOG (default: a file in the data folder)",
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get("SLUICE_STORE"),
        help="where tables and checkpoints are stored, such as s3a://bucket/folder; also "
        "SLUICE_STORE; recorded in the catalog (default: the data folder)",
    )
    copied = parser.add_mutually_exclusive_group()
    copied.add_argument(
        "--moved",
        dest="copied",
        action="store_const",
        const="moved",
        help="the data folder was moved here or restored, and the original is no longer in use",
    )
    copied.add_argument(
        "--new-instance",
        dest="copied",
        action="store_const",
        const="new",
        help="the data folder is a copy; from now on it uses its own consumer groups and "
        "transactional ids",
    )


def _setting(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name.startswith("spark."):
        reason = f"expected spark.NAME=VALUE, got {text}"
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
        raise errors.FUNCTIONS_NOT_LOADED(module=place, reason=bad) from bad
    return found


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes, or Spark's JVM dies."""
    import sluice
    from sluice.cli.signals import StopSignals
    from sluice.engine.spark.jvm import EXIT_STATUS
    from sluice.server.run import Server

    data = args.data.absolute()
    config = _with_lineage(_config(args.config), args)
    where: dict[str, Any] = {
        "insecure": args.insecure,
        "log_format": args.log_format,
        "tls": _tls(config, args),
    }
    with StopSignals() as stop, Server(args.host, args.port, **where) as server:
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
            log_format=args.log_format,
            format_schemas=args.format_schemas,
        )
        try:
            session.start()
            server.start(session)
            session.say_url(server.url)
            urls = " and ".join(filter(None, (server.url, server.https_url)))
            ready = f"Sluice is ready on {urls} (data: {data}, logs: {session.logs})"
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
    """The configuration; errors in it are reported before anything starts."""
    if path is None:
        return None
    from sluice.config import load

    return load(path)


def _tls(config: Config | None, args: argparse.Namespace) -> Tls | None:
    """HTTPS as the options say, else as the configuration does."""
    from dataclasses import replace

    from sluice.config import Tls

    found = (config.tls if config is not None else None) or Tls()
    if args.https_port is not None:
        found = replace(found, port=args.https_port)
    if args.certificate is not None:
        found = replace(found, certificate=str(args.certificate.absolute()))
    if args.key is not None:
        found = replace(found, key=str(args.key.absolute()))
    if args.ca is not None:
        found = replace(found, authority=str(args.ca.absolute()))
    return found if found.port is not None else None


def _with_lineage(config: Config | None, args: argparse.Namespace) -> Config | None:
    """The configuration with what `--openlineage` and the like tell."""
    if args.openlineage is None and not args.openlineage_url:
        return config
    from dataclasses import replace

    from sluice.config import Config, OpenLineage
    from sluice.parameters.secret import Secret

    file = None if args.openlineage is None else args.openlineage.absolute()
    key = os.environ.get("OPENLINEAGE_API_KEY")
    secret = Secret(key) if key else None
    given = OpenLineage(file, args.openlineage_url, args.openlineage_namespace, secret)
    return replace(config or Config(), openlineage=given)


def _leave_stuck_threads() -> None:
    """End now if a cut-off statement still holds a thread, which Python would wait for."""
    others = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    for thread in others:
        thread.join(_LAST_THREADS_S / len(others))
    if any(thread.is_alive() for thread in others):
        _exit_at_once(0)


def _exit_at_once(status: int) -> NoReturn:
    """Exit at once: everything in progress is as safe as after `kill -9`."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(status)


COMMAND = Command("serve", "Run the server: pipelines, jobs, and SQL over HTTP", configure, run)
