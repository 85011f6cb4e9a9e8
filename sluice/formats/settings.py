"""A table's format settings as our Java reads them: every one it acts on, with its value."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.format_settings import FORMAT_SETTINGS
from sluice.options.formats import find_format
from sluice.options.kinds import CLICKHOUSE
from sluice.options.option import HONOURED, KEPT, NO_EFFECT, SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.options.option import Option


def as_json(given: Mapping[str, Any]) -> str:
    """The settings that were given, over the defaults of the rest."""
    defaults = {o.key: o.default for o in _by_name().values() if o.status == HONOURED}
    return json.dumps(defaults | {name: given[name] for name in given if name in defaults})


def among(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a statement's settings that are about formats.

    Raises:
        SluiceError: BAD_ARGUMENTS for a value that it does not take.
    """
    known = _by_name()
    return {name: known[name].kind.read(value) for name, value in settings.items() if name in known}


def check(format_: str, given: Mapping[str, Any], scope: str) -> None:
    """Make sure that every setting that would change what is read (or written) does.

    Raises:
        SluiceError: NOT_IMPLEMENTED, naming the setting.
    """
    family = find_format(format_, CLICKHOUSE).family
    for name, value in given.items():
        option = _by_name().get(name)
        if option is None or option.status != KEPT or option.scope != scope:
            continue
        if (not option.formats or family in option.formats) and value != option.default:
            hint = f"Rows are written as if it were {option.show(option.default)}."
            raise errors.NOT_IMPLEMENTED(what=f"{name} = {option.show(value)}", hint=hint)


def check_answer(format_: str, given: Mapping[str, Any]) -> None:
    """Make sure that no setting would change how an answer is written.

    Raises:
        SluiceError: NOT_IMPLEMENTED, naming the setting.
    """
    family = find_format(format_, CLICKHOUSE).family
    for name, value in given.items():
        option = _by_name().get(name)
        if option is None or option.scope == SOURCE or option.status == NO_EFFECT:
            continue
        if option.formats and family not in option.formats:
            continue
        if option.kind.read(value) != option.default:
            hint = f"Answers are written as if it were {option.show(option.default)}."
            raise errors.NOT_IMPLEMENTED(what=f"{name} = {option.show(value)}", hint=hint)


@cache
def _by_name() -> Mapping[str, Option]:
    return {option.key: option for option in FORMAT_SETTINGS}
