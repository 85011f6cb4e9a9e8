"""The tables of the `system` database: a file for each group, a function for each table."""

from sluice.session.system import (
    consuming,
    dead_letters,
    definitions,
    events,
    information,
    jobs,
    language,
    server,
)
from sluice.session.system.definitions import all_databases, engine_of
from sluice.session.system.model import DATABASES, TABLES, SystemTable, find_system, like

__all__ = [
    "DATABASES",
    "TABLES",
    "SystemTable",
    "all_databases",
    "consuming",
    "dead_letters",
    "definitions",
    "engine_of",
    "events",
    "find_system",
    "information",
    "jobs",
    "language",
    "like",
    "server",
]
