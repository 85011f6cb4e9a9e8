"""Windows of time: TUMBLE, HOP and SESSION in GROUP BY, TUMBLE and HOP in FROM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import places
from sluice.sql.clickhouse.spark import ATOM, Sql, string
from sluice.sql.clickhouse.values import UNKNOWN
from sluice.sql.flink.intervals import milliseconds
from sluice.sql.flink.values import INSTANT, MOMENTS, Value
from sluice.sql.relation import TimeWindow

if TYPE_CHECKING:
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.functions.model import Call

_KINDS = {"TUMBLE": 2, "HOP": 3, "SESSION": 2}
_PARTS = {
    "_START": ":0.`start`",
    "_END": ":0.`end`",
    "_ROWTIME": "(:0.`end` - INTERVAL '0.001' SECOND)",
    "_PROCTIME": "current_timestamp()",
}
_PARAMETERS = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
COLUMNS = ("window_start", "window_end", "window_time")


def grouped(expressions: Expressions, call: Call) -> Value | None:
    """`TUMBLE(ts, INTERVAL …)` in GROUP BY, and TUMBLE_START and its like; None for others."""
    kind, part = next(
        ((kind, part) for kind in _KINDS for part in ("", *_PARTS) if call.name == f"{kind}{part}"),
        (None, ""),
    )
    if kind is None:
        return None
    if call.count != _KINDS[kind]:
        raise errors.WRONG_ARGUMENT_COUNT(
            function=call.name, expected=_KINDS[kind], given=call.count, place=call.place
        )
    moment = _moment(call.arg(0), call.name, call.nodes[0])
    lengths = [milliseconds(node, call.name) for node in call.nodes[1:]]
    window = _window(kind, moment.sql, lengths)
    if not part:
        if expressions.grouped is not None:
            reason = f"{call.name} stands in GROUP BY alone; use {kind}_START or {kind}_END"
            raise errors.BAD_ARGUMENTS(reason=reason, place=call.place)
        size, slide = (lengths[1], lengths[0]) if kind == "HOP" else (lengths[0], None)
        column = call.nodes[0].name or call.nodes[0].sql()
        expressions.context.windows.append(TimeWindow(kind, column, size, slide))
        return Value(window)
    if expressions.grouped is not None and str(window) not in expressions.grouped:
        reason = f"{call.name} needs the same {kind} in GROUP BY"
        raise errors.BAD_ARGUMENTS(reason=reason, place=call.place)
    type_ = INSTANT if part == "_PROCTIME" else moment.kind
    return Value(Sql(_PARTS[part], window, rank=ATOM, wrap=False), type_)


def _moment(value: Value, name: str, node: exp.Expr) -> Value:
    if value.kind != UNKNOWN and not value.is_a(*MOMENTS):
        reason = f"{name} takes a TIMESTAMP or a TIMESTAMP_LTZ"
        raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
    return value


def _window(kind: str, moment: Sql, lengths: list[int]) -> Sql:
    texts = [string(f"{length} milliseconds") for length in lengths]
    if kind == "SESSION":
        return Sql("session_window(:0, :1)", moment, texts[0])
    if kind == "HOP":
        return Sql("window(:0, :1, :2)", moment, texts[1], texts[0])
    return Sql("window(:0, :1)", moment, texts[0])


class TableWindow:
    """`TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL …)` in FROM, its arguments in order or by name."""

    def __init__(self, call: exp.Anonymous) -> None:
        self.kind = call.name.upper()
        self.place = places.of_node(call)
        if self.kind == "CUMULATE":
            hint = "Use HOP, or TUMBLE with the smallest step and SUM(…) OVER"
            raise self._refuse(what="CUMULATE", hint=hint)
        if self.kind == "SESSION":
            raise self._refuse(what="SESSION in FROM", hint="Use GROUP BY SESSION(…)")
        given = self._arguments(call)
        if "OFFSET" in given:
            raise self._refuse(what=f"OFFSET of {self.kind}")
        self.table = given["DATA"]
        column = given["TIMECOL"]
        if not isinstance(self.table, exp.Table):
            raise self._wrong(reason=f"{self.kind} takes TABLE and a table's name first")
        if self.table.args.get("partition"):
            raise self._refuse(what=f"PARTITION BY in {self.kind}")
        if (
            not isinstance(column, exp.Anonymous)
            or column.name.upper() != "DESCRIPTOR"
            or len(column.expressions) != 1
            or not isinstance(column.expressions[0], exp.Column)
        ):
            raise self._wrong(reason=f"{self.kind} takes DESCRIPTOR(column) behind the table")
        self.column = column.expressions[0]
        names = ("SLIDE", "SIZE") if self.kind == "HOP" else ("SIZE",)
        self.lengths = [milliseconds(given[name], self.kind) for name in names]

    def _wrong(self, reason: str) -> errors.SluiceError:
        return errors.BAD_ARGUMENTS(reason=reason, place=self.place)

    def _refuse(self, what: str, hint: str = "") -> errors.SluiceError:
        return errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=self.place)

    def _arguments(self, call: exp.Anonymous) -> dict[str, exp.Expr]:
        names = _PARAMETERS[self.kind]
        given: dict[str, exp.Expr] = {}
        for n, arg in enumerate(call.expressions):
            if isinstance(arg, exp.Kwarg):
                given[arg.this.name] = arg.expression
            elif n < len(names):
                given[names[n]] = arg
        unknown = [name for name in given if name not in names]
        missing = [name for name in names if name not in given and name != "OFFSET"]
        if unknown or missing or len(call.expressions) > len(names):
            raise self._wrong(
                reason=f"{self.kind} takes {', '.join(names[:-1])} and perhaps {names[-1]}"
            )
        return given

    def mark(self) -> TimeWindow:
        """What the caller is told of it."""
        size = self.lengths[-1]
        slide = self.lengths[0] if self.kind == "HOP" else None
        return TimeWindow(self.kind, self.column.name, size, slide, table=True)

    def sql(self, moment: Value) -> Sql:
        """The window of a row."""
        return _window(self.kind, _moment(moment, self.kind, self.column).sql, self.lengths)


def is_window(call: exp.Anonymous) -> bool:
    """Whether a function in FROM is a window."""
    return call.name.upper() in _PARAMETERS
