"""The row that declares an option: its names, its kind, its default, its status, what it is for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.parameters.kinds import DLI, Hidden, Kind, hide_in_url
from sluice.parameters.secret import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE, SINK, BOTH = "source", "sink", "both"

HONOURED = "honoured"
NO_EFFECT = "no effect"
REFUSED = "refused"
STATES = {
    HONOURED: "takes effect",
    NO_EFFECT: "accepted, without effect",
    REFUSED: "rejected with an error",
}
"""How an option is handled, and how that is described."""

UPSERT = "upsert-kafka"
CONNECTORS = ("kafka", UPSERT)

_PLACES = ("", "key.", "value.")


@dataclass(frozen=True, slots=True)
class Option:
    """One option, under its key here and its name in each dialect.

    A name with `{format}` in it declares one option for each of `formats`. `part` tells options
    that belong to a format from those of the table. `connectors` are those of Flink that have it;
    with `dli_upsert` DLI's upsert-kafka has it too. `theirs` is the default of the system that a
    dialect is from, if it differs. `says` is that system's message for an invalid value.
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
    dli_upsert: bool = False
    formats: tuple[str, ...] = ()
    part: str = ""

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return isinstance(self.kind, Hidden)

    def belongs_to(self, connector: str, dialect: str) -> bool:
        """Whether a connector has it."""
        return connector in self.connectors or (self.dli_upsert and dialect == DLI)

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
