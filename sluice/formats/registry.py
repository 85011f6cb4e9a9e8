"""Every format, from the files in `families`, and how one is found and checked."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats import families
from sluice.formats.families.common import LEGACY
from sluice.parameters.kinds import CLICKHOUSE, DLI, FLINK
from sluice.types.semistructured import is_typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place
    from sluice.formats.descriptor import Columns, Format
    from sluice.parameters.option import Option

_MODULES = [
    import_module(found.name)
    for found in pkgutil.iter_modules(families.__path__, f"{families.__name__}.")
]

FORMATS: tuple[Format, ...] = tuple(
    found for module in _MODULES for found in getattr(module, "FORMATS", ())
)

FORMAT_SETTINGS: tuple[Option, ...] = tuple(
    row for module in _MODULES for row in getattr(module, "SETTINGS", ())
)
"""ClickHouse's format settings."""


def _format_options() -> tuple[Option, ...]:
    found: dict[str, Option] = {}
    for each in FORMATS:
        for row in each.options:
            known = found.get(row.key, row)
            found[row.key] = replace(known, formats=(*known.formats, each.name))
    return (*found.values(), *LEGACY)


FORMAT_OPTIONS = _format_options()
"""The options of Flink's formats, each with the formats that list it, and DLI's."""


def of_dialect(dialect: str) -> tuple[Format, ...]:
    """The formats of a dialect; DLI has Flink's."""
    return tuple(
        found for found in FORMATS if found.dialect == (FLINK if dialect == DLI else dialect)
    )


@cache
def _by_name(dialect: str) -> Mapping[str, Format]:
    return {_folded(name, dialect): f for f in of_dialect(dialect) for name in f.names}


def _folded(name: str, dialect: str) -> str:
    return name.lower() if dialect == CLICKHOUSE else name


def find_format(name: str, dialect: str, place: Place | None = None) -> Format:
    """The format of that name, implemented or not.

    Raises:
        SluiceError: UNKNOWN_FORMAT, or OPTION_REFUSED for one that messages cannot have.
    """
    found = _by_name(dialect).get(_folded(name, dialect))
    if found is None:
        names = [name for each in of_dialect(dialect) if not each.refused for name in each.names]
        listed = "" if dialect == CLICKHOUSE else f" The formats are {', '.join(sorted(names))}."
        hint = f"{errors.nearest(name, names)}{listed}".strip()
        raise errors.UNKNOWN_FORMAT(format=name, hint=hint, place=place)
    if found.refused:
        raise errors.OPTION_REFUSED(option=f"format {name}", reason=found.refused, place=place)
    return found


_BODIES = ("binary", "msgpack", "bson")
"""Families whose data ClickHouse reads in an INSERT: it knows more types than messages have."""


def is_read(name: str) -> bool:
    """Whether the data of an INSERT in a ClickHouse format is decoded here, like its messages."""
    found = _by_name(CLICKHOUSE).get(_folded(name, CLICKHOUSE))
    if found is None or found.read_twice:
        return False
    return bool(found.decoder) and found.family not in _BODIES


def must_work(found: Format, place: Place | None = None, *, writes: bool) -> None:
    """Make sure that messages of a format can be written, or else read.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    works = [f for f in of_dialect(found.dialect) if (f.writes if writes else f.reads)]
    if found not in works:
        what = "Writing messages" if writes else "Reading messages"
        raise _not_implemented(what, found, [each.name for each in works], place)


def must_fit(
    found: Format,
    columns: Columns,
    options: Mapping[str, Any],
    place: Place | None = None,
    *,
    writes: bool = False,
) -> None:
    """Make sure that a format with these options has these columns, to read or to write.

    Raises:
        SluiceError: FORMAT_COLUMNS_UNSUPPORTED, with the message of the dialect's system.
    """
    problem = found.fits(columns, options, writes=writes) if found.fits is not None else ""
    rare = next((type_ for _, type_ in columns if is_typed(type_)), None)
    if rare is not None and (found.registry or found.changes):
        problem = f"Type {rare} is read and written by ClickHouse, which does not have this format"
    if problem:
        raise errors.FORMAT_COLUMNS_UNSUPPORTED(
            format=found.name,
            problem=problem,
            place=place,
            dialect=CLICKHOUSE if found.dialect == CLICKHOUSE else FLINK,
        )


def _not_implemented(
    what: str, found: Format, works: list[str], place: Place | None
) -> errors.SluiceError:
    hint = f"{what.split()[0]} works with {', '.join(sorted(works))}." if works else ""
    return errors.NOT_IMPLEMENTED(what=f"{what} as {found.name}", hint=hint, place=place)
