"""Spark SQL as a tree: templates from our own tables, with quoted names and literals as leaves.

Text that a user wrote gets in through `name`, `string` and `number` alone, each of which quotes or
checks it; everything else is a constant of this package.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from math import isinf
from typing import TYPE_CHECKING

from sluice import errors
from sluice.errors.raised import EXPRESSION

if TYPE_CHECKING:
    from collections.abc import Sequence

OR, AND, NOT, COMPARE, ADD, MULTIPLY, NEGATE, ATOM = 10, 20, 30, 40, 60, 70, 80, 100
"""How tightly Spark's operators bind; ATOM binds tighter than all of them."""

LARGEST = 100_000
"""How many nodes an expression may have once aliases and templates are written out."""

_SLOT = re.compile(r":(\d+|\*)")
_CALL = re.compile(r"\w+\(.*\)", re.S)
_SPECIAL = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "$": "\\u0024"}


class Sql:
    """A template with its arguments; `:0` stands for the first, `:*` for all that are left."""

    __slots__ = ("args", "rank", "size", "template", "wrap")

    def __init__(
        self, template: str, *args: Sql, rank: int | None = None, wrap: bool = True
    ) -> None:
        self.template = template
        self.args = args
        self.rank = (ATOM if _is_call(template) else 0) if rank is None else rank
        self.wrap = wrap
        self.size: int = 1 + sum(
            arg.size * n for arg, n in zip(args, _uses(template, len(args)), strict=True)
        )
        if self.size > LARGEST:
            raise errors.EXPRESSION_TOO_LARGE(largest=LARGEST)

    def __str__(self) -> str:
        """The text; arguments are put in parentheses where something might bind tighter."""
        if not self.args:
            return self.template.replace(":*", "")
        texts = [str(arg) for arg in self.args]
        rest = texts[_named(self.template) :]

        def fill(slot: re.Match[str]) -> str:
            if slot[1] == "*":
                return ", ".join(rest)
            n = int(slot[1])
            bare = not self.wrap or self.args[n].rank >= ATOM or _enclosed(slot)
            return texts[n] if bare else f"({texts[n]})"

        return _SLOT.sub(fill, self.template)

    def atom(self) -> Sql:
        """This, in parentheses if it needs them."""
        return self if self.rank >= ATOM else Sql("(:0)", self, rank=ATOM)


@lru_cache(4096)
def _named(template: str) -> int:
    """How many arguments have a slot of their own."""
    return max((int(n) for n in _SLOT.findall(template) if n != "*"), default=-1) + 1


@lru_cache(4096)
def _uses(template: str, count: int) -> tuple[int, ...]:
    """How often each argument is written."""
    slots = Counter(_SLOT.findall(template))
    named = _named(template)
    return tuple(slots[str(n)] if n < named else slots["*"] for n in range(count))


@lru_cache(4096)
def _is_call(template: str) -> bool:
    """Whether the template is one call, `f(…)`, from its first to its last letter."""
    if not _CALL.fullmatch(template):
        return False
    depth = 0
    for at, letter in enumerate(template):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == ")" and not depth:
            return at == len(template) - 1
    return False


def _enclosed(slot: re.Match[str]) -> bool:
    """Whether only a parenthesis or a comma is at either side of a slot."""
    before = slot.string[: slot.start()].rstrip()[-1:]
    after = slot.string[slot.end() :].lstrip()[:1]
    return before in ("(", ",") and after in (")", ",")


def binary(operator: str, rank: int, left: Sql, right: Sql) -> Sql:
    """`left operator right`, for operators that group to the left."""
    first = left if left.rank >= rank else left.atom()
    second = right if right.rank > rank else right.atom()
    return Sql(f":0 {operator} :1", first, second, rank=rank, wrap=False)


def chain(operator: str, rank: int, items: Sequence[Sql]) -> Sql:
    """`a operator b operator c`, flat, however many there are."""
    parts = [item if item.rank > rank else item.atom() for item in items]
    text = f" {operator} ".join(f":{n}" for n in range(len(parts)))
    return Sql(text, *parts, rank=rank, wrap=False)


def name(*parts: str) -> Sql:
    """A name of one or more parts, each in back-quotes."""
    return Sql(".".join(map(_quoted, parts)), rank=ATOM)


def part(struct: Sql, field: str) -> Sql:
    """A field of a STRUCT."""
    return Sql(":0.:1", struct.atom(), name(field), rank=ATOM, wrap=False)


def string(text: str) -> Sql:
    """A string literal that Spark reads back as exactly `text`; lone surrogates are bytes."""
    if any("\udc80" <= letter <= "\udcff" for letter in text):
        return Sql(f"CAST(X'{text.encode('utf-8', 'surrogateescape').hex()}' AS STRING)")
    return Sql("'" + "".join(map(_letter, text)) + "'", rank=ATOM)


def number(text: str | int) -> Sql:
    """A number that is not negative: whole ones as they are, others as DOUBLE."""
    body = str(text)
    if body.isdecimal():
        return Sql(body, rank=ATOM)
    return Sql("double('Infinity')" if isinf(float(body)) else f"{float(body)!r}D", rank=ATOM)


def raised(condition: str, **params: Sql) -> Sql:
    """An expression that fails the query with a Sluice condition; it has no value."""
    parts = [part for key, value in params.items() for part in (string(key), value)]
    what = Sql("named_struct(:*)", string("condition"), string(condition), *parts)
    return Sql("raise_error(concat(:0, to_json(:1)))", string(EXPRESSION), what)


def shown(value: Sql) -> Sql:
    """A value in quotes, as errors show it."""
    return Sql("concat('\\'', CAST(:0 AS STRING), '\\'')", value)


def forbidden(name: str) -> errors.SluiceError:
    """The error for a name that Spark's variable substitution, or a template, would change."""
    return errors.FORBIDDEN_NAME(name=name, characters="${ or :*")


def _quoted(part: str) -> str:
    if "${" in part:
        raise forbidden(part)
    shown = part.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "`" + shown.replace("`", "``") + "`"


def _letter(letter: str) -> str:
    """Spark reads back-slashes as escapes and fills in `${…}` in its text, even inside literals."""
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    return letter if letter >= " " and letter != "\x7f" else f"\\u{ord(letter):04x}"


@dataclass(slots=True)
class Clauses:
    """A SELECT under construction."""

    parts: list[str] = field(default_factory=list)
    args: list[Sql] = field(default_factory=list)

    def add(self, text: str, *args: Sql) -> None:
        """A clause; `:0` in it is the first of `args`, `:*` are all of them."""
        first = len(self.args)
        self.args.extend(args)
        slots = [f":{first + n}" for n in range(len(args))]
        self.parts.append(
            text.replace(":*", ", ".join(slots)).replace(":0", slots[0] if slots else ":0")
        )

    def sql(self) -> Sql:
        """The whole of it."""
        return Sql(" ".join(self.parts), *self.args, rank=0, wrap=False)
