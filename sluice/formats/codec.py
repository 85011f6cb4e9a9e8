"""A format with the options of a table, and the Java objects that read and write its messages."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.formats import canonical, described, format_schemas, subjects, transcoding
from sluice.formats.registry import find_format, must_fit, must_work
from sluice.formats.settings import with_defaults
from sluice.parameters.kinds import CLICKHOUSE
from sluice.parameters.secret import Secret
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyspark.sql import SparkSession

    from sluice.formats.descriptor import Columns, Format

SKIP_BYTES = "schema_registry_skip_bytes"
"""Among the settings of a ClickHouse table: the length of what precedes each message."""


@dataclass(frozen=True, slots=True)
class Codec:
    """A format and its options: Flink's by their short names, or ClickHouse's settings.

    `envelope` is what a decoder of changes needs to know of its table: see `decoded_changes`.
    """

    format: Format
    options: Mapping[str, Any] = field(default_factory=dict)
    envelope: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def named(cls, name: str, dialect: str, options: Mapping[str, Any]) -> Codec:
        """The one of that name in a dialect."""
        return cls(find_format(name, dialect), options)

    def decoder(self, spark: SparkSession, columns: Columns, optional: Collection[str] = ()) -> Any:
        """What reads messages; `optional` columns are NULL where a message omits them.

        Raises:
            SluiceError: NOT_IMPLEMENTED, or FORMAT_COLUMNS_UNSUPPORTED.
        """
        must_work(self.format, writes=False)
        evolved = self.envelope.get("envelope.evolved", ())  # their values are read as JSON
        must_fit(self.format, [each for each in columns if each[0] not in evolved], self.options)
        made = self._made(spark, self.java_decoder(columns), self.decoded(columns), optional)
        skipped = self.options.get(SKIP_BYTES, 0) if self.decodes(columns) else 0
        jvm: Any = spark._jvm
        return jvm.sluice.decode.SkippingDecoder(made, skipped, len(columns)) if skipped else made

    def carrier(self, spark: SparkSession, columns: Columns) -> Any:
        """What reads the rows that ClickHouse has made of messages."""
        carried = transcoding.carried(columns)
        return self._made(spark, (_CARRIER.format.decoder, _CARRIER.settings()), carried)

    def encoder(self, spark: SparkSession, columns: Columns) -> Any:
        """What writes messages.

        Raises:
            SluiceError: NOT_IMPLEMENTED for a format that nothing is written in, or
                FORMAT_COLUMNS_UNSUPPORTED for columns that it cannot write.
        """
        must_work(self.format, writes=True)
        must_fit(self.format, columns, self.options, writes=True)
        return self._made(spark, self.java_encoder(columns), transcoding.carried(columns))

    def decodes(self, columns: Columns) -> bool:
        """Whether our own decoder reads messages, perhaps not all of them."""
        if self.format.read_twice:
            return canonical.reads(self.format, columns, self.options)
        if transcoding.has_typed(columns):
            return canonical.reads_typed(self.format, columns, self.options)
        return bool(self.format.decoder) and not self._left(columns)

    def reads_twice(self, columns: Columns) -> bool:
        """Whether our own decoder reads messages, and ClickHouse those that it refuses."""
        twice = self.format.read_twice or transcoding.has_typed(columns)
        return twice and self.decodes(columns)

    def decoded(self, columns: Columns) -> Columns:
        """The columns of what the decoder reads: messages, or what ClickHouse makes of them."""
        return columns if self.decodes(columns) else transcoding.carried(columns)

    def _left(self, columns: Columns) -> bool:
        return transcoding.needs(self.format, columns, self.options)

    def read_by_clickhouse(self, columns: Columns) -> str:
        """How ClickHouse makes RowBinary of messages; empty if our own decoder reads them all."""
        if self.decodes(columns) and not self.reads_twice(columns):
            return ""
        skipped = self.options.get(SKIP_BYTES, 0)
        return transcoding.reading(self.format, columns, self.options, skipped)

    def written_by_clickhouse(self, columns: Columns) -> str:
        """How ClickHouse makes messages of RowBinary; empty if our own encoder writes them."""
        if self.format.encoder and not self._left(columns):
            return ""
        return transcoding.writing(self.format, columns, self.options)

    def java_decoder(self, columns: Columns) -> tuple[str, str]:
        """The class that reads messages, or what ClickHouse makes of them, and its settings."""
        used = self if self.decodes(columns) else _CARRIER
        return used.format.decoder, used.settings()

    def java_encoder(self, columns: Columns) -> tuple[str, str]:
        """The class that writes messages, or what ClickHouse makes them of, and its settings."""
        used = self if self.format.encoder and not self._left(columns) else _CARRIER
        return used.format.encoder, used.settings()

    def settings(self) -> str:
        """The options as the Java reads them: with defaults, and with what the format fixes.

        It needs a registry's password as it is, and shows it nowhere.
        """
        ours = self.format.dialect == CLICKHOUSE
        given = with_defaults(self.options) if ours else self.options
        plain = {k: v.reveal() if isinstance(v, Secret) else v for k, v in given.items()}
        more = format_schemas.among(self.options) | subjects.among(self.options)
        return json.dumps({**plain, **more, **self.format.fixed, **self.envelope})

    def _made(
        self,
        spark: SparkSession,
        java: tuple[str, str],
        columns: Columns,
        optional: Collection[str] = (),
    ) -> Any:
        spell = str if self.format.dialect == CLICKHOUSE else summary
        known = described.columns(columns, spell, optional)
        jvm: Any = spark._jvm
        return jvm.sluice.formats.Codecs.of(java[0], known, java[1])


_CARRIER = Codec(find_format(transcoding.CARRIER, CLICKHOUSE), transcoding.CARRIED)
