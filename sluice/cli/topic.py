"""`sluice topic`: create, list and delete topics, and produce messages to one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sluice.cli.command import Command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from sluice.kafka.cluster import Cluster
    from sluice.kafka.producer import Message

BROKERS = "localhost:9092"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def action(name: str, help_: str, run: Callable[[Cluster, argparse.Namespace], None],
               *, takes: bool = True) -> argparse.ArgumentParser:  # fmt: skip
        made = actions.add_parser(name, help=help_, description=f"{help_}.")
        made.add_argument("--brokers", default=BROKERS, help="bootstrap servers (%(default)s)")
        made.set_defaults(action=run)
        if takes:
            made.add_argument("topic")
        return made

    created = action("create", "Create a topic", _create)
    created.add_argument(
        "--partitions", type=int, default=1, help="number of partitions (%(default)s)"
    )
    action(
        "list", "List topics with the numbers of their partitions and messages", _list, takes=False
    )
    action("delete", "Delete a topic and all its messages", _delete)
    produced = action("produce", "Produce each line of standard input as a message", _produce)
    produced.add_argument(
        "--key-separator", metavar="TEXT", help="separates the key from the value in a line"
    )
    produced.add_argument(
        "--null-marker", metavar="TEXT", help="a value that stands for none: a tombstone"
    )


def run(args: argparse.Namespace) -> int:
    """Run an action; each waits until the cluster has done it."""
    from sluice.kafka.cluster import Cluster

    cluster = Cluster({"bootstrap.servers": args.brokers})
    try:
        args.action(cluster, args)
    finally:
        cluster.close()
    return 0


def _create(cluster: Cluster, args: argparse.Namespace) -> None:
    cluster.create_topic(args.topic, args.partitions)


def _list(cluster: Cluster, _: argparse.Namespace) -> None:
    topics = cluster.matching(".*")
    first, last = cluster.earliest(topics), cluster.latest(topics)
    for name in sorted(topics):
        kept = sum(last[name].values()) - sum(first[name].values())
        print(f"{name}\t{len(topics[name].partitions)}\t{kept}")


def _delete(cluster: Cluster, args: argparse.Namespace) -> None:
    cluster.delete_topic(args.topic)


def _produce(cluster: Cluster, args: argparse.Namespace) -> None:
    from sluice.kafka.producer import produce

    messages = _messages(args.key_separator, args.null_marker)
    count = produce(cluster.properties, args.topic, messages)
    print(f"messages produced: {count}", file=sys.stderr)


def _messages(separator: str | None, null_marker: str | None) -> Iterator[Message]:
    from sluice.kafka.producer import Message

    null = null_marker.encode() if null_marker is not None else None
    for line in sys.stdin.buffer:
        text = line.removesuffix(b"\n")
        if not text:
            continue
        before, found, after = text.partition(separator.encode()) if separator else (text, b"", b"")
        key, value = (before, after) if found else (None, text)
        yield Message(None if value == null else value, key)


COMMAND = Command("topic", "Create, list and delete topics, and produce messages", configure, run)
