"""`sluice broker`: the embedded Kafka broker in the foreground."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.cli.command import Command

if TYPE_CHECKING:
    import argparse

_LOOK_S = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--port", type=int, default=9092, help="0 chooses a free one (%(default)s)")
    parser.add_argument(
        "--no-auto-create",
        action="store_true",
        help="do not create a topic when a client first produces to it",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default="./sluice-broker",
        help="the broker's data folder (%(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Run the broker until a signal comes or it dies."""
    from sluice.broker import Broker
    from sluice.cli.signals import StopSignals

    data = args.data.absolute()
    auto_create = not args.no_auto_create
    with (
        StopSignals() as stop,
        Broker(data, args.port, progress=_progress, auto_create=auto_create) as broker,
    ):
        ready = f"The broker is ready on {broker.address} (data: {data}, logs: {broker.logs})"
        print(ready, flush=True)
        while not stop.wait(_LOOK_S):
            if not broker.running:
                print(f"sluice: The broker has died; see {broker.logs}", file=sys.stderr)
                return 1
    return 0


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


COMMAND = Command(
    "broker", "Run the embedded Kafka broker (for evaluation and tests)", configure, run
)
