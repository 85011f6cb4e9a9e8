"""What exists: databases, tables, views, and where each pipeline began."""

from sluice.catalog.catalog import DEFAULT_DATABASE, Catalog
from sluice.catalog.model import KAFKA, STORED, VIEW, Column, Generation, Offsets, Table

__all__ = [
    "DEFAULT_DATABASE",
    "KAFKA",
    "STORED",
    "VIEW",
    "Catalog",
    "Column",
    "Generation",
    "Offsets",
    "Table",
]
