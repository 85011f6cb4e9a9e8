"""Schemas of formats: whether a new table's columns fit its own, and when files are read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.formats import format_schemas
from sluice.formats.registry import find_format
from sluice.planner.keys import fields_of
from sluice.session.frames import guarded

if TYPE_CHECKING:
    from sluice.engine.engine import Engine
    from sluice.planner.spec import KafkaSource

CACHE = "DROP FORMAT SCHEMA CACHE"


def check(engine: Engine, source: KafkaSource) -> None:
    """Make sure that the columns of a table fit the schemas of its formats.

    Raises:
        SluiceError: CANNOT_PARSE_PROTOBUF_SCHEMA with the line, or FORMAT_COLUMNS_UNSUPPORTED.
    """
    for each in (source.value, source.key):
        if each is None or not find_format(each.name, each.dialect).schemas:
            continue
        columns = fields_of(source.table, each)
        guarded(lambda made=each.codec, own=columns: made.decoder(engine.spark(), own))  # type: ignore[misc]


def drop_cache(engine: Engine) -> None:
    """Files of schemas are read again; pipelines whose schema has changed are started anew."""
    format_schemas.drop_cache()
    engine.replan()
