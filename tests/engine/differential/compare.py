"""Asks Sluice and ClickHouse the same, and says where the answers differ."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from answers import written

from engine.differential.cases import COLUMNS, ORDINARY, ROWS, Case
from engine.differential.clickhouse import Answer, ask
from sluice.engine.spark.typed import mark
from sluice.errors import SluiceError
from sluice.planner.relations import Relations
from sluice.session.frames import collect, guarded
from sluice.sql.clickhouse import lower_query, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sluice.formats.result import Result
    from sluice.session import Session
    from sluice.sql.relation import Lowered

TOGETHER = 64
"""How many calls go into one query of Sluice's."""

_ALL = COLUMNS | ORDINARY
TABLE = (
    f"CREATE TABLE edge (r UInt8, {', '.join(f'{c} {t}' for c, (t, _) in _ALL.items())})"
    " ENGINE = Memory"
)
FILL = "INSERT INTO edge VALUES " + ", ".join(
    f"({', '.join([str(row), *(values[row] for _, values in _ALL.values())])})"
    for row in range(ROWS)
)


@dataclass(frozen=True, slots=True)
class Expected:
    """What ClickHouse answers: its type, and a text for each row in which it does not fail."""

    case: Case
    type: str
    values: dict[int, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the two do not agree: `kind` is value, type, refused or error."""

    case: Case
    kind: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.case.text}: {self.kind}: {self.found}, ClickHouse {self.wanted}"


def clickhouse(cases: Sequence[Case]) -> list[Expected]:
    """ClickHouse's answers; calls that it refuses for every row are left out."""
    found: list[Expected] = []
    retried: list[tuple[Case, int]] = []
    for case, answer in zip(cases, _asked(cases), strict=True):
        if isinstance(answer, str):
            if not case.aggregate and not answer.startswith(_REFUSED):
                retried += [(case, row) for row in range(ROWS)]
            continue
        type_, rows = _last(answer, 1 if case.aggregate else ROWS)
        found.append(Expected(case, type_, {n: row[0] for n, row in enumerate(rows)}))
    single = _asked([case for case, _ in retried], [row for _, row in retried])
    partly: dict[Case, Expected] = {}
    for (case, row), answer in zip(retried, single, strict=True):
        if not isinstance(answer, str):
            type_, rows = _last(answer, 1)
            expected = partly.setdefault(case, Expected(case, type_, {}))
            expected.values[row] = rows[0][0]
    return [*found, *partly.values()]


def _last(answer: Answer, count: int) -> tuple[str, list[list[str]]]:
    """The type and the rows of an answer; what an answer before it has left in front is not it."""
    types, rows = answer
    type_ = rows[-count - 1][0] if len(rows) > count else types[0]
    return type_, rows[-count:]


_REFUSED = tuple(f"Code: {code}." for code in (42, 43, 44, 46, 47, 62, 386))


def _asked(cases: Sequence[Case], rows: Sequence[int] | None = None) -> list[Answer | str]:
    queries = []
    for n, case in enumerate(cases):
        one = "" if rows is None else f" WHERE r = {rows[n]}"
        queries.append(
            f"SELECT {case.text} FROM edge{one}{'' if case.aggregate else ' ORDER BY r'}"
        )
    return ask([TABLE, FILL], queries) if queries else []


class Sluice:
    """Lowers calls as Sluice does, and runs them over rows that Spark has at hand.

    Such rows are computed while the query is planned, without a job: a hundred calls that fail are
    found one by one in seconds.
    """

    def __init__(self, session: Session) -> None:
        from pyspark.sql import functions as F

        self._engine, self._database = session._engine, session.database
        self._spark = self._engine.spark().newSession()
        table = self._engine.catalog.find(self._database, "edge")
        assert table is not None
        stored = self._engine.store.read(self._spark, table).orderBy("r")
        near = self._spark.createDataFrame(stored.toArrow())
        self._named: set[str] = set()
        self._frame = near.select(*(mark(F.col(c.name), c.name, c.type) for c in table.columns))

    def lowered(self, text: str) -> Lowered:
        """A query in Spark SQL; the table is a view by then."""
        statement: Any = parse(text)
        relations = Relations(self._engine.catalog, self._database)
        lowered = lower_query(statement.query, relations.resolve, database=self._database)
        for name in relations.found.keys() - self._named:
            self._frame.createOrReplaceTempView(name)
            self._named.add(name)
        return lowered

    def run(self, text: str) -> Result:
        """The answer to a query."""
        lowered = self.lowered(text)
        frame = guarded(lambda: self._spark.sql(lowered.sql))
        return collect(self._engine, frame, None, lowered.types)

    def text(self, result: Result) -> str:
        """Its rows as TabSeparated."""
        bytes_ = written(self._engine.workers, result, "TabSeparated")
        return bytes_.decode("utf-8", "surrogateescape")


def differences(session: Session, expected: Iterable[Expected]) -> list[Difference]:
    """Where Sluice's answers are others."""
    sluice = Sluice(session)
    found: list[Difference] = []
    groups: dict[tuple[bool, tuple[int, ...]], list[Expected]] = defaultdict(list)
    for each in expected:
        groups[each.case.aggregate, tuple(sorted(each.values))].append(each)
    for (aggregate, rows), group in groups.items():
        for at in range(0, len(group), TOGETHER):
            found += _compared(sluice, group[at : at + TOGETHER], rows, aggregate=aggregate)
    return found


def _compared(
    sluice: Sluice, group: list[Expected], rows: tuple[int, ...], *, aggregate: bool
) -> list[Difference]:
    """One query for all; if it fails, one for each half."""
    columns = ", ".join(f"{each.case.text} AS c{n}" for n, each in enumerate(group))
    where = "" if aggregate else f" WHERE r IN ({', '.join(map(str, rows))})"
    try:
        result = sluice.run(f"SELECT {columns} FROM edge{where}")
        text = sluice.text(result)
    except Exception as bad:  # noqa: BLE001 - whatever it is, it is an answer that differs
        if len(group) == 1:
            return [_failed(sluice, group[0], bad)]
        size = max(len(group) // 8, 1)
        return [
            difference
            for at in range(0, len(group), size)
            for difference in _compared(sluice, group[at : at + size], rows, aggregate=aggregate)
        ]
    lines = [line.split("\t") for line in text.split("\n")[:-1]]
    types = [str(column.type) for column in result.columns]
    found: list[Difference] = []
    for n, each in enumerate(group):
        wanted = [each.values[row] for row in rows]
        values = [line[n] for line in lines]
        wanted_type = each.type.replace("\\'", "'")
        same = partial(_same, floating="Float" in wanted_type)
        if not all(map(same, values, wanted)) or len(values) != len(wanted):
            found.append(Difference(each.case, "value", str(wanted), str(values)))
        if types[n] != wanted_type:
            found.append(Difference(each.case, "type", wanted_type, types[n]))
    return found


def _failed(sluice: Sluice, expected: Expected, why: Exception) -> Difference:
    """A call that is refused, or fails when it runs."""
    try:
        sluice.lowered(f"SELECT {expected.case.text} FROM edge")
    except SluiceError as bad:
        return Difference(expected.case, "refused", _shown(expected), str(bad))
    return Difference(expected.case, "error", _shown(expected), str(why)[:300])


def _same(found: str, wanted: str, *, floating: bool) -> bool:
    """Equal texts, or floating point numbers that differ in the last digits at most."""
    if found == wanted:
        return True
    try:
        first, second = float(found), float(wanted)
    except ValueError:
        return False
    exact = ("." not in found and "e" not in found) or ("." not in wanted and "e" not in wanted)
    return (floating or not exact) and math.isclose(first, second, rel_tol=1e-14)


def _shown(expected: Expected) -> str:
    return f"{expected.type} {list(expected.values.values())}"
