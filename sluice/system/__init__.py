"""The tables of the `system` database: a file for each group, a function for each table."""

from sluice.system import (
    absent,
    access,
    consuming,
    definitions,
    information,
    jobs,
    language,
    native,
    objects,
    server,
)
from sluice.system.definitions import all_databases
from sluice.system.registry import frame_of, rows_of

__all__ = [
    "absent",
    "access",
    "all_databases",
    "consuming",
    "definitions",
    "frame_of",
    "information",
    "jobs",
    "language",
    "native",
    "objects",
    "rows_of",
    "server",
]
