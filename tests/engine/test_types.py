"""Every type, from messages that say it well, badly, in quotes, as null or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from engine.test_json import decode

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session


@dataclass(frozen=True)
class Case:
    """A type, texts for values of it, what stands for a missing one, and texts that do not fit."""

    type: str
    good: dict[str, Any]
    default: Any
    wrong: tuple[str, ...]


def _int(bits: int, *, signed: bool) -> Case:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return Case(
        f"{'' if signed else 'U'}Int{bits}",
        {str(low): low, str(high): high, f'"{high}"': high, "true": 1, "false": 0},
        0,
        (str(low - 1), str(high + 1), f'"{high + 1}"', "1.5", '"x"', '""', "[1]", "{}"),
    )


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LEAP = datetime(2024, 2, 29, 12, 34, 56, tzinfo=UTC)
NIL = "00000000-0000-0000-0000-000000000000"
UUID = "61f0c404-5cb3-11e7-907b-a6006ad3dba0"

CASES = [
    *(_int(bits, signed=signed) for bits in (8, 16, 32, 64) for signed in (True, False)),
    Case("Float32", {"1.5": 1.5, '"-0.25"': -0.25, "7": 7.0}, 0.0, ('"x"', '""', "[]")),
    Case("Float64", {"1e300": 1e300, '"0.1"': 0.1, "-3": -3.0}, 0.0, ('"x"', '""', "{}")),
    Case(
        "Decimal(10, 2)",
        {"12345678.91": Decimal("12345678.91"), '"0.07"': Decimal("0.07"), "5": Decimal(5)},
        Decimal(0),
        ('"x"', "123456789.1", "[]"),
    ),
    Case("Bool", {"true": True, "false": False, "1": True, '"true"': True}, False, ("2", '"x"')),
    Case("String", {'"ё"': "ё", '""': "", "5": "5"}, "", ()),
    Case("FixedString(3)", {'"ab"': "ab\0", '"ё"': "ё\0"}, "\0\0\0", ('"abcd"', '"ёё"')),
    Case("UUID", {f'"{UUID}"': UUID, f'"{UUID.upper()}"': UUID}, NIL, ('"x"', '""', "1")),
    Case(
        "Date",
        {'"2024-02-29"': LEAP.date(), "19782": LEAP.date(), '"19782"': LEAP.date()},
        date(1970, 1, 1),
        ('"2024-02-30"', '"x"', '""', "1.5"),
    ),
    Case("Date32", {'"1900-01-01"': date(1900, 1, 1)}, date(1970, 1, 1), ('"2023-02-29"', '"x"')),
    Case(
        "DateTime",
        {'"2024-02-29 12:34:56"': LEAP, "1709210096": LEAP, '"1709210096"': LEAP},
        EPOCH,
        ('"2024-02-30 00:00:00"', '"x"', '""', "-1", "4294967296"),
    ),
    Case(
        "DateTime64(3, 'Europe/Moscow')",
        {'"2024-02-29 15:34:56.789"': LEAP.replace(microsecond=789000)},
        EPOCH,
        ('"2024-02-30 00:00:00"', '"x"', '""'),
    ),
    Case("Enum8('a' = 1, 'b' = 2)", {'"b"': "b", "2": "b", '"a"': "a"}, "a", ('"c"', "3", '""')),
    Case("LowCardinality(String)", {'"x"': "x"}, "", ()),
    Case("Nullable(Int32)", {"5": 5, '"6"': 6}, None, ('"x"', "1.5")),
    Case("LowCardinality(Nullable(String))", {'"x"': "x"}, None, ()),
    Case(
        "Array(UInt8)",
        {'[1, "2"]': [1, 2], "[]": [], "[null]": [0]},
        [],
        ("[256]", '["x"]', "5", '"x"', "{}"),
    ),
    Case("Array(Nullable(Int8))", {"[1, null]": [1, None]}, [], ("[128]",)),
    Case("Array(Array(String))", {'[["a"], []]': [["a"], []]}, [], ('"x"', "[1]")),
    Case("Map(String, UInt8)", {'{"a": 1, "b": "2"}': {"a": 1, "b": 2}}, {}, ('{"a": 256}', "5")),
    Case("Map(Int8, String)", {'{"1": "x"}': {1: "x"}}, {}, ('{"x": "y"}', '{"128": "y"}')),
    Case("Tuple(UInt8, String)", {'[1, "a"]': (1, "a")}, (0, ""), ("[1]", '[256, "a"]', "5")),
    Case(
        "Tuple(x UInt8, y String)",
        {'{"x": 1, "y": "a"}': (1, "a"), '{"y": "a"}': (0, "a")},
        (0, ""),
        ('{"x": 256}', "5"),
    ),
]  # fmt: skip
COLUMNS = [(f"c{at}", case.type) for at, case in enumerate(CASES)]


def test_good_missing_and_null_values(lab: Lab, topic: str) -> None:
    """A value in any of its spellings arrives; what is missing or null is the type's default."""
    depth = max(len(case.good) for case in CASES)
    texts = [[*case.good] + [*case.good][:1] * (depth - len(case.good)) for case in CASES]
    names = [name for name, _ in COLUMNS]
    for row in zip(*texts, strict=True):
        pairs = (f'"{name}": {text}' for name, text in zip(names, row, strict=True))
        lab.produce(topic, "{" + ", ".join(pairs) + "}")
    lab.produce(topic, "{}", "{" + ", ".join(f'"{name}": null' for name in names) + "}")
    columns = ", ".join(f"{name} {text}" for name, text in COLUMNS)
    lab.queue("q", topic, columns)
    lab.sql(f"CREATE TABLE v ({columns}, at UInt64) ENGINE = MergeTree ORDER BY at")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT *, _offset AS at FROM q")
    lab.arrives("SELECT count() FROM v", [(depth + 2,)])
    stored = [row[:-1] for row in lab.sql("SELECT * FROM v ORDER BY at")]
    wanted = [
        tuple(case.good[text] for case, text in zip(CASES, row, strict=True))
        for row in zip(*texts, strict=True)
    ]
    defaults = tuple(case.default for case in CASES)
    for found, row in zip(stored, [*wanted, defaults, defaults], strict=True):
        assert found == row


def test_wrong_values_are_errors(engine: Session) -> None:
    """A value that does not fit its type is an error that names the column, never a default."""
    wrong = [(name, case.type, text) for (name, _), case in zip(COLUMNS, CASES, strict=True)
             for text in case.wrong]  # fmt: skip
    rows = decode([f'{{"{name}": {text}}}' for name, _, text in wrong], COLUMNS)
    bad = []
    for (name, kind, text), found in zip(wrong, rows, strict=True):
        error = found[0][0] if len(found) == 1 else f"{len(found)} rows"
        told = (f"(while reading the value of key {name})", f"'{{\"{name}\": {text}}}'")
        if error is None or not error.endswith(told):
            bad.append((kind, text, error))
    assert not bad
