"""Function tables: what a row of them is, and what a call is to the function that lowers it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from sluice import errors
from sluice.sql.core.values import UNKNOWN, V
from sluice.types import Type

if TYPE_CHECKING:
    from sqlglot import exp

    from sluice.errors import Place
    from sluice.sql.core.expressions import Expressions

SLOT = re.compile(r":(\d+|\*)([?@#]?)")
"""Where an argument goes in a template: its number, or `*` for the rest, and how it is shown."""

LONGEST = 1_000_000
"""The longest string that `repeat` and similar functions may build, in repetitions."""


def arity(text: str) -> tuple[int, int | None]:
    """How many arguments a template takes, at least and at most."""
    slots = [slot for slot, _ in SLOT.findall(text)]
    named = max((int(slot) for slot in slots if slot != "*"), default=-1) + 1
    return named, None if "*" in slots else named


@dataclass(frozen=True)  # an alias `Call[Value]` of one with slots cannot be called
class Call(Generic[V]):
    """A call: its name and its arguments, each of which is lowered once."""

    name: str
    nodes: tuple[exp.Expr, ...]
    lowerer: Expressions[V]
    place: Place | None = None
    lowered: dict[int, V] = field(default_factory=dict, compare=False)

    @property
    def count(self) -> int:
        """How many arguments there are."""
        return len(self.nodes)

    def arg(self, n: int) -> V:
        """An argument, lowered."""
        if n not in self.lowered:
            self.lowered[n] = self.lowerer.value(self.nodes[n])
        return self.lowered[n]

    def args(self) -> tuple[V, ...]:
        """All arguments, lowered."""
        return tuple(self.arg(n) for n in range(self.count))

    def literal(self, n: int, kind: type[Any] = str) -> Any:
        """The value of an argument that must be a constant, such as a unit or a format."""
        value = self.arg(n).literal
        if not isinstance(value, kind):
            what = {str: "a string", int: "an integer"}[kind]
            raise errors.CONSTANT_REQUIRED(
                what=f"Argument {n + 1} of {self.name}", type=what, place=self.place
            )
        return value

    def option(self, n: int, kind: type[Any] = str, default: Any = None) -> Any:
        """The value of a constant argument that may be left out."""
        return self.literal(n, kind) if self.count > n else default

    def wrong(self, reason: str) -> errors.SluiceError:
        """An error about the arguments."""
        return invalid(reason, self.place)


def invalid(reason: str, place: Place | None) -> errors.SluiceError:
    """The error for a call whose arguments, or clauses, its function does not take."""
    return errors.INVALID_FUNCTION_ARGUMENT(reason=reason, place=place)


@dataclass(frozen=True, slots=True)
class Function:
    """A row of the table: `low` to `high` arguments (None: any number).

    With `any_case` its name may be written in any case. `derives` is for dialects whose results
    are nullable if arguments are: False where the function's own rule is the whole type.
    """

    low: int
    high: int | None
    doc: str = ""
    any_case: bool = False
    derives: bool = True

    @property
    def kind(self) -> str:
        """The kind that `system.functions` shows."""
        return "scalar"

    def takes(self) -> str:
        """The number of arguments, for an error message."""
        if self.high is None:
            return f"at least {self.low}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"

    def check(self, name: str, given: int, place: Place | None) -> None:
        """Refuse a call with too few or too many arguments."""
        if given < self.low or (self.high is not None and given > self.high):
            raise errors.WRONG_ARGUMENT_COUNT(
                function=name, expected=self.takes(), given=given, place=place
            )


Returns = Type | Callable[[Sequence[V]], Type]
"""A function's type: fixed, or found from its arguments."""


def returned(returns: Returns[V], args: Sequence[V]) -> Type:
    """The type of a call with these arguments."""
    return returns(args) if callable(returns) else returns


@dataclass(frozen=True, slots=True)
class Aggregate(Function, Generic[V]):
    """A function over rows; a `window` function needs OVER."""

    returns: Returns[V] = UNKNOWN
    window: bool = False

    @property
    def kind(self) -> str:
        """The kind that `system.functions` shows."""
        return "window" if self.window else "aggregate"


@dataclass(frozen=True)
class Scalar(Function, Generic[V]):
    """A function of one row's values."""

    build: Callable[[Call[V]], V] = field(kw_only=True)


def special(
    low: int, high: int | None = -1, **options: Any
) -> Callable[[Callable[[Call[V]], V]], Scalar[V]]:
    """A function that Python code lowers; `high` is `low` unless given, None means any number."""

    def add(build: Callable[[Call[V]], V]) -> Scalar[V]:
        return Scalar(low, low if high == -1 else high, build=build, **options)

    return add


def of_values(
    build: Callable[..., V], low: int, high: int | None = -1, **options: Any
) -> Scalar[V]:
    """A function that Python code lowers by the values of its arguments alone."""
    return special(low, high, **options)(lambda call: build(*call.args()))


class Overloads:
    """The templates of a function, one for each number of arguments it takes."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._ranges = [(text, *arity(text)) for text in texts]
        self.low = min(low for _, low, _ in self._ranges)
        highs = [high for _, _, high in self._ranges]
        self.high = None if None in highs else max(high or 0 for high in highs)

    def find(self, given: int) -> str | None:
        """The template for a number of arguments."""
        for text, low, high in self._ranges:
            if low <= given and (high is None or given <= high):
                return text
        return None

    def choose(self, call: Call[V], given: int) -> str:
        """The template for a call; an error if there is none for so many arguments."""
        if (found := self.find(given)) is None:
            expected = " or ".join(str(low) for _, low, _ in self._ranges)
            raise errors.WRONG_ARGUMENT_COUNT(
                function=call.name, expected=expected, given=given, place=call.place
            )
        return found
