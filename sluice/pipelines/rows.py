"""From Kafka to rows: decoding messages, and the columns every message has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.errors import raised
from sluice.formats import values
from sluice.formats.decode import decoded
from sluice.pipelines import typed
from sluice.pipelines.select import Named, Select
from sluice.plan.sink import value_columns
from sluice.plan.spec import STREAM
from sluice.types import model as m
from sluice.types.text import quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import Column, DataFrame

    from sluice.plan import KafkaSource
    from sluice.types import Type

VIRTUAL: dict[str, Type] = {
    "_topic": m.LowCardinality(m.String()),
    "_key": m.String(),
    "_offset": m.Int(64, signed=False),
    "_partition": m.Int(64, signed=False),
    "_timestamp": m.Nullable(m.DateTime()),
    "_timestamp_ms": m.Nullable(m.DateTime(3)),
    "_headers.name": m.Array(m.String()),
    "_headers.value": m.Array(m.String()),
    "_table": m.LowCardinality(m.String()),
}
"""The columns of every message."""

VIRTUAL_OF_ERRORS: dict[str, Type] = {"_raw_message": m.String(), "_error": m.String()}
"""Those that there are in the mode `stream` besides; both are empty for a good message."""

_HEADERS = "array<struct<key: string, value: binary>>"

_LAST = {"_timestamp": "2106-02-07 06:28:15.999", "_timestamp_ms": "2299-12-31 23:59:59.999"}
"""The last instant that each virtual column's type holds."""

SKIP = "To skip such messages set kafka_skip_broken_messages; or mend the topic."
"""What can be done about a bad message of a table of ClickHouse's."""

BAD_MESSAGE = "SLUICE_BAD_MESSAGE"
"""Marks our own error in the text of Spark's."""


def virtual_columns(error_mode: str) -> dict[str, Type]:
    """The columns that a Kafka table has without declaring them."""
    return VIRTUAL | VIRTUAL_OF_ERRORS if error_mode == STREAM else VIRTUAL


LISTED = 20
"""How many of a batch's skipped messages are listed, each with its error."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many messages of a batch were skipped, and the first: topic, partition, offset, error."""

    count: int
    first: tuple[tuple[str, int, int, str], ...]

    def text(self) -> str:
        """What an event says of them."""
        listed = "; ".join(f"{t}/{p} at offset {o}: {error}" for t, p, o, error in self.first)
        more = self.count - len(self.first)
        rest = f"; and {more} more" if more else ""
        return f"Skipped {self.count} messages that cannot be parsed: {listed}{rest}"

    def ranges(self) -> dict[str, dict[int, tuple[int, int]]]:
        """From the first to the last that is listed, by topic and partition."""
        found: dict[str, dict[int, tuple[int, int]]] = {}
        for topic, partition, offset, _ in self.first:
            parts = found.setdefault(topic, {})
            parts[partition] = (parts.get(partition, (offset, 0))[0], offset + 1)
        return found


class Rows:
    """From messages to a Kafka table's rows; made once, used for every batch.

    A message is good or bad as a whole. What a bad one does is up to the table's error mode: it
    stops the reading, is passed over, or is a row of defaults that says what is wrong.
    """

    def __init__(self, source: KafkaSource, messages: DataFrame, queries: Iterable[str]) -> None:
        """For messages like these, whose headers may not have been read, and the SQL of `queries`.

        A message whose timestamp does not fit a virtual column is bad if a query uses that column.
        """
        from pyspark.sql import functions as F

        columns = value_columns(source.table)
        names = ("topic", "partition", "offset", "timestamp", "key", "value")
        headers = "headers" if "headers" in messages.columns else f"CAST(NULL AS {_HEADERS})"
        kept = [*(Named(name, f"__{name}") for name in names), Named(headers, "__headers")]
        found = decoded(
            messages.sparkSession,
            source.format,
            columns,
            F.col("value"),
            source.format_settings,
            _wrong_time([n for n in _LAST if n not in dict(columns)], queries),
        )
        self._split = Select([*kept, found.alias("__row")])
        streams = source.error_mode == STREAM
        self._wanted = F.col("__row").isNotNull()
        if not streams:
            self._wanted &= _good(skips=source.skips_bad)
        own = {n: f"__row.{typed.quoted(n)}" for n, _ in columns}
        if streams:  # an error's columns are NULL
            own = {n: f"coalesce({own[n]}, {values.default(t)})" for n, t in columns}
        virtual = {n: t for n, t in virtual_columns(source.error_mode).items() if n not in own}
        made = _virtual(source)
        self._named = Select(
            [
                *(typed.marked(own[n], n, t) for n, t in columns),
                *(typed.marked(made[n], n, t) for n, t in virtual.items()),
            ]
        )

    def __call__(self, messages: DataFrame) -> DataFrame:
        """The table's columns and the virtual ones."""
        return self._named(self._split(messages).where(self._wanted))

    def bad(self, messages: DataFrame) -> DataFrame:
        """The bad messages: where each is, what was in it, and `__error`."""
        from pyspark.sql import functions as F

        error = F.col("__row.__error")
        return self._split(messages).where(error.isNotNull()).withColumn("__error", error)

    def checked(self, messages: DataFrame) -> DataFrame:
        """Each message: where it is, `value_now`, its `error_now` or NULL, its number of `rows`."""
        from pyspark.sql import functions as F

        error, row = F.col("__row.__error"), F.col("__row")
        good = F.when(row.isNotNull() & error.isNull(), F.lit(1))
        at = ("__topic", "__partition", "__offset")
        return (
            self._split(messages)
            .groupBy(*at)
            .agg(
                F.first("__value").alias("value_now"),
                F.max(error).alias("error_now"),
                F.count(good).alias("rows"),
            )
        )

    def skipped(self, messages: DataFrame, tolerance: int) -> Skipped:
        """The bad messages, if they are not more than the tolerance.

        Raises:
            SluiceError: CANNOT_PARSE_MESSAGE, naming the first message above it.
        """
        at = ("__topic", "__partition", "__offset")
        found = self.bad(messages).select(*at, "__error").persist()
        try:
            count = found.count()
            if count > tolerance:
                row = found.orderBy(*at).offset(tolerance).limit(1).collect()[0]
                more = f"{count} messages of the batch are bad, and kafka_skip_broken_messages"
                raise _error(row[0], row[1], row[2], f"{row[3]} ({more} = {tolerance})")
            first = found.orderBy(*at).limit(LISTED).collect() if count else []
            return Skipped(count, tuple((row[0], row[1], row[2], row[3]) for row in first))
        finally:
            found.unpersist()

    def first_bad(self, messages: DataFrame) -> errors.SluiceError | None:
        """The error of the first bad message, by topic, partition and offset."""
        at = ("__topic", "__partition", "__offset")
        rows = self.bad(messages).select(*at, "__error").orderBy(*at).limit(1).collect()
        return _error(*rows[0]) if rows else None


def _error(topic: str, partition: int, offset: int, reason: str) -> errors.SluiceError:
    return errors.CANNOT_PARSE_MESSAGE(
        topic=topic, partition=partition, offset=offset, reason=reason, skipping=SKIP
    )


def _good(*, skips: bool) -> Column:
    from pyspark.sql import functions as F

    good = F.col("__row.__error").isNull()
    return good if skips else F.when(good, F.lit(True)).otherwise(_stop())


_EMPTY = "CAST(array() AS array<string>)"


def _time(column: str) -> str:
    """The record of a producer that gave no time has one before the epoch."""
    last = f"TIMESTAMP'{_LAST[column]}'"
    return f"if(__timestamp >= timestamp_micros(0) AND __timestamp <= {last}, __timestamp, NULL)"


def _wrong_time(names: Iterable[str], queries: Iterable[str]) -> Column | None:
    """What is wrong with the timestamp of a message, for those of the columns that queries use."""
    from pyspark.sql import functions as F

    used = [name for name in names if any(typed.quoted(name) in sql for sql in queries)]
    if not used:
        return None
    cases = (
        f"WHEN timestamp > TIMESTAMP'{_LAST[name]}' THEN 'The timestamp of the message is after "
        f"{_LAST[name]}, the last one of {name}'"
        for name in used
    )
    return F.expr(f"CASE WHEN value IS NULL THEN NULL {' '.join(cases)} END")


MESSAGE = {
    "_topic": "__topic",
    "_key": "coalesce(CAST(__key AS string), '')",
    "_offset": "CAST(__offset AS decimal(20,0))",
    "_partition": "CAST(__partition AS decimal(20,0))",
    "_headers.name": f"coalesce(transform(__headers, h -> h.key), {_EMPTY})",
    "_headers.value": "coalesce(transform(__headers, "
    f"h -> coalesce(CAST(h.value AS string), '')), {_EMPTY})",
}
"""What is known of a message. A text may be any bytes; Spark hands them on as they are."""


def _virtual(source: KafkaSource) -> dict[str, str]:
    """What the virtual columns hold."""
    return MESSAGE | {
        "_timestamp": f"date_trunc('second', {_time('_timestamp')})",
        "_timestamp_ms": _time("_timestamp_ms"),
        "_table": quote_string(source.table.name),
        "_raw_message": "if(__row.__error IS NULL, '', CAST(__value AS string))",
        "_error": "coalesce(__row.__error, '')",
    }


def _stop() -> Column:
    from pyspark.sql import functions as F

    at = {name: F.col(f"__{name}") for name in ("topic", "partition", "offset")}
    return bad_row(at, F.col("__row.__error"), SKIP)


def bad_row(at: Mapping[str, Column], error: Column, skipping: str) -> Column:
    """A condition that ends the query, naming the bad message's topic, partition and offset.

    `skipping` says how such messages are skipped.
    """
    from pyspark.sql import functions as F

    told = {**at, "reason": error, "skipping": F.lit(skipping)}
    what = F.struct(*(column.alias(name) for name, column in told.items()))
    return F.raise_error(F.concat(F.lit(BAD_MESSAGE), F.to_json(what))).cast("boolean")


def bad_message(text: str) -> errors.SluiceError | None:
    """The error that `_stop` raised, found again in what Spark says."""
    found = raised.told(text, BAD_MESSAGE)
    return None if found is None else errors.CANNOT_PARSE_MESSAGE(**{"skipping": SKIP, **found})
