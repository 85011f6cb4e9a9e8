"""Who there is and what they may do: the entities of the catalog and of `users.xml`."""

from __future__ import annotations

import threading
import uuid
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.access.effective import OWNER, Access
from sluice.access.entities import (
    BUILT_IN,
    CATALOG,
    LOCAL,
    POLICY,
    PROFILE,
    QUOTA,
    ROLE,
    USER,
    Entity,
    Names,
    Policy,
    Profile,
    Quota,
    Role,
    Setting,
    User,
    from_record,
    to_record,
)
from sluice.access.privileges import mask_of
from sluice.access.rights import Element, Rights
from sluice.access.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.catalog.access_records import AccessRecords
    from sluice.errors import Place

DEFAULT_PROFILE = "default"

_UNKNOWN = {
    USER: errors.UNKNOWN_USER,
    ROLE: errors.UNKNOWN_ROLE,
    POLICY: errors.UNKNOWN_ROW_POLICY,
    QUOTA: errors.UNKNOWN_QUOTA,
    PROFILE: errors.UNKNOWN_SETTINGS_PROFILE,
}


def all_rights() -> Rights:
    """Everything, with the right to grant it."""
    return Rights([Element(mask_of("ALL"), option=True)])


class AccessControl:
    """The entities of one data folder; threads may share it.

    Without users in `configured` there is a user `default` who may do everything, has no password
    and logs in from this machine only, until a statement changes that.
    """

    def __init__(self, records: AccessRecords, configured: Iterable[Entity] = ()) -> None:
        self._records = records
        self._lock = threading.RLock()
        self._configured = {(each.kind, each.name): each for each in configured}
        self._entities: dict[tuple[str, str], Entity] = {}
        self._known: dict[tuple[Any, ...], Access] = {}
        self.usage = Usage()
        self._load()

    def _load(self) -> None:
        found = {(k, n): from_record(k, n, id_, kept) for k, n, id_, kept in self._records.all()}
        default = (USER, OWNER)
        if default not in found and not any(kind == USER for kind, _ in self._configured):
            found[default] = User(
                OWNER, hosts=LOCAL, rights=all_rights(), storage=BUILT_IN, id=_id(default)
            )
        self._entities = found | self._configured
        self._known = {}

    def all(self, kind: str) -> list[Entity]:
        """The entities of a kind, sorted by name."""
        with self._lock:
            found = [each for (of, _), each in self._entities.items() if of == kind]
        return sorted(found, key=lambda each: each.name)

    def users(self) -> list[User]:
        """All users."""
        return [each for each in self.all(USER) if isinstance(each, User)]

    def roles(self) -> list[Role]:
        """All roles."""
        return [each for each in self.all(ROLE) if isinstance(each, Role)]

    def policies(self) -> list[Policy]:
        """All row policies."""
        return [each for each in self.all(POLICY) if isinstance(each, Policy)]

    def quotas(self) -> list[Quota]:
        """All quotas."""
        return [each for each in self.all(QUOTA) if isinstance(each, Quota)]

    def profiles(self) -> list[Profile]:
        """All settings profiles."""
        return [each for each in self.all(PROFILE) if isinstance(each, Profile)]

    def find(self, kind: str, name: str) -> Entity | None:
        """An entity by its name."""
        with self._lock:
            return self._entities.get((kind, name))

    def user(self, name: str) -> User | None:
        """A user by name."""
        found = self.find(USER, name)
        return found if isinstance(found, User) else None

    def grantee(self, name: str, place: Place | None = None) -> User | Role:
        """A user or a role by name.

        Raises:
            SluiceError: UNKNOWN_ROLE.
        """
        found = self.find(USER, name) or self.find(ROLE, name)
        if not isinstance(found, User | Role):
            raise errors.UNKNOWN_ROLE(name=name, place=place)
        return found

    def need(self, kind: str, name: str, place: Place | None = None) -> Entity:
        """An entity that must be there.

        Raises:
            SluiceError: UNKNOWN_USER and the like.
        """
        found = self.find(kind, name)
        if found is None:
            raise _UNKNOWN[kind](name=name, place=place)
        return found

    def put(self, *entities: Entity, place: Place | None = None) -> None:
        """Remember entities, in place of those of the same kind and name.

        Raises:
            SluiceError: ACCESS_STORAGE_READONLY for one of `users.xml`.
        """
        with self._lock:
            for each in entities:
                self._changeable(each.kind, each.name, place)
            made = [
                replace(each, storage=CATALOG, id=each.id or str(uuid.uuid4())) for each in entities
            ]
            self._records.change([(e.kind, e.name, e.id, to_record(e)) for e in made])
            self._load()

    def remove(self, kind: str, name: str, place: Place | None = None) -> None:
        """Forget an entity, also where others name it.

        Raises:
            SluiceError: ACCESS_STORAGE_READONLY for one of `users.xml`.
        """
        with self._lock:
            self._changeable(kind, name, place)
            if kind == USER and name == OWNER:
                raise errors.ACCESS_STORAGE_READONLY(
                    kind="user",
                    name=name,
                    hint="ALTER USER default HOST NONE keeps everybody from logging in as it.",
                    place=place,
                )
            self._records.change(self._without(kind, name), [(kind, name)])
            self._load()

    def rename(self, kind: str, name: str, to: str, place: Place | None = None) -> None:
        """Call an entity something else, also where others name it."""
        with self._lock:
            self._changeable(kind, name, place)
            if (kind, to) in self._entities:
                raise errors.ACCESS_ENTITY_ALREADY_EXISTS(kind=kind.lower(), name=to, place=place)
            old = self._entities[kind, name]
            new = (kind, to, old.id, to_record(old))
            self._records.change([*self._without(kind, name, to), new], [(kind, name)])
            self._load()

    def _without(
        self, kind: str, name: str, to: str | None = None
    ) -> list[tuple[str, str, str, dict[str, Any]]]:
        """The other entities that name one that is dropped or renamed."""
        found = []
        for other in self._entities.values():
            changed = _renamed(other, kind, name, to)
            if (
                other.storage == CATALOG
                and changed != other
                and (other.kind, other.name)
                != (
                    kind,
                    name,
                )
            ):
                found.append((other.kind, other.name, other.id, to_record(changed)))
        return found

    def _changeable(self, kind: str, name: str, place: Place | None) -> None:
        if (kind, name) in self._configured:
            raise errors.ACCESS_STORAGE_READONLY(
                kind=kind.lower(), name=name, hint="Change it in users.xml.", place=place
            )

    def access(self, user: str, roles: tuple[str, ...] | None = None, address: str = "") -> Access:
        """What a user may do now; `roles` are those that SET ROLE has chosen."""
        key = (user, roles, address)
        with self._lock:
            found = self._known.get(key)
            if found is None:
                found = self._known[key] = self._access(user, roles, address)
            return found

    def _access(self, name: str, roles: tuple[str, ...] | None, address: str) -> Access:
        user = self.user(name)
        if user is None:
            return Access(name, exists=False, address=address)
        default = tuple(role for role in user.roles if user.default_roles.has(role))
        chosen = default if roles is None else tuple(r for r in roles if r in user.roles)
        enabled = self.closure(chosen)
        entities = [each for role in enabled if isinstance(each := self.find(ROLE, role), Role)]
        holders: list[User | Role] = [user, *entities]
        admin = {r for each in holders for r, option in each.roles.items() if option}
        policies: dict[tuple[str, str], tuple[Policy, ...]] = {}
        for policy in self.policies():
            key = (policy.database, policy.table)
            policies[key] = (*policies.get(key, ()), policy)
        names = (name, *enabled)
        return Access(
            name,
            rights=(user.rights, *(each.rights for each in entities)),
            roles=enabled,
            admin_of=frozenset(admin),
            granted_roles=tuple(user.roles),
            default_roles=default,
            settings=tuple(self._settings(user, entities, names)),
            policies=policies,
            quotas=tuple(each for each in self.quotas() if each.to.has(*names)),
            address=address,
            default_database=user.default_database,
        )

    def closure(self, roles: Iterable[str]) -> tuple[str, ...]:
        """Roles, and those that were granted to them."""
        found: dict[str, None] = {}
        left = list(roles)
        while left:
            name = left.pop(0)
            role = self.find(ROLE, name)
            if isinstance(role, Role) and name not in found:
                found[name] = None
                left += role.roles
        return tuple(found)

    def _settings(
        self, user: User, roles: Iterable[Role], names: tuple[str, ...]
    ) -> Iterator[Setting]:
        """The default profile's, those of the roles, those of the user: the last one counts."""
        yield from self._of_profile(DEFAULT_PROFILE, ())
        for profile in self.profiles():
            if profile.name != DEFAULT_PROFILE and profile.to.has(*names):
                yield from self._of_profile(profile.name, ())
        holders: list[User | Role] = [*roles, user]
        for each in holders:
            yield from self._flat(each.settings, ())

    def _of_profile(self, name: str, seen: tuple[str, ...]) -> Iterator[Setting]:
        found = self.find(PROFILE, name)
        if isinstance(found, Profile) and name not in seen:
            yield from self._flat(found.settings, (*seen, name))

    def _flat(self, settings: Iterable[Setting], seen: tuple[str, ...]) -> Iterator[Setting]:
        for each in settings:
            if each.profile:
                yield from self._of_profile(each.profile, seen)
            else:
                yield each

    def expired(self, user: User) -> bool:
        """Whether a user's time is over."""
        return user.valid_until is not None and user.valid_until <= datetime.now(UTC)


def _id(key: tuple[str, str]) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(key)))


def _renamed(entity: Entity, kind: str, name: str, to: str | None) -> Entity:
    """An entity that names another one which is called otherwise now, or is no more."""
    changed: dict[str, Any] = {}
    for each in fields(entity):
        value = getattr(entity, each.name)
        if isinstance(value, Names) and kind in (USER, ROLE):
            changed[each.name] = replace(
                value, names=_list(value.names, name, to), but=_list(value.but, name, to)
            )
        elif each.name == "roles" and kind == ROLE and name in value:
            rest = {role: option for role, option in value.items() if role != name}
            changed[each.name] = rest | ({to: value[name]} if to else {})
        elif each.name == "settings" and kind == PROFILE:
            changed[each.name] = tuple(
                replace(s, profile=to or "") if s.profile == name else s
                for s in value
                if s.profile != name or to
            )
    return replace(entity, **changed)


def _list(names: tuple[str, ...], name: str, to: str | None) -> tuple[str, ...]:
    kept = [(to if each == name else each) for each in names]
    return tuple(each for each in kept if each is not None)
