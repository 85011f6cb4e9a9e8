"""`ENGINE = …`: a name and what stands in its parentheses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import Token

    from sluice.errors import Place

_KAFKA = "kafka"
_REPLICATED = "replicated"


@dataclass(frozen=True, slots=True)
class _Arg:
    """An argument: a literal, a `Word`, or the value of `key`; `name` is set if it is a name."""

    value: Any
    place: Place
    key: str | None = None
    name: str | None = None


def engine(cursor: Cursor) -> ir.Engine:
    """`Name`, `Name()` or `Name(arguments)`."""
    place = cursor.place()
    name = cursor.identifier("an engine's name")
    args = cursor.listed(lambda: _arg(cursor)) if cursor.opens() else []
    if name.lower() == _KAFKA and args:
        return _kafka(name, args, place)
    for arg in args:
        if arg.key is not None:
            reason = f"{name} takes no argument of the form key = value"
            raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=arg.place)
    return ir.Engine(name, tuple(arg.value for arg in args), place)


def _arg(cursor: Cursor) -> _Arg:
    place = cursor.place()
    tokens = cursor.until(lambda _: False)
    if not tokens:
        raise cursor.wrong(reason="expected an argument")
    if len(tokens) > 2 and tokens[1].token_type == TokenType.EQ:
        key = Cursor(cursor.text, tokens[:1]).identifier("a key")
        inner = _value(cursor, tokens[2:])
        return _Arg(inner.value if inner.name is None else inner.name, place, key)
    return _value(cursor, tokens)


def _value(cursor: Cursor, tokens: Sequence[Token]) -> _Arg:
    inner = Cursor(cursor.text, tokens)
    place = inner.place()
    try:
        value = inner.literal("a constant")
    except errors.SluiceError:
        text = ir.Word(cursor.slice(tokens))
        return _Arg(text, place, name=_name(cursor, tokens))
    return _Arg(value if inner.token is None else ir.Word(cursor.slice(tokens)), place)


def _name(cursor: Cursor, tokens: Sequence[Token]) -> str | None:
    if len(tokens) != 1:
        return None
    try:
        return Cursor(cursor.text, tokens).identifier()
    except errors.SluiceError:
        return None


def _kafka(engine_: str, args: Sequence[_Arg], place: Place) -> ir.Engine:
    """Either a collection's name and `key = value`s, or constants; a name is as good as a text."""
    first = args[0]
    if first.name is None:
        return ir.Engine(engine_, tuple(_constant(arg) for arg in args), place)
    overrides: dict[str, Any] = {}
    for arg in args[1:]:
        if arg.key is None:
            reason = "Expected key = value after the name of a named collection"
            raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=arg.place)
        if isinstance(arg.value, ir.Word):
            reason = f"The value of {arg.key} is no constant"
            raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=arg.place)
        if arg.key in overrides:
            reason = f"Duplicated key '{arg.key}' in params"
            raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=arg.place)
        overrides[arg.key] = arg.value
    places = {arg.key: arg.place for arg in args[1:] if arg.key is not None}
    return ir.Engine(engine_, (), place, first.name, overrides, places)


def _constant(arg: _Arg) -> Any:
    if arg.key is not None:
        reason = f"{arg.key} = … can stand in Kafka(…) after the name of a named collection only"
        raise errors.INVALID_ENGINE_ARGUMENT(
            reason=f"{reason}; else write it in SETTINGS", place=arg.place
        )
    if arg.name is not None:
        return arg.name
    if isinstance(arg.value, ir.Word):
        reason = "The arguments of Kafka are constants"
        raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=arg.place)
    return arg.value


@dataclass(frozen=True, slots=True)
class OldForm:
    """What `SummingMergeTree(day, (day, level), 8192)` says, in the clauses of today."""

    engine: ir.Engine
    date: str
    key: str
    granularity: int
    sample_by: str | None


def old_form(given: ir.Engine) -> OldForm | None:
    """The old way to write `…MergeTree(date, [sample,] key, granularity, more)`, if it is that."""
    if not given.name.lower().endswith("mergetree"):
        return None
    replicated = given.name.lower().startswith(_REPLICATED)
    skip = 2 if replicated and len(given.args) > 1 and not _words(given.args[:2]) else 0
    args = given.args[skip:]
    for at in (2, 3):
        if len(args) > at and type(args[at]) is int and _words(args[:at]):
            rest = ir.Engine(given.name, given.args[:skip] + args[at + 1 :], given.place)
            sample = str(args[1]) if at > 2 else None
            return OldForm(rest, str(args[0]), str(args[at - 1]), args[at], sample)
    return None


def _words(args: Sequence[Any]) -> bool:
    return all(isinstance(arg, ir.Word) for arg in args)
