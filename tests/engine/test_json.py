"""Decoding JSONEachRow, many messages in one Spark job."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sluice.formats.codec import Codec
from sluice.formats.decode import decoded
from sluice.types import parse_type

if TYPE_CHECKING:
    from sluice.session import Session

SEPARATED: list[tuple[str, list[Any]]] = [
    ('{"s":"1"}{"s":"2"}', ["1", "2"]),
    ('{"s":"1"}\n{"s":"2"}', ["1", "2"]),
    ('{"s":"1"}\r\n{"s":"2"}\r\n', ["1", "2"]),
    ('{"s":"1"}, {"s":"2"}', ["1", "2"]),
    ('{"s":"1"},\n{"s":"2"}\n', ["1", "2"]),
    ('[{"s":"1"},{"s":"2"}]', ["1", "2"]),
    (' [ {"s":"1"} , {"s":"2"} ]\n', ["1", "2"]),
    ("[]", []),
    ("", []),
    (" \n\t", []),
    (r'{"s":"}{"}{"s":"}\n{"}', ["}{", "}\n{"]),
    (r'{"s":"\"}{\""}{"s":"\\"}{"s":"\\\"}{"}', ['"}{"', "\\", '\\"}{']),
    ('{"s":"[{"}\n{"s":"}]"}', ["[{", "}]"]),
    ('{"x":[{"s":"no"},{"s":"no"}],"s":"1"}{"x":{"y":{}},"s":"2"}', ["1", "2"]),
    ('{"s":"ё}{ё"}{"s":"\U0001f600"}', ["ё}{ё", "\U0001f600"]),
]


GARBAGE = [
    '{"s":"1"}x',
    '{"s":"1"} garbage {"s":"2"}',
    '{"s":"1"}{',
    '{"s":"1"}}',
    '{"s":"1"}]',
    '[{"s":"1"}',
    '[{"s":"1"}]x',
    '{"s":"1"}{"s":"2"',
    '{"s":"1"}{"s":"2}',
    '{"s":"1"},,{"s":"2"}',
    '{"s":"1"}"x"{"s":"2"}',
    '{"s":"1"}null',
    '{"s":"1"} 5 {"s":"2"}',
    "5",
    '"x"',
    "[1]",
    '{"s":"1"}]}',
    '{"s":"1"}]} trailing',
    '{"s":"1"}]]} trailing',
    '{"s":"1"}],[{"s":"2"}',
    '{"s":"1"}]}{"r":[{"s":"2"}',
    '{"s":"1"}],"r":[{"s":"2"}',
    '{"s":"1"}],"corrupt":["x"',
    '{"s":"1"}],"z":[{"s":"2"}',
]

TEXT = [("s", "String")]


def decode(messages: list[str], columns: list[tuple[str, str]]) -> list[list[Any]]:
    """The rows of each message, as (error, value, …)."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    spark = SparkSession.builder.getOrCreate()
    numbered = list(enumerate(message.encode() for message in messages))
    frame = spark.createDataFrame(numbered, "id INT, __value BINARY")
    typed = [(name, parse_type(text)) for name, text in columns]
    found = decoded(spark, Codec.named("JSONEachRow", "clickhouse", {}), typed, F.col("__value"))
    rows: list[list[Any]] = [[] for _ in messages]
    for at, row in frame.select("id", found).collect():
        if row is not None:
            rows[at].append(tuple(row))
    return rows


def test_several_objects_in_a_message(engine: Session) -> None:
    """Objects that follow each other, with or without something between them, are rows."""
    messages = [message for message, _ in SEPARATED]
    rows = decode(messages, TEXT)
    for (message, wanted), found in zip(SEPARATED, rows, strict=True):
        assert found == [(None, text) for text in wanted], message


def test_garbage_is_an_error(engine: Session) -> None:
    """A message that is not all objects is refused; no part of it is lost in silence."""
    for message, rows in zip(GARBAGE, decode(GARBAGE, TEXT), strict=True):
        assert rows, message
        assert all(error is not None for error, _ in rows), f"{message}: {rows}"


def test_one_wrong_object_spoils_its_message(engine: Session) -> None:
    """A message is good or bad as a whole: nothing of a bad one is kept."""
    (rows,) = decode(['{"n":1}{"n":"x"}{"n":3}'], [("n", "Int8")])
    assert rows == [
        ("Cannot parse 'x' as Int8 (while reading the value of key n) (at row 2)", None)
    ]


STRINGS = st.text(max_size=8) | st.lists(
    st.sampled_from(["}{", "}", "{", "[", "]", '"', "\\", "\n", ",", "}, {", "a", "ё"]), max_size=6
).map("".join)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "n": st.integers(-(1 << 63), (1 << 63) - 1),
        "s": STRINGS,
        "a": st.lists(STRINGS, max_size=3),
        "t": st.lists(st.fixed_dictionaries({"s": STRINGS}), max_size=2),
        "m": st.dictionaries(STRINGS, STRINGS, max_size=2),
        "unknown": st.recursive(
            st.none() | st.booleans() | st.integers() | STRINGS,
            lambda inner: st.lists(inner, max_size=2) | st.dictionaries(STRINGS, inner, max_size=2),
            max_leaves=4,
        ),
    },
)
COLUMNS = [
    ("n", "Int64"),
    ("s", "String"),
    ("a", "Array(String)"),
    ("t", "Array(Tuple(s String))"),
    ("m", "Map(String, String)"),
]


@st.composite
def messages(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    """A message and the objects in it."""
    objects = draw(st.lists(OBJECTS, min_size=1, max_size=4))
    plain, indent = draw(st.booleans()), draw(st.sampled_from([None, 1]))
    texts = [json.dumps(o, ensure_ascii=plain, indent=indent) for o in objects]
    if draw(st.booleans()):
        text = "[" + draw(st.sampled_from([",", " , ", ",\n"])).join(texts) + "]"
    else:
        text = draw(st.sampled_from(["", "\n", " ", "\r\n", ",", ", ", " ,\n", "\t\n "])).join(
            texts
        )
    return text + draw(st.sampled_from(["", "\n", " "])), objects


def expected(found: dict[str, Any]) -> tuple[Any, ...]:
    """The row that Python's reader makes of an object."""
    tuples = [(inner["s"],) for inner in found.get("t", [])]
    return (
        None,
        found.get("n", 0),
        found.get("s", ""),
        found.get("a", []),
        tuples,
        found.get("m", {}),
    )


def test_reads_what_python_reads(engine: Session) -> None:
    """Whatever the strings, nesting and separators, the rows are those of Python's reader."""
    examples: list[tuple[str, list[dict[str, Any]]]] = []

    @settings(
        max_examples=400, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(messages())
    def collect(example: tuple[str, list[dict[str, Any]]]) -> None:
        examples.append(example)

    collect()
    rows = decode([text for text, _ in examples], COLUMNS)
    for (text, objects), found in zip(examples, rows, strict=True):
        assert found == [expected(o) for o in objects], text
