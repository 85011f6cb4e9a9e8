"""Windows of time: TUMBLE, HOP, CUMULATE and SESSION, in GROUP BY and in FROM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.functions import invalid
from sluice.sql.core.spark import ATOM, COMPARE, Sql, name, string
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.intervals import milliseconds
from sluice.sql.flink.scope import Output
from sluice.sql.flink.times import END, PROCTIME, ROWTIME, START, WINDOW, Time
from sluice.sql.flink.types import write_type
from sluice.sql.flink.values import INSTANT, MOMENTS, Value
from sluice.sql.relation import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.functions.model import Call
    from sluice.sql.flink.scope import Context, Source

_KINDS = {"TUMBLE": 2, "HOP": 3, "SESSION": 2}
_BEFORE = "(:0.`end` - INTERVAL '0.001' SECOND)"
_PARTS = {
    "_START": (":0.`start`", START),
    "_END": (":0.`end`", END),
    "_ROWTIME": (_BEFORE, ROWTIME),
    "_PROCTIME": ("current_timestamp()", ""),
}
_PARAMETERS = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
COLUMNS = {
    "window_start": (":0.`start`", START),
    "window_end": (":0.`end`", END),
    "window_time": (_BEFORE, ROWTIME),
}
"""What a window in FROM adds to the columns of its table."""


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
    _check_attribute(expressions, moment, call.nodes[0], _NO_ATTRIBUTE)
    lengths = [milliseconds(node, call.name) for node in call.nodes[1:]]
    window = _window(kind, moment.sql, lengths)
    number = expressions.context.window(str(window))
    delay = moment.time.delay if moment.time else None
    if not part:
        if expressions.grouped is not None:
            reason = f"{call.name} stands in GROUP BY alone; use {kind}_START or {kind}_END"
            raise call.wrong(reason)
        column = call.nodes[0].name or call.nodes[0].sql()
        expressions.context.windows.append(TimeWindow(kind, column))
        session = kind == "SESSION"
        return Value(window, time=Time(WINDOW, delay, number, session=session))
    if expressions.grouped is not None and str(window) not in expressions.grouped:
        raise call.wrong(reason=f"{call.name} needs the same {kind} in GROUP BY")
    text, role = _PARTS[part]
    sql = Sql(text, window, rank=ATOM, wrap=False)
    if not role:
        return Value(sql, INSTANT)
    return Value(sql, moment.kind, time=Time(role, delay, number, carried=False))


_NO_ATTRIBUTE = (
    "Window aggregate can only be defined over a time attribute column, but {type} encountered."
)
_NO_TIMECOL = "The window function requires the timecol is a time attribute type, but is {type}."


def _check_attribute(expressions: Expressions, moment: Value, node: exp.Expr, words: str) -> None:
    """A window of a stream ends when the watermark says so: its times must have one."""
    time = moment.time
    if expressions.streams and time is not None and time.role == PROCTIME:
        raise errors.UNSUPPORTED_ON_STREAM(
            operation="A window over processing time",
            hint="Give the table a WATERMARK, for instance over METADATA FROM 'timestamp'.",
            place=places.of_node(node),
        )
    if expressions.streams and (time is None or time.delay is None or time.role != ROWTIME):
        shown = write_type(moment.kind) if moment.kind != UNKNOWN else "none"
        reason = words.format(type=shown)
        raise errors.TIME_ATTRIBUTE_REQUIRED(reason=reason, place=places.of_node(node))


def _moment(value: Value, name: str, node: exp.Expr) -> Value:
    if value.kind != UNKNOWN and not value.is_a(*MOMENTS):
        reason = f"{name} takes a TIMESTAMP or a TIMESTAMP_LTZ"
        raise invalid(reason, places.of_node(node))
    return value


def _window(kind: str, moment: Sql, lengths: Sequence[int], offset: int = 0) -> Sql:
    """The window that Spark makes; that of CUMULATE is the longest one."""
    texts = [string(f"{length} milliseconds") for length in lengths]
    if kind == "SESSION":
        return Sql("session_window(:0, :1)", moment, texts[0])
    size, slide = texts[-1], texts[0] if kind == "HOP" else texts[-1]
    if offset:
        start = string(f"{offset} milliseconds")
        return Sql("window(:0, :1, :2, :3)", moment, size, slide, start)
    if kind == "HOP":
        return Sql("window(:0, :1, :2)", moment, size, slide)
    return Sql("window(:0, :1)", moment, size)


def closing(
    keys: Sequence[Value], sources: Sequence[Source], place: errors.Place | None
) -> tuple[bool, list[Sql]]:
    """Whether the groups end with a window, and what Spark has to group by."""
    whole = next((key.time.whole for key in keys if key.time and key.time.whole), None)
    if whole is not None:
        others = [key.sql for key in keys if not (key.time and key.time.whole)]
        _check_session(keys, others, sources, place)
        return True, _session(whole, others)
    plain = [key.sql for key in keys]
    for key in keys:
        if key.time is not None and key.time.role == WINDOW:
            if key.time.session:
                return True, _session(key.sql, [sql for sql in plain if sql is not key.sql])
            return True, plain
    carrier = closer(keys, sources)
    return _number(keys) is not None, plain if carrier is None else [*plain, carrier.sql]


def _number(keys: Sequence[Value]) -> int | None:
    """The window that all of start and end are keys of."""
    roles: dict[int, set[str]] = {}
    for key in keys:
        if key.time is not None and key.time.window:
            roles.setdefault(key.time.window, set()).add(key.time.role)
    return next((n for n, found in roles.items() if {START, END} <= found), None)


def closer(keys: Sequence[Value], sources: Sequence[Source]) -> Value | None:
    """What Spark has to group by besides the keys, to see when their window ends."""
    number = _number(keys)
    if number is None or any(
        k.time and k.time.window == number and k.time.carried and k.time.marks for k in keys
    ):
        return None
    return carrying(sources, number)


def carrying(sources: Sequence[Source], number: int) -> Value | None:
    """The column that carries the watermark of a window."""
    for source in sources:
        for column, output in source.columns.items():
            time = output.time
            if time is not None and time.window == number and time.carried and time.marks:
                return source.value(column)
    return None


def _session(window: Sql, others: list[Sql]) -> list[Sql]:
    """Spark takes a session window beside other keys alone: one that is always the same will do."""
    return [window, *(others or [Sql(":0 IS NULL", window.args[0], rank=COMPARE)])]


def _check_session(
    keys: Sequence[Value],
    others: list[Sql],
    sources: Sequence[Source],
    place: errors.Place | None,
) -> None:
    roles = {key.time.role for key in keys if key.time and key.time.whole}
    source = next(source for source in sources if source.session is not None)
    wanted = {str(source.value(column).sql) for column in source.session or ()}
    if not {START, END} <= roles or wanted != {str(sql) for sql in others}:
        raise other_sessions(source, place)


def other_sessions(source: Source, place: errors.Place | None) -> errors.SluiceError:
    """SESSION in FROM makes its windows while it groups: by its own columns alone."""
    named = ", ".join(["window_start", "window_end", *(source.session or ())])
    return errors.UNSUPPORTED_ON_STREAM(
        operation="SESSION in FROM with other groups than its own",
        hint=f"Write GROUP BY {named}",
        place=place,
    )


class TableWindow:
    """`TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL …)` in FROM, its arguments in order or by name."""

    def __init__(self, call: exp.Anonymous) -> None:
        self.kind = call.name.upper()
        self.call = call
        self.place = places.of_node(call)
        given = self._arguments(call)
        self.table = given["DATA"]
        column = given["TIMECOL"]
        if not isinstance(self.table, exp.Table):
            raise self._wrong(reason=f"{self.kind} takes TABLE and a table's name first")
        self.table = self.table.copy()  # a statement is lowered more than once
        self.partition = tuple(self._partition(self.table))
        if (
            not isinstance(column, exp.Anonymous)
            or column.name.upper() != "DESCRIPTOR"
            or len(column.expressions) != 1
            or not isinstance(column.expressions[0], exp.Column)
        ):
            raise self._wrong(reason=f"{self.kind} takes DESCRIPTOR(column) after the table")
        self.column = column.expressions[0]
        self.lengths = [
            milliseconds(given[name], self.kind)
            for name in _PARAMETERS[self.kind][2:]
            if name != "OFFSET"
        ]
        if self.kind == "CUMULATE" and self.lengths[1] % self.lengths[0]:
            step, size = self.lengths
            raise self._wrong(
                reason=f"CUMULATE table function based aggregate requires maxSize must be an "
                f"integral multiple of step, but got maxSize {size} ms and step {step} ms"
            )
        self.offset = 0
        if "OFFSET" in given:
            self.offset = milliseconds(given["OFFSET"], self.kind, signed=True) % self._every

    @property
    def _every(self) -> int:
        return self.lengths[0] if self.kind == "HOP" else self.lengths[-1]

    def _partition(self, table: exp.Table) -> list[str]:
        found = table.args.pop("partition", None) or []
        if found and self.kind != "SESSION":
            raise places.unsupported(self.call, f"PARTITION BY in {self.kind}")
        return [column.name for column in found]

    def _wrong(self, reason: str) -> errors.SluiceError:
        return invalid(reason, self.place)

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
                if names[-1] == "OFFSET"
                else f"{self.kind} takes {', '.join(names)}"
            )
        return given

    def moment(self, expressions: Expressions) -> Value:
        """The time that rows are put into windows by."""
        moment = _moment(expressions.value(self.column), self.kind, self.column)
        _check_attribute(expressions, moment, self.column, _NO_TIMECOL)
        return moment

    def outputs(self, context: Context, moment: Value) -> list[Output]:
        """The columns of the window; in a stream the last one carries the watermark."""
        window = _window(self.kind, moment.sql, self.lengths, self.offset)
        session = self.kind == "SESSION"
        text = str(window) if session else f"{window} {self.lengths} {context.fresh()}"
        number = context.window(text)
        delay = moment.time.delay if moment.time else None
        made = []
        for column, (sql, role) in COLUMNS.items():
            time = Time(
                role,
                delay,
                number,
                carried=role == ROWTIME and not session,
                whole=window if session else None,
            )
            part = Sql(sql, window, rank=ATOM, wrap=False) if session else None
            made.append(Output(column, moment.kind, time=time, sql=part))
        return made

    def rows(self, moment: Value, source: Sql, columns: Sequence[tuple[str, Sql]]) -> Sql:
        """The rows of the table, each once for every window that it is in."""
        shown = [Sql(":0 AS :1", sql, name(column), wrap=False) for column, sql in columns]
        window = _window(self.kind, moment.sql, self.lengths, self.offset)
        first = Sql(
            "SELECT :*, :0 AS `__w`, :1 AS `__t` FROM :2", window, moment.sql, source, *shown,
            wrap=False,
        )  # fmt: skip
        names = [name(column) for column, _ in columns]
        if self.kind == "CUMULATE":
            step, size = self.lengths
            since = "timestampdiff(MICROSECOND, `__w`.`start`, `__t`)"
            steps = Sql(f"sequence({since} DIV {step * 1000}L + 1L, {size // step}L)")
            each = Sql(
                "`__i` -> named_struct('start', `__w`.`start`, 'end', "
                f"timestampadd(MILLISECOND, `__i` * {step}L, `__w`.`start`))"
            )
            text = "SELECT :*, explode(transform(:0, :1)) AS `__w` FROM (:2)"
            first = Sql(text, steps, each, first, *names, wrap=False)
        window = name("__w")
        parts = [
            Sql(":0 AS :1", Sql(sql, window, wrap=False), name(column), wrap=False)
            for column, (sql, _) in COLUMNS.items()
        ]
        return Sql("SELECT :* FROM (:0)", first, *names, *parts, wrap=False)


def is_window(call: exp.Anonymous) -> bool:
    """Whether a function in FROM is a window."""
    return call.name.upper() in _PARAMETERS
