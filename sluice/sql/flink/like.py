"""CREATE TABLE … LIKE: a table made of another one and of what the statement adds.

Physical columns are always taken over. The rest is chosen by INCLUDING (both, a clash
is an error), EXCLUDING (only the new table's) and OVERWRITING (the new table's wins).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink.columns import check, unique
from sluice.sql.flink.create import FEATURES

T = TypeVar("T")

_CLASHES = {
    "CONSTRAINTS": "The base table already has a primary key. You might want to specify EXCLUDING "
    "CONSTRAINTS.",
    "WATERMARKS": "There already exists a watermark spec for column '{0.column}' in the base "
    "table. You might want to specify EXCLUDING WATERMARKS or OVERWRITING WATERMARKS.",
    "PARTITIONS": "The base table already has partitions defined. You might want to specify "
    "EXCLUDING PARTITIONS.",
}
_DEFAULTS = dict.fromkeys(FEATURES[1:], "INCLUDING") | {"OPTIONS": "OVERWRITING"}


def strategies(options: tuple[str, ...]) -> dict[str, str]:
    """What to do with each feature; ALL comes first, whatever the order."""
    given: dict[str, str] = {}
    for option in options:
        strategy, feature = option.split(" ")
        given[feature] = strategy
    everything = given.pop("ALL", None)
    found = dict.fromkeys(_DEFAULTS, everything) if everything else dict(_DEFAULTS)
    return {**found, **given}


def merge(table: ir.CreateTable, base: ir.CreateTable) -> ir.CreateTable:
    """The whole table that `CREATE TABLE … LIKE base` makes.

    Raises:
        SluiceError: BAD_ARGUMENTS, in Flink's words, for what is in both and may not be.
    """
    how = strategies(table.like_options)
    settings = _settings(table, base, how["OPTIONS"])
    keys = _one(table, "CONSTRAINTS", table.primary_key, base.primary_key)
    watermark = _one(table, "WATERMARKS", table.watermark, base.watermark)
    columns = _columns(table, base, how)
    place = table.name.place
    places = (place,) * len(keys) if place else ()
    columns = check(columns, keys, places, watermark, place)
    connector = settings.get("connector") or settings.get("connector.type") or ""
    return replace(
        table,
        columns=columns,
        engine=ir.Engine(connector, (), table.engine.place),
        like=None,
        like_options=(),
        partition_by=_one(table, "PARTITIONS", table.partition_by, base.partition_by),
        settings=settings,
        primary_key=keys,
        watermark=watermark,
    )


def _settings(table: ir.CreateTable, base: ir.CreateTable, how: str) -> dict[str, str]:
    found = {} if how == "EXCLUDING" else dict(base.settings)
    for key, value in table.settings.items():
        if how != "OVERWRITING" and key in found:
            reason = (
                f"There already exists an option '{key}' in the base table. You might want to "
                "specify EXCLUDING OPTIONS or OVERWRITING OPTIONS."
            )
            raise errors.CONFLICTING_LIKE(reason=reason, place=table.setting_places.get(key))
        found[key] = value
    return found


def _one(table: ir.CreateTable, feature: str, own: T, inherited: T) -> T:
    """A feature that a table has once: its own or the base table's."""
    how = strategies(table.like_options)[feature]
    if not inherited or how == "EXCLUDING":
        return own
    if own and how != "OVERWRITING":
        reason = _CLASHES[feature].format(inherited)
        raise errors.CONFLICTING_LIKE(reason=reason, place=table.name.place)
    return own or inherited


def _feature(column: ir.ColumnDef) -> str:
    if column.alias is not None:
        return "GENERATED"
    return "METADATA" if column.metadata is not None else ""


def _columns(
    table: ir.CreateTable, base: ir.CreateTable, how: dict[str, str]
) -> tuple[ir.ColumnDef, ...]:
    found = {c.name: c for c in base.columns if how.get(_feature(c)) != "EXCLUDING"}
    for column in table.columns:
        old, feature = found.get(column.name), _feature(column)
        if old is not None and not (
            feature and feature == _feature(old) and how[feature] == "OVERWRITING"
        ):
            reason = f"A column named '{column.name}' already exists in the base table."
            if feature and feature == _feature(old):
                reason += (
                    f" You might want to specify EXCLUDING {feature} or OVERWRITING {feature}."
                )
            raise errors.CONFLICTING_LIKE(reason=reason, place=column.place)
        found[column.name] = column
    unique(found.values())
    return tuple(found.values())
