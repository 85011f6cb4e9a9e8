"""Types that generated rows lack, in every format that our Java reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from formats.convert import EXACTLY, SHOWN, Wrong, codec
from formats.test_binary import FORMATS as BINARY
from formats.test_text import LOSSLESS, TEXTS
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

WITHOUT = ("MsgPack", "Avro", "ProtobufSingle", "CapnProto", "BSONEachRow", "Npy")
FORMATS = (*TEXTS, *(each for each in BINARY if each not in WITHOUT))

NUMBERS = "[0, -0., 0.1, 1.99999999, -1.00390625, 65280.5, 3.4e38, 1e39, -1e39, 1e-45, inf, nan]"
BFLOAT16 = (
    "a BFloat16, b Nullable(BFloat16), c Array(BFloat16), d Map(String, BFloat16)",
    f"SELECT arrayJoin({NUMBERS}::Array(BFloat16)) AS a, nullIf(a, 0) AS b, [a, a] AS c,"  # noqa: ISC004
    " map('k', a) AS d",
)


@pytest.mark.parametrize("format_", FORMATS)
def test_bfloat16(format_: str, ours: Converter, peer: Peer) -> None:
    """The upper half of a Float32."""
    _both_ways(format_, *BFLOAT16, ours, peer)


KINDS = "UInt64, String, Array(Nullable(Float64)), Date, Bool, Map(String, UInt8)"
VARIANT = (
    f"i UInt8, v Variant({KINDS}), a Array(Variant(UInt8, String)), t Tuple(x Variant(Date, Bool))",
    f"""SELECT number::UInt8 AS i, [5::UInt64::Variant({KINDS}), 'x'::Variant({KINDS}),
    [1.5, NULL]::Array(Nullable(Float64))::Variant({KINDS}), toDate(3)::Variant({KINDS}), NULL,
    true::Variant({KINDS}), map('k', 1)::Map(String, UInt8)::Variant({KINDS}),
    ''::Variant({KINDS})][i + 1] AS v, [1, NULL, 'y']::Array(Variant(UInt8, String)) AS a,
    tuple(toDate(i))::Tuple(x Variant(Date, Bool)) AS t FROM numbers(8)""",
)
DYNAMIC = (
    "i UInt8, d Dynamic, m Map(String, Dynamic), g Geometry",
    """SELECT number::UInt8 AS i, [1::UInt8::Dynamic, 'x'::Dynamic, NULL, 1.5::Dynamic,
    [1::Dynamic, [toIPv4(1)]::Dynamic]::Dynamic, toDate(5)::Dynamic, 300::Int256::Dynamic,
    '{"a":[1]}'::JSON::Dynamic][i + 1] AS d, map('k', d) AS m, (1., i)::Point::Geometry AS g
    FROM numbers(8)""",
)


JSON = (
    "j JSON, k JSON(a UInt8), l Array(JSON)",
    """SELECT arrayJoin(['{}', '{"a":{"b":[1,"x",null]},"c":1.5}', '{"a":7,"f":"x"}'])::JSON AS j,
    '{"a":5,"b":"y"}'::JSON(a UInt8) AS k, [j] AS l""",
)


@pytest.mark.parametrize("format_", ["Native", "Buffers"])
def test_json_by_paths(format_: str, ours: Converter, peer: Peer) -> None:
    _both_ways(format_, *JSON, ours, peer)


@pytest.mark.parametrize("format_", ["RowBinary", "Native", "Buffers"])
@pytest.mark.parametrize("given", [VARIANT, DYNAMIC], ids=["Variant", "Dynamic"])
def test_values_with_their_own_types(
    given: tuple[str, str], format_: str, ours: Converter, peer: Peer
) -> None:
    _both_ways(format_, *given, ours, peer)


@pytest.mark.parametrize("given", [VARIANT, DYNAMIC], ids=["Variant", "Dynamic"])
def test_types_that_are_inferred(given: tuple[str, str], ours: Converter, peer: Peer) -> None:
    """In texts a value has the type that ClickHouse finds, whatever it was."""
    columns, query = given
    binary: Any = codec("RowBinary", {})
    for format_ in (*TEXTS, "Values", "JSON", "CustomSeparated"):
        message = peer.written(query, format_, LOSSLESS)
        source = f"SELECT * FROM format('{format_}', '{columns}', unhex('{message.hex()}'))"
        try:
            wanted = peer.written(source, "RowBinary", LOSSLESS)
        except Wrong:  # a tuple is several fields of CSV, which may be no Variant
            assert "CSV" in format_
            continue
        read = codec(format_, LOSSLESS)
        assert ours.convert(columns, read, binary, message) == wanted, format_


@pytest.mark.parametrize("type_", ["BFloat16", "Dynamic"])
@pytest.mark.parametrize("format_", WITHOUT)
def test_formats_without_them(format_: str, type_: str, ours: Converter) -> None:
    for read, write in ((format_, SHOWN), (SHOWN, format_)):
        with pytest.raises(SluiceError, match=f"{type_} is not supported"):
            ours.convert(f"a Array({type_})", codec(read, {}), codec(write, {}), b"")


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ("a Nullable(Int8)", r"Type Nullable\(Int8\) is not supported for Npy output format"),
        ("a Array(Array(Date))", "Type Date is not supported for Npy output format"),
        ("a LowCardinality(String)", "is not supported for Npy output format"),
        ("a Int8, b Int8", "Expected single column for Npy output format, got 2"),
    ],
)
def test_what_npy_cannot_hold(columns: str, says: str, ours: Converter, peer: Peer) -> None:
    """In ClickHouse's words; nothing is written."""
    with pytest.raises(SluiceError, match=says):
        ours.convert(columns, codec(SHOWN, {}), codec("Npy", {}), b"")
    with pytest.raises(Wrong, match=says):
        peer.written(f"SELECT * FROM generateRandom('{columns}', 1) LIMIT 1", "Npy", {})


HARMFUL = {
    "no such kind": ("Variant(UInt8, String)", b"\x07\x05"),
    "a text that ends too early": ("Variant(UInt8, String)", b"\x00\xff\xff\xff\xff\x0f"),
    "no such type": ("Dynamic", b"\x7f"),
    "arrays within arrays": ("Dynamic", b"\x1e" * 100_000 + b"\x01\x00"),
    "dynamics within dynamics": ("Dynamic", b"\x1e\x2b\x20\x01" * 50_000),
    "a tuple of billions": ("Dynamic", b"\x1f\xff\xff\xff\xff\x7f\x01"),
    "an array of billions": ("Array(Dynamic)", b"\xff\xff\xff\xff\x7f\x00"),
    "a type without a code": ("Dynamic", b"\x2c\x03Foo"),
    "an array of nothing": ("Dynamic", b"\x2c\x05Array\0"),
    "an array of a number": ("Dynamic", b"\x2c\x08Array(1)\0"),
    "a text without a length": ("Dynamic", b"\x2c\x0bFixedString"),
    "a decimal of less than nothing": ("Dynamic", b"\x19\xff\xff\0\0\0\0"),
    "a type within itself": ("Dynamic", b"\x2c" + b"\xff\xff\x03" + b"Array(" * 10_000),
    "paths within paths": ("Dynamic", b"\x30\0\0\0\0\0\0\1\1a" * 20_000),
}


@pytest.mark.parametrize("what", HARMFUL)
def test_harmful_messages(what: str, ours: Converter) -> None:
    """Each is one bad message, and the next one is read."""
    type_, message = HARMFUL[what]
    binary: Any = codec("RowBinary", {})
    with pytest.raises(Wrong):
        ours.convert(f"v {type_}", binary, binary, message)
    good = b"\1\0" if type_.startswith("Array") else b"\0\1x" if "Variant" in type_ else b"\0"
    assert ours.convert(f"v {type_}", binary, binary, good) == good


def _both_ways(format_: str, columns: str, query: str, ours: Converter, peer: Peer) -> None:
    """What ClickHouse writes is read, and what is written is what ClickHouse writes."""
    shown = peer.written(query, SHOWN, EXACTLY)
    written = peer.written(query, format_, LOSSLESS)
    assert ours.rows(columns, format_, LOSSLESS, written) == shown
    plain: Any = codec(format_, LOSSLESS)
    again = ours.convert(columns, plain, plain, written)
    if format_ in ("Native", "Buffers"):  # there are bytes without a meaning where a value is NULL
        assert peer.rows(columns, format_, LOSSLESS, again) == shown
    else:
        assert again == written
