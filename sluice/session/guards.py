"""How errors are named before a user sees them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.access import Access
    from sluice.engine.engine import Engine

_NAMING = frozenset({"UNKNOWN_TABLE", "UNKNOWN_DATABASE", "UNKNOWN_COLUMN", "UNKNOWN_JOB"})
"""Errors whose hints name what comes near."""


@contextmanager
def guarded(engine: Engine, access: Access, dialect: str) -> Iterator[None]:
    """Errors of a statement, as its user should see them."""
    with _names_kept(access), _alive(engine), _full_disk_named(), _in_words_of(dialect):
        yield


@contextmanager
def _full_disk_named() -> Iterator[None]:
    """A full disk is one error, whichever of the catalog, Spark and our own files met it."""
    try:
        yield
    except Exception as fault:
        full = faults.no_space(fault)
        if full is None:
            raise
        raise full from fault


@contextmanager
def _in_words_of(dialect: str) -> Iterator[None]:
    """Errors are reported in the words of the statement's dialect."""
    try:
        yield
    except errors.SluiceError as error:
        error.dialect = dialect
        raise


@contextmanager
def _names_kept(access: Access) -> Iterator[None]:
    """Hints do not tell names to a user who may not see everything."""
    try:
        yield
    except errors.SluiceError as error:
        if not access.everything and error.condition.name in _NAMING and "hint" in error.params:
            error.params["hint"] = ""
        raise


@contextmanager
def _alive(engine: Engine) -> Iterator[None]:
    """Raise SPARK_LOST in the place of whatever a lost JVM breaks."""
    if lost := engine.lost():
        raise lost
    try:
        yield
    except Exception as fault:
        if lost := engine.lost(fault):
            raise lost from fault
        raise
