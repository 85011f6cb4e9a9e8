"""The format json: what Flink reads and writes."""
# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from engine.flink.messages import SHOWN, columns, half, read, spark, written
from sluice.formats.decode import decoded_row, decoded_rows
from sluice.formats.encode import encoded_row

if TYPE_CHECKING:
    from sluice.session import Session

SQL, ISO = half("json"), half("json", timestamp_format_standard="ISO-8601")
IGNORING = {
    SQL.options["timestamp-format.standard"]: half("json", ignore_parse_errors="true"),
    "ISO-8601": half("json", ignore_parse_errors="true", timestamp_format_standard="ISO-8601"),
}
COMPLETE = half("json", fail_on_missing_field="true")
WRONG = None
"""An error; NULL if errors are ignored."""

VALUES: list[tuple[Any, str, str, str | None]] = [
    # BOOLEAN: true in any case and with blanks around it, else false (FL-70)
    (SQL, "BOOLEAN", "true", "true"), (SQL, "BOOLEAN", '" TRUE "', "true"), (SQL, "BOOLEAN", '"trueA"', "false"),
    (SQL, "BOOLEAN", "1", "false"), (SQL, "BOOLEAN", "null", "null"), (SQL, "BOOLEAN", "[true]", WRONG),
    # whole numbers: as texts too; those of 32 and 64 bits from fractions, which are cut off (FL-70, FL-72)
    (SQL, "TINYINT", "-128", "-128"), (SQL, "TINYINT", "128", WRONG), (SQL, "TINYINT", "1.0", WRONG), (SQL, "TINYINT", '" +7 "', "7"),
    (SQL, "SMALLINT", '"32767"', "32767"), (SQL, "SMALLINT", "32768", WRONG),
    (SQL, "INT", '"12"', "12"), (SQL, "INT", '"abc"', WRONG), (SQL, "INT", '""', WRONG), (SQL, "INT", '"1.5"', WRONG),
    (SQL, "INT", "112.013", "112"), (SQL, "INT", "-1.9e1", "-19"), (SQL, "INT", "11211111111.013", WRONG), (SQL, "INT", "2147483648", WRONG),
    (SQL, "INT", "true", WRONG), (SQL, "INT", '{"a":1}', WRONG), (SQL, "INT", "007", WRONG), (SQL, "INT", "+7", WRONG),
    (SQL, "BIGINT", "-9223372036854775808", "-9223372036854775808"), (SQL, "BIGINT", "9223372036854775808", WRONG),
    (SQL, "BIGINT", "112.013", "112"), (SQL, "BIGINT", '"long"', WRONG), (SQL, "BIGINT", "1e19", WRONG),
    # floating point numbers, as Java reads them
    (SQL, "FLOAT", "33.333", "33.333"), (SQL, "FLOAT", '"0.5"', "0.5"), (SQL, "FLOAT", '"112.013.123"', WRONG), (SQL, "FLOAT", "16777217", "1.6777216E7"),
    (SQL, "DOUBLE", '" 0.5 "', "0.5"), (SQL, "DOUBLE", "12", "12.0"), (SQL, "DOUBLE", '"112.013.123"', WRONG), (SQL, "DOUBLE", "NaN", WRONG),
    (SQL, "DOUBLE", '"NaN"', '"NaN"'), (SQL, "DOUBLE", '"-Infinity"', '"-Infinity"'), (SQL, "DOUBLE", "1e400", '"Infinity"'),
    (SQL, "DOUBLE", "0.30000000000000004", "0.30000000000000004"), (SQL, "DOUBLE", "-0", "-0.0"), (SQL, "DOUBLE", "false", WRONG),
    # exact numbers are rounded; NULL where they have too many digits, errors ignored or not
    (SQL, "DECIMAL(9, 6)", "123.456789", "123.456789"), (SQL, "DECIMAL(38, 18)", "799.929496989092949698", "799.929496989092949698"),
    (SQL, "DECIMAL(10, 3)", '" 1.0005 "', "1.001"), (SQL, "DECIMAL(10, 3)", "-1.00049", "-1.000"), (SQL, "DECIMAL(10, 3)", '"abc"', WRONG),
    (SQL, "DECIMAL(3, 1)", "99.95", "null"), (SQL, "DECIMAL(3, 1)", "1e999999999", "null"), (SQL, "DECIMAL(3, 1)", "1e-999999999", "0.0"),
    (SQL, "DECIMAL(20, 2)", "123456789012345678.995", "123456789012345679.00"), (SQL, "DECIMAL(20, 0)", "4.5E+17", "450000000000000000"),
    (SQL, "DECIMAL(3, 1)", "true", WRONG), (SQL, "DECIMAL(18, 18)", "0.123456789012345678", "0.123456789012345678"), (SQL, "DECIMAL(5, 0)", "0.5", "1"),
    # texts: of numbers and flags theirs, of lists and objects their JSON (FL-72)
    (SQL, "STRING", '"string field"', '"string field"'), (SQL, "STRING", "true", '"true"'), (SQL, "STRING", "123.2340", '"123.2340"'),
    (SQL, "STRING", "null", "null"), (SQL, "STRING", '""', '""'), (SQL, "STRING", '"\tstring\\u0000\\ud83d\\ude00\\/"', '"\\tstring\\u0000\\uD83D\\uDE00/"'),
    (SQL, "VARCHAR(2)", '"abc"', '"abc"'), (SQL, "CHAR(5)", '"abc"', '"abc"'), (SQL, "STRING", '"\\x"', WRONG), (SQL, "STRING", '"\\ud83d"', '"�"'),
    (SQL, "STRING", '[ "a\\u0001\\u2028", 123 , 234.3450, 1e10, null, {"b" : [] , "c":{ }} ]', '"[\\"a\\\\u0001\u2028\\",123,234.345,1.0E10,null,{\\"b\\":[],\\"c\\":{}}]"'),
    # bytes are Base64
    (SQL, "BYTES", '"AAECAw=="', '"AAECAw=="'), (SQL, "BYTES", '"AAEC Aw=="', '"AAECAw=="'), (SQL, "BYTES", '""', '""'), (SQL, "BYTES", '"AAECAw"', WRONG),
    (SQL, "BYTES", '"AA-C"', WRONG), (SQL, "BYTES", "1", WRONG), (SQL, "BINARY(2)", '"AAEC"', '"AAEC"'),
    # days and times of day (FL-72)
    (SQL, "DATE", '"1990-10-14"', '"1990-10-14"'), (SQL, "DATE", '"20191112"', WRONG), (SQL, "DATE", "20191112", WRONG), (SQL, "DATE", '"2019-02-29"', WRONG),
    (SQL, "DATE", '" 1990-10-14"', WRONG), (SQL, "DATE", '"+12345-01-01"', '"+12345-01-01"'), (SQL, "DATE", '"0000-01-01"', '"0000-01-01"'), (SQL, "DATE", '"0000-00-00"', WRONG),
    (SQL, "TIME", '"12:12:43"', '"12:12:43"'), (SQL, "TIME", '"12:12:43.9"', '"12:12:43"'), (SQL, "TIME(3)", '"12:12:43.12"', '"12:12:43.12"'),
    (SQL, "TIME(3)", '"12:12:43.1239"', '"12:12:43.123"'), (SQL, "TIME(6)", '"12:12:43.123456"', '"12:12:43.123"'), (SQL, "TIME", '"18:00:243"', WRONG),
    (SQL, "TIME", '"24:00:00"', '"00:00:00"'), (SQL, "TIME", '"18:00"', WRONG), (SQL, "TIME(1)", '"18:00:00."', '"18:00:00"'), (SQL, "TIME", '"18:60:00"', WRONG),
    # moments in the two standards, neither of which takes what the other does (FL-71)
    (SQL, "TIMESTAMP(3)", '"1990-10-14 12:12:43.123"', '"1990-10-14T12:12:43.123"'), (SQL, "TIMESTAMP(0)", '"2019-11-12T18:00:12"', WRONG),
    (SQL, "TIMESTAMP(0)", '"2019-11-12T18:00:12Z"', WRONG), (SQL, "TIMESTAMP(0)", '"2019-11-12 18:00:12Z"', WRONG), (SQL, "TIMESTAMP(0)", '"2019-11-12 18:00"', WRONG),
    (SQL, "TIMESTAMP(6)", '"1990-10-14 12:12:43.123456789"', '"1990-10-14T12:12:43.123456"'), (SQL, "TIMESTAMP(3)", '"1969-12-31 23:59:59.9999"', '"1969-12-31T23:59:59.999"'),
    (SQL, "TIMESTAMP(3)", '"2019-02-30 24:00:00"', '"2019-03-01T00:00:00"'), (SQL, "TIMESTAMP(3)", "1573581612000", WRONG), (SQL, "TIMESTAMP(3)", '""', WRONG),
    (SQL, "TIMESTAMP_LTZ(3)", '"1990-10-14 12:12:43.123Z"', '"1990-10-14T12:12:43.123Z"'), (SQL, "TIMESTAMP_LTZ(3)", '"1990-10-14 12:12:43.123"', WRONG),
    (SQL, "TIMESTAMP_LTZ(3)", '"2019-11-12 18:00:12+0800"', WRONG), (SQL, "TIMESTAMP_LTZ(0)", '"2019-11-12 18:00:12.7Z"', '"2019-11-12T18:00:12Z"'),
    (ISO, "TIMESTAMP(3)", '"1990-10-14T12:12:43.123"', '"1990-10-14T12:12:43.123"'), (ISO, "TIMESTAMP(0)", '"2019-11-12 18:00:12"', WRONG),
    (ISO, "TIMESTAMP(0)", '"2019-11-12T18:00:12Z"', WRONG), (ISO, "TIMESTAMP(0)", '"2019-11-12T18:00"', '"2019-11-12T18:00:00"'), (ISO, "TIMESTAMP(0)", '"2019-02-30T18:00:00"', WRONG),
    (ISO, "TIMESTAMP_LTZ(6)", '"1990-10-14T12:12:43.123456Z"', '"1990-10-14T12:12:43.123456Z"'), (ISO, "TIMESTAMP_LTZ(0)", '"2019-11-12T18:00:12"', WRONG),
    (ISO, "TIMESTAMP_LTZ(0)", '"2019-11-12T18:00:12+0800"', WRONG), (ISO, "TIMESTAMP_LTZ(0)", '"2019-11-12 18:00:12Z"', WRONG),
    # lengths of time: months, milliseconds
    (SQL, "INTERVAL YEAR TO MONTH", "14", "14"), (SQL, "INTERVAL DAY TO SECOND", '"1500"', "1500"),
    # what holds other values
    (SQL, "ARRAY<DOUBLE>", "[1.1, 2.2 ,null]", "[1.1,2.2,null]"), (SQL, "ARRAY<INT>", "[]", "[]"), (SQL, "ARRAY<INT>", "1", WRONG), (SQL, "ARRAY<INT>", '{"a":1}', WRONG),
    (SQL, "MAP<STRING, MAP<STRING, INT>>", '{"inner_map":{"key":234},"n":null}', '{"inner_map":{"key":234},"n":null}'), (SQL, "MAP<STRING, INT>", '"a"', WRONG),
    (SQL, "MAP<STRING, INT>", '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'), (SQL, "MULTISET<STRING>", '{"element":2}', '{"element":2}'),
    (SQL, "ROW<a INT, `b c` ROW<d STRING>>", '{"x":[{"a":7}],"b c":{"d":5,"d":"e"}}', '{"a":null,"b c":{"d":"e"}}'), (SQL, "ROW<a INT>", "[1]", WRONG),
    (SQL, "ROW<a BOOLEAN>", '{"a":"abc"}', '{"a":false}'),
]  # fmt: skip


def test_values(engine: Session) -> None:
    """FL-69…FL-72: every type, from all that may stand for it, with errors and with them ignored."""
    wrong = []
    for format_, type_, value, wanted in VALUES:
        message = f'{{"v": {value}, "w": 1}}'
        found: Any = read(format_, f"v {type_}", message)
        ignoring = IGNORING[format_.options["timestamp-format.standard"]]
        lenient: Any = read(ignoring, f"v {type_}, w INT", message)
        if wanted is None:
            begins = f"Failed to deserialize JSON '{message}'. Fail to deserialize at field: v. Cannot parse "
            syntax = not _is_json(value)
            good = isinstance(found, str) and found.startswith(begins)
            good = good and lenient == ([] if syntax else ['{"v":null,"w":1}'])
        else:
            good = found == [f'{{"v":{wanted}}}'] and lenient == [f'{{"v":{wanted},"w":1}}']
        if not good:
            wrong.append((type_, value, wanted, found, lenient))
    assert wrong == []


def _is_json(value: str) -> bool:
    try:
        json.loads(value, strict=False, parse_constant=int)
    except ValueError:
        return False
    return True


MESSAGES: list[tuple[Any, str, bytes | str, list[str] | str]] = [
    # no row, or none that can be read
    (SQL, "a INT", "", []),
    (SQL, "a INT", " ", "Failed to deserialize JSON ' '. Cannot parse input: expected an object or a list of objects at its end: ' '"),
    (SQL, "a INT", "null", "Failed to deserialize JSON 'null'. Cannot parse input: expected an object or a list of objects before: 'null'"),
    (SQL, "a INT", "not valid", "Failed to deserialize JSON 'not valid'. Cannot parse input: expected an object or a list of objects before: 'not valid'"),
    (SQL, "a INT", '{"a":1', "Failed to deserialize JSON '{\"a\":1'. Cannot parse input: expected ',' or '}' at its end: '{\"a\":1'"),
    (SQL, "a INT", "{'a':1}", "Failed to deserialize JSON '{'a':1}'. Cannot parse input: expected a key in quotes before: ''a':1}'"),
    # missing fields (FL-74)
    (SQL, "name STRING", '{"id":123123123}', ['{"name":null}']),
    (COMPLETE, "name STRING", '{"id":123123123}', "Failed to deserialize JSON '{\"id\":123123123}'. Could not find field with name 'name'."),
    (COMPLETE, "r ROW<a INT, b INT>", '{"r":{"a":1}}', "Failed to deserialize JSON '{\"r\":{\"a\":1}}'. Fail to deserialize at field: r. Could not find field with name 'b'."),
    (COMPLETE, "r ROW<a INT, b INT>", '{"r":{"a":1,"b":null}}', ['{"r":{"a":1,"b":null}}']),
    (COMPLETE, "name STRING", "", []),
    # names: any order, the last counts, others are skipped, case matters
    (SQL, "a INT, b INT, `ä\"` INT", '{"ä\\"":3,"x":{"a":[5]},"b":2,"B":9,"b":4,"a":1}', ['{"a":1,"b":4,"ä\\"":3}']),
    # what follows the row is not read
    (SQL, "a INT", '{"a":1} {"a":2', ['{"a":1}']),
    # a field inside a field (FL-85)
    (SQL, "f1 INT, f2 ROW<x ARRAY<DATE>>", '{"f1":1,"f2":{"x":["a"]}}', "Failed to deserialize JSON '{\"f1\":1,\"f2\":{\"x\":[\"a\"]}}'. Fail to deserialize at field: f2. Fail to deserialize at field: x. Cannot parse 'a' as DATE"),
    # several rows in a list (FL-75)
    (SQL, "a INT", ' [{"a":1}, {"a":2},null,{}]', ['{"a":1}', '{"a":2}', '{"a":null}']),
    (SQL, "a INT", "[]", []),
    (SQL, "a INT", '[{"a":1},5]', "Failed to deserialize JSON '[{\"a\":1},5]'. Cannot parse input: expected an object before: ']'"),
    # bytes that are no UTF-8 are an error; other encodings of Unicode and marks are known, as Jackson does
    (SQL, "a STRING", b'{"a":"\xe4"}', "Failed to deserialize JSON '{\"a\":\"�\"}'. Fail to deserialize at field: a. Cannot parse input: a string is not UTF-8"),
    (SQL, "a STRING", b'{"b":"\xff"}', "Failed to deserialize JSON '{\"b\":\"�\"}'. Cannot parse input: a string is not UTF-8"),
    (SQL, "a STRING", b'\xef\xbb\xbf{"a":"\xc3\xa4"}', ['{"a":"ä"}']),
    (SQL, "a STRING", '{"a":"ä"}'.encode("utf-16"), ['{"a":"ä"}']),
    (SQL, "a STRING", '{"a":"ä"}'.encode("utf-16-be"), ['{"a":"ä"}']),
    (SQL, "a STRING", '{"a":"ä"}'.encode("utf-32-le"), ['{"a":"ä"}']),
]  # fmt: skip

IGNORED: list[tuple[str, bytes | str, list[str]]] = [
    # the smallest part that is wrong is NULL (FL-73)
    ("a ARRAY<INT>", '{"a":[123,"abc",{"x":1},4]}', ['{"a":[123,null,null,4]}']),
    ("m MAP<STRING, INT>", '{"m":{"key1":"123","key2":"abc"}}', ['{"m":{"key1":123,"key2":null}}']),
    ("r ROW<a INT, b DATE>, s INT", '{"r":{"a":[],"b":"2020-01-01"},"s":{"a":3}}', ['{"r":{"a":null,"b":"2020-01-01"},"s":null}']),
    ("svt STRING, ops ROW<id STRING>, ids ARRAY<INT>, metrics MAP<STRING, DOUBLE>", '{"svt":"x","metrics":{"k1":10.01,"k2":"invalid"}}', ['{"svt":"x","ops":null,"ids":null,"metrics":{"k1":10.01,"k2":null}}']),
    # a message that is no record gives no row, nor does an element of a list that is none
    ("a INT", "not valid", []), ("a INT", '{"a":1', []), ("a INT", '{"a":[1,}', []), ("a INT", " ", []), ("a INT", "null", []),
    ("a STRING, b INT", b'{"a":"\xe4","b":1}', ['{"a":null,"b":1}']), ("a INT", b'{"b":"\xe4"}', []),
    ("a INT", '[{"a":1},5,{"a":"x"},[{"a":2}]]', ['{"a":1}', '{"a":null}']), ("a INT", '[{"a":1},{"a"]', []),
]  # fmt: skip


def test_messages(engine: Session) -> None:
    """FL-72…FL-75, FL-85: what a message is as a whole."""
    for format_, fields, message, wanted in MESSAGES:
        assert read(format_, fields, message) == wanted, message
    for fields, message, rows in IGNORED:
        assert read(IGNORING["SQL"], fields, message) == rows, message
    long = read(SQL, "a INT", '{"a":"' + "ä" * 5000 + '"}')
    assert isinstance(long, str)
    assert len(long) < 600
    deep: Any = read(SQL, "a INT", '{"b":' + "[" * 5000)
    assert "more than 1000 lists and objects within each other" in deep


ROW_TYPE = (
    "bool BOOLEAN, tinyint TINYINT, `small\"int` SMALLINT, `int` INT NOT NULL, bigint BIGINT, `float` FLOAT, name STRING, bytes BYTES, "
    "`decimal` DECIMAL(9, 6), doubles ARRAY<DOUBLE>, `date` DATE, `time` TIME(0), time3 TIME(3), timestamp3 TIMESTAMP(3), timestamp6 TIMESTAMP(6), "
    "ltz TIMESTAMP_LTZ(6), map MAP<STRING, BIGINT>, multiSet MULTISET<STRING>, map2map MAP<STRING, MAP<STRING, INT>>, `row` ROW<f1 STRING, f2 INT>"
)  # fmt: skip
ROW_ISO = (
    '{"bool":true,"tinyint":99,"small\\"int":128,"int":45536,"bigint":1238123899121,"float":33.333,"name":"asdlkjasjkdla998y1122","bytes":"AP8QIA==",'
    '"decimal":123.456789,"doubles":[1.1,2.2,3.3],"date":"1990-10-14","time":"12:12:43","time3":"12:12:43.123","timestamp3":"1990-10-14T12:12:43.123",'
    '"timestamp6":"1990-10-14T12:12:43.123456","ltz":"1990-10-14T12:12:43.123456Z","map":{"element":123},"multiSet":{"element":2},'
    '"map2map":{"inner_map":{"key":234}},"row":{"f1":"this is row1","f2":null}}'
)  # fmt: skip


def test_there_and_back(engine: Session) -> None:
    """FL-69, FL-71: a row of every type, read and written inside a plan, gives the same bytes."""
    from pyspark.sql import functions as F

    fields = columns(ROW_TYPE)
    struct = F.struct(*(F.col("r")[name] for name, _ in fields))
    for format_, message, decoded in (
        (SHOWN, ROW_ISO, decoded_row),
        (SQL, ROW_ISO.replace("14T12", "14 12"), decoded_rows),
    ):
        given = F.expr(f"CASE id WHEN 0 THEN X'{message.encode().hex()}' WHEN 1 THEN X'' END")
        frame = spark().range(0, 3, 1, 1).select(given.alias("m"))
        found = decoded(spark(), format_, fields, F.col("m"))
        found = F.explode_outer(found) if decoded is decoded_rows else found
        kept = frame.select(found.alias("r")).where("r IS NULL OR r.`int` > 0")
        again = F.when(F.expr("r IS NOT NULL"), struct)
        messages = kept.select(encoded_row(spark(), format_, fields, again)).collect()
        assert [m and bytes(m).decode() for (m,) in messages] == [message, None, None]


def test_is_decoded_once(engine: Session) -> None:
    """However many fields a query uses and filters by, a message is read once."""
    from pyspark.sql import functions as F

    fields = columns("a INT, b INT, c STRING")
    text = F.encode(F.concat(F.lit('{"a":1,"b":'), F.col("id"), F.lit("}")), "UTF-8")
    frame = spark().range(2, 3, 1, 1).select(text.alias("m"))
    row = frame.select(decoded_row(spark(), SQL, fields, frame["m"]).alias("r"))
    used: Any = (
        row.select("r.*").where("__error IS NULL AND a > 0 AND b < 3").selectExpr("a + b", "c")
    )
    assert used.collect()[0][0] == 3
    assert used._jdf.queryExecution().executedPlan().toString().count("FlinkJson") == 1


WRITTEN: list[tuple[Any, str, str, str]] = [
    (SQL, "a STRING, b CHAR(3)", r"""'"\\/\b\u000c\n\r\t\u0001\u001f\u007fä\u2028😀', ''""", '{"a":"\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7fä\u2028\\uD83D\\uDE00","b":""}'),
    (SQL, "a DOUBLE, b DOUBLE, c DOUBLE, d DOUBLE, e DOUBLE", "1D, 1E7D, 0.001D, 123456.789012D, 1D/3", '{"a":1.0,"b":1.0E7,"c":0.001,"d":123456.789012,"e":0.3333333333333333}'),
    (SQL, "a DOUBLE, b DOUBLE, c DOUBLE, d DOUBLE, e FLOAT", "double('NaN'), double('-inf'), -0D, 1E-4D, 1E10F", '{"a":"NaN","b":"-Infinity","c":-0.0,"d":1.0E-4,"e":1.0E10}'),
    (SQL, "a DATE, b DATE", "date_add(DATE'9999-12-31', 1), DATE'0001-02-03'", '{"a":"+10000-01-01","b":"0001-02-03"}'),
    (SQL, "a TIME(3), b TIME(3), c TIME(0)", "'12:30:00.120', '12:30:00.000', '00:00:00'", '{"a":"12:30:00.12","b":"12:30:00","c":"00:00:00"}'),
    (SQL, "a TIMESTAMP(3), b TIMESTAMP_LTZ(6)", "TIMESTAMP_NTZ'1969-12-31 23:59:59.999', TIMESTAMP'2020-01-01 00:00:00.00001Z'", '{"a":"1969-12-31 23:59:59.999","b":"2020-01-01 00:00:00.00001Z"}'),
    (ISO, "a TIMESTAMP(3), b TIMESTAMP_LTZ(6)", "TIMESTAMP_NTZ'2020-01-01 00:00:00', TIMESTAMP'2020-01-01 00:00:00.5Z'", '{"a":"2020-01-01T00:00:00","b":"2020-01-01T00:00:00.5Z"}'),
    (SQL, "a INTERVAL YEAR TO MONTH, b INTERVAL DAY TO SECOND", "INTERVAL '1-2' YEAR TO MONTH, INTERVAL '0 00:00:01.5' DAY TO SECOND", '{"a":14,"b":1500}'),
    (SQL, "a ROW<x INT, y STRING>, b MAP<STRING, INT>, c ARRAY<ROW<x INT>>", "NULL, map('k', NULL, 'l\"', 1), array(struct(1), NULL, struct(NULL))", '{"a":null,"b":{"k":null,"l\\"":1},"c":[{"x":1},null,{"x":null}]}'),
    # decimals, with exponents or plain (FL-76)
    (SQL, "a DECIMAL(9, 6), b DECIMAL(20, 0), c DECIMAL(11, 9), d DECIMAL(10, 3)", "123.456789, 454621864049246170, 0.000000027, 100000", '{"a":123.456789,"b":4.5462186404924617E+17,"c":2.7E-8,"d":1E+5}'),
    (SHOWN, "a DECIMAL(9, 6), b DECIMAL(20, 0), c DECIMAL(11, 9), d DECIMAL(10, 3)", "123.456789, 454621864049246170, 0.000000027, 100000", '{"a":123.456789,"b":454621864049246170,"c":0.000000027,"d":100000.000}'),
    # without fields that are NULL, but with the NULLs in maps and lists (FL-76)
    (half("json", encode_ignore_null_fields="true"), "ops ROW<id STRING, svt STRING>, ids ARRAY<INT>, metrics MAP<STRING, DOUBLE>", "struct(NULL, 'x'), array(1, NULL), map('k1', 10.01D, 'k2', NULL)", '{"ops":{"svt":"x"},"ids":[1,null],"metrics":{"k1":10.01,"k2":null}}'),
    (half("json", encode_ignore_null_fields="true"), "a INT, b INT", "NULL, NULL", "{}"),
]  # fmt: skip


def test_written(engine: Session) -> None:
    """FL-76: rows as Flink's own writer has them."""
    for format_, fields, row, wanted in WRITTEN:
        message = written(format_, fields, row)
        assert message is not None
        assert message.decode() == wanted, row


def test_keys_that_are_null(engine: Session) -> None:
    """FL-76: map-null-key.mode and .literal, for a map such as Spark itself does not make."""
    jvm: Any = spark()._jvm
    pairs = jvm.org.apache.spark.sql.catalyst.util.ArrayBasedMapData
    array = jvm.org.apache.spark.sql.catalyst.util.GenericArrayData
    text = jvm.org.apache.spark.unsafe.types.UTF8String.fromString
    jlist = jvm.java.util.ArrayList
    keys, values = jlist(), jlist()
    for key, value in (("k", 1), (None, 2)):
        keys.add(None if key is None else text(key))
        values.add(value)
    held = jlist()
    held.add(pairs(array(keys.toArray()), array(values.toArray())))
    row = jvm.org.apache.spark.sql.catalyst.expressions.GenericInternalRow(held.toArray())
    fields = columns("m MAP<STRING, INT>")

    def message(**options: str) -> str:
        return bytes(half("json", **options).encoder(spark(), fields).row(row)).decode()

    assert message(map_null_key_mode="drop") == '{"m":{"k":1}}'
    assert message(map_null_key_mode="LITERAL") == '{"m":{"k":1,"null":2}}'
    literal = message(map_null_key_mode="LITERAL", map_null_key_literal='n"k')
    assert literal == '{"m":{"k":1,"n\\"k":2}}'
    with pytest.raises(Exception, match="doesn't support to serialize map data with null keys"):
        message()
