"""What a query makes of its messages: views over each batch, or a plan of the stream itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack, suppress
from functools import reduce
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import offsets
from sluice.engine.changelog.state import ChangelogState
from sluice.engine.runtime import ranged
from sluice.engine.runtime.evolution import Evolution
from sluice.engine.sinks import dead_letters
from sluice.engine.sinks.committed import repeated
from sluice.engine.sinks.dead_letters import DeadLetters
from sluice.engine.sinks.fan_out import FanOut, kept
from sluice.engine.source_partitions import SourcePartitions
from sluice.engine.sources import event_time, input_rows
from sluice.engine.sources.decode import Decoder
from sluice.engine.spark import typed
from sluice.engine.spark.projection import Select
from sluice.engine.storage.ledger import Entry
from sluice.errors import SluiceError
from sluice.options.job_settings import IDLE, STATE_TTL
from sluice.parameters.kinds import Duration
from sluice.planner.spec import DEAD_LETTERS
from sluice.planner.virtual_columns import HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.engine.offsets import Ranges
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.sources.decode import Skipped
    from sluice.engine.sources.evolved import Evolved
    from sluice.engine.sources.stream import Stream
    from sluice.planner.query import Input


class Transform(ABC):
    """From the messages of a query's batches to rows in its outputs."""

    def __init__(self, query: RunningQuery) -> None:
        self.query = query
        self.spec = query.spec
        self.store = query.resources.store
        self.progress = event_time.StateProgress()

    def start(self, stack: ExitStack, generation: int) -> None:
        """Open the outputs and look up which batches of this generation they have."""
        self.spark = self.query.session()
        self.outputs = FanOut(self.store, self.query.named, self.spec.by_name)
        stack.callback(self.outputs.close)
        self.outputs.start(self.spark, (self.spec.id, generation))
        self.evolution = Evolution.of(self.query, self.outputs)
        if self.evolution is not None:
            self.evolution.confirm(self.spark)

    def committed(self) -> list[int]:
        """The last batch of each output that is in it as a whole; -1 for none."""
        return [each.sink.last_batch() for each in self.outputs.opened]

    @abstractmethod
    def headers(self, stream: Stream) -> bool:
        """Whether the headers of messages are needed: they cost every message something."""

    def rows(self, spark: SparkSession, messages: Mapping[str, DataFrame]) -> DataFrame:
        """The frame that Spark cuts into batches: by default the messages of the only stream."""
        (frame,) = messages.values()
        return frame

    @abstractmethod
    def write(self, rows: DataFrame, batch: int, ranges: Ranges) -> None:
        """Write a batch to every output that does not have it."""

    def in_few_tasks(self, rows: DataFrame, ranges: Ranges) -> DataFrame:
        """The rows of a small batch in one task and file, unless more tasks are asked for."""
        alone = all(stream.source.min_tasks == 1 for stream in self.query.streams)
        return rows.coalesce(1) if alone and offsets.are_few(ranges) else rows

    def written(self, batch: int) -> None:
        """The batch is committed everywhere: keep what the sinks have to tell."""
        self.count_rows(batch)
        for each in self.outputs.opened:
            for kind, text in each.sink.notices():
                self.query.note(kind, text)

    def count_rows(self, batch: int) -> None:
        """Count the rows that each target has got from a batch; it is committed, come what may."""
        for each in self.outputs.opened:
            with suppress(SluiceError, OSError):
                self.query.status.rows[each.output.table.full_name] += each.sink.rows(batch)

    @abstractmethod
    def fault(self, fault: Exception, rows: DataFrame, ranges: Ranges) -> SluiceError:
        """The error of a batch, with the message that causes it if that can be found."""

    def look(self, query: StreamingQuery | None) -> None:  # noqa: B027 - most have nothing to do
        """Check, from time to time, whether the outputs can be written to."""


class Views(Transform):
    """The materialized views of a Kafka table over each batch: decoded once, fanned out."""

    def start(self, stack: ExitStack, generation: int) -> None:
        """Open the outputs, and look up which dead letters are kept."""
        super().start(stack, generation)
        self._source = self.spec.source
        self._keeps = self._source.error_mode == DEAD_LETTERS
        letters = DeadLetters(self.store)
        self._letters = letters.last_batch(self.spec.id, generation) if self._keeps else None
        self._generation = generation
        self._decode: Decoder | None = None
        self._evolved: Evolved | None = None
        self._needed: Select | None = None
        self._skipped: Skipped | None = None

    def committed(self) -> list[int]:
        """The last batch of each output, and of the dead letters."""
        letters = -1 if self._letters is None else self._letters.entry.batch
        return [*super().committed(), letters]

    def headers(self, stream: Stream) -> bool:
        """Whether a view, or a dead letter, has the headers."""
        return self._keeps or bool(HEADERS & self.spec.uses())

    def write(self, rows: DataFrame, batch: int, ranges: Ranges) -> None:
        """Decode the messages and feed every view."""
        messages, source = self.in_few_tasks(rows, ranges), self._source
        # Decoded here and not in the stream's own plan: Spark would not see, across that border,
        # which columns the views need.
        if self.evolution is not None:
            self.evolution.discover(source, messages, self.spec.uses())
            evolved = self.evolution.evolved(source)
            if evolved != self._evolved:
                self._evolved, self._decode = evolved, None
        if self._decode is None:
            self._decode = Decoder(source, messages, self.spec.uses(), evolved=self._evolved)
        rows = self._decode(messages)
        entry = Entry(self.spec.id, self._generation, batch, dead_letters.WRITER, ranges)
        if self._keeps and not repeated(self._letters, entry, dead_letters.LETTERS.full_name):
            kept = DeadLetters(self.store).keep(self._decode.bad(messages), source, entry)
            self.query.status.dead_letters += kept
        # Before anything is written: a batch with too many bad messages is not begun.
        tolerance = source.tolerance
        self._skipped = self._decode.skipped(messages, tolerance) if tolerance else None
        if len(self.spec.outputs) > 1:
            rows = self._only_needed(rows)
        self.outputs.feed(rows, self.spec.inputs[0].view, batch, ranges)
        if self.evolution is not None:
            self.evolution.confirm(messages.sparkSession)

    def written(self, batch: int) -> None:
        """Report the bad messages that the batch has skipped."""
        super().written(batch)
        if self._skipped is not None and self._skipped.count:
            bad = self._skipped
            self.query.status.skipped += bad.count
            self.query.note("MESSAGES_SKIPPED", bad.text(), bad.ranges())

    def _only_needed(self, rows: DataFrame) -> DataFrame:
        """The columns that some view uses: rows that are cached are computed in full."""
        if self._needed is None:
            uses = self.spec.uses()
            named = [name for name in rows.columns if name in uses] or rows.columns
            self._needed = Select([typed.column(name) for name in named])
        return self._needed(rows)

    def fault(self, fault: Exception, rows: DataFrame, ranges: Ranges) -> SluiceError:
        """Of several bad messages the first, wherever in the batch Spark came upon one."""
        from pyspark.errors import PySparkException

        failure = self.query.named(fault)
        bad = failure.condition.name == "CANNOT_PARSE_MESSAGE"
        if not bad or self._decode is None or self._source.tolerance:
            return failure
        try:
            return self._decode.first_bad(rows) or failure
        except PySparkException:
            return failure


class Inserts(Transform):
    """The INSERTs of a job, each with a sink; several share the messages of a batch."""

    _failure: tuple[tuple[str, Ranges], Ranges] | None = None
    """The last error with what its batch read, and the messages that fail: a batch is retried."""

    def start(self, stack: ExitStack, generation: int) -> None:
        """Open the sinks, in a Spark session of their own."""
        super().start(stack, generation)
        self._readers: dict[str, input_rows.InputRows] = {}
        self._evolved: dict[str, Evolved | None] = {}
        self._checkpoint = self.query.folder / str(generation)
        self._state: ChangelogState | None = None
        if self.spec.by_batch and not self.spec.whole:
            ttl = Duration().read(self.query.settings.get(STATE_TTL, "0"))
            self._state = ChangelogState(self.spark, self._checkpoint, ttl)
            stack.callback(self._state.close)
        self._partitions = SourcePartitions("a source of the query")

    def headers(self, stream: Stream) -> bool:
        """Whether the table has a column for them."""
        return stream.source.headers

    def rows(self, spark: SparkSession, messages: Mapping[str, DataFrame]) -> DataFrame:
        """With one output the plan of the stream itself, which may keep state."""
        if self._state is not None or self._shared:
            return reduce(_both, messages.values())
        for given in self.spec.inputs:
            found = messages.get(given.view)
            rows = self.store.read(spark, given.table) if found is None else found
            times, uses = self._times(spark, given), self.spec.uses(given.view)
            input_rows.rows(given, rows, times, uses).createOrReplaceTempView(given.view)
        (output,) = self.spec.by_name
        return self.outputs.prepared(spark, output)

    def write(self, rows: DataFrame, batch: int, ranges: Ranges) -> None:
        """Write what the plan, or each query over the batch, makes."""
        spark = rows.sparkSession
        if self._state is not None:
            self._write_changes(self._state, rows, batch, ranges)
        elif self._shared:
            with ExitStack() as stack:
                read = {each.view: self._messages(each, rows, batch) for each in self.spec.inputs}
                if self.evolution is not None:
                    for given in self.spec.streams:
                        self.evolution.discover(given.source, read[given.view])
                for given in self.spec.inputs:
                    self._register(stack, given, read[given.view], len(self.spec.outputs))
                self.outputs.write(spark, batch, ranges)
            if self.evolution is not None:
                self.evolution.confirm(spark)
        else:
            (output,) = self.spec.outputs
            if output.into.kafka is None and not self.spec.stateful:
                rows = self.in_few_tasks(rows, ranges)
            self.outputs.write(spark, batch, ranges, rows)
        if self._settles:
            event_time.settle_watermarks(spark)

    @property
    def _shared(self) -> bool:
        """Whether messages are decoded batch by batch: for several outputs, or for new columns."""
        return len(self.spec.outputs) > 1 or self.evolution is not None

    def _write_changes(
        self, state: ChangelogState, rows: DataFrame, batch: int, ranges: Ranges
    ) -> None:
        """Run the steps of a query over changelogs, and write the changes of its result.

        The state is written before the output. Where the output has the batch the state has it too,
        and is left as it is: a stored table that the query reads may have changed meanwhile.
        """
        if self.outputs.have(batch, ranges):
            return
        spark = rows.sparkSession
        now = offsets.batch_time(self._checkpoint, batch)
        (name,) = self.spec.by_name
        with state.batch(spark, batch, now) as operators, ExitStack() as stack:
            for given in self.spec.inputs:
                self._register(stack, given, self._messages(given, rows, batch), self._uses(given))
            prepared = self.outputs.prepared(spark, name, operators)
            self.outputs.write(spark, batch, ranges, prepared)
        self._partitions.note(state.several, ranges)

    def written(self, batch: int) -> None:
        """Report a key of a changelog that is in several partitions."""
        super().written(batch)
        for kind, text in self._partitions.notices():
            self.query.note(kind, text)

    def _messages(self, given: Input, rows: DataFrame, batch: int) -> DataFrame:
        """The messages of an input in a batch: with several streams each is read by its ranges."""
        streams = [each for each in self.query.streams if each.input is given]
        if not streams or len(self.query.streams) == 1:
            return rows
        (stream,) = streams
        read = stream.ranges(self.query.title, self._checkpoint, batch)
        return stream.between(rows.sparkSession, read, headers=stream.source.headers)

    def _uses(self, given: Input) -> int:
        """How many parts of a query over changelogs read an input."""
        (output,) = self.spec.outputs
        texts = [output.sql, *(step.sql or str(step.state) for step in output.steps)]
        return sum(given.view in text for text in texts)

    def _register(self, stack: ExitStack, given: Input, messages: DataFrame, uses: int) -> None:
        """Let Spark know the rows of an input in a batch, which are decoded once for all uses."""
        stored = given.source is None
        found = self.store.read(messages.sparkSession, given.table) if stored else messages
        evolved = None if self.evolution is None else self.evolution.evolved(given.source)
        if given.view not in self._readers or evolved != self._evolved.get(given.view):
            self._readers[given.view] = input_rows.InputRows(
                given, found, evolved=evolved, uses=self.spec.uses(given.view)
            )
            self._evolved[given.view] = evolved
        rows = self._readers[given.view](found)
        if not stored:
            stack.enter_context(kept(rows, uses=uses))
        rows.createOrReplaceTempView(given.view)

    @property
    def _settles(self) -> bool:
        """Whether a watermark decides which rows are written."""
        plain = self.spec.stateful and not self.spec.by_batch
        return plain and any(each.watermark for each in self.spec.streams)

    def _times(self, spark: SparkSession, given: Input) -> event_time.PartitionTimes | None:
        """The event times of a stream's partitions, where a watermark makes a difference."""
        stream = next((each for each in self.query.streams if each.input is given), None)
        if stream is None or given.watermark is None or not self._settles:
            return None
        idle = stream.source.idle_ms
        if idle is None:
            idle = Duration().read(self.query.settings.get(IDLE, "0"))
        owned = offsets.partitions(stream.generation.starts)
        return event_time.PartitionTimes(spark, sorted(owned), idle)

    def fault(self, fault: Exception, rows: DataFrame, ranges: Ranges) -> SluiceError:
        """An error of an expression names the message that it fails on."""
        named = self.query.named(fault)
        if named.condition is not errors.BATCH_FAILED or not offsets.count(ranges):
            return named
        reason = str(named.params["reason"])
        if self._failure is None or self._failure[0] != (reason, ranges):
            failing = ranged.failing(self.query, self.outputs, reason, ranges)
            self._failure = (reason, ranges), failing
        read = self._failure[1]
        at = offsets.only_message(read) or f"(it read {offsets.shown(read)})"
        return errors.BATCH_FAILED(reason=f"{reason.rstrip('.')} {at}")

    def look(self, query: StreamingQuery | None) -> None:
        """Note the progress of stateful operators, and check the topics that are written to."""
        if self.spec.stateful and query is not None:
            self.progress.look(query)
        for each in self.outputs.opened:
            each.sink.look()


def _both(messages: DataFrame, more: DataFrame) -> DataFrame:
    """The messages of two streams, one of which may have headers."""
    return messages.unionByName(more, allowMissingColumns=True)
