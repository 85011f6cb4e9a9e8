"""What an option is: its spellings, its kind, its default, what becomes of it, what it is for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options import client
from sluice.options.kinds import (
    CLICKHOUSE,
    ClassName,
    Duration,
    Flag,
    Hidden,
    Kind,
    Letter,
    ListOf,
    Number,
    Offsets,
    Size,
    Text,
    Url,
    Whole,
    hide_in_url,
)
from sluice.options.secret import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place

__all__ = [
    "ClassName", "Duration", "Flag", "Hidden", "Letter", "ListOf", "Number", "Offsets", "Option",
    "OptionSet", "Size", "Text", "Url", "Values", "Whole",
]  # fmt: skip

SOURCE, SINK, BOTH = "source", "sink", "both"

HONOURED = "honoured"
KEPT = "kept"
NO_EFFECT = "no effect"
REFUSED = "refused"
STATES = {
    HONOURED: "takes effect",
    KEPT: "validated and stored; has no effect yet",
    NO_EFFECT: "accepted, without effect",
    REFUSED: "rejected with an error",
}
"""What becomes of an option, and how that is said."""

UPSERT = "upsert-kafka"
CONNECTORS = ("kafka", UPSERT)

_LONGEST = 200
"""How much of a wrong value an error shows."""

_PLACES = ("", "key.", "value.")
_NUMBERED = re.compile(r"(.+\.[0-9]+)\.value", re.ASCII)
_SECRET_NAME = re.compile(
    r"passw|secret|token|api-?key|jaas|user[.-]?info|credential|auth-params|access-?key|[._]pem$"
    r"|keystore[.]key$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Option:
    """One option, under its key here and its name in each dialect.

    A name with `{format}` in it stands for one option of each of `formats`. `part` tells options
    that belong to a format from those of the table. `theirs` is the default of the system that a
    dialect is from, where ours differs. `says` is what that system says of a wrong value.
    """

    key: str
    names: Mapping[str, str]
    kind: Kind
    doc: str
    default: Any = None
    required: tuple[str, ...] = ()
    scope: str = BOTH
    status: str = HONOURED
    why: str = ""
    theirs: Mapping[str, str] = field(default_factory=dict, hash=False)
    says: str = ""
    connectors: tuple[str, ...] = CONNECTORS
    formats: tuple[str, ...] = ()
    part: str = ""

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return isinstance(self.kind, Hidden)

    def written(self, dialect: str) -> list[str]:
        """Every way to write it in a dialect."""
        name = self.names[dialect]
        if "{format}" not in name:
            return [name]
        return [at + name.format(format=f) for at in _PLACES for f in self.formats]

    def show(self, value: Any) -> str:
        """A value as it may be seen."""
        if self.secret:
            return HIDDEN
        return hide_in_url(str(value))


class Values(dict[str, Any]):
    """Values by key. `given` are the keys that were written, the rest are defaults.

    `formats` has the options of formats and `client` those of the Kafka client, by their names.
    """

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        super().__init__(defaults)
        self.given: set[str] = set()
        self.formats: dict[str, Any] = {}
        self.client: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The options of one kind of table, for one reader, one validator, one SHOW CREATE."""

    title: str
    options: tuple[Option, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    """Before the name of a property of the Kafka client, in the dialects that take those."""
    by_key: Mapping[str, Option] = field(init=False)
    _defaults: Mapping[str, Any] = field(init=False, repr=False)
    _named: dict[str, dict[str, Option]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_key", {option.key: option for option in self.options})
        defaults = {o.key: o.default for o in self.options if not o.part}
        object.__setattr__(self, "_defaults", defaults)

    def named(self, dialect: str) -> Mapping[str, Option]:
        """The options by their names in a dialect."""
        if dialect not in self._named:
            self._named[dialect] = {
                name: o for o in self.options if dialect in o.names for name in o.written(dialect)
            }
        return self._named[dialect]

    def read(
        self, given: Mapping[str, Any], dialect: str, places: Mapping[str, Place] | None = None
    ) -> Values:
        """Check what was written and give every option its value, by key.

        Raises:
            SluiceError: UNKNOWN_SETTING, OPTION_REFUSED, or BAD_ARGUMENTS naming the option and
                what it takes.
        """
        places = places or {}
        values = Values(self._defaults)
        for name, value in given.items():
            try:
                self._read(name, value, dialect, values)
            except errors.SluiceError as error:
                raise error.at(places.get(name)) from None
        for option in self.options:
            if dialect in option.required and values[option.key] is None:
                raise _missing(option.names[dialect], self.title, dialect)
        return values

    def _read(self, name: str, value: Any, dialect: str, values: Values) -> None:
        option = self.named(dialect).get(name)
        if option is None:
            self._property(name, value, dialect, values)
            return
        try:
            read = option.kind.read(value, dialect)
        except ValueError as bad:
            raise _wrong(option, name, value, bad, dialect) from None
        if option.status == REFUSED and (option.default is None or read != option.default):
            raise errors.OPTION_REFUSED(option=name, reason=option.why)
        if option.part:
            values.formats[name] = read
        else:
            values[option.key] = read
            values.given.add(option.key)

    def _property(self, name: str, value: Any, dialect: str, values: Values) -> None:
        """A property of the Kafka client, from the list of those a table may set."""
        prefix = self.properties.get(dialect)
        if prefix is None or not name.startswith(prefix):
            raise self.unknown(name, dialect)
        try:
            key = client.find(name.removeprefix(prefix), client.JAVA, trusted=False)
        except errors.SluiceError as bad:
            if bad.condition is not errors.UNKNOWN_SETTING:
                raise
            own = [n.removeprefix(prefix) for n in self.named(dialect) if n.startswith(prefix)]
            near = errors.nearest(name.removeprefix(prefix), [*own, *client.names()], say="{}")
            near = " or ".join(f"{prefix}{each}" for each in near.split(" or ") if each)
            hint = f"Did you mean {near}?" if near else bad.hint
            raise errors.UNKNOWN_SETTING(setting=name, hint=hint) from bad
        values.client[key.name] = key.read(value)

    def unknown(self, name: str, dialect: str) -> errors.SluiceError:
        """The error for a name that no option of the dialect has."""
        hint = errors.nearest(name, self.named(dialect))
        if dialect == CLICKHOUSE:
            return errors.UNKNOWN_SETTING(setting=name, hint=hint)
        return errors.UNSUPPORTED_OPTIONS(connector=self.title.lower(), option=name, hint=hint)

    def shown(self, given: Mapping[str, Any], dialect: str) -> dict[str, Any]:
        """What was written, with secrets hidden; also those under names that nobody knows."""
        return {
            name: HIDDEN
            if self._hides(name, given, dialect)
            else hide_in_url(value)
            if isinstance(value, str)
            else value
            for name, value in given.items()
        }

    def _hides(self, name: str, given: Mapping[str, Any], dialect: str) -> bool:
        option = self.named(dialect).get(name)
        if option is not None:
            return option.secret
        numbered = _NUMBERED.fullmatch(name)  # the name of such a value is itself a value
        return looks_secret(str(given.get(f"{numbered[1]}.key", "")) if numbered else name)


def looks_secret(name: str) -> bool:
    """Whether a name, known or not, is of the sort that holds a secret."""
    return bool(_SECRET_NAME.search(name))


def _wrong(
    option: Option, name: str, value: Any, bad: ValueError, dialect: str
) -> errors.SluiceError:
    shown = HIDDEN if option.secret else hide_in_url(str(value))
    if len(shown) > _LONGEST:
        shown = f"{shown[:_LONGEST]}…"
    if dialect == CLICKHOUSE:
        quoted = shown if option.secret or not isinstance(value, str) else f"'{shown}'"
        return errors.BAD_ARGUMENTS(reason=f"Bad value {quoted} for {name}: {bad}")
    if option.says:
        reason = option.says.replace("{value}", shown).replace("{name}", name)
    else:
        reason = f"Could not parse value '{shown}' for key '{name}'. {bad}"
    return errors.BAD_ARGUMENTS(reason=reason)


def _missing(name: str, title: str, dialect: str) -> errors.SluiceError:
    if dialect == CLICKHOUSE:
        reason = f"Required parameter '{name}' for storage {title} not specified"
    else:
        reason = (
            f"One or more required options are missing.\n\nMissing required options are:\n\n{name}"
        )
    return errors.BAD_ARGUMENTS(reason=reason)
