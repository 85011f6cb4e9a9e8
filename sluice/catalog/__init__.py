"""What exists: databases, tables, views, collections, and where each pipeline began."""

from sluice.catalog.catalog import DEFAULT_DATABASE, Catalog
from sluice.catalog.entities import (
    DICTIONARY,
    KAFKA,
    QUERY,
    STORED,
    TOPIC,
    VIEW,
    Collection,
    Column,
    Event,
    Generation,
    Job,
    Offsets,
    SqlFunction,
    Table,
    Value,
)
from sluice.catalog.instance import NOBODY, Instance
from sluice.catalog.snapshot import Snapshot

__all__ = [
    "DEFAULT_DATABASE",
    "DICTIONARY",
    "KAFKA",
    "NOBODY",
    "QUERY",
    "STORED",
    "TOPIC",
    "VIEW",
    "Catalog",
    "Collection",
    "Column",
    "Event",
    "Generation",
    "Instance",
    "Job",
    "Offsets",
    "Snapshot",
    "SqlFunction",
    "Table",
    "Value",
]
