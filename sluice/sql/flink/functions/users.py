"""Functions that whoever runs Sluice registered from Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.sql.core import user_functions
from sluice.sql.core.spark import Sql
from sluice.sql.core.user_functions import UserFunction
from sluice.sql.flink.functions.model import Call, Scalar
from sluice.sql.flink.values import Value, cast_sql
from sluice.types import bare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sluice.types import Type

    Given = tuple[Callable[..., Any], Sequence[str], str]

_NAME = re.compile(r"[A-Za-z_]\w*", re.A)


def find(name: str) -> Scalar | None:
    """The registered function of that name, in any case."""
    user = user_functions.known().get(name.upper())
    if user is None:
        return None

    def build(call: Call) -> Value:
        pairs = zip(call.args(), user.takes, strict=True)
        args = [arg.sql if arg.kind == type_ else cast_sql(arg.sql, type_) for arg, type_ in pairs]
        return Value(Sql(f"{user.spark_name}(:*)", *args), user.gives)

    return Scalar(len(user.takes), len(user.takes), "registered from Python", build=build)


def read(given: Mapping[str, Given], taken: Mapping[str, Any]) -> dict[str, UserFunction]:
    """Functions as they were registered: a callable, the types it takes and the type it gives.

    Raises:
        SluiceError: INVALID_USER_FUNCTION for a name that is none or that Flink has already,
            INVALID_LITERAL for a type that is none.
    """
    found: dict[str, UserFunction] = {}
    for name, (call, takes, gives) in given.items():
        upper = name.upper()
        if not _NAME.fullmatch(name) or upper in taken or upper in found:
            why = "the name is taken" if upper in taken or upper in found else "this is no name"
            raise errors.INVALID_USER_FUNCTION(function=name, reason=why)
        if not callable(call):
            raise errors.INVALID_USER_FUNCTION(function=name, reason="it is not callable")
        types = [_type(text) for text in takes]
        found[upper] = UserFunction(upper, call, tuple(types), _type(gives))
    return found


def _type(text: str) -> Type:
    """A type that is written in Flink's words."""
    from sluice.sql.flink import reading
    from sluice.sql.flink.cursor import Cursor
    from sluice.sql.flink.types import read_type

    cursor = Cursor(text, reading.tokenize(text))
    found = bare(read_type(cursor))
    if cursor.token is not None:
        raise errors.INVALID_LITERAL(literal=text, type="type")
    return found
