"""The contents of configuration files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sluice.options.client import EVERY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta
    from pathlib import Path

    from sluice.config.hosts import Hosts
    from sluice.config.tree import Node
    from sluice.parameters.secret import Secret


@dataclass(frozen=True, slots=True)
class Layer:
    """Properties of the Kafka clients of a role, for one topic or (if it is empty) for all."""

    role: str
    topic: str
    properties: Mapping[str, str | Secret]


@dataclass(frozen=True, slots=True)
class Collection:
    """A named collection: options for a table, and properties for its clients."""

    options: Mapping[str, Any]
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenLineage:
    """Where lineage events are sent, and the namespace of the jobs in them.

    They are added to a `file`, posted to a `url`, or both; `key` is sent along with the latter.
    """

    file: Path | None = None
    url: str = ""
    namespace: str = "sluice"
    key: Secret | None = None


@dataclass(frozen=True, slots=True)
class Tls:
    """HTTPS: its port, the server's certificate and key, and the CA of client certificates.

    With `strict` every client has to show a certificate. For connections that the server makes:
    its own certificate and key, and the CA of others.
    """

    port: int | None = None
    certificate: str = ""
    key: str = ""
    authority: str = ""
    strict: bool = False

    def flag(self) -> str:
        """The files as our Java reads their names: without blanks and quotes."""
        return ",".join(
            quote(each, safe="/") for each in (self.certificate, self.key, self.authority)
        )


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that was read. `files` are where from, `ignored` what is not about Kafka.

    `letters_kept` is how long dead letters are kept, None for ever. `partitioners` are the classes
    that the operator lets tables choose partitions by. `hosts` are those that URLs in statements
    may lead to; without a list, all with public addresses. `access` are the sections `users` and
    `quotas`, `constraints` the limits of settings in profiles: least, most, and CONST.
    `format_schemas` is the folder of the schemas of formats, `client_tls` what connections to
    schema registries show and trust.
    """

    layers: tuple[Layer, ...] = ()
    collections: Mapping[str, Collection] = field(default_factory=dict)
    profiles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    macros: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    letters_kept: timedelta | None = None
    partitioners: tuple[str, ...] = ()
    hosts: Hosts | None = None
    openlineage: OpenLineage | None = None
    access: Mapping[str, Node] = field(default_factory=dict)
    constraints: Mapping[str, Mapping[str, tuple[str | None, ...]]] = field(default_factory=dict)
    tls: Tls | None = None
    client_tls: Tls | None = None
    format_schemas: Path | None = None

    def properties(
        self, role: str, topics: Iterable[str], collection: str = ""
    ) -> dict[str, str | Secret]:
        """The settings of a client of that role for those topics; the most specific layer wins.

        From far to near: all clients, all clients for the topic, the role, the role for the topic;
        then the same of a named collection.
        """
        topics = tuple(topics)
        merged: dict[str, str | Secret] = {}
        named = self.collections.get(collection, Collection({}))
        for layers in (self.layers, named.layers):
            for wanted in (EVERY, role):
                for topic in ("", *topics):
                    for layer in layers:
                        if (layer.role, layer.topic) == (wanted, topic):
                            merged |= layer.properties
        return merged

    def values(self, name: str) -> list[str]:
        """Every value that a property of the Kafka clients has somewhere, each once."""
        every = [self.layers, *(collection.layers for collection in self.collections.values())]
        found = [
            layer.properties[name]
            for layers in every
            for layer in layers
            if name in layer.properties
        ]
        return sorted({str(value) for value in found})

    def settings(self, profile: str = "default") -> dict[str, str]:
        """The settings of a profile, with those of the profiles it is built on."""
        return self._settings(profile, ())

    def _settings(self, profile: str, seen: tuple[str, ...]) -> dict[str, str]:
        own = dict(self.profiles.get(profile, {}))
        base = own.pop("profile", "")
        if not base or base in (*seen, profile):
            return own
        return self._settings(base, (*seen, profile)) | own
