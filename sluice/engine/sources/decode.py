"""Decoding: the messages of a topic as rows of a table, for batches, SELECT, redrives and jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from sluice import errors
from sluice.engine import row_kinds, source_partitions
from sluice.engine.sources.evolved import NEW, Evolved
from sluice.engine.sources.metadata import IN_RANGE, LAST, METADATA
from sluice.engine.spark import typed
from sluice.engine.spark.projection import Named, Select
from sluice.errors import raised
from sluice.formats import text_casts
from sluice.formats.decode import (
    Transcoded,
    decoded,
    decoded_changes,
    decoded_row,
    decoded_rows,
)
from sluice.parameters.kinds import CLICKHOUSE
from sluice.planner.keys import fields_of
from sluice.planner.spec import STREAM
from sluice.planner.virtual_columns import virtual_columns
from sluice.sql.relation import BY_KEY, EVOLVED
from sluice.types import spark_type
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.planner.spec import KafkaSource, RowFormat
    from sluice.types import Type

SKIP = (
    "To skip bad messages set kafka_skip_broken_messages, or to collect them "
    "kafka_handle_error_mode = 'dead_letter_queue'."
)
"""What can be done about a bad message of a table of the ClickHouse dialect."""

_IGNORES = "ignore-parse-errors"
"""The option of Flink's formats that skips bad messages."""

BAD_MESSAGE = "SLUICE_BAD_MESSAGE"
"""Marks Sluice's error in the text of a Spark error."""

LISTED = 20
"""How many of a batch's skipped messages are listed, each with its error."""

_KEPT = ("topic", "partition", "offset", "timestamp", "key", "value")
_OPTIONAL = {"headers": "array<struct<key: string, value: binary>>", "timestampType": "int"}
_AT = ("__topic", "__partition", "__offset")
_NO_KEY = "The key of the message is NULL, or has no value for a column of the PRIMARY KEY"
_WRONG_TIME = (
    "The timestamp of the message is not between the years 1 and 9999, and a column of the table "
    "holds it"
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many messages of a batch were skipped, and the first: topic, partition, offset, error."""

    count: int
    first: tuple[tuple[str, int, int, str], ...]

    def text(self) -> str:
        """The message of an event about them."""
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


class Decoder:
    """From messages to a table's rows; created once, used for every batch.

    A message is good or bad as a whole. What a bad one does is up to the table's error mode: it
    stops the reading, is skipped, or is a row of defaults with its error. Where messages are
    changes, rows have the hidden columns of `row_kinds` besides.
    """

    def __init__(
        self,
        source: KafkaSource,
        messages: DataFrame,
        uses: Collection[str] = (),
        keep: Iterable[str] = (),
        evolved: Evolved | None = None,
    ) -> None:
        """For messages like these, whose headers may not have been read.

        `uses` are the columns that queries read: a message whose timestamp does not fit one of the
        virtual columns among them is bad. `keep` are columns of the message that rows have besides.
        With `evolved` rows carry columns that the table does not declare; else these are ignored.
        """
        self._source = source
        if evolved is None and EVOLVED in uses:  # no target takes what a subquery carries
            evolved = Evolved(ignores=True)
        self._evolved = evolved
        self._columns = _columns(source)
        fields = fields_of(source.table, source.value)
        self._transcoded = Transcoded(messages.sparkSession, source.value.codec, fields)
        self._rows = Select([*_message(messages), *self._decoded(messages, uses)])
        self._wanted = self._condition()
        named = [typed.marked(sql, name, type_) for name, (sql, type_) in self._columns.items()]
        hidden = _hidden_columns(source, uses)
        if evolved is not None:
            hidden[EVOLVED] = evolved.sql(partial=_omits(source, uses))
        self.hidden = tuple(hidden)
        more = [Named(sql, name) for name, sql in hidden.items()]
        self._named = Select([*named, *more, *(Named(each, each) for each in keep)])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return tuple(self._columns)

    def __call__(self, messages: DataFrame) -> DataFrame:
        """The rows: the table's columns that are in messages, and the virtual ones."""
        return self._named(self._split(messages).where(self._wanted))

    def bad(self, messages: DataFrame) -> DataFrame:
        """The bad messages: where each is, what was in it, and `__error`."""
        error = F.col("__row.__error")
        return self._split(messages).where(error.isNotNull()).withColumn("__error", error)

    def checked(self, messages: DataFrame) -> DataFrame:
        """Each message: where it is, `value_now`, its `error_now` or NULL, its number of `rows`."""
        error, row = F.col("__row.__error"), F.col("__row")
        good = F.when(row.isNotNull() & error.isNull(), F.lit(1))
        return (
            self._split(messages)
            .groupBy(*_AT)
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
        found = self.bad(messages).select(*_AT, "__error").persist()
        try:
            count = found.count()
            if count > tolerance:
                row = found.orderBy(*_AT).offset(tolerance).limit(1).collect()[0]
                more = f"{count} messages of the batch are bad, and kafka_skip_broken_messages"
                raise self._error(row[0], row[1], row[2], f"{row[3]} ({more} = {tolerance})")
            first = found.orderBy(*_AT).limit(LISTED).collect() if count else []
            return Skipped(count, tuple((row[0], row[1], row[2], row[3]) for row in first))
        finally:
            found.unpersist()

    def first_bad(self, messages: DataFrame) -> errors.SluiceError | None:
        """The error of the first bad message, by topic, partition and offset."""
        rows = self.bad(messages).select(*_AT, "__error").orderBy(*_AT).limit(1).collect()
        return self._error(*rows[0]) if rows else None

    def discovered(self, messages: DataFrame, most: int) -> list[tuple[str, str]]:
        """Columns of good messages that nobody declares, each with the type it has first.

        They are in the order of topic, partition, offset and the message; so are their types.
        """
        found = (
            self._split(messages)
            .where(F.col(f"__row.{NEW}").isNotNull() & F.col("__row.__error").isNull())
            .select(*_AT, F.posexplode(f"__row.{NEW}").alias("nth", "found"))
            .groupBy("found")
            .agg(F.min(F.struct(*_AT, "nth")).alias("at"))
            .orderBy("at")
            .limit(most)
            .collect()
        )
        first: dict[str, str] = {}
        for type_, _, name in (row[0].partition(" ") for row in found):
            first.setdefault(name, type_)
        return list(first.items())

    def _split(self, messages: DataFrame) -> DataFrame:
        """A row for each row of a message, with the parts of the message."""
        return self._rows(self._transcoded(messages))

    def _error(self, topic: str, partition: int, offset: int, reason: str) -> errors.SluiceError:
        place = {"topic": topic, "partition": partition, "offset": offset}
        return _bad(**place, reason=reason, skipping=self._skipping)

    @property
    def _skipping(self) -> str:
        value = self._source.value
        if value.dialect == CLICKHOUSE:
            return SKIP
        if _IGNORES in value.options:
            return f"To skip bad messages set {_IGNORES} of the format {value.name}."
        return f"The format {value.name} has no option that skips bad messages."

    def _decoded(self, messages: DataFrame, uses: Collection[str]) -> list[Column]:
        """`__row`, and `__key_row` if keys have a format: structs of `__error` and the fields.

        Where messages are changes, `__number` is that of a row within its message.
        """
        spark, source, value = messages.sparkSession, self._source, F.col("value")
        fields, codec = fields_of(source.table, source.value), source.value.codec
        wrong = None
        if source.value.dialect == CLICKHOUSE:
            timed = [m.column for m in source.metadata if m.column in LAST and m.column in uses]
            wrong = _wrong_time(timed)
        if self._transcoded:
            value = F.col(self._transcoded.message)
            unread = F.col(Transcoded.wrong)
            wrong = unread if wrong is None else F.coalesce(unread, wrong)
        if codec.format.changes:
            unchanged, evolved = _omits(source, uses), self._evolved
            changes = _changes(spark, source, fields, value, wrong, evolved, unchanged=unchanged)
            found = [_numbered(changes)]
        elif source.upsert:
            found = [_numbered(decoded_rows(spark, codec, fields, value))]
        elif source.value.dialect == CLICKHOUSE:
            found = [decoded(spark, codec, fields, value, wrong).alias("__row")]
        elif codec.format.several:
            found = [F.explode_outer(decoded_rows(spark, codec, fields, value)).alias("__row")]
        else:
            found = [decoded_row(spark, codec, fields, value).alias("__row")]
        if source.key is not None:
            fields = fields_of(source.table, source.key)
            key = decoded_row(spark, source.key.codec, fields, F.col("key"))
            found.insert(0, key.alias("__key_row"))
        return found

    def _condition(self) -> Column:
        """Which of the decoded rows are wanted; a bad message may stop the query here."""
        source, wanted = self._source, F.col("__row").isNotNull()
        if source.upsert:  # a NULL value deletes
            wanted |= F.col("__value").isNull()
        if source.error_mode == STREAM:
            return wanted
        wanted &= self._good("__row")
        timed = any(each.key == "timestamp" for each in source.metadata)
        if timed and not source.value.options.get(_IGNORES):
            in_range = F.expr(IN_RANGE.format("__timestamp"))
            wanted &= F.when(in_range, F.lit(True)).otherwise(self._stop(F.lit(_WRONG_TIME)))
        if source.key is None:
            return wanted
        wanted &= self._good("__key_row")
        return wanted & self._has_key(source.key) if source.upsert else wanted

    def _has_key(self, key: RowFormat) -> Column:
        """Whether a message names the row that it changes; if not, it is as bad as its value."""
        named = F.lit(True)
        for field, _ in key.columns:
            named &= F.col(f"__key_row.{typed.quoted(field)}").isNotNull()
        if key.options.get(_IGNORES):
            return named
        return F.when(named, F.lit(True)).otherwise(self._stop(F.lit(_NO_KEY)))

    def _good(self, row: str) -> Column:
        error = F.col(f"{row}.__error")
        if self._source.skips_bad:
            return error.isNull()
        return F.when(error.isNull(), F.lit(True)).otherwise(self._stop(error))

    def _stop(self, error: Column) -> Column:
        """A condition that ends the query, naming the message's topic, partition and offset."""
        at = {name.removeprefix("__"): F.col(name) for name in _AT}
        told = {**at, "reason": error, "skipping": F.lit(self._skipping)}
        what = F.struct(*(column.alias(name) for name, column in told.items()))
        return F.raise_error(F.concat(F.lit(BAD_MESSAGE), F.to_json(what))).cast("boolean")


def _message(messages: DataFrame) -> list[Named]:
    """The parts of a message, under names that no table has; NULL for those that were not read."""
    there = set(messages.columns)
    optional = (
        Named(name if name in there else f"CAST(NULL AS {type_})", f"__{name}")
        for name, type_ in _OPTIONAL.items()
    )
    return [*(Named(name, f"__{name}") for name in _KEPT), *optional]


def _numbered(rows: Column) -> Column:
    """A row for each of an array, with its number; the outer form, as for `decoded`."""
    return F.posexplode_outer(rows).alias("__number", "__row")


def _changes(
    spark: SparkSession,
    source: KafkaSource,
    fields: Sequence[tuple[str, Type]],
    value: Column,
    wrong: Column | None,
    evolved: Evolved | None,
    *,
    unchanged: bool,
) -> Column:
    """The changes in a message, with the metadata that the table has columns for."""
    codec = source.value.codec
    primary = source.table.primary_key
    keyed = source.changelog == BY_KEY
    hidden = {row_kinds.COLUMN: row_kinds.TYPES[row_kinds.COLUMN]}
    if unchanged:
        hidden[row_kinds.UNCHANGED] = row_kinds.TYPES[row_kinds.UNCHANGED]
    if evolved is not None and evolved.discovers:
        hidden[NEW] = "ARRAY<STRING>"
    asked = {each.key.removeprefix("value.") for each in source.metadata if _in_value(each.key)}
    return decoded_changes(
        spark,
        codec,
        [*fields, *(evolved.fields if evolved is not None else ())],
        value,
        wrong,
        hidden=hidden,
        unchanged=unchanged,
        key=[field for field, column in source.value.columns if keyed and column in primary],
        metadata={key: type_ for key, type_ in codec.format.metadata.items() if key in asked},
        strict=source.schema_drift == "fail",
        drift=None if evolved is None else evolved.envelope(),
    )


def _in_value(key: str) -> bool:
    return key.startswith("value.")


def _omits(source: KafkaSource, uses: Collection[str]) -> bool:
    """Whether changes may leave out values, which the row of their key then keeps.

    If no view of a ClickHouse table keeps rows by key, a change without a value is bad.
    """
    if source.value.dialect == CLICKHOUSE and row_kinds.UNCHANGED not in uses:
        return False
    return source.changelog == BY_KEY and source.value.codec.format.omits


def _hidden_columns(source: KafkaSource, uses: Collection[str]) -> dict[str, str]:
    """The hidden columns of a changelog's rows as SQL; none for a table that only appends."""
    if not source.changelog:
        return {}
    kind = f"__row.{row_kinds.COLUMN}"
    if source.upsert:
        kind = f"if(__value IS NULL, '{row_kinds.DELETE}', '{row_kinds.UPDATE_AFTER}')"
    elif source.error_mode == STREAM:  # the row that tells an error
        kind = f"coalesce({kind}, '{row_kinds.INSERT}')"
    found = {
        row_kinds.COLUMN: kind,
        row_kinds.AT: f"named_struct('partition', {source_partitions.number_sql(source)}, "
        "'offset', __offset, 'row', coalesce(__number, 0))",
    }
    if _omits(source, uses):
        found[row_kinds.UNCHANGED] = f"__row.{row_kinds.UNCHANGED}"
    return found


def _columns(source: KafkaSource) -> dict[str, tuple[str, Type]]:
    """The table's columns in its order, then the virtual ones, each as SQL with its type."""
    known = {c.name: c.type for c in source.table.columns if c.alias is None}
    found: dict[str, tuple[str, Type]] = {}
    for format_, row in ((source.key, "__key_row"), (source.value, "__row")):
        for field, column in format_.columns if format_ is not None else ():
            type_ = known[column]
            sql = f"{row}.{typed.quoted(field)}"
            if source.error_mode == STREAM:  # an error's columns are NULL
                sql = f"coalesce({sql}, {text_casts.default(type_)})"
            if source.upsert and column in found:  # a NULL value has only its key
                sql = f"if(__value IS NULL, {found[column][0]}, {sql})"
            found[column] = sql, type_
    virtual = virtual_columns(source.error_mode, source.changelog)
    known |= {n: t for n, t in virtual.items() if n not in known}
    made = {**METADATA, "table": quote_string(source.table.name)}
    made |= {m.key: f"__row.{typed.quoted(m.key)}" for m in source.metadata if _in_value(m.key)}
    for each in source.metadata:
        if each.key in made:
            type_ = known[each.column]
            found[each.column] = f"CAST({made[each.key]} AS {spark_type(type_)})", type_
    return {name: found[name] for name in known if name in found}


def _wrong_time(used: Collection[str]) -> Column | None:
    """What is wrong with the timestamp of a message, for virtual columns that hold it."""
    if not used:
        return None
    cases = (
        f"WHEN timestamp > TIMESTAMP'{LAST[name]}' THEN 'The timestamp of the message is after "
        f"{LAST[name]}, the last one of {name}'"
        for name in used
    )
    return F.expr(f"CASE WHEN value IS NULL THEN NULL {' '.join(cases)} END")


def bad_message(text: str) -> errors.SluiceError | None:
    """The error that a bad message has stopped a query with, found again in Spark's text."""
    found = raised.told(text, BAD_MESSAGE)
    return None if found is None else _bad(**{"skipping": SKIP, **found})


def _bad(*, reason: str, **place: Any) -> errors.SluiceError:
    """The error of a bad message; its text continues after the reason."""
    return errors.CANNOT_PARSE_MESSAGE(reason=reason.removesuffix("."), **place)
