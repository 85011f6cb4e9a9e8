"""`sluice demo`: a broker, a server, a topic full of events, and the statements that read it."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.cli.command import Command
from sluice.cli.terminal import print_error

if TYPE_CHECKING:
    import argparse

    from sluice.broker import Broker
    from sluice.cli.signals import StopSignals
    from sluice.cli.watch import Ingest
    from sluice.server.run import Server
    from sluice.session import Session

TOPIC = "github"
PARTITIONS = 3
TOP = (
    "SELECT event_type, count() AS events FROM github "
    "GROUP BY event_type ORDER BY events DESC, event_type LIMIT 5"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--rows", type=_rows, default=200_000, help="number of events (%(default)s)"
    )
    parser.add_argument(
        "--exit",
        action="store_true",
        help="exit when done; status 0 if every row was written exactly once",
    )


def _rows(text: str) -> int:
    rows = int(text)
    if rows < 1:
        raise ValueError(text)
    return rows


def run(args: argparse.Namespace) -> int:
    """Show the whole path from a topic to a table."""
    from sluice.cli.signals import StopSignals

    folder = Path(tempfile.mkdtemp(prefix="sluice-demo-"))
    print(f"Demo files: {folder}\n")
    with StopSignals() as stop:
        good = _play(folder, args.rows, leave=args.exit, stop=stop)
    if good:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"Removed {folder}.")
    else:
        print(f"Kept {folder}, which contains the logs.", file=sys.stderr)
    return 0 if good else 1


def statements(broker: str) -> list[str]:
    """The statements that read the topic, from `demo.sql`, with the broker's address in them."""
    from sluice.sql.split import split

    text = resources.files("sluice.cli").joinpath("demo.sql").read_text("utf-8")
    return [statement.replace("<host>:<port>", broker) for statement in split(text)]


def _play(folder: Path, rows: int, *, leave: bool, stop: StopSignals) -> bool:
    import sluice
    from sluice.broker import Broker
    from sluice.server.run import Server

    with ExitStack() as stack:
        print("Starting a Kafka broker …", flush=True)
        broker = stack.enter_context(Broker(folder / "broker", progress=print))
        print(f"  {broker.address} (logs: {broker.logs})")
        _fill(broker.address, rows)
        if stop.wait(0):
            return False
        print("Starting Sluice …", flush=True)
        server = stack.enter_context(Server(port=0))
        session = sluice.connect(data=folder / "data")
        stack.callback(session.close)
        session.start()
        server.start(session)
        stack.callback(server.stop)
        print(f"  {server.url} (logs: {session.logs})\n")
        good = _ingest(session, broker.address, rows, stop)
        if good:
            _top(session)
        if good and not leave:
            _say_how_to_look_around(session, server, broker)
            stop.wait()
        return good


def _fill(address: str, rows: int) -> None:
    from sluice.broker import github_events
    from sluice.cli.progress import Bar

    bar = Bar(f"Topic {TOPIC}", rows)
    github_events.fill(address, TOPIC, rows, partitions=PARTITIONS, progress=bar.show)
    bar.finish(rows)


def _ingest(session: Session, broker: str, rows: int, stop: StopSignals) -> bool:
    """Run the statements and watch the rows arrive; True if each arrived once."""
    from sluice.cli.progress import Bar
    from sluice.cli.watch import wait_for

    for statement in statements(broker):
        print(f"{statement};\n", flush=True)
        session.execute(statement)
    bar = Bar("Table github", rows)
    state = wait_for(session, rows, lambda now: bar.show(now.rows, _lag(now)), stop.wait)
    bar.finish(state.rows, _lag(state))
    print(f"\ncount() = {state.rows}", flush=True)
    if state.rows != rows and not stop.wait(0):
        print_error(f"sluice: {_problem(state, rows)}")
    return state.rows == rows


def _lag(state: Ingest) -> str:
    return f"  lag {state.lag:,}"


def _problem(state: Ingest, rows: int) -> str:
    if state.rows > rows:
        return f"{rows} messages were produced, so {state.rows - rows} rows are duplicates."
    reason = state.error or f"the pipeline's state is {state.state or 'unknown'}"
    return f"{rows} messages were produced, {rows - state.rows} rows are missing: {reason}"


def _top(session: Session) -> None:
    print(f"\n{TOP};", flush=True)
    answer = session.execute(TOP, default_format="PrettyCompact", stream=True)
    for chunk in answer.stream or ():
        sys.stdout.buffer.write(chunk)
    sys.stdout.flush()


def _say_how_to_look_around(session: Session, server: Server, broker: Broker) -> None:
    text = f"""
Explore while it runs:
  sluice sql --url {server.url}
  curl '{server.url}/?query=SELECT+count()+FROM+github'
  curl '{server.url}/?query=SELECT+*+FROM+system.kafka_consumers+FORMAT+Vertical'
Logs: {session.logs} and {broker.logs}
Press Ctrl-C to end the demo."""
    print(text, flush=True)


COMMAND = Command(
    "demo", "Load a Kafka topic into a table, with an embedded broker", configure, run
)
