"""What a user may set: the limits of the user's profiles, and read-only users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.errors import Place
from sluice.options import job_settings, query_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.access import Access
    from sluice.access.entities import Setting
    from sluice.sql import ir

READONLY = "readonly"
USER_QUERIES = "max_concurrent_queries_for_user"
_OF_USERS = (USER_QUERIES, query_settings.MEMORY)
"""Settings that limit a user; they act where a statement does not need to ask for them."""


def read(name: str, value: Any) -> Any:
    """The value of a setting of a profile, checked.

    Raises:
        SluiceError: UNKNOWN_SETTING, OPTION_REFUSED or INVALID_OPTION_VALUE.
    """
    if name not in _OF_USERS:
        return query_settings.read({name: value})[name]
    try:
        return int(value)
    except (TypeError, ValueError):
        raise errors.INVALID_OPTION_VALUE(
            option=name, value=f"'{value}'", reason="a number is expected"
        ) from None


def of_profiles(access: Access) -> dict[str, Any]:
    """The settings of a user before any is set; those that mean nothing here are left out."""
    found: dict[str, Any] = {}
    for name, value in access.values().items():
        try:
            found[name] = read(name, value)
        except errors.SluiceError:
            continue
    return found


def check(access: Access, changes: Mapping[str, Any]) -> None:
    """Make sure that a user may give settings these values.

    Raises:
        SluiceError: SETTING_IS_READONLY or SETTING_CONSTRAINT_VIOLATION.
    """
    if access.unlimited or not access.limits:
        return
    own = access.values()
    readonly = int(own.get(READONLY, 0) or 0)
    for name, value in changes.items():
        limit = access.limits.get(name)
        if limit is not None and _same(value, limit.value):
            continue
        free = limit is not None and limit.writability == "CHANGEABLE_IN_READONLY"
        if (readonly == 1 and not free) or (readonly and name == READONLY):
            raise errors.SETTING_IS_READONLY(setting=name)
        if limit is None:
            continue
        if limit.writability == "CONST":
            raise errors.SETTING_CONSTRAINT_VIOLATION(setting=name, reason="should not be changed")
        if reason := _outside(limit, _size(name, value)):
            raise errors.SETTING_CONSTRAINT_VIOLATION(setting=name, reason=reason)


def _outside(limit: Setting, value: Any) -> str:
    """Why a value is not within the limits of a setting; empty if it is."""
    if limit.least is not None and value < _number(limit.least):
        return f"shouldn't be less than {limit.least}"
    if limit.most is not None and value > _number(limit.most):
        return f"shouldn't be greater than {limit.most}"
    return ""


def _size(name: str, value: Any) -> Any:
    """A value to compare with limits: 0 is no limit where a setting is one, so it is the most."""
    found = _number(value)
    return float("inf") if name.startswith("max_") and found == 0 else found


def _same(value: Any, other: Any) -> bool:
    return other is not None and _number(value) == _number(other)


def _number(value: Any) -> Any:
    """A value as a number if it is one, so that 10 and '10' are the same."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("inf") if value is None else str(value)


def read_settings(statement: ir.Set, dialect: str) -> Mapping[str, Any]:
    """The settings that a SET gives, checked.

    Raises:
        SluiceError: UNKNOWN_SETTING, SETTING_REFUSED or INVALID_OPTION_VALUE.
    """
    if dialect == "flink":
        return job_settings.read(statement.settings, Place(1, 1))
    return query_settings.read(statement.settings, statement.setting_places)
