"""What a row of the function tables is, and the few ways to write one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sluice import errors
from sluice.sql.core.functions import arity
from sluice.sql.core.spark import Sql
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.values import STRING, Value
from sluice.types import Type

if TYPE_CHECKING:
    from sqlglot import exp

    from sluice.errors import Place

Returns = Type | Callable[[Sequence[Value]], Type]
"""A function's type: fixed, or found from its arguments."""


class Lowerer(Protocol):
    """What a function may ask of the one who lowers its call."""

    def value(self, node: exp.Expr) -> Value:
        """Lower an argument."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it was written; `name` is in capitals."""

    name: str
    nodes: tuple[exp.Expr, ...]
    lowerer: Lowerer
    place: Place | None = None

    @property
    def count(self) -> int:
        """How many arguments there are."""
        return len(self.nodes)

    def arg(self, n: int) -> Value:
        """An argument, lowered."""
        return self.lowerer.value(self.nodes[n])

    def args(self) -> tuple[Value, ...]:
        """All arguments, lowered."""
        return tuple(self.lowerer.value(node) for node in self.nodes)

    def literal(self, n: int, kind: type[Any] = str) -> Any:
        """The value of an argument that must be written out, such as a path."""
        value = self.arg(n).literal
        if not isinstance(value, kind):
            what = {str: "a string", int: "a whole number"}[kind]
            raise self.wrong(reason=f"Argument {n + 1} of {self.name} must be {what} written out")
        return value

    def wrong(self, reason: str) -> errors.SluiceError:
        """An error about the arguments."""
        return errors.BAD_ARGUMENTS(reason=reason, place=self.place)


@dataclass(frozen=True, slots=True)
class Function:
    """A row of the table: `low` to `high` arguments (None: any number)."""

    low: int
    high: int | None
    doc: str = ""

    @property
    def kind(self) -> str:
        """What `system.functions` says it is."""
        return "scalar"

    def takes(self) -> str:
        """How many arguments, in words."""
        if self.high is None:
            return f"at least {self.low}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Scalar(Function):
    """A function of one row's values."""

    build: Callable[[Call], Value] = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Aggregate(Function):
    """A function over rows: `core` is what Spark aggregates, `outer` what is done with the result.

    Both are templates, or are made of the arguments; in `outer` the result is `:0`, and the
    arguments follow it. A `window` function needs OVER.
    """

    core: str | Callable[[Sequence[Value]], str] = field(kw_only=True)
    outer: str | Callable[[Sequence[Value]], str] | None = None
    returns: Returns = UNKNOWN
    window: bool = False

    @property
    def kind(self) -> str:
        """What `system.functions` says it is."""
        return "window" if self.window else "aggregate"


def template(*texts: str, returns: Returns = STRING, text: bool = False, doc: str = "") -> Scalar:
    """A function that is one Spark expression, one text for each number of arguments.

    With `text` the arguments are turned into text first, as Flink's own casts do.
    """
    ranges = [arity(each) for each in texts]
    low = min(first for first, _ in ranges)
    high = None if any(h is None for _, h in ranges) else max(h or 0 for _, h in ranges)

    def build(call: Call) -> Value:
        args = call.args()
        fitting = (
            each
            for each, (first, h) in zip(texts, ranges, strict=True)
            if first <= len(args) and (h is None or len(args) <= h)
        )
        chosen = next(fitting, None)
        if chosen is None:
            expected = " or ".join(str(first) for first, _ in ranges)
            raise errors.WRONG_ARGUMENT_COUNT(
                function=call.name, expected=expected, given=len(args), place=call.place
            )
        if ":*" in chosen and len(args) <= arity(chosen)[0]:
            chosen = chosen.replace(", :*", "")
        sql = Sql(chosen, *(arg.text() if text else arg.sql for arg in args))
        return Value(sql, returns(args) if callable(returns) else returns)

    return Scalar(low, high, doc, build=build)


def special(
    low: int, high: int | None = -1, *, doc: str = ""
) -> Callable[[Callable[[Call], Value]], Scalar]:
    """A function that Python code lowers; `high` is `low` unless given, None means any number."""

    def add(build: Callable[[Call], Value]) -> Scalar:
        return Scalar(low, low if high == -1 else high, doc, build=build)

    return add


def aggregate(
    core: str | Callable[[Sequence[Value]], str],
    outer: str | Callable[[Sequence[Value]], str] | None = None,
    *,
    takes: int = 1,
    most: int | None = -1,
    **options: Any,
) -> Aggregate:
    """An aggregate function of `takes` arguments; see `Aggregate`."""
    return Aggregate(takes, takes if most == -1 else most, core=core, outer=outer, **options)


def same(n: int = 0) -> Callable[[Sequence[Value]], Type]:
    """The type of an argument."""
    return lambda args: args[n].kind if n < len(args) else UNKNOWN
