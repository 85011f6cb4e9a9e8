"""Users, roles, row policies, quotas and settings profiles, as the catalog keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sluice.access.rights import Rights, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

USER, ROLE, POLICY, QUOTA, PROFILE = "USER", "ROLE", "ROW POLICY", "QUOTA", "SETTINGS PROFILE"

CATALOG, USERS_XML, BUILT_IN = "catalog", "users_xml", "built_in"
"""Where an entity comes from; only those of the catalog are changed by statements."""

NO_PASSWORD, PLAINTEXT, SHA256 = "no_password", "plaintext_password", "sha256_password"
DOUBLE_SHA1, BCRYPT, CERTIFICATE = "double_sha1_password", "bcrypt_password", "ssl_certificate"


@dataclass(frozen=True, slots=True)
class Authentication:
    """A way to log in: the hash of a password with its salt, or the names in certificates."""

    kind: str = NO_PASSWORD
    hash: str = field(default="", repr=False)
    salt: str = field(default="", repr=False)
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where a user may log in from: anywhere, this machine, or what the rules say."""

    any: bool = False
    local: bool = False
    addresses: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    likes: tuple[str, ...] = ()


ANYWHERE = Hosts(any=True)
LOCAL = Hosts(local=True)


@dataclass(frozen=True, slots=True)
class Names:
    """Some users and roles: those that are listed, or all but some."""

    names: tuple[str, ...] = ()
    all: bool = False
    but: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """Whether one of these names is among them."""
        if self.all:
            return any(name not in self.but for name in names[:1])
        return any(name in self.names for name in names)


ALL = Names(all=True)
NOBODY = Names()


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting's value and its limits in a profile, or (with `profile`) another profile.

    `writability` is CONST, WRITABLE or CHANGEABLE_IN_READONLY; nothing for the default.
    """

    name: str = ""
    value: Any = None
    least: Any = None
    most: Any = None
    writability: str = ""
    profile: str = ""


@dataclass(frozen=True, slots=True)
class User:
    """Who can log in; `default_roles` are those of the granted ones that are enabled then."""

    kind: ClassVar[str] = USER
    name: str
    authentication: tuple[Authentication, ...] = (Authentication(),)
    hosts: Hosts = ANYWHERE
    rights: Rights = field(default_factory=Rights, compare=False)
    roles: Mapping[str, bool] = field(default_factory=dict)
    default_roles: Names = ALL
    default_database: str = ""
    settings: tuple[Setting, ...] = ()
    grantees: Names = ALL
    valid_until: datetime | None = None
    storage: str = CATALOG
    id: str = ""


@dataclass(frozen=True, slots=True)
class Role:
    """Rights under a name; `roles` are those that were granted to it, with their admin option."""

    kind: ClassVar[str] = ROLE
    name: str
    rights: Rights = field(default_factory=Rights, compare=False)
    roles: Mapping[str, bool] = field(default_factory=dict)
    settings: tuple[Setting, ...] = ()
    storage: str = CATALOG
    id: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """Which rows of a table some users see: those for which `condition` is true."""

    kind: ClassVar[str] = POLICY
    name: str
    short_name: str = ""
    database: str = ""
    table: str = ""
    condition: str = ""
    restrictive: bool = False
    to: Names = NOBODY
    storage: str = CATALOG
    id: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """The limits of a quota for so many seconds, by what they count."""

    seconds: int
    limits: Mapping[str, float] = field(default_factory=dict)
    randomized: bool = False


@dataclass(frozen=True, slots=True)
class Quota:
    """How much some users may do in some time; `keys` tell what is counted apart."""

    kind: ClassVar[str] = QUOTA
    name: str
    keys: tuple[str, ...] = ()
    intervals: tuple[Interval, ...] = ()
    to: Names = NOBODY
    storage: str = CATALOG
    id: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings under a name, with limits to what a user may set instead."""

    kind: ClassVar[str] = PROFILE
    name: str
    settings: tuple[Setting, ...] = ()
    to: Names = NOBODY
    storage: str = CATALOG
    id: str = ""


Entity = User | Role | Policy | Quota | Profile
KINDS: Mapping[str, type[Entity]] = {
    each.kind: each for each in (User, Role, Policy, Quota, Profile)
}

T = TypeVar("T")


def to_record(entity: Entity) -> dict[str, Any]:
    """What the catalog keeps of an entity, as JSON."""
    return {
        each.name: _plain(getattr(entity, each.name))
        for each in fields(entity)
        if each.name not in ("storage", "id", "name")
    }


def from_record(kind: str, name: str, id_: str, kept: Mapping[str, Any]) -> Entity:
    """The entity that was kept; what a later version knows besides is left out."""
    made = KINDS[kind]
    known = {each.name for each in fields(made)}
    values = {key: _READERS.get(key, _same)(value) for key, value in kept.items() if key in known}
    return made(name=name, id=id_, **values)


def _plain(value: Any) -> Any:
    if isinstance(value, Rights):
        return to_json(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if hasattr(value, "__dataclass_fields__"):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return dict(value) if isinstance(value, dict) else value


def _same(value: Any) -> Any:
    return value


def _made(kind: type[T], kept: Mapping[str, Any]) -> T:
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()})


def _several(kind: type[T], kept: Iterable[Mapping[str, Any]]) -> tuple[T, ...]:
    return tuple(_made(kind, each) for each in kept)


_READERS: Mapping[str, Any] = {
    "rights": from_json,
    "authentication": lambda kept: _several(Authentication, kept),
    "hosts": lambda kept: _made(Hosts, kept),
    "default_roles": lambda kept: _made(Names, kept),
    "grantees": lambda kept: _made(Names, kept),
    "to": lambda kept: _made(Names, kept),
    "settings": lambda kept: _several(Setting, kept),
    "intervals": lambda kept: _several(Interval, kept),
    "keys": tuple,
    "valid_until": lambda kept: datetime.fromisoformat(kept) if kept else None,
}
