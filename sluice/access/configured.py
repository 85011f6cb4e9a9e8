"""Users, profiles and quotas of `users.xml`, as ClickHouse writes them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from sluice.access.entities import (
    BCRYPT,
    CERTIFICATE,
    DOUBLE_SHA1,
    NO_PASSWORD,
    PLAINTEXT,
    SHA256,
    USERS_XML,
    Authentication,
    Hosts,
    Interval,
    Names,
    Profile,
    Quota,
    Setting,
    User,
)
from sluice.access.passwords import hashed
from sluice.access.privileges import mask_of
from sluice.access.rights import Element, Rights
from sluice.access.usage import COUNTED
from sluice.config.tree import bad
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.access.entities import Entity
    from sluice.config import Config
    from sluice.config.tree import Node

    ReadGrant = Callable[[str], list[Element]]

_HASHES = {
    "password_sha256_hex": SHA256,
    "password_double_sha1_hex": DOUBLE_SHA1,
    "password_bcrypt": BCRYPT,
}


def entities_of(config: Config | None, read_grant: ReadGrant) -> list[Entity]:
    """The entities of the configuration; nobody changes them by statements.

    `read_grant` reads a GRANT or REVOKE without the user.

    Raises:
        SluiceError: BAD_CONFIG.
    """
    if config is None:
        return []
    users = [_user(node, read_grant) for node in _in(config, "users")]
    quotas = [_quota(node, config) for node in _in(config, "quotas")]
    profiles = [_profile(name, config) for name in config.profiles]
    return [*users, *quotas, *profiles]


def _in(config: Config, section: str) -> list[Node]:
    found = config.access.get(section)
    return list(found.children) if found is not None else []


def _id(kind: str, name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"users.xml/{kind}/{name}"))


def _text(node: Node, tag: str, otherwise: str = "") -> str:
    return next((each.text() for each in node.find(tag)), otherwise)


def _user(node: Node, read_grant: ReadGrant) -> User:
    settings = [Setting(profile=each.text()) for each in node.find("profile")]
    return User(
        node.tag,
        authentication=(_authentication(node),),
        hosts=_hosts(node),
        rights=_rights(node, read_grant),
        default_database=_text(node, "default_database"),
        settings=tuple(settings),
        storage=USERS_XML,
        id=_id("user", node.tag),
    )


def _authentication(node: Node) -> Authentication:
    for tag, kind in _HASHES.items():
        if text := _text(node, tag):
            return Authentication(kind, text.lower() if kind != BCRYPT else text)
    if text := _text(node, "password"):
        return hashed(PLAINTEXT, text)
    for each in node.find("ssl_certificates"):
        return Authentication(CERTIFICATE, names=tuple(c.text() for c in each.find("common_name")))
    if any(node.find("no_password")) or any(node.find("password")):
        return Authentication(NO_PASSWORD)
    raise bad(
        node.file, f"the user {node.tag} has no password", "Add <no_password/> or a password."
    )


def _hosts(node: Node) -> Hosts:
    """The networks of a user; without any it may log in from anywhere."""
    networks = [network for each in node.find("networks") for network in each.children]
    if not networks:
        return Hosts(any=True)
    found: dict[str, list[str]] = {"ip": [], "host": [], "host_regexp": []}
    for each in networks:
        if each.tag not in found:
            raise bad(each.file, f"unknown element <{each.tag}> in <networks>")
        found[each.tag].append(each.text())
    everywhere = bool({"::/0", "0.0.0.0/0"} & set(found["ip"]))
    return Hosts(
        any=everywhere,
        addresses=tuple(found["ip"]),
        names=tuple(found["host"]),
        patterns=tuple(found["host_regexp"]),
    )


def _rights(node: Node, read_grant: ReadGrant) -> Rights:
    """Everything unless it is restricted; managing access only if the file says so."""
    queries = [query.text() for grants in node.find("grants") for query in grants.find("query")]
    if queries:
        return Rights(each for query in queries for each in _granted(node, query, read_grant))
    managed = mask_of("ACCESS MANAGEMENT", "NAMED COLLECTION ADMIN")
    allowed = _text(node, "access_management") == "1"
    mask = mask_of("ALL") if allowed else mask_of("ALL") & ~managed
    databases = [each.text() for d in node.find("allow_databases") for each in d.children]
    if databases:
        return Rights(Element(mask, (name,), option=allowed) for name in databases)
    return Rights([Element(mask, option=allowed)])


def _granted(node: Node, text: str, read_grant: ReadGrant) -> list[Element]:
    try:
        return read_grant(text)
    except SluiceError as wrong:
        raise bad(node.file, f"<query>{text}</query>: {wrong.message}", wrong.hint) from None


def _quota(node: Node, config: Config) -> Quota:
    intervals = []
    for each in node.find("interval"):
        limits = {name: float(_text(each, name, "0")) for name in COUNTED}
        counted = {name: limit for name, limit in limits.items() if limit}
        intervals.append(Interval(int(_text(each, "duration", "3600")), counted))
    keys = tuple(key for tag, key in _KEYS.items() if any(node.find(tag)))
    own = [user.tag for user in _in(config, "users") if _text(user, "quota") == node.tag]
    return Quota(
        node.tag, keys, tuple(intervals), Names(tuple(own)), USERS_XML, _id("quota", node.tag)
    )


_KEYS = {"keyed": "user_name", "keyed_by_ip": "ip_address"}


def _profile(name: str, config: Config) -> Profile:
    limits = config.constraints.get(name, {})
    settings = [
        Setting(profile=value) if key == "profile" else Setting(key, value)
        for key, value in config.profiles[name].items()
    ]
    for key, (least, most, writability) in limits.items():
        settings.append(Setting(key, None, least, most, writability or ""))
    return Profile(name, tuple(settings), storage=USERS_XML, id=_id("profile", name))
