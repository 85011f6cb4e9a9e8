"""What the embedded broker's `server.properties` holds, and the ports it takes."""

from __future__ import annotations

import random
import socket
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sluice.broker.listeners import Listener

HOST = "127.0.0.1"

# Below the range from which systems take the near end of outgoing connections (32768 and up):
# a client that keeps knocking at a stopped broker's port can then never be given that port itself.
_PORTS = range(20_000, 30_000)

# One node: everything that would be replicated is kept once, and small.
_SINGLE_NODE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "inter.broker.listener.name": "PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    # A killed broker is let in again only when its former self has timed out (9 s by default).
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "default.replication.factor": "1",
    "min.insync.replicas": "1",
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    # A transaction that nobody ends is aborted soon after its time-out (up to 10 s by default).
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    # A message's own time may be years ago, and retention goes by it: by default such a message is
    # deleted within minutes. Topics keep theirs unless they have a retention.ms of their own.
    "log.retention.ms": "-1",
}


_ESCAPES = {ord("\\"): r"\\"}


def properties(
    storage: Path,
    port: int,
    controller_port: int,
    listeners: Sequence[tuple[Listener, int]] = (),
    *,
    auto_create: bool = False,
) -> str:
    """The text of `server.properties`: a broker and controller that only this machine reaches.

    `listeners` are those besides the plain one, with their ports. With `auto_create` a topic is
    created when a client first produces to it.
    """
    if "," in str(storage):  # Kafka reads it as a list
        reason = f"its folder must not have a comma in its name: {storage}"
        raise errors.BROKER_NOT_STARTED(reason=reason)
    plain, controller = f"PLAINTEXT://{HOST}:{port}", f"CONTROLLER://{HOST}:{controller_port}"
    protocols = {"PLAINTEXT": "PLAINTEXT", "CONTROLLER": "PLAINTEXT"}
    protocols |= {each.name: each.protocol for each, _ in listeners}
    own = {key: _escaped(v) for each, _ in listeners for key, v in each.settings().items()}
    settings = {
        **_SINGLE_NODE,
        "auto.create.topics.enable": str(auto_create).lower(),
        **own,
        "listener.security.protocol.map": ",".join(":".join(pair) for pair in protocols.items()),
        "listeners": ",".join(
            [plain, *(f"{each.name}://{HOST}:{at}" for each, at in listeners), controller]
        ),
        "advertised.listeners": ",".join(
            [plain, *(f"{each.name}://{each.host}:{at}" for each, at in listeners)]
        ),
        "controller.quorum.voters": f"1@{HOST}:{controller_port}",
        "log.dirs": _escaped(str(storage)),
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def free_port(*taken: int) -> int:
    """A free port of 127.0.0.1."""
    for port in random.sample(_PORTS, 200):
        if port not in taken and is_free(port):
            return port
    raise errors.BROKER_NOT_STARTED(reason=f"no free port on {HOST}")


def is_free(port: int) -> bool:
    """Whether a listener could take the port now, as Java binds it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def listens(port: int) -> bool:
    """Whether a process listens on the port."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def _escaped(value: str) -> str:
    """The value as Java's properties files want it: in ASCII, backslashes doubled."""
    units = memoryview(value.encode("utf-16")[2:]).cast("H")
    return "".join(_ESCAPES.get(u) or (chr(u) if u < 128 else f"\\u{u:04x}") for u in units)
