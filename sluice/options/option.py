"""What an option is: its spellings, its type, its default, its range, what it is for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; `choices` limits it, in whatever case."""

    choices: tuple[str, ...] = ()

    def read(self, given: Any) -> str:
        """The text, in the spelling of the choices."""
        if not isinstance(given, str):
            raise ValueError("a string in quotes is expected")
        if not self.choices:
            return given
        for choice in self.choices:
            if given.lower() == choice.lower():
                return choice
        raise ValueError("one of " + ", ".join(f"'{c}'" for c in self.choices) + " is expected")


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text that no output may show."""

    def read(self, given: Any) -> Secret:
        """The secret."""
        return Secret(Text().read(given))


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within a range."""

    low: int = 0
    high: int = (1 << 63) - 1

    def read(self, given: Any) -> int:
        """The number; a text of digits is one too."""
        if isinstance(given, str) and given.isascii() and given.lstrip("-").isdigit():
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, int):
            raise ValueError("a whole number is expected")
        if not self.low <= given <= self.high:
            raise ValueError(f"a number from {self.low} to {self.high} is expected")
        return given


@dataclass(frozen=True, slots=True)
class Flag:
    """On or off."""

    def read(self, given: Any) -> bool:
        """The flag, from true, false, 1 or 0."""
        words = {"true": True, "1": True, "false": False, "0": False}
        if str(given).lower() not in words:
            raise ValueError("true, false, 1 or 0 is expected")
        return words[str(given).lower()]


Kind = Text | Hidden | Whole | Flag


@dataclass(frozen=True, slots=True)
class Option:
    """One option, under its key here and its name in each dialect."""

    key: str
    names: Mapping[str, str]
    kind: Kind
    doc: str
    default: Any = None
    required: bool = False

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return isinstance(self.kind, Hidden)


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The options of one kind of table, for one reader, one validator, one SHOW CREATE."""

    title: str
    options: tuple[Option, ...]
    by_key: Mapping[str, Option] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_key", {option.key: option for option in self.options})

    def named(self, dialect: str) -> dict[str, Option]:
        """The options by their names in a dialect."""
        return {o.names[dialect]: o for o in self.options if dialect in o.names}

    def read(
        self, given: Mapping[str, Any], dialect: str, places: Mapping[str, Place] | None = None
    ) -> dict[str, Any]:
        """Check what was written and give every option its value, by key.

        Raises:
            SluiceError: UNKNOWN_SETTING, or BAD_ARGUMENTS naming the option and what it takes.
        """
        known, places = self.named(dialect), places or {}
        values = {option.key: option.default for option in self.options}
        for name, value in given.items():
            if name not in known:
                hint = errors.nearest(name, known)
                raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=places.get(name))
            try:
                values[known[name].key] = known[name].kind.read(value)
            except ValueError as bad:
                shown = "[HIDDEN]" if known[name].secret else repr(value)
                reason = f"Bad value {shown} for {name}: {bad}"
                raise errors.BAD_ARGUMENTS(reason=reason, place=places.get(name)) from None
        for option in self.options:
            if option.required and values[option.key] is None:
                name = option.names[dialect]
                reason = f"Required parameter '{name}' for storage {self.title} not specified"
                raise errors.BAD_ARGUMENTS(reason=reason)
        return values

    def shown(self, given: Mapping[str, Any], dialect: str) -> dict[str, Any]:
        """What was written, with secrets hidden."""
        known = self.named(dialect)
        return {
            name: "[HIDDEN]" if name in known and known[name].secret else value
            for name, value in given.items()
        }
