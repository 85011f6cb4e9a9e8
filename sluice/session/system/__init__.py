"""The tables of the `system` database: a file for each group, a function for each table."""

from sluice.session.system import consuming, definitions, language
from sluice.session.system.definitions import all_databases, engine_of
from sluice.session.system.model import TABLES, SystemTable, like

__all__ = [
    "TABLES",
    "SystemTable",
    "all_databases",
    "consuming",
    "definitions",
    "engine_of",
    "language",
    "like",
]
