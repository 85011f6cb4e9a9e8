"""The clauses of a CREATE after its columns, and settings wherever they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql.clickhouse import reading
from sluice.sql.clickhouse.engines import engine, old_form
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place
    from sluice.sql import ir


@dataclass(slots=True)
class Clauses:
    """The clauses, in whatever order they came."""

    engine: ir.Engine | None = None
    order_by: tuple[str, ...] | None = None
    primary_key: tuple[str, ...] | None = None
    partition_by: str | None = None
    sample_by: str | None = None
    ttl: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    comment: str = ""

    def storage(self) -> dict[str, Any]:
        """The parts of a CREATE TABLE that are known by now."""
        order = self.order_by if self.order_by is not None else self.primary_key
        return {
            "order_by": order,
            "partition_by": self.partition_by,
            "settings": self.settings,
            "setting_places": self.places,
            "primary_key": self.primary_key or (),
            "sample_by": self.sample_by,
            "ttl": self.ttl,
        }


def read(cursor: Cursor) -> Clauses:
    """Read the clauses up to the end, to AS or to a word that is none of theirs."""
    found = Clauses()
    seen: set[tuple[str, ...]] = set()
    while cursor.token is not None:
        for words, take in _READERS.items():
            place = cursor.place()
            if not cursor.word(*words):
                continue
            if words in seen and words != ("SETTINGS",):
                reason = f"{' '.join(words)} is written twice"
                raise errors.SYNTAX_ERROR(reason=reason, place=place)
            seen.add(words)
            take(cursor, found)
            break
        else:
            break
    _modernise(found)
    return found


def _modernise(found: Clauses) -> None:
    old = old_form(found.engine) if found.engine is not None and found.order_by is None else None
    if old is None:
        return
    found.engine = old.engine
    found.order_by = keys(Cursor(old.key, reading.tokenize(old.key)))
    found.partition_by = found.partition_by or f"toYYYYMM({old.date})"
    found.sample_by = found.sample_by or old.sample_by
    found.settings.setdefault("index_granularity", old.granularity)


def follow(cursor: Cursor) -> bool:
    """Whether a clause follows, or what comes after the clauses."""
    if cursor.is_word("COMMENT"):
        return cursor.next_is(TokenType.STRING)
    return any(cursor.is_word(*words) for words in (*_AFTER, *_READERS))


_AFTER = (("AS",), ("EMPTY", "AS"), ("POPULATE",))


def _expression(cursor: Cursor) -> list[Token]:
    tokens = cursor.until(follow)
    if not tokens:
        raise cursor.wrong(reason="expected an expression")
    return tokens


def keys(cursor: Cursor) -> tuple[str, ...]:
    """`a`, `(a, b)` or `tuple()`, which may be in parentheses."""
    tokens = _expression(cursor)
    if _wrapped(tokens) and tokens[1].text.lower() == "tuple" and _wrapped(tokens[2:-1]):
        tokens = tokens[1:-1]
    words = [token.text.lower() for token in tokens]
    if words == ["tuple", "(", ")"]:
        return ()
    if words[0] == "tuple" and len(words) > 1 and words[1] == "(":
        tokens = tokens[1:]
    if not _wrapped(tokens):
        return (cursor.slice(tokens),)
    inner = Cursor(cursor.text, tokens)
    return tuple(
        inner.slice(item) for item in inner.listed(lambda: inner.until(lambda _: False)) if item
    )


def _wrapped(tokens: Sequence[Token]) -> bool:
    """Whether one pair of parentheses goes around all."""
    depth = 0
    for n, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if not depth:
            return n > 0 and n == len(tokens) - 1
    return False


def settings(
    cursor: Cursor,
    places: dict[str, Place] | None = None,
    stop: Callable[[Cursor], bool] | None = None,
    defaults: list[str] | None = None,
) -> dict[str, Any]:
    """`name = constant, …`, up to a comma after which `stop` is true.

    With `defaults` a value may be the word DEFAULT; these names are put there.
    """
    found: dict[str, Any] = {}
    while True:
        place = cursor.place()
        name = cursor.identifier("a setting's name")
        if cursor.mark(TokenType.DOT):
            full = f"{name}.{cursor.identifier()}"
            raise errors.UNKNOWN_SETTING(setting=full, hint="", place=place)
        cursor.need_mark(TokenType.EQ, "=")
        if defaults is not None and cursor.word("DEFAULT"):
            defaults.append(name)
            found.pop(name, None)
        else:
            found[name] = cursor.literal(f"the value of {name}")
        if places is not None:
            places[name] = place
        if not next_one(cursor, stop):
            return found


def next_one(cursor: Cursor, stop: Callable[[Cursor], bool] | None = None) -> bool:
    """Read a comma, unless something else than one more of the same begins after it."""
    found = cursor.mark(TokenType.COMMA)
    if found and stop is not None and stop(cursor):
        cursor.index -= 1
        return False
    return found


def _read_engine(cursor: Cursor, found: Clauses) -> None:
    cursor.mark(TokenType.EQ)
    found.engine = engine(cursor)


def _read_partition(cursor: Cursor, found: Clauses) -> None:
    tokens = _expression(cursor)
    bare = [token.text.lower() for token in tokens] == ["tuple", "(", ")"]
    found.partition_by = None if bare else cursor.slice(tokens)


def _read_order(cursor: Cursor, found: Clauses) -> None:
    found.order_by = keys(cursor)


def _read_primary(cursor: Cursor, found: Clauses) -> None:
    found.primary_key = keys(cursor)


def _read_sample(cursor: Cursor, found: Clauses) -> None:
    found.sample_by = cursor.slice(_expression(cursor))


def _read_ttl(cursor: Cursor, found: Clauses) -> None:
    found.ttl = ttl(cursor)


def ttl(cursor: Cursor, stop: Callable[[Cursor], bool] | None = None) -> str:
    """What follows TTL: times, each with what is to be done then, up to where `stop` says."""
    start = cursor.index
    while _expression(cursor) and next_one(cursor, stop):
        pass
    return cursor.slice(cursor.tokens[start : cursor.index])


def ttl_expressions(text: str) -> list[str]:
    """The times in a TTL, without what is to be done then."""
    cursor = Cursor(text, reading.tokenize(text))
    found = [cursor.slice(cursor.until(_ttl_action))]
    while cursor.token is not None and not cursor.is_word("GROUP", "BY"):
        cursor.until(lambda at: at.is_word("GROUP", "BY"))
        if cursor.mark(TokenType.COMMA):
            found.append(cursor.slice(cursor.until(_ttl_action)))
        elif not cursor.is_word("GROUP", "BY") and cursor.token is not None:
            raise cursor.wrong(reason="a TTL does not end here")
    return found


def _ttl_action(cursor: Cursor) -> bool:
    actions = (("DELETE",), ("TO",), ("WHERE",), ("RECOMPRESS",), ("GROUP", "BY"))
    return any(cursor.is_word(*words) for words in actions)


def _read_comment(cursor: Cursor, found: Clauses) -> None:
    found.comment = cursor.string()


def _read_settings(cursor: Cursor, found: Clauses) -> None:
    found.settings |= settings(cursor, found.places)


_READERS: dict[tuple[str, ...], Callable[[Cursor, Clauses], None]] = {
    ("ENGINE",): _read_engine,
    ("PARTITION", "BY"): _read_partition,
    ("PRIMARY", "KEY"): _read_primary,
    ("ORDER", "BY"): _read_order,
    ("SAMPLE", "BY"): _read_sample,
    ("TTL",): _read_ttl,
    ("SETTINGS",): _read_settings,
    ("COMMENT",): _read_comment,
}
