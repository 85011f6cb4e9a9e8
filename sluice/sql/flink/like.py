"""CREATE TABLE … LIKE: a table made of another one and of what the statement adds.

Physical columns are always taken over. What happens to the rest is said by INCLUDING (both, a clash
is an error), EXCLUDING (only the new table's) and OVERWRITING (the new table's wins).
"""

from __future__ import annotations

from dataclasses import replace

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink.columns import check, unique
from sluice.sql.flink.create import FEATURES

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
    keys = _keys(table, base, how["CONSTRAINTS"])
    watermark = _watermark(table, base, how["WATERMARKS"])
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
        partition_by=_partitions(table, base, how["PARTITIONS"]),
        settings=settings,
        primary_key=keys,
        watermark=watermark,
    )


def _clash(reason: str, table: ir.CreateTable) -> errors.SluiceError:
    return errors.BAD_ARGUMENTS(reason=reason, place=table.name.place)


def _settings(table: ir.CreateTable, base: ir.CreateTable, how: str) -> dict[str, str]:
    found = {} if how == "EXCLUDING" else dict(base.settings)
    for key, value in table.settings.items():
        if how != "OVERWRITING" and key in found:
            reason = (
                f"There already exists an option '{key}' in the base table. You might want to "
                "specify EXCLUDING OPTIONS or OVERWRITING OPTIONS."
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=table.setting_places.get(key))
        found[key] = value
    return found


def _keys(table: ir.CreateTable, base: ir.CreateTable, how: str) -> tuple[str, ...]:
    inherited = base.primary_key if how == "INCLUDING" else ()
    if inherited and table.primary_key:
        reason = (
            "The base table already has a primary key. You might want to specify EXCLUDING "
            "CONSTRAINTS."
        )
        raise _clash(reason, table)
    return table.primary_key or inherited


def _watermark(table: ir.CreateTable, base: ir.CreateTable, how: str) -> ir.Watermark | None:
    inherited = None if how == "EXCLUDING" else base.watermark
    if inherited is None or table.watermark is None:
        return table.watermark or inherited
    if how != "OVERWRITING":
        reason = (
            f"There already exists a watermark spec for column '{inherited.column}' in the base "
            "table. You might want to specify EXCLUDING WATERMARKS or OVERWRITING WATERMARKS."
        )
        raise _clash(reason, table)
    return table.watermark


def _partitions(table: ir.CreateTable, base: ir.CreateTable, how: str) -> str | None:
    if table.partition_by and base.partition_by and how != "EXCLUDING":
        reason = (
            "The base table already has partitions defined. You might want to specify EXCLUDING "
            "PARTITIONS."
        )
        raise _clash(reason, table)
    return table.partition_by or (None if how == "EXCLUDING" else base.partition_by)


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
            raise errors.BAD_ARGUMENTS(reason=reason, place=column.place)
        found[column.name] = column
    unique(found.values())
    return tuple(found.values())
