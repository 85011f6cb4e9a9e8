"""The settings that the statements of a session have: those of SET, and what lies around them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.errors import Place
from sluice.options import job_settings, query_settings
from sluice.session import constraints
from sluice.session.parsing import DIALECTS, own_settings, schema_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.access import Access
    from sluice.config import Config
    from sluice.sql import ir

_PARAMETER = "param_"


class SessionSettings:
    """What SET gives a session, for all statements that follow: settings by dialect, parameters."""

    def __init__(self) -> None:
        self._own: dict[str, dict[str, Any]] = {dialect: {} for dialect in DIALECTS}
        self.parameters: dict[str, str] = {}

    def chosen(
        self, access: Access, statement: ir.Statement, dialect: str, request: Mapping[str, str]
    ) -> dict[str, Any]:
        """The settings of the session, the request and the statement, checked; later ones win.

        Raises:
            SluiceError: UNKNOWN_SETTING, SETTING_REFUSED or INVALID_OPTION_VALUE, and what
                `constraints.check` raises.
        """
        if dialect == "flink":
            given = job_settings.read(request, Place(1, 1))
        else:
            given = query_settings.read(request, ours=schema_settings(statement))
        constraints.check(access, given)
        own = own_settings(statement, dialect)
        constraints.check(access, own)
        return {**self._own[dialect], **given, **own}

    def set(self, access: Access, statement: ir.Set, dialect: str) -> None:
        """SET: of settings, parameters of queries, and defaults.

        Raises:
            SluiceError: as `chosen`.
        """
        given, own = dict(statement.settings), self._own[dialect]
        for name in [name for name in given if name.startswith(_PARAMETER)]:
            self.parameters[name.removeprefix(_PARAMETER)] = str(given.pop(name))
        changed = constraints.read_settings(replace(statement, settings=given), dialect)
        constraints.check(access, changed)
        for name in statement.defaults:
            query_settings.check_known(name, statement.setting_places.get(name))
            own.pop(name, None)
        own |= changed

    def reset(self, statement: ir.Reset, dialect: str) -> None:
        """RESET of one setting, or of all of a dialect."""
        own = self._own[dialect]
        if statement.name is None:
            own.clear()
        else:
            own.pop(statement.name, None)
            own.pop(job_settings.first_name(statement.name), None)

    def shown(self, dialect: str) -> list[tuple[str, str]]:
        """What SET without a name shows."""
        return job_settings.shown(self._own[dialect])

    def clear(self) -> None:
        """Forget the settings: the session has ended."""
        for own in self._own.values():
            own.clear()


def defaults(config: Config | None, dialect: str, profile: Mapping[str, Any]) -> dict[str, Any]:
    """What a session starts with: the settings of the configuration, then of the profiles."""
    if dialect != "clickhouse":
        return {}
    found: dict[str, Any] = {}
    for name, value in (config.settings() if config is not None else {}).items():
        with suppress(errors.SluiceError):
            found |= query_settings.read({name: value})
    return {**found, **profile}
