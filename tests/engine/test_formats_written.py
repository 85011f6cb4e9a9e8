"""Rows as messages, against what ClickHouse writes for the same rows.

`formats/written.jsonl` has a case in each line: the format, the settings, and the message that
ClickHouse makes of two times the row below.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sluice.errors import SluiceError
from sluice.formats.encode import encoded, encoder
from sluice.options.format_settings import FORMAT_SETTINGS
from sluice.types import parse_type, spark_type

if TYPE_CHECKING:
    from sluice.session import Session

WRITTEN = Path(__file__).parent / "formats" / "written.jsonl"
KINDS = {option.key: option.kind for option in FORMAT_SETTINGS}

COLUMNS = {
    "u": "UInt64",
    "i": "Int64",
    "u4": "UInt32",
    "d": "DateTime('Europe/Moscow')",
    "day": "Date",
    "d6": "DateTime64(3)",
    "m": "Map(String, UInt8)",
    "mm": "Map(Date, Array(UInt8))",
    "t": "Tuple(UInt8, String, Nullable(UInt8))",
    "nt": "Tuple(a UInt8, `b c` Nullable(String))",
    "a": "Array(Nullable(UInt8))",
    "sa": "Array(String)",
    "dd": "Decimal(18, 3)",
    "inf": "Float64",
    "s": "String",
    "b": "Bool",
    "ab": "Array(Bool)",
    "f": "Float32",
    "g": "Float64",
    "h": "Float64",
    "uu": "UUID",
    "e": "Enum8('x\\'y' = 1)",
    "fs": "FixedString(4)",
    "nn": "Nullable(String)",
    "neg": "DateTime64(3)",
}
ROW = """
    18446744073709551615, CAST(-5 AS BIGINT), 7L, TIMESTAMP'2019-12-31 21:00:00', DATE'2020-01-02',
    TIMESTAMP'2020-01-01 00:00:00.12',
    map('a''"', 1S, 'b', 2S), map(DATE'2020-01-01', array(1S)), struct(1S, 'x''y\\n"/', NULL),
    struct(1S, NULL), array(1S, NULL), array('a,''"', 'b\\t\\n'), 1.5BD, double('-inf'),
    'a/b"c\\n\\u0001\\u007f\\u0000\\b\\u000c\\r\\t\\\\''ф\\u2028',
    true, array(true, false), 0.1F, 1e20D, 123456.789e-10D,
    '00000000-0000-0000-0000-000000000001', 'x''y', 'ab\\u0000\\u0000', NULL,
    TIMESTAMP'1969-12-31 23:59:58.75'
"""


class Rows:
    """So many times a row, given as SQL."""

    def __init__(self, columns: dict[str, str], row: str, count: int = 1) -> None:
        from pyspark.sql import SparkSession

        self.spark = SparkSession.builder.getOrCreate()
        self.columns = [(name, parse_type(text)) for name, text in columns.items()]
        fields = ", ".join(f"`{name}`: {spark_type(type_)}" for name, type_ in self.columns)
        one = f"CAST(struct({row}) AS struct<{fields}>)"
        many = f"array_repeat({one}, {count} + int(id)) AS rows"
        self.frame = self.spark.range(1).selectExpr(many)
        inside: Any = self.frame
        self.array = inside._jdf.queryExecution().executedPlan().executeCollect()[0].getArray(0)

    def written(self, format_: str, **settings: Any) -> str:
        """The message that holds them."""
        given = {name: KINDS[name].read(value) for name, value in settings.items()}
        made = encoder(self.spark, format_, self.columns, given)
        return bytes(made.encode(self.array)).decode()


def test_as_clickhouse_writes(engine: Session) -> None:
    """Every type in every format, and what the settings change."""
    rows = Rows(COLUMNS, ROW, 2)
    for line in WRITTEN.read_text("utf-8").split("\n")[:-1]:
        format_, settings, wanted = json.loads(line)
        assert rows.written(format_, **settings) == wanted, (format_, settings)
    column = encoded(rows.spark, "CSV", rows.columns, rows.frame["rows"])
    ((message,),) = rows.frame.select(column).collect()
    assert bytes(message).decode() == rows.written("CSV")


def test_texts_alone(engine: Session) -> None:
    """A text as it is: a line each, or with nothing between them."""
    text = {"s": "String"}
    assert Rows(text, "'a\\nb'", 2).written("RawBLOB") == "a\nba\nb"
    assert Rows(text, "'a\\tb'", 2).written("LineAsString") == "a\tb\na\tb\n"
    assert Rows(text, """'{"a" : 1}'""", 2).written("JSONAsString") == '{"a" : 1}\n' * 2


def test_names_are_escaped(engine: Session) -> None:
    """The names of columns, where a message has them."""
    columns = {"a=b\tc/": "String", "e'f\"": "UInt8"}
    wanted = {
        "TSKV": "a\\=b\\tc/=q\te'f\"=1\n",
        "TSVWithNames": "a=b\\tc/\te\\'f\"\nq\t1\n",
        "CSVWithNames": '"a=b\tc/","e\'f"""\n"q",1\n',
        "JSONEachRow": '{"a=b\\tc\\/":"q","e\'f\\"":1}\n',
    }
    rows = Rows(columns, "'q', 1S")
    for format_, message in wanted.items():
        assert rows.written(format_) == message


def test_what_is_not_written(engine: Session) -> None:
    """A format or a setting that nothing is written by is refused, never passed over."""
    rows = Rows({"n": "UInt8"}, "1S")
    with pytest.raises(SluiceError, match="Writing messages as Avro is not implemented yet"):
        rows.written("Avro")
    with pytest.raises(SluiceError, match="output_format_json_validate_utf8 = True is not"):
        rows.written("JSONEachRow", output_format_json_validate_utf8=1)


FLOATS = {
    "0": "0D", "-0": "-0D", "0.1": "0.1D", "0.30000000000000004": "0.1D + 0.2D",
    "5.684341886080802e-14": "5.684341886080802E-14D", "2e-322": "double('2e-322')",
    "1.7976931348623157e308": "1.7976931348623157E308D", "9007199254740994": "9007199254740994D",
    "100000000000000000000": "1E20D", "1e21": "1E21D", "0.000001": "1E-6D", "1e-7": "1E-7D",
    "123456789.125": "123456789.125D", "-1.5": "-1.5D", "1e23": "1E23D", "nan": "double('NaN')",
    "inf": "double('inf')", "-inf": "double('-inf')", "9007199254740992": "9007199254740992D",
}  # fmt: skip


def test_floats(engine: Session) -> None:
    """The shortest text that is the same number."""
    columns = {f"c{at}": "Float64" for at in range(len(FLOATS))}
    found = Rows(columns, ", ".join(FLOATS.values())).written("TSV")
    assert found.strip().split("\t") == list(FLOATS)
    small = {"c": "Float32", "d": "Float32", "e": "Float32", "f": "Float32"}
    found = Rows(small, "0.1F, 16777216F, 1e10F, float('3.4028235E38')").written("TSV")
    assert found == "0.1\t16777216\t10000000000\t3.4028235e38\n"
