"""The schema of an answer: ClickHouse gets its text, and opens no file that is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats import format_schemas
from sluice.formats.registry import of_dialect
from sluice.options.clickhouse_settings import refused
from sluice.options.query_settings import SCHEMA
from sluice.parameters.kinds import CLICKHOUSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.session.context import Context


def of_answer(context: Context, format_: str) -> dict[str, str]:
    """The settings with which ClickHouse writes an answer by the schema that a file has.

    Raises:
        SluiceError: FORMAT_SCHEMA_REFUSED or FORMAT_SCHEMA_MISSING.
    """
    named = (each for each in of_dialect(CLICKHOUSE) if each.name.lower() == format_.lower())
    written = next((each for each in named if each.schemas), None)
    if written is None or not names_file(context):
        return {}
    config = context.engine.config
    found = format_schemas.found(
        written,
        {name: value for name, value in context.settings.items() if name in SCHEMA},
        config.format_schemas if config else None,
    )
    files = found.get(format_schemas.FILES, {})
    if len(files) > 1:
        reason = "ClickHouse writes answers, and gets the text of one file: this one has imports"
        raise errors.FORMAT_SCHEMA_REFUSED(schema=found[format_schemas.GIVEN], reason=reason)
    names = (format_schemas.GIVEN, *format_schemas.TEXT)
    told = (*files.values(), "string", found.get(format_schemas.MESSAGE, ""))
    return dict(zip(names, told, strict=True)) if files else {}


def without_files(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without those of a schema, unless they have its text."""
    refuse = SCHEMA if refused(format_schemas.GIVEN, settings) else ()
    return {name: value for name, value in settings.items() if name not in refuse}


def names_file(context: Context) -> bool:
    """Whether the schema of a statement's data or answer is in a file."""
    given = context.settings
    return format_schemas.GIVEN in given and bool(refused(format_schemas.GIVEN, given))
