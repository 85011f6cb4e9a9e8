"""Schemas of formats: whether a new table's columns fit its own, and when files are read again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sluice.engine import faults
from sluice.formats import format_schemas
from sluice.formats.registry import find_format
from sluice.planner.keys import fields_of
from sluice.session.frames import guarded

if TYPE_CHECKING:
    from sluice import errors
    from sluice.engine.engine import Engine
    from sluice.planner.spec import KafkaSource

CACHES = ("DROP FORMAT SCHEMA CACHE", "CLEAR FORMAT SCHEMA CACHE")


def check(engine: Engine, source: KafkaSource) -> None:
    """Make sure that the columns of a table fit the schemas of its formats.

    Raises:
        SluiceError: CANNOT_PARSE_PROTOBUF_SCHEMA with the line, or FORMAT_COLUMNS_UNSUPPORTED.
    """
    told = partial(_told, source)
    for each in (source.value, source.key):
        if each is None or not find_format(each.name, each.dialect).schemas:
            continue
        columns = fields_of(source.table, each)
        make = partial(each.codec.decoder, engine.spark(), columns)
        guarded(make, told)


def _told(source: KafkaSource, fault: BaseException) -> errors.SluiceError:
    return faults.classify(fault, source.table.full_name, source.connection.brokers)


def drop_cache(engine: Engine) -> None:
    """Files of schemas are read again; pipelines whose schema has changed are started anew."""
    format_schemas.drop_cache()
    engine.replan()
