"""Rows as messages, byte for byte: the cases that answers are tested against too."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from format_cases import COLUMNS, FLOATS, FLOATS_32, ROW, VALUES, texts, written

from sluice.errors import SluiceError
from sluice.formats.codec import Codec
from sluice.formats.decode import decoded
from sluice.formats.encode import encoded_rows
from sluice.formats.registry import FORMAT_SETTINGS, of_dialect
from sluice.types import bare, parse_type, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.session import Session

KINDS = {option.key: option.kind for option in FORMAT_SETTINGS}


class Rows:
    """So many times a row of Python values."""

    def __init__(self, columns: dict[str, str], *values: Any, count: int = 1) -> None:
        from pyspark.sql import SparkSession

        self.spark = SparkSession.builder.getOrCreate()
        self.columns = [(name, parse_type(text)) for name, text in columns.items()]
        types = [type_ for _, type_ in self.columns]
        fields = ", ".join(f"c{at}: {spark_type(type_)}" for at, type_ in enumerate(types))
        row = tuple(map(_held, values, types))
        one = self.spark.createDataFrame([(row,)], f"r struct<{fields}>")
        self.frame = one.selectExpr(f"array_repeat(r, {count}) AS rows")
        self.array = self.collected("rows").getArray(0)

    def collected(self, *columns: str) -> Any:
        """Expressions over the rows, as Spark holds them."""
        frame: Any = self.frame.selectExpr(*columns)
        return frame._jdf.queryExecution().executedPlan().executeCollect()[0]

    def written(self, format_: str, **settings: Any) -> str:
        """The message that holds them."""
        given = {name: KINDS[name].read(value) for name, value in settings.items()}
        made = Codec.named(format_, "clickhouse", given).encoder(self.spark, self.columns)
        return bytes(made.encode(self.array)).decode()


DOCUMENT = (
    '{"a":{"b":1.0},"c":["x\'\\\\q/\\n,\\t",18446744073709551615,36893488147419103232],'
    '"f":150.0,"n":-7}'
)


def test_json_as_clickhouse_writes_it(engine: Session) -> None:
    """An object that is stored as its text, alone and within other values."""
    types = {"j": "JSON", "a": "Array(JSON)", "m": "Map(String, JSON)", "t": "Tuple(x JSON)"}
    values = (DOCUMENT, [DOCUMENT], {"k": DOCUMENT}, (DOCUMENT,), None)
    rows = Rows({**types, "n": "Nullable(JSON)"}, *values)
    for format_, settings, text in written("written_json.jsonl"):
        assert rows.written(format_, **settings) == text, (format_, settings)


def _held(value: Any, type_: m.Type) -> Any:
    """A value as Spark takes it for a column of the type."""
    inner = bare(type_)
    if isinstance(inner, m.Int) and value is not None:
        return Decimal(value) if inner.high >= 1 << 63 else int(value)
    return value


def test_as_clickhouse_writes(engine: Session) -> None:
    """Every type in every format, and what the settings change."""
    rows = Rows(COLUMNS, *ROW, count=2)
    for format_, settings, expected in written():
        assert rows.written(format_, **settings) == expected, (format_, settings)
    codec = Codec.named("CSV", "clickhouse", {})
    column = encoded_rows(rows.spark, codec, rows.columns, rows.frame["rows"])
    ((message,),) = rows.frame.select(column).collect()
    assert bytes(message).decode() == rows.written("CSV")


def test_values(engine: Session) -> None:
    """What an answer shows of a value, the message holds."""
    rows = Rows({f"c{at}": case[0] for at, case in enumerate(VALUES)}, *(c[1] for c in VALUES))
    found = rows.collected(*(f"array(struct(rows[0].c{at}))" for at in range(len(VALUES))))
    for at, case in enumerate(VALUES):
        for format_, expected in texts(case).items():
            codec = Codec.named(format_, "clickhouse", {})
            made = codec.encoder(rows.spark, [("x", parse_type(case[0]))])
            assert bytes(made.encode(found.getArray(at))).decode() == expected, (case[0], format_)


def test_scalars_as_clickhouse_writes(engine: Session) -> None:
    """Of `formats/scalars_written.jsonl`: format, type, settings, value, ClickHouse's message."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    lines = (Path(__file__).parent / "formats/scalars_written.jsonl").read_text("utf-8")
    cases = [json.loads(line) for line in lines.splitlines()]
    spark = SparkSession.builder.getOrCreate()
    codec = Codec.named("TSV", "clickhouse", {})
    given = list(dict.fromkeys((type_, value) for _, type_, _, value, _ in cases))
    columns = [(f"c{at}", parse_type(type_)) for at, (type_, _) in enumerate(given)]
    line = F.lit("\t".join(value for _, value in given)).cast("binary")
    read: Any = spark.range(1).select(decoded(spark, codec, columns, line).alias("r"))
    frame = read.selectExpr(*(f"array(struct(r.{name} AS x))" for name, _ in columns))
    row = frame._jdf.queryExecution().executedPlan().executeCollect()[0]
    held = {each: row.getArray(at) for at, each in enumerate(given)}
    for format_, type_, settings, value, wanted in cases:
        options = {name: KINDS[name].read(given) for name, given in settings.items()}
        made = Codec.named(format_, "clickhouse", options).encoder(
            spark, [("x", parse_type(type_))]
        )
        message = bytes(made.encode(held[type_, value])).decode()
        assert message == wanted, (format_, type_, settings, value)


def test_texts_alone(engine: Session) -> None:
    """A text as it is: a line each, or with nothing between them."""
    text = {"s": "String"}
    assert Rows(text, "a\nb", count=2).written("RawBLOB") == "a\nba\nb"
    assert Rows(text, "a\tb", count=2).written("LineAsString") == "a\tb\na\tb\n"
    assert Rows(text, '{"a" : 1}', count=2).written("JSONAsString") == '{"a" : 1}\n' * 2


def test_names_are_escaped(engine: Session) -> None:
    """The names of columns, where a message has them."""
    columns = {"a=b\tc/": "String", "e'f\"": "UInt8"}
    wanted = {
        "TSKV": "a\\=b\\tc/=q\te'f\"=1\n",
        "TSVWithNames": "a=b\\tc/\te\\'f\"\nq\t1\n",
        "CSVWithNames": '"a=b\tc/","e\'f"""\n"q",1\n',
        "JSONEachRow": '{"a=b\\tc\\/":"q","e\'f\\"":1}\n',
    }
    rows = Rows(columns, "q", 1)
    for format_, message in wanted.items():
        assert rows.written(format_) == message


def test_what_is_not_written(engine: Session) -> None:
    """A format or a setting that nothing is written by is refused, never passed over."""
    rows = Rows({"n": "UInt8"}, 1)
    read_only = next(f.name for f in of_dialect("clickhouse") if f.reads and not f.writes)
    with pytest.raises(SluiceError, match=f"Writing messages as {read_only} is not implemented"):
        rows.written(read_only)
    with pytest.raises(SluiceError, match="output_format_json_validate_utf8 = True is not"):
        rows.written("JSONEachRow", output_format_json_validate_utf8=1)


def test_floats(engine: Session) -> None:
    """The shortest text that is the same number."""
    columns = {f"c{at}": "Float64" for at in range(len(FLOATS))}
    found = Rows(columns, *(value for value, _ in FLOATS)).written("TSV")
    assert found.strip().split("\t") == [text for _, text in FLOATS]
    small = {f"c{at}": "Float32" for at in range(len(FLOATS_32))}
    found = Rows(small, *FLOATS_32).written("TSV")
    assert found.strip().split("\t") == list(FLOATS_32.values())
