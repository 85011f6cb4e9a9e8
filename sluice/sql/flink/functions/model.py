"""What a row of the function tables is, and the few ways to write one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.sql.core import functions
from sluice.sql.core.functions import Overloads, arity, returned
from sluice.sql.core.spark import Sql
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.values import STRING, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.types import Type

Returns = functions.Returns[Value]
Call = functions.Call[Value]
Scalar = functions.Scalar[Value]


@dataclass(frozen=True, slots=True)
class Aggregate(functions.Aggregate[Value]):
    """A function over rows: `core` is what Spark aggregates, `outer` what is done with the result.

    Both are templates, or are made of the arguments; in `outer` the result is `:0`, and the
    arguments follow it. A `window` function needs OVER.
    """

    core: str | Callable[[Sequence[Value]], str] = field(kw_only=True)
    outer: str | Callable[[Sequence[Value]], str] | None = None


def template(*texts: str, returns: Returns = STRING, text: bool = False, doc: str = "") -> Scalar:
    """A function that is one Spark expression, one text for each number of arguments.

    With `text` the arguments are turned into text first, as Flink's own casts do.
    """
    overloads = Overloads(texts)

    def build(call: Call) -> Value:
        args = call.args()
        chosen = overloads.choose(call, len(args))
        if ":*" in chosen and len(args) <= arity(chosen)[0]:
            chosen = chosen.replace(", :*", "")
        sql = Sql(chosen, *(arg.text() if text else arg.sql for arg in args))
        return Value(sql, returned(returns, args))

    return Scalar(overloads.low, overloads.high, doc, build=build)


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
