"""What a job's settings say of rows that do not fit, and whether a table takes rows that change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.job_settings import LENGTH, NOT_NULL
from sluice.plan.job import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Table
    from sluice.errors import Place


def rules_of(settings: Mapping[str, str]) -> Rules:
    """What a job's settings say of rows that do not fit."""
    default = Rules()
    return Rules(
        str(settings.get(NOT_NULL, default.not_null)).upper(),
        str(settings.get(LENGTH, default.length)).upper(),
    )


def check_key(
    table: Table,
    key: Sequence[str] | None,
    constant: frozenset[str],
    why: str,
    place: Place | None,
) -> None:
    """Whether a stored table can take a query whose rows change: its key is the query's.

    `key` are the columns of the table that tell the query's rows apart, `constant` those that have
    the same value in all of them.

    Raises:
        SluiceError: BAD_ARGUMENTS.
    """
    name = f"default_catalog.{table.full_name}"
    if not table.primary_key:
        reason = f"Table sink '{name}' doesn't support consuming update changes" + (
            f" which is produced by node {why}" if why else ""
        )
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    said = ", ".join(table.primary_key)
    if key is None:
        reason = (
            f"The rows of the query change, and it does not select all columns that tell them "
            f"apart; '{name}' has the primary key ({said})"
        )
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    own = set(table.primary_key)
    if not set(key) <= own or not own - set(key) <= constant:
        reason = (
            f"The rows of the query are told apart by ({', '.join(key)}), those of '{name}' by its "
            f"primary key ({said}); they must be the same"
        )
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
