"""The format avro: one bare record for each message, as Avro's own readers and writers see it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from engine.flink.messages import columns, half, spark, written
from sluice.errors import SluiceError
from sluice.formats import described
from sluice.formats.decode import decoded_row
from sluice.formats.registry import must_fit

if TYPE_CHECKING:
    from sluice.formats.codec import Codec
    from sluice.session import Session

BINARY, JSON = half("avro"), half("avro", encoding="json")
LATER = half("avro", timestamp_mapping_legacy="false")
FAILED = "Failed to deserialize Avro record. "

VALUES: list[tuple[str, str, Any]] = [  # with the JSON that Avro shows, unless it shows bytes
    ("BOOLEAN", "true", True),
    ("TINYINT", "-5", -5),
    ("SMALLINT", "300", 300),
    ("INT", "2147483647", 2147483647),
    ("BIGINT", "-9223372036854775808", -9223372036854775808),
    ("FLOAT", "1.5", 1.5),
    ("DOUBLE", "-0.1", -0.1),
    ("STRING", "'ünï\\n'", "ünï\n"),
    ("CHAR(3)", "'abc'", "abc"),
    ("BYTES", "X'00ff'", "\x00ÿ"),
    ("DECIMAL(10, 2)", "-123.45", None),
    ("DECIMAL(38, 0)", "99999999999999999999999999999999999999", None),
    ("DATE", "DATE'1969-12-31'", -1),
    ("TIME", "'12:30:00'", 45_000_000),
    ("TIME(3)", "'00:00:00.001'", 1),
    ("TIMESTAMP(3)", "TIMESTAMP_NTZ'1970-01-01 00:00:00.123'", 123),
    ("TIMESTAMP(0)", "TIMESTAMP_NTZ'1969-12-31 23:59:59'", -1000),
    ("ARRAY<INT>", "array(1, NULL, 3)", [1, None, 3]),
    ("ARRAY<STRING NOT NULL>", "array()", []),
    ("MAP<STRING, BIGINT>", "map('k', 1L, 'l', NULL)", {"k": 1, "l": None}),
    ("MULTISET<STRING>", "map('x', 2)", {"x": 2}),
    ("ROW<a INT, b ROW<c STRING NOT NULL>>", "struct(1, struct('x'))", {"a": 1, "b": {"c": "x"}}),
    ("ARRAY<ROW<a INT>>", "array(struct(1), NULL)", [{"a": 1}, None]),
    ("MAP<STRING, ARRAY<ROW<a INT>>>", "map('k', array(struct(NULL)))", {"k": [{"a": None}]}),
]


def avro() -> Any:
    """Avro's own Java library."""
    jvm: Any = spark()._jvm
    return jvm.org.apache.avro


def schema(fields: str, *, legacy: bool = True) -> Any:
    """The schema of a table of these columns."""
    jvm: Any = spark()._jvm
    return jvm.sluice.avro.AvroSchema.of(described.columns(columns(fields)), legacy)


def seen(fields: str, message: bytes) -> str:
    """A message as Avro's own reader sees it."""
    reader = avro().generic.GenericDatumReader(schema(fields))
    decoder = avro().io.DecoderFactory.get().binaryDecoder(bytearray(message), None)
    found = reader.read(None, decoder)
    assert decoder.isEnd()
    return str(found.toString())


def shown(format_: Codec, fields: str, message: bytes) -> str:
    """A message as ours reads it: Avro's JSON of the row, or what is wrong with it."""
    row = format_.decoder(spark(), columns(fields)).row(message)
    if not row.isNullAt(0):
        assert all(row.isNullAt(i + 1) for i in range(len(columns(fields))))
        return str(row.getUTF8String(0))
    text = replace(format_, options={**format_.options, "encoding": "json"})
    again = text.encoder(spark(), columns(f"error STRING, {fields}"))
    return bytes(again.row(row)).decode().replace('"error":null,', "")


def test_every_type_both_ways(engine: Session) -> None:
    """FL-77: Avro reads what is written by the table's schema, and it is read back the same."""
    for type_, value, wanted in VALUES:
        for null in ("", " NOT NULL"):
            fields = f"v {type_}{null}, w INT"
            message = written(BINARY, fields, f"{value}, 7")
            assert message is not None
            if wanted is not None:
                assert json.loads(seen(fields, message)) == {"v": wanted, "w": 7}, type_
            text = written(JSON, fields, f"{value}, 7")
            assert text is not None
            assert shown(BINARY, fields, message) == text.decode(), type_
            assert shown(JSON, fields, text) == text.decode(), type_
    assert written(BINARY, "v INT, w STRING", "NULL, NULL") == b"\x00\x00"
    assert written(BINARY, "v DECIMAL(10, 2)", "-123.45") == b"\x02\x04\xcf\xc7"
    assert written(BINARY, "v INT, w STRING", "5, 'ab'") == b"\x02\x0a\x02\x04ab"
    assert shown(BINARY, "v TIME(1)", b"\x02\x02") == '{"v":{"int":0}}'
    large = b"\x02\x14" + b"\x7f" * 10
    assert shown(BINARY, "v DECIMAL(10, 2)", large) == '{"v":null}'  # has no place in the type


SCHEMA = {
    "type": "record",
    "name": "record",
    "namespace": "org.apache.flink.avro.generated",
    "fields": [
        {"name": "a", "type": ["null", "int"], "default": None},
        {"name": "b", "type": "string"},
        {"name": "c", "type": ["null", {"type": "bytes", "logicalType": "decimal",
                                         "precision": 10, "scale": 2}], "default": None},
        {"name": "d", "type": ["null", {"type": "int", "logicalType": "date"}], "default": None},
        {"name": "e", "type": ["null", {"type": "int", "logicalType": "time-millis"}],
         "default": None},
        {"name": "f", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}],
         "default": None},
        {"name": "g", "type": ["null", {"type": "record", "name": "record_g", "fields": [
            {"name": "x", "type": ["null", {"type": "array", "items": ["null", "long"]}],
             "default": None}]}], "default": None},
        {"name": "h", "type": ["null", {"type": "map", "values": ["null", "int"]}],
         "default": None},
    ],
}  # fmt: skip


def test_the_schema(engine: Session) -> None:
    """FL-77, FL-78: null comes first, records are named after their place."""
    fields = (
        "a TINYINT, b STRING NOT NULL, c DECIMAL(10, 2), d DATE, e TIME(3), f TIMESTAMP(3), "
        "g ROW<x ARRAY<BIGINT>>, h MAP<STRING, INT>"
    )
    assert json.loads(schema(fields).toString()) == SCHEMA
    later = json.loads(schema("f TIMESTAMP(3), g TIMESTAMP_LTZ(3)", legacy=False).toString())
    kinds = [field["type"][1]["logicalType"] for field in later["fields"]]
    assert kinds == ["local-timestamp-millis", "timestamp-millis"]
    moment = "TIMESTAMP_NTZ'1970-01-01 00:00:01', TIMESTAMP'1970-01-01 00:00:02Z'"
    message = written(LATER, "f TIMESTAMP(3), g TIMESTAMP_LTZ(3)", moment)
    assert message == b"\x02\xd0\x0f\x02\xa0\x1f"
    assert shown(LATER, "f TIMESTAMP(3), g TIMESTAMP_LTZ(3)", message) == (
        '{"f":{"long":1000},"g":{"long":2000}}'
    )


BAD: list[tuple[Codec, str, bytes, str]] = [
    (BINARY, "a INT", b"", "The message ends within its record"),
    (BINARY, "a INT, b STRING", b"\x02\x0a", "The message ends within its record"),
    (BINARY, "a INT", b"\x02\x0a\x00", "1 bytes follow the record"),
    (BINARY, "a INT", b"\x04\x0a", "A union of two has no type 2"),
    (BINARY, "a STRING", b"\x02\x64ab", "The message ends within its record"),
    (BINARY, "a STRING", b"\x02\x01", "Malformed data. Length is negative: -1"),
    (BINARY, "a BYTES", b"\x02\xfe\xff\xff\xff\x0f", "The message ends within its record"),
    (BINARY, "a ARRAY<INT>", b"\x02\x80\x80\x80\x80\x10\x02\x02", "The message ends within"),
    (BINARY, "a ARRAY<INT>", b"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02", "The message"),
    (BINARY, "a MAP<STRING, INT>", b"\x02\xfe\xff\xff\xff\x0f\x02a", "The message ends within"),
    (BINARY, "a BIGINT", b"\x02" + b"\xff" * 11, "Invalid long encoding"),
    (BINARY, "a INT", b"\x02\x80\x80\x80\x80\x10", "Invalid int encoding"),
    (BINARY, "a TINYINT", b"\x02\x80\x02", "128 is not from -128 to 127"),
    (BINARY, "a BOOLEAN", b"\x02\x07", "Invalid boolean encoding"),
    (BINARY, "a TIME", b"\x02\x01", "-1 milliseconds are no time of a day"),
    (BINARY, "a DECIMAL(5, 2)", b"\x02\x00", "A decimal without any bytes"),
    (BINARY, "a TIMESTAMP(3)", b"\x02" + b"\xff" * 9 + b"\x01", "-9223372036854775808 millisec"),
    (JSON, "a INT", b"{", "Unexpected end-of-input"),
    (JSON, "a INT", b'{"b": null}', "Expected field name not found: a"),
    (JSON, "a INT", b'{"a": {"string": "x"}}', "Unknown union branch string"),
]


def test_wrong_bytes_are_an_error(engine: Session) -> None:
    """FL-77: never a wrong row, and no more memory than the message has bytes."""
    from pyspark.sql import functions as F

    for format_, fields, message, reason in BAD:
        found = shown(format_, fields, message)
        assert found.startswith(FAILED + reason), (fields, message, found)
    assert shown(BINARY, "a STRING", b"\x02\x04a\xff") == '{"a":{"string":"a�"}}'
    row = decoded_row(spark(), BINARY, columns("a INT"), F.lit(None).cast("binary"))
    assert spark().range(1).select(row.isNull()).collect()[0][0]  # a NULL message is no row
    with pytest.raises(
        Exception, match=r"Fail to serialize at field: r\. Fail to serialize at fie"
    ):
        written(BINARY, "r ROW<a INT NOT NULL>", "struct(CAST(NULL AS INT))")


def test_blocks_with_their_sizes(engine: Session) -> None:
    """FL-77: what other writers may write too: several blocks, and how long each of them is."""
    message = b"\x02\x03\x08\x02\x02\x02\x04\x02\x02\x06\x00"
    assert seen("a ARRAY<INT>", message) == '{"a": [1, 2, 3]}'
    assert shown(BINARY, "a ARRAY<INT>", message) == (
        '{"a":{"array":[{"int":1},{"int":2},{"int":3}]}}'
    )
    twice = b"\x02\x02\x02k\x02\x02\x02\x02k\x02\x04\x00"
    assert shown(BINARY, "a MAP<STRING, INT>", twice) == '{"a":{"map":{"k":{"int":2}}}}'


PRECISE = "type with precision: {}, it only supports precision less than 3."
REFUSED: list[tuple[Codec, str, str]] = [
    (BINARY, "a TIMESTAMP(6)", f"Avro does not support TIMESTAMP {PRECISE.format(6)}"),
    (BINARY, "r ROW<a ARRAY<TIMESTAMP>>", f"Avro does not support TIMESTAMP {PRECISE.format(6)}"),
    (LATER, "a TIMESTAMP_LTZ(6)", f"Avro does not support TIMESTAMP {PRECISE.format(6)}"),
    (BINARY, "a TIME(5)", f"Avro does not support TIME {PRECISE.format(5)}"),
    (BINARY, "a TIMESTAMP_LTZ(3)", "Unsupported to derive Schema for type: TIMESTAMP_LTZ(3)"),
    (BINARY, "a INTERVAL DAY", "Unsupported to derive Schema for type: INTERVAL DAY"),
    (
        BINARY,
        "a MAP<INT, INT>",
        "Avro format doesn't support non-string as key type of map. The key type is: INT",
    ),
    (BINARY, "`a-b` INT", "Illegal character in: a-b"),
    (BINARY, "r ROW<`1` INT>", "Illegal character in: 1"),
]


@pytest.mark.parametrize(
    ("format_", "fields", "reason"), REFUSED, ids=lambda given: str(given)[:20]
)
def test_columns_that_avro_does_not_have(format_: Codec, fields: str, reason: str) -> None:
    """FL-78: refused before anything is read."""
    with pytest.raises(SluiceError, match=re.escape(reason)):
        must_fit(format_.format, columns(fields), format_.options)
