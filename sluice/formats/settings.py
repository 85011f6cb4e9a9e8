"""ClickHouse's format settings: those of a statement, and their defaults."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sluice.formats.registry import FORMAT_SETTINGS
from sluice.parameters.option import HONOURED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.parameters.option import Option


def with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting that takes effect, as given or with its default."""
    defaults = {o.key: o.default for o in FORMAT_SETTINGS if o.status == HONOURED}
    return defaults | {name: given[name] for name in given if name in defaults}


def among(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a statement's settings that are about formats.

    Raises:
        ValueError: for a value that a setting does not accept.
    """
    known = _by_name()
    return {name: known[name].kind.read(value) for name, value in settings.items() if name in known}


@cache
def _by_name() -> Mapping[str, Option]:
    return {option.key: option for option in FORMAT_SETTINGS}
