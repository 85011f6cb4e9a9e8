"""ALTER TABLE and its changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.sql.ir.nodes import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog.entities import Element
    from sluice.errors import Place
    from sluice.sql.ir.nodes import ColumnDef, Name, Query, Watermark
    from sluice.sql.ir.rows import Mutation


@dataclass(frozen=True, slots=True)
class Alteration:
    """A change of ALTER TABLE; `place` is that of the column it changes."""

    place: Place | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AddColumn(Alteration):
    """ADD COLUMN; `after` is the column it follows, "" for the first place."""

    column: ColumnDef
    if_not_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class DropColumn(Alteration):
    """DROP COLUMN."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ModifyColumn(Alteration):
    """MODIFY COLUMN: the parts of `changes` are replaced; the others stay as they are."""

    name: str
    changes: Mapping[str, Any]
    if_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class RenameColumn(Alteration):
    """RENAME COLUMN a TO b."""

    name: str
    to: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ModifySetting(Alteration):
    """MODIFY SETTING and RESET SETTING."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    reset: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class ModifyQuery(Alteration):
    """MODIFY QUERY of a materialized view."""

    query: Query


@dataclass(frozen=True, slots=True)
class ModifyComment(Alteration):
    """MODIFY COMMENT of a table."""

    comment: str


@dataclass(frozen=True, slots=True)
class ModifyTtl(Alteration):
    """MODIFY TTL, or REMOVE TTL without one."""

    ttl: str = ""


@dataclass(frozen=True, slots=True)
class AddElement(Alteration):
    """ADD INDEX, PROJECTION or CONSTRAINT; `after` as in ADD COLUMN."""

    element: Element
    if_not_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class DropElement(Alteration):
    """DROP INDEX, PROJECTION or CONSTRAINT; with another `verb` its data alone is concerned."""

    kind: str
    element: str
    if_exists: bool = False
    verb: str = "DROP"


@dataclass(frozen=True, slots=True)
class ModifyKey(Alteration):
    """ADD or MODIFY (`columns`) or DROP (none) the PRIMARY KEY; ADD wants that there is none."""

    columns: tuple[str, ...] = ()
    add: bool = False


@dataclass(frozen=True, slots=True)
class ModifyWatermark(Alteration):
    """ADD, MODIFY or DROP (None) the WATERMARK; ADD wants that there is none."""

    watermark: Watermark | None = None
    add: bool = False


@dataclass(frozen=True, slots=True)
class AlterTable(Statement):
    """ALTER TABLE: one change or several, all or none of them."""

    name: Name
    changes: tuple[Alteration, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterInSteps(Statement):
    """ALTER TABLE with changes of columns and of rows: one step after the other."""

    name: Name
    steps: tuple[AlterTable | Mutation, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
