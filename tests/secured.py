"""The broker of the security tests: one, with a listener for every way to log in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from certificates import Authority, Signed
from quick import QUICK

from sluice.broker import Broker, Listener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PASSWORD = "S3CR3T-right"  # noqa: S105 - of a broker that lives for a test
WRONG = "S3CR3T-wrong"
KEY_PASSWORD = "S3CR3T-key"  # noqa: S105
USERS = {"alice": PASSWORD}
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")


@dataclass(frozen=True)
class Secured:
    """A running broker and what its clients need."""

    broker: Broker
    ca: Path
    other_ca: Path
    client: Signed
    locked: Signed

    def at(self, listener: str) -> str:
        return self.broker.address_of(listener)


def secured_broker(folder: Path) -> Iterator[Secured]:
    folder.mkdir(parents=True, exist_ok=True)
    authority, other = Authority(folder, "ca"), Authority(folder, "stranger")
    server = authority.sign("broker")
    listeners = [
        Listener("LOGIN", "SASL_PLAINTEXT", ("PLAIN", *SCRAM, "OAUTHBEARER"), USERS),
        Listener("TLS", "SSL", key_store=server.both),
        Listener("MUTUAL", "SSL", key_store=server.both, trust_store=authority.certificate),
        Listener("BOTH", "SASL_SSL", ("PLAIN", *SCRAM), USERS, key_store=server.both),
    ]
    with Broker(folder / "broker", listeners=listeners, java_options=QUICK) as broker:
        yield Secured(
            broker,
            authority.certificate,
            other.certificate,
            authority.sign("client"),
            authority.sign("locked", KEY_PASSWORD),
        )
