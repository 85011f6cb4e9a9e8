"""The options of one kind of table: reading them, checking them, showing them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options import client
from sluice.parameters.kinds import CLICKHOUSE, FLINK, hide_in_url
from sluice.parameters.option import REFUSED
from sluice.parameters.secret import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place
    from sluice.parameters.option import Option

_LONGEST = 200
"""How much of a wrong value an error shows."""

_NUMBERED = re.compile(r"(.+\.[0-9]+)\.value", re.ASCII)
_SECRET_NAME = re.compile(
    r"passw|secret|token|api-?key|jaas|user[.-]?info|credential|auth-params|access-?key|[._]pem$"
    r"|keystore[.]key$",
    re.IGNORECASE,
)


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
            SluiceError: UNKNOWN_SETTING, OPTION_REFUSED, INVALID_OPTION_VALUE,
                UNSUPPORTED_OPTION_VALUE or MISSING_OPTION, naming the option.
        """
        places = places or {}
        values = Values(self._defaults)
        for name, value in given.items():
            with errors.at(places.get(name)):
                self._read(name, value, dialect, values)
        for option in self.options:
            if dialect in option.required and values[option.key] is None:
                raise errors.MISSING_OPTION(
                    option=option.names[dialect], storage=self.title, dialect=worded(dialect)
                )
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
            raise self.unknown(name, dialect, values.get("connector"))
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

    def unknown(self, name: str, dialect: str, connector: str | None = None) -> errors.SluiceError:
        """The error for a name that no option of the dialect has, in a table of a connector."""
        other = (o for o in self.options if dialect in o.names and name in o.names.values())
        same = next((option.names[dialect] for option in other), None)
        hint = f"Did you mean {same}?" if same else errors.nearest(name, self.named(dialect))
        if dialect == CLICKHOUSE:
            return errors.UNKNOWN_SETTING(setting=name, hint=hint)
        connector = connector or self.title.lower()
        return errors.UNSUPPORTED_OPTIONS(connector=connector, option=name, hint=hint)

    def shown(self, given: Mapping[str, Any], dialect: str) -> dict[str, Any]:
        """What was written, with secrets hidden; also those under unknown names."""
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
    """Whether a name, known or not, looks like that of a secret."""
    return bool(_SECRET_NAME.search(name))


def _wrong(
    option: Option, name: str, value: Any, bad: ValueError, dialect: str
) -> errors.SluiceError:
    shown = HIDDEN if option.secret else hide_in_url(str(value))
    if len(shown) > _LONGEST:
        shown = f"{shown[:_LONGEST]}…"
    if dialect != CLICKHOUSE and option.says:
        problem = option.says.replace("{value}", shown).replace("{name}", name)
        return errors.UNSUPPORTED_OPTION_VALUE(problem=problem)
    quoted = shown if option.secret or not isinstance(value, str) else f"'{shown}'"
    return errors.INVALID_OPTION_VALUE(
        option=name, value=quoted, reason=bad, dialect=worded(dialect)
    )


def worded(dialect: str) -> str:
    """The dialect whose wording errors about a table of a dialect have."""
    return CLICKHOUSE if dialect == CLICKHOUSE else FLINK
