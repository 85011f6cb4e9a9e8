"""Stored tables of Flink's: made, at a path too, and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.delta import DELTA
from sluice.options.kinds import FLINK
from sluice.pipelines import delta_log
from sluice.pipelines.delta import stored_columns
from sluice.pipelines.store_path import StorePath
from sluice.plan.stored import check_stored, partitions_of, path_of
from sluice.session import storing
from sluice.types import is_nullable

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.pipelines.store_path import AnyPath
    from sluice.session.engine import Engine
    from sluice.sql import ir


def check_new(engine: Engine, table: Table, statement: ir.CreateTable) -> None:
    """Whether a table can be made; at a path there may be one already, with the same columns.

    Raises:
        SluiceError: what is wrong with it.
    """
    where = {column.name: column.place for column in statement.columns}
    place, places = statement.name.place, statement.setting_places
    try:
        check_stored(table, lambda name: where.get(name) or place, places)
    except errors.SluiceError as bad:
        raise bad.at(place) from bad
    given = path_of(table)
    if not given:
        return
    at = places.get("path") or places.get("table-path") or place
    try:
        path = engine.locations.find(given)
        _check_folder(engine, table, path, given)
    except errors.SluiceError as bad:
        raise bad.at(at) from bad


def _check_folder(engine: Engine, table: Table, path: AnyPath, given: str) -> None:
    if delta_log.commits(path):
        different = engine.store.difference(engine.spark(), table)
        if different:
            reason = f"The Delta table at '{given}' is another one: {different}"
            raise errors.BAD_ARGUMENTS(reason=reason)
    elif _taken(path):
        reason = f"'{given}' is neither a Delta table nor an empty folder"
        raise errors.BAD_ARGUMENTS(reason=reason)


def _taken(path: AnyPath) -> bool:
    """Whether something is there that is no empty folder."""
    if isinstance(path, StorePath):
        return any(path.glob("**/*"))
    return path.exists() and (not path.is_dir() or any(path.iterdir()))


def changed(engine: Engine, old: Table, new: Table, place: Place | None) -> Table:
    """A table that ALTER has changed, with room in its files for new columns.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT for what would be another table.
    """
    if path_of(old) != path_of(new):
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"Changing the path of {old.full_name}",
            hint="DROP TABLE leaves the files; create the table anew with another path.",
            place=place,
        )
    kept = {column.name_in_files for column in stored_columns(new)}
    gone = [c.name for c in stored_columns(old) if c.name_in_files not in kept]
    fixed = {*partitions_of(old), *old.primary_key}
    for name in gone:
        if name in fixed:
            reason = f"The column '{name}' is used as the partition keys or the primary key."
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    before = {column.name_in_files for column in stored_columns(old)}
    added = [c for c in stored_columns(new) if c.name_in_files not in before]
    needed = [column.name for column in added if not is_nullable(column.type)]
    if needed and engine.store.exists(old):
        reason = f"The new column '{needed[0]}' is NOT NULL, and rows are there already"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    return storing.change_columns(engine, old, new, place)


def hinted(name: ir.Name) -> None:
    """Whether a stored table takes what OPTIONS says of it in a query.

    Raises:
        SluiceError: UNSUPPORTED_OPTIONS or OPTION_REFUSED.
    """
    DELTA.read(dict(name.options), FLINK)
    for option in dict(name.options):
        reason = "a table stays where it is"
        raise errors.OPTION_REFUSED(option=option, reason=reason, place=name.place)
