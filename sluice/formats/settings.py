"""ClickHouse's format settings: those of a statement, their defaults, and what nothing acts on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats.registry import FORMAT_SETTINGS, find_format
from sluice.parameters.kinds import CLICKHOUSE
from sluice.parameters.option import HONOURED, KEPT, NO_EFFECT, SINK, SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    _refuse(found, given, "Rows", lambda o: o.status == KEPT and o.scope == SINK)


def check_answer(format_: str, given: Mapping[str, Any]) -> None:
    """Make sure that no setting would change how an answer is written.

    Raises:
        SluiceError: NOT_IMPLEMENTED, naming the setting.
    """
    found = find_format(format_, CLICKHOUSE)
    _refuse(found, given, "Answers", lambda o: o.scope != SOURCE and o.status != NO_EFFECT)


def _refuse(
    found: Format, given: Mapping[str, Any], what: str, acts: Callable[[Option], bool]
) -> None:
    """Refuse a setting that `acts` on what is written, unless it has its default."""
    for name, value in given.items():
        option = _by_name().get(name)
        if option is None or not acts(option) or not found.concerned(option):
            continue
        if option.kind.read(value) != option.default:
            hint = f"{what} are written as if it were {option.show(option.default)}."
            shown = f"{name} = {option.show(value)}"
            raise errors.NOT_IMPLEMENTED(what=shown, hint=hint)


@cache
def _by_name() -> Mapping[str, Option]:
    return {option.key: option for option in FORMAT_SETTINGS}
