"""What a statement runs with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.errors import Place
from sluice.options import job_settings, query_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.engine.engine import Engine
    from sluice.sql import ir

DEFAULT_USER = "default"
"""The user of statements that come without one, as in ClickHouse."""


@dataclass(frozen=True, slots=True)
class Context:
    """Who runs a statement, in which database and dialect, and with which settings.

    `settings` are those of the profile, the session, the request and the statement, each overriding
    the ones before it. `text` is the statement as it was written. `output` is the format of an
    answer that is wanted as bytes; empty if rows are. `parameters` have values for `{name:Type}`,
    `compression` is that of an answer as bytes.
    """

    engine: Engine
    database: str
    dialect: str = "clickhouse"
    settings: Mapping[str, Any] = field(default_factory=dict)
    principal: str = DEFAULT_USER
    query_id: str = ""
    text: str = ""
    output: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    compression: str = ""


def read_settings(statement: ir.Set, dialect: str) -> Mapping[str, Any]:
    """The settings that a SET gives, checked.

    Raises:
        SluiceError: UNKNOWN_SETTING, OPTION_REFUSED or INVALID_OPTION_VALUE.
    """
    if dialect == "flink":
        return read_job_settings(statement.settings)
    return query_settings.read(statement.settings, statement.setting_places)


def read_job_settings(given: Mapping[str, Any]) -> Mapping[str, str]:
    """Flink settings, checked."""
    return job_settings.read(given, Place(1, 1))
