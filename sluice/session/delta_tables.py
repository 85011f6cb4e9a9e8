"""Stored tables of the Flink dialect: CREATE, also at a path, and ALTER."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine.storage import delta_log
from sluice.engine.storage.store_path import StorePath
from sluice.planner.stored import check_stored, partitions_of, path_of
from sluice.session import storing
from sluice.types import is_nullable

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.engine.storage.store_path import AnyPath
    from sluice.errors import Place
    from sluice.sql import ir


def check_new(engine: Engine, table: Table, statement: ir.CreateTable) -> None:
    """Whether a table can be made; at a path there may be one already, with the same columns.

    Raises:
        SluiceError: what is wrong with it.
    """
    where = {column.name: column.place for column in statement.columns}
    place, places = statement.name.place, statement.setting_places
    with errors.at(place):
        check_stored(table, lambda name: where.get(name) or place, places)
    given = path_of(table)
    if not given:
        return
    with errors.at(places.get("path") or places.get("table-path") or place):
        path = engine.locations.find(given)
        if delta_log.versions(path):
            different = engine.store.schemas.difference(engine.spark(), table)
            if different:
                raise errors.DELTA_TABLE_DIFFERS(path=given, difference=different)
        elif _taken(path):
            raise errors.DELTA_FOLDER_IN_USE(path=given)


def _taken(path: AnyPath) -> bool:
    """Whether something is there that is no empty folder."""
    if isinstance(path, StorePath):
        return any(path.glob("**/*"))
    return path.exists() and (not path.is_dir() or any(path.iterdir()))


def changed(engine: Engine, old: Table, new: Table, place: Place | None) -> Table:
    """A table that ALTER has changed, with room in its files for new columns.

    Raises:
        SluiceError: UNSUPPORTED_PATH_CHANGE, KEY_COLUMN_DROPPED or NEW_COLUMN_NOT_NULL.
    """
    if path_of(old) != path_of(new):
        raise errors.UNSUPPORTED_PATH_CHANGE(table=old.full_name, place=place)
    kept = {column.name_in_files for column in new.stored_columns}
    gone = [c.name for c in old.stored_columns if c.name_in_files not in kept]
    fixed = {*partitions_of(old), *old.primary_key}
    for name in gone:
        if name in fixed:
            raise errors.KEY_COLUMN_DROPPED(column=name, place=place)
    before = {column.name_in_files for column in old.stored_columns}
    added = [c for c in new.stored_columns if c.name_in_files not in before]
    needed = [column.name for column in added if not is_nullable(column.type)]
    if needed and engine.store.exists(old):
        raise errors.NEW_COLUMN_NOT_NULL(column=needed[0], place=place)
    return storing.change_columns(engine, old, new, place)
