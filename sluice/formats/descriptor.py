"""What a format of messages is: its names, its options, its decoder, its encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sluice.parameters.kinds import CLICKHOUSE, FLINK, Flag, Integer, Kind, Number, Text
from sluice.parameters.option import BOTH, HONOURED, NO_EFFECT, REFUSED, SINK, SOURCE, Option

if TYPE_CHECKING:
    from sluice.types import Type

Fits = Callable[..., str]
"""`fits(columns, options, *, writes)`: why a format cannot have these columns, or nothing."""

Left = Callable[["Columns", Mapping[str, Any]], bool]
"""`left(columns, options)`: whether ClickHouse alone reads messages of a table."""

Conflict = Callable[[Mapping[str, Any], frozenset[str], str], str]
"""`conflict(options, given, use)`: why options exclude each other in a scan or a sink."""


READS, WRITES = "reads", "writes"
BOTH_WAYS = "reads writes"

CANONICAL = {"canonical": True, "date_time_overflow_behavior": "throw"}
"""What a decoder is told if ClickHouse reads the messages that it refuses: it takes values in the
form in which ClickHouse writes them, and times that fit their type."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of one dialect, Flink's for DLI too. A part that is absent is not implemented."""

    name: str
    family: str
    """ClickHouse: the settings that concern it are those of this family."""
    aliases: tuple[str, ...] = ()
    dialect: str = CLICKHOUSE
    options: tuple[Option, ...] = ()
    """Flink: its own options, `{format}.name`."""
    decoder: str = ""
    encoder: str = ""
    """Java classes below the package `sluice`, made from columns and settings."""
    clickhouse: str = ""
    """What ClickHouse's own code does: READS, WRITES or both. If there is a decoder besides, it
    reads first, and ClickHouse the messages that it refuses."""
    left: Left | None = None
    """Which columns and options are left to ClickHouse though there is a decoder, or an encoder."""
    typed: bool = False
    """Whether the decoder reads Variant and Dynamic, and ClickHouse what it refuses of them."""
    rows: str = ""
    """The setting of how many rows a message may have, where the table does not say it."""
    blocks: bool = False
    """Whether a message is a block of `max_block_size` rows, and not of rows one after another."""
    fixed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Settings for both that no table sets, for instance that a header comes first."""
    fits: Fits | None = None
    needs: tuple[str, ...] = ()
    """Options that must be set."""
    conflict: Conflict | None = None
    metadata: Mapping[str, Type] = field(default_factory=dict, hash=False)
    """What a message states besides the row: metadata columns `value.…` with their types."""
    several: bool = False
    """Flink: whether a message may hold several rows."""
    changes: bool = False
    """Whether messages are changes of rows."""
    omits: bool = False
    """Whether a change may leave out values that it does not change."""
    registry: bool = False
    """Whether schemas are registered under a subject."""
    schemas: str = ""
    """The extension of the files of schemas, for a format whose schema may be in one."""
    refused: str = ""
    """Why messages never have it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and its aliases."""
        return (self.name, *self.aliases)

    @property
    def reads(self) -> bool:
        """Whether messages are decoded."""
        return bool(self.decoder) or READS in self.clickhouse

    @property
    def writes(self) -> bool:
        """Whether messages are encoded."""
        return bool(self.encoder) or WRITES in self.clickhouse

    @property
    def read_by(self) -> str:
        """Whose code decodes messages: `JVM` for our own, `ClickHouse`, both, or nothing."""
        if self.decoder:
            return "JVM, ClickHouse" if self.read_twice else "JVM"
        return "ClickHouse" if self.reads else ""

    @property
    def read_twice(self) -> bool:
        """Whether ClickHouse reads the messages that the decoder refuses."""
        return bool(self.decoder) and READS in self.clickhouse

    @property
    def written_by(self) -> str:
        """Whose code encodes messages."""
        return "JVM" if self.encoder else "ClickHouse" if self.writes else ""

    def concerned(self, setting: Option) -> bool:
        """Whether a ClickHouse format setting applies to it."""
        return not setting.formats or self.family in setting.formats


def by_clickhouse(family: str, names: str, does: str, **more: Any) -> Iterator[Format]:
    """Formats that ClickHouse's own code reads, writes or both."""
    return (Format(name, family, clickhouse=does, **more) for name in names.split())


UNUSED = {
    "inference": "the columns of the table have types; nothing is inferred",
    "headers": "a Kafka table never detects a header",
    "exact": "floating-point numbers are always parsed exactly",
    "speed": "it changes the performance of ClickHouse, not the result",
    "elsewhere": "it does not concern messages",
    "files": "ClickHouse has it act on files, not on messages",
    "casts": "it concerns casts in queries, not messages",
    "columns": "a Kafka table has no columns of this type",
}
"""Why a format setting has no effect."""

_KINDS: dict[type, Kind] = {bool: Flag(), int: Integer(), float: Number(), str: Text()}


def settings(family: str, *rows: Option) -> tuple[Option, ...]:
    """ClickHouse format settings for a family of formats."""
    return tuple(replace(row, formats=(family,)) for row in rows)


def _setting(
    name: str, default: Any, doc: str, kind: Kind | None, status: str, why: str = ""
) -> Option:
    """A ClickHouse format setting; its kind is its default's."""
    scope = SOURCE if name.startswith("input_") else SINK if name.startswith("output_") else BOTH
    names, takes = {CLICKHOUSE: name}, kind or _KINDS[type(default)]
    return Option(name, names, takes, doc, default, (), scope, status, why, part="format")


def honoured(name: str, default: Any, doc: str, kind: Kind | None = None) -> Option:
    """One that takes effect; the Java gets it with its value."""
    return _setting(name, default, doc, kind, HONOURED)


def unused(reason: str, name: str, default: Any, doc: str, kind: Kind | None = None) -> Option:
    """One that changes nothing here, for one of the reasons in UNUSED."""
    return _setting(name, default, doc, kind, NO_EFFECT, UNUSED[reason])


def refused(name: str, default: Any, doc: str, why: str) -> Option:
    """One that cannot be set to anything but its default."""
    return _setting(name, default, doc, None, REFUSED, why)


def option(
    key: str, kind: Kind, doc: str, default: Any = None,
    *, dli: bool = False, scope: str = BOTH, says: str = "", status: str = HONOURED, why: str = "",
) -> Option:  # fmt: skip
    """An option of Flink's formats: `json.name` for json, and for each format that lists it."""
    name = key.partition(".")[2]
    names = {FLINK: "{format}." + name} | ({"dli": f"format.{name}"} if dli else {})
    return Option(key, names, kind, doc, default, (), scope, status, why, says=says, part="format")


Columns = Sequence[tuple[str, "Type"]]
