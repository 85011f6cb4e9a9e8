"""ClickHouse's configuration files: Kafka settings, named collections and profiles."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.config.configuration import Collection, Config, Layer, Tls
from sluice.config.hosts import Hosts
from sluice.config.tree import ROOTS, Node, bad, merge, read_tree
from sluice.errors import SluiceError
from sluice.options import client
from sluice.options.client import CONSUMER, EVERY, LIBRDKAFKA, PRODUCER
from sluice.options.kafka import KAFKA
from sluice.options.option_set import looks_secret
from sluice.parameters.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ENDINGS = (".xml", ".yaml", ".yml")
_MAIN = ("config", "users")
_FOLDERS = ("config.d", "conf.d", "users.d")
_TOPIC = "kafka_topic"
_LEGACY = "kafka_"
_TTL = re.compile(
    r"\s*event_(?:date|time)\s*\+\s*INTERVAL\s+(\d{1,6})\s+(HOUR|DAY|WEEK|MONTH|YEAR)S?"
    r"(?:\s+DELETE)?\s*",
    re.IGNORECASE | re.ASCII,
)
_UNITS = {
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
    "MONTH": timedelta(days=31),
    "YEAR": timedelta(days=366),
}
_ROLES = {CONSUMER: CONSUMER, PRODUCER: PRODUCER}


def load(path: str | Path) -> Config:
    """Read a file, or a folder with `config.xml` and `config.d/`, in the order of their names.

    Raises:
        SluiceError: BAD_CONFIG naming the file, and the nearest names for one that is not known.
    """
    files = list(_files(Path(path)))
    root = Node(ROOTS[0], str(path))
    for file in files:
        merge(root, read_tree(file))
    config = Config(files=tuple(str(file) for file in files))
    ignored: list[str] = []
    for section in root.children:
        legacy = _legacy if section.tag.startswith(_LEGACY) else None
        reader = _SECTIONS.get(section.tag, legacy)
        if reader is None:
            ignored.append(section.tag)
        else:
            config = replace(config, **reader(section, config))
    return replace(config, ignored=tuple(dict.fromkeys(ignored)))


def _kafka(section: Node, config: Config) -> dict[str, Any]:
    return {"layers": (*config.layers, *_layers(section))}


def _legacy(section: Node, config: Config) -> dict[str, Any]:
    """`<kafka_logs>`: the older way to configure the clients of one topic."""
    layer = Layer(EVERY, section.tag.removeprefix(_LEGACY), _properties(section))
    return {"layers": (*config.layers, layer)}


def _profiles(section: Node, config: Config) -> dict[str, Any]:
    profiles = {node.tag: _profile(node) for node in section.children}
    limits = {node.tag: _constraints(node) for node in section.children}
    return {
        "profiles": {**config.profiles, **profiles},
        "constraints": {**config.constraints, **limits},
    }


def _collections(section: Node, config: Config) -> dict[str, Any]:
    found = {node.tag: _collection(node) for node in section.children}
    return {"collections": {**config.collections, **found}}


def _macros(section: Node, config: Config) -> dict[str, Any]:
    found = {node.tag: node.text() for node in section.children}
    return {"macros": {**config.macros, **found}}


def _access(section: Node, config: Config) -> dict[str, Any]:
    return {"access": {**config.access, section.tag: section}}


def _encryption(section: Node, config: Config) -> dict[str, Any]:
    return {
        "tls": _tls(section, config.tls),
        "client_tls": _client_tls(section) or config.client_tls,
    }


_SECTIONS: Mapping[str, Callable[[Node, Config], dict[str, Any]]] = {
    "kafka": _kafka,
    "named_collections": _collections,
    "profiles": _profiles,
    "users": _access,
    "quotas": _access,
    "https_port": _encryption,
    "openSSL": _encryption,
    "macros": _macros,
    "remote_url_allow_hosts": lambda section, _: {"hosts": _hosts(section)},
    "format_schema_path": lambda section, _: {"format_schemas": Path(section.text())},
    "dead_letter_queue": lambda section, _: {"letters_kept": _lifetime(section)},
}
"""The parts of the configuration that a section changes; any other section is ignored."""


def _tls(node: Node, known: Tls | None) -> Tls:
    """`<https_port>`, and the server's part of `<openSSL>`."""
    found = known or Tls()
    if node.tag == "https_port":
        if not node.text().isdigit():
            raise bad(node.file, "<https_port> is not a number")
        return replace(found, port=int(node.text()))
    for server in node.find("server"):
        texts = {child.tag: child.text() for child in server.children}
        found = replace(
            found,
            certificate=texts.get("certificateFile", found.certificate),
            key=texts.get("privateKeyFile", found.key),
            authority=texts.get("caConfig", found.authority),
            strict=texts.get("verificationMode", "relaxed") in ("strict", "once"),
        )
    return found


def _client_tls(node: Node) -> Tls | None:
    """The client's part of `<openSSL>`."""
    for given in node.find("client"):
        texts = {child.tag: child.text() for child in given.children}
        names = ("certificateFile", "privateKeyFile", "caConfig")
        certificate, key, authority = (texts.get(name, "") for name in names)
        return Tls(certificate=certificate, key=key, authority=authority)
    return None


def _constraints(profile: Node) -> dict[str, tuple[str | None, ...]]:
    """The limits of a profile's settings: least, most, and whether they can be changed."""
    found: dict[str, tuple[str | None, ...]] = {}
    for section in profile.find("constraints"):
        for node in section.children:
            texts = {child.tag: child.text() for child in node.children}
            const = "CONST" if {"readonly", "const"} & texts.keys() else ""
            const = "CHANGEABLE_IN_READONLY" if "changeable_in_readonly" in texts else const
            found[node.tag] = (texts.get("min"), texts.get("max"), const)
    return found


def _files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise bad(str(path), "no such file or folder")
    if not path.is_dir():
        yield path
        return
    found = [path / f"{name}{ending}" for name in _MAIN for ending in ENDINGS]
    mains = [file for file in found if file.is_file()]
    parts = [f for folder in _FOLDERS for f in _in(path / folder)]
    if not mains and not parts:
        mains = list(_in(path))
    if not mains and not parts:
        raise bad(str(path), "the folder has no configuration", "Put a config.xml into it.")
    yield from (*mains, *parts)


def _in(folder: Path) -> list[Path]:
    return sorted(f for f in folder.glob("*") if f.is_file() and f.suffix in ENDINGS)


def _layers(section: Node) -> Iterator[Layer]:
    """All clients, then those that read and those that write; each may name topics."""
    yield from _role(section, EVERY)
    for tag, role in _ROLES.items():
        for node in section.find(tag):
            yield from _role(node, role)


def _role(section: Node, role: str) -> Iterator[Layer]:
    yield Layer(role, "", _properties(section))
    for topic in section.find(_TOPIC):
        names = [node.text() for node in topic.find("name")]
        if len(names) != 1 or not names[0]:
            raise bad(section.file, f"<{_TOPIC}> needs exactly one <name>")
        yield Layer(role, names[0], _properties(topic))
    for node in section.children:  # <kafka_logs>: the older way to name a topic
        if node.tag.startswith(_LEGACY) and node.tag != _TOPIC:
            yield Layer(role, node.tag.removeprefix(_LEGACY), _properties(node))


def _properties(section: Node) -> dict[str, str | Secret]:
    """The properties of a section; `_` stands for `.`, as ClickHouse writes them."""
    found: dict[str, str | Secret] = {}
    for node in section.children:
        if node.tag in (*_ROLES, "name") or node.tag.startswith(_LEGACY):
            continue
        if node.children:
            raise bad(node.file, f"unknown element <{node.tag}> in <{section.tag}>")
        name = node.tag if node.tag == "log_level" else node.tag.replace("_", ".")
        try:
            key = client.find(name, LIBRDKAFKA, trusted=True)
            found[key.name] = key.read(node.text(), LIBRDKAFKA)
        except SluiceError as error:
            raise bad(node.file, f"<{node.tag}>: {error.message}", error.hint) from None
    return found


def _hosts(section: Node) -> Hosts:
    """Names in <host>, patterns in <host_regexp>."""
    for node in section.children:
        if node.tag not in ("host", "host_regexp"):
            hint = errors.nearest(node.tag, ("host", "host_regexp"))
            raise bad(node.file, f"unknown element <{node.tag}> in <{section.tag}>", hint)
    patterns = tuple(node.text() for node in section.find("host_regexp"))
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise bad(section.file, f"<host_regexp> {pattern}: {error}") from None
    return Hosts(tuple(node.text().lower() for node in section.find("host")), patterns)


def _lifetime(section: Node) -> timedelta | None:
    """How long the rows of a system table are kept: `event_date + INTERVAL 30 DAY [DELETE]`."""
    for node in section.find("ttl"):
        found = _TTL.fullmatch(node.text())
        if found is None:
            hint = "Write event_date + INTERVAL 30 DAY."
            raise bad(node.file, f"<ttl> in <{section.tag}> cannot be parsed", hint)
        return int(found[1]) * _UNITS[found[2].upper()]
    return None


def _profile(section: Node) -> dict[str, str]:
    """A profile's settings; only those of formats are checked."""
    found = {}
    known = KAFKA.named("clickhouse")
    for node in section.children:
        if node.tag == "constraints":
            continue
        found[node.tag] = node.text()
        if node.tag in known and known[node.tag].part:
            try:
                known[node.tag].kind.read(found[node.tag])
            except ValueError as error:
                raise bad(node.file, f"<{node.tag}>: {error}") from None
    return found


def _collection(section: Node) -> Collection:
    options: dict[str, str | Secret] = {}
    layers: list[Layer] = []
    known = KAFKA.named("clickhouse")
    for node in section.children:
        if node.tag == "kafka":
            layers += _layers(node)
        elif node.children:
            hint = errors.nearest(node.tag, known)
            reason = f"unknown element <{node.tag}> in named collection {section.tag}"
            raise bad(node.file, reason, hint)
        else:
            hidden = looks_secret(node.tag)
            options[node.tag] = Secret(node.text()) if hidden else node.text()
    return Collection(options, tuple(layers))
