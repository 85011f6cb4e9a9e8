"""ClickHouse's format settings: those of a statement, their defaults, and what nothing acts on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats import transcoding
from sluice.formats.registry import FORMAT_SETTINGS
from sluice.parameters.option import HONOURED, KEPT, SINK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Format
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


def check(found: Format, given: Mapping[str, Any]) -> None:
    """Make sure that every setting that would change how messages are written does.

    Raises:
        SluiceError: NOT_IMPLEMENTED, naming the setting.
    """
    for name, value in given.items():
        option = _by_name().get(name)
        if option is None or option.status != KEPT or option.scope != SINK:
            continue
        if not found.encoder and name not in transcoding.NEVER:
            continue
        if found.concerned(option) and option.kind.read(value) != option.default:
            hint = f"Rows are written as if it were {option.show(option.default)}."
            shown = f"{name} = {option.show(value)}"
            raise errors.NOT_IMPLEMENTED(what=shown, hint=hint)


@cache
def _by_name() -> Mapping[str, Option]:
    return {option.key: option for option in FORMAT_SETTINGS}
