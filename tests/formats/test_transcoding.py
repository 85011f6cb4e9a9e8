"""The process in which ClickHouse reads and writes messages: many at a time, and bad ones."""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pytest
from pyarrow import ipc, orc, parquet

from formats.convert import Wrong, columns_of
from formats.generated import NESTED, SCALARS, generated
from sluice.formats import transcoding
from sluice.formats.registry import find_format
from sluice.parameters.kinds import CLICKHOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formats.convert import Converter
    from formats.peer import Peer

JOINED = ("Arrow", "ArrowStream", "ORC", "Parquet")
"""Formats whose messages are joined into one file."""
LENGTH = struct.Struct("!I")
ENTRIES = struct.Struct("<I")


class Child:
    """The process, as Java talks to it."""

    def __init__(self) -> None:
        source = Path(transcoding.__file__).with_name("child.py").read_text("utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", source, str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "SECRET": "the secret"},
        )  # fmt: skip
        self.folder = Path(json.loads(self._part())["ready"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.stdout is not None
        self.process.stdout.close()
        assert self.process.wait(60) == 0
        assert list(self.folder.iterdir()) == []  # it may not remove the folder itself
        self.folder.rmdir()

    def read(self, columns: str, format_: str, *messages: bytes, **settings: Any) -> list[Any]:
        """What becomes of each: its rows as RowBinary, or its error as a text."""
        found = find_format(format_, CLICKHOUSE)
        asked = json.loads(transcoding.reading(found, columns_of(columns), settings))["asked"]
        asked["count"] = len(messages)
        assert self.process.stdin is not None
        for part in (json.dumps(asked).encode(), *messages):
            self.process.stdin.write(LENGTH.pack(len(part)) + part)
        self.process.stdin.flush()
        head = json.loads(self._part())
        read: list[Any] = [b""] * len(messages)
        for _ in range(head["parts"]):
            for number, rows in entries(self._part()):
                read[number] = rows
        for number, error in head["errors"].items():
            assert read[int(number)] == b""
            read[int(number)] = error
        return read

    def _part(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.read(LENGTH.unpack(self.process.stdout.read(LENGTH.size))[0])


def entries(part: bytes) -> Iterator[tuple[int, bytes]]:
    """The number of each message with its rows."""
    at = 0
    while at < len(part):
        number, at = ENTRIES.unpack_from(part, at)[0], at + ENTRIES.size
        length = shift = 0
        while True:
            length |= (part[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if part[at - 1] < 0x80:
                break
        yield number, part[at : at + length]
        at += length


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child() as found:
        yield found


def test_each_row_belongs_to_its_message(child: Child) -> None:
    """Bad messages anywhere among good ones, with no row, one and several."""
    chosen = random.Random(4)  # noqa: S311
    messages, wanted = [], []
    for number in range(300):
        count = chosen.choice((0, 1, 1, 1, 7))
        messages.append(b",".join(b"(%d)" % (number % 100 + i) for i in range(count)))
        wanted.append(bytes(number % 100 + i for i in range(count)))
        if chosen.random() < 0.1:
            messages[-1] += b"bad"
            wanted[-1] = b"?"
    found = child.read("a UInt8", "Values", *messages)
    assert [b"?" if isinstance(each, str) else each for each in found] == wanted
    errors = [each for each in found if isinstance(each, str)]
    assert not any(str(child.folder) in each or "file/uri" in each for each in errors)
    assert all(isinstance(each, str) for each in child.read("a UInt8", "JSON", *[b"x"] * 40))


@pytest.mark.parametrize("names", [("_file", "_path", "r"), ("_file", "_message")])
def test_columns_named_as_those_of_files(child: Child, names: tuple[str, ...]) -> None:
    """A message is known by its file, whatever names the columns of the table have."""
    columns = ", ".join(f"{name} UInt8" for name in names)
    row = json.dumps({name: [7, 7] for name in names}).encode()
    found = child.read(columns, "JSONColumns", row, b"bad", row)
    assert [found[0], found[2]] == [b"\x07" * len(names) * 2] * 2
    assert isinstance(found[1], str)


def written(schema: pa.Schema, values: dict[str, list[Any]], format_: str, **more: Any) -> bytes:
    """A message of rows, written by pyarrow."""
    table, into = pa.table(values, schema), pa.BufferOutputStream()
    if format_ == "ORC":
        orc.write_table(table, into, **more)
    elif format_ == "Parquet":
        parquet.write_table(table, into, **more)
    else:
        opened = ipc.new_file if format_ == "Arrow" else ipc.new_stream
        with opened(into, schema, options=ipc.IpcWriteOptions(**more)) as writer:
            writer.write_table(table)
    return bytes(into.getvalue())


SCHEMAS = {
    "numbers": pa.schema([("a", pa.int32()), ("b", pa.string())]),
    "texts": pa.schema([("b", pa.binary()), ("a", pa.string())]),
    "less": pa.schema([("a", pa.int32())]),
    "named as ours": pa.schema([("_message", pa.int8()), ("a", pa.int32())]),
}


@pytest.mark.parametrize("format_", JOINED)
def test_messages_that_are_read_as_one(ours: Converter, format_: str) -> None:
    """With no row, one or many, of several schemas, damaged ones: each as if it were alone."""
    chosen = random.Random(format_)  # noqa: S311
    messages = []
    for number in range(200):
        schema = SCHEMAS[chosen.choice([*SCHEMAS, "numbers"])]
        count = chosen.choice((0, 1, 1, 5))
        value = "no number" if number == 40 else str(number)
        values: dict[str, list[Any]] = {
            "a": [value if schema.field("a").type == pa.string() else number] * count,
            "b": [f"text {number} {n}" for n in range(count)],
            "_message": [1] * count,
        }
        messages.append(written(schema, {name: values[name] for name in schema.names}, format_))
        if number % 20 == 7:
            messages[-1] = messages[-1][: chosen.randrange(len(messages[-1]))]
    alone = [ours.read("a UInt16, b String", format_, {}, each)[0] for each in messages]
    assert ours.read("a UInt16, b String", format_, {}, *messages) == alone
    assert sum(isinstance(each, str) for each in alone) > 3
    assert alone.count(b"") > 3


@pytest.mark.parametrize("format_", JOINED)
def test_types_of_messages_that_are_read_as_one(ours: Converter, peer: Peer, format_: str) -> None:
    """Values of every type, as ClickHouse writes them."""
    for seed, type_ in enumerate((*SCALARS, *NESTED)):
        rows = [generated(f"a {type_}", 10 * seed + n, 1 + n % 2) for n in range(4)]
        try:
            messages = [peer.written(query, format_, {}) for query in rows]
        except Wrong:
            continue  # it writes no such type
        alone = [ours.read(f"a {type_}", format_, {}, message)[0] for message in messages]
        assert ours.read(f"a {type_}", format_, {}, *messages * 4) == alone * 4, type_


ORC = {
    "Date32": ("1900-01-01", "2299-12-31"),
    "DateTime64(3)": ("1900-01-01 00:00:00", "2299-12-31 23:59:59.999"),
    "Array(Date32)": ("['2024-02-29']", "[]"),
    "Array(Array(String))": ("[['a'], []]", "[]"),
    "Tuple(a Nullable(Int8), b String)": ("(NULL, 'x')", "(1, '')"),
    "String": ("12", "-1"),
}
INTO = (
    *("UInt64", "Int128", "Decimal(76, 20)", "String", "Date32", "DateTime64(9)", "Time"),
    *("LowCardinality(String)", "Array(String)", "Map(String, String)"),
    "Tuple(b String, a Nullable(Int8))",
)


def test_types_of_orc_in_columns_of_others(ours: Converter, peer: Peer) -> None:
    """ClickHouse reads them with its own reader, as from a message alone."""
    zone = {"output_format_orc_writer_time_zone_name": "America/New_York"}
    for type_, texts in ORC.items():
        quoted = (text.replace("'", "\\'") for text in texts)
        queries = (f"SELECT CAST(materialize('{text}') AS {type_}) AS a" for text in quoted)
        messages = [peer.written(query, "ORC", zone) for query in queries]
        for into in INTO:
            alone = [ours.read(f"a {into}", "ORC", {}, message)[0] for message in messages]
            assert ours.read(f"a {into}", "ORC", {}, *messages * 8) == alone * 8, (type_, into)


def test_a_table_that_is_a_bomb(child: Child) -> None:
    """A gigabyte of zeros in a few bytes is a bad message, and the others are read."""
    zeros = pa.Array.from_buffers(pa.uint8(), 64 << 20, [None, pa.py_buffer(bytes(64 << 20))])
    names = [f"c{n}" for n in range(20)]
    schema = pa.schema([(name, pa.uint8()) for name in names])
    bomb = written(schema, dict.fromkeys(names, zeros), "ArrowStream", compression="zstd")
    good = written(schema, {name: [7] for name in names}, "ArrowStream")
    found = child.read("c1 UInt8", "ArrowStream", *[good] * 20, bomb, *[good] * 20)
    assert "emory limit" in found.pop(20)
    assert found == [b"\x07"] * 40


def files(ours: Converter) -> list[Path]:
    """Those that ClickHouse has read last."""
    return list(Path("/dev/shm").glob(f"sluice-messages-{ours.pid}-*/in/*"))  # noqa: S108


NESTING = pa.map_(pa.string(), pa.list_(pa.struct([("x", pa.int8()), ("y", pa.string())])))
EVERY = pa.schema([
    ("a", pa.int64()), ("b", pa.list_(pa.string())), ("c", NESTING), ("d", pa.bool_()),
    ("e", pa.decimal128(30, 4)), ("f", pa.timestamp("us")), ("g", pa.date32()), ("h", pa.float64()),
])  # fmt: skip
INTO_EVERY = (
    "a Nullable(Int32), b Array(Nullable(String)), "
    "c Map(String, Array(Tuple(x Nullable(Int8), y Nullable(String)))), d Nullable(Bool), "
    "e Decimal(30, 4), f DateTime64(6), g Date32, h Nullable(Float64)"
)


def rows_of(number: int, count: int) -> dict[str, list[Any]]:
    """Values of all these columns, of which some are NULL or have nothing in them."""
    rows: list[tuple[Any, ...]] = [
        (
            None if n % 5 == 3 else number * n,
            [["x", None, f"text {number}"], [], ["y"]][n % 3],
            [("k", [{"x": n % 100, "y": None}, {"x": None, "y": "y"}]), ("l", [])][: n % 3],
            None if n % 4 == 2 else n % 4 == 1,
            Decimal(number * n) / 8,
            datetime(1960 + number % 100, 1, 2, 3, 4, 5, 60 * n, UTC).replace(tzinfo=None),
            date(1950 + number % 100, 2, 1 + n % 28),
            None if n % 6 == 4 else number / 7,
        )
        for n in range(number, number + count)
    ]
    return dict(zip(EVERY.names, map(list, zip(*rows, strict=True)), strict=True))


WAYS: tuple[tuple[str, bool, dict[str, Any]], ...] = (
    ("Parquet", True, {"version": "1.0", "use_dictionary": False, "compression": "none"}),
    ("Parquet", True, {"data_page_version": "2.0", "compression": "gzip"}),
    ("Parquet", True, {"compression": "snappy", "write_page_index": True}),
    ("Parquet", True, {"row_group_size": 1, "compression": "zstd", "write_statistics": False}),
    ("Parquet", True, {"data_page_size": 8, "write_page_checksum": True, "compression": "lz4"}),
    ("Parquet", False, {"compression": "brotli"}),
    ("Parquet", False, {"use_dictionary": False, "column_encoding": {"a": "DELTA_BINARY_PACKED"}}),
    *(("ORC", True, {"compression": each}) for each in ("zstd", "snappy", "zlib", "lz4")),
    ("ORC", True, {"dictionary_key_size_threshold": 1.0, "compression": "zlib"}),
    *(("Arrow", True, {"compression": each}) for each in ("lz4", "zstd", None)),
    *(("ArrowStream", True, {"compression": each}) for each in ("lz4", "zstd", None)),
    ("ORC", True, {"stripe_size": 1, "batch_size": 5, "row_index_stride": 1}),
)  # fmt: skip
"""A format, whether its values are joined as one row group or stripe, and how it is written."""


@pytest.mark.parametrize(("format_", "whole", "way"), WAYS)
def test_files_of_every_kind(
    ours: Converter, format_: str, whole: bool, way: dict[str, Any]
) -> None:
    """They are joined into one file, whose rows are those of the messages."""
    counts = [1, 2, 1, 7, 3, 1, 40, 1] * 4
    messages = [
        written(EVERY, rows_of(number, count), format_, **way)
        for number, count in enumerate(counts)
    ]
    alone = [ours.read(INTO_EVERY, format_, {}, message)[0] for message in messages]
    assert not any(isinstance(each, str) for each in alone)
    assert ours.read(INTO_EVERY, format_, {}, *messages) == alone
    (only,) = files(ours)
    groups = parquet.ParquetFile(only).num_row_groups if format_ == "Parquet" else 1
    assert (groups == 1) == whole


METHODS = {
    "Arrow": ("none", "lz4_frame", "zstd"),
    "ArrowStream": ("none", "lz4_frame", "zstd"),
    "Parquet": ("none", "snappy", "lz4", "brotli", "zstd", "gzip"),
    "ORC": ("none", "snappy", "lz4", "zstd", "zlib"),
}
"""How ClickHouse compresses a format."""


@pytest.mark.parametrize("format_", METHODS)
def test_files_of_clickhouse(ours: Converter, peer: Peer, format_: str) -> None:
    """Joined into one, however they are compressed."""
    columns = "a Int64, b String, c Array(Nullable(String)), d Nullable(Float32), e DateTime64(3)"
    family = format_.lower().removesuffix("stream")
    for method in METHODS[format_]:
        settings = {
            f"output_format_{family}_compression_method": method,
            "output_format_parquet_data_page_size": 100,
            "output_format_orc_dictionary_key_size_threshold": 0.8,
        }
        queries = [generated(columns, seed, 1 + seed % 3 * 20) for seed in range(20)]
        messages = [peer.written(query, format_, settings) for query in queries]
        alone = [ours.read(columns, format_, {}, message)[0] for message in messages]
        assert not any(isinstance(each, str) for each in alone)
        assert ours.read(columns, format_, {}, *messages) == alone, method
        assert len(files(ours)) == 1, method


@pytest.mark.parametrize(("format_", "codec"), [
    ("Parquet", "none"), ("Parquet", "snappy"), ("ORC", "uncompressed"), ("ORC", "zstd"),
    ("Arrow", "lz4"), ("ArrowStream", None), ("ArrowStream", "zstd"),
])  # fmt: skip
def test_damaged_files_among_others(ours: Converter, format_: str, codec: str | None) -> None:
    """Any bit changed: each is what it is alone, and moves no row of another.

    A message whose statistics or indexes are damaged may be read nevertheless, since these are
    left out. A Parquet page of zstd with a wrong size keeps ClickHouse busy for all of its time.
    """
    columns = "a Nullable(Int64), b Nullable(String), c Array(Int32)"
    schema = pa.schema([("a", pa.int64()), ("b", pa.string()), ("c", pa.list_(pa.int32()))])
    chosen = random.Random(f"{format_} {codec}")  # noqa: S311
    whole = [
        written(
            schema,
            {"a": [number, None], "b": [f"text {number}", "x"], "c": [[number, 2], []]},
            format_,
            compression=codec,
        )
        for number in range(120)
    ]
    wanted = ours.read(columns, format_, {}, *whole)
    messages = [bytearray(each) for each in whole]
    for number, made in enumerate(messages):
        if number % 3:
            made[chosen.randrange(len(made))] ^= 1 << chosen.randrange(8)
    found = ours.read(columns, format_, {}, *map(bytes, messages))
    for number, message in enumerate(messages):
        (alone,) = ours.read(columns, format_, {}, bytes(message))
        if isinstance(alone, bytes):
            assert found[number] == alone, number
        else:
            assert isinstance(found[number], str) or found[number] == wanted[number], number
    assert sum(isinstance(each, str) for each in found) > 10
    assert found[::3] == wanted[::3]


@pytest.mark.parametrize("lies", [{5: 2, 6: 4}, {30: 0}, {40: 9}, {7: 2, 20: 4, 50: 9}])
def test_parquet_with_wrong_counts(ours: Converter, lies: dict[int, int]) -> None:
    """A footer that tells of more or fewer rows than there are moves no row to another message."""
    messages = [
        written(SCHEMAS["less"], {"a": [n] * 3}, "Parquet", compression="none") for n in range(60)
    ]
    for number, count in lies.items():
        told = bytes([0x16, 3 << 1])  # num_rows of the file and of its row group, 3 in zigzag
        made = messages[number].replace(told, bytes([0x16, count << 1]))
        assert made != messages[number]
        messages[number] = made
    found = ours.read("a UInt8", "Parquet", {}, *messages)
    for number, rows in enumerate(found):
        assert number in lies or rows == bytes([number]) * 3


OUTSIDE = {
    "file('/etc/passwd')": "Permission denied",
    "file('/proc/self/environ')": "",
    "(SELECT * FROM file('/etc/passwd', 'LineAsString', 'a String'))": "Permission denied",
    "(SELECT * FROM file('/etc/*', 'LineAsString', 'a String'))": "",
    "(SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString', 'a String'))": "READ ON URL",
    "(SELECT * FROM executable('id', 'TSV', 'a String'))": "",
    "(SELECT a FROM s3('http://127.0.0.1:1/bucket/a', 'TSV', 'a String'))": "READ ON S3",
    "dictGet('d', 'a', 1)": "not found",
    "(SELECT * FROM merge('system', 'tables'))": "",
    "getMacro('x')": "",
}
"""What an expression might look at, with a part of its error."""


def test_expressions_see_nothing_outside(child: Child) -> None:
    """Files, processes, the network and the environment are out of reach of a message."""
    found = child.read("a String", "Values", *(f"({each})".encode() for each in OUTSIDE))
    for (expression, says), error in zip(OUTSIDE.items(), found, strict=True):
        shown = error if isinstance(error, str) else error.decode("latin-1")
        assert "root:" not in shown, expression
        assert "the secret" not in shown, expression
        assert says in shown, (expression, error)
    assert child.read("a String", "Values", b"(upper('x'))") == [b"\x01X"]


def test_bombs_are_bad_messages(child: Child) -> None:
    """What takes too much memory, or nests too deep, is an error; the others are read."""
    good = b"('x')"
    deep, huge = b"(" * 1_000_000, b"(toString(range(400000000)))"
    grows = b"(arrayStringConcat(arrayMap(x -> repeat('x', 1000000), range(2000))))"
    found = child.read("a String", "Values", good, huge, deep, grows, good)
    assert [found[0], found[4]] == [b"\x01x"] * 2
    assert "emory limit" in found[1] or "Too large" in found[1]
    assert all(isinstance(each, str) for each in found[1:4])
    deep = b'{"a": ' + b"[" * 1_000_000
    assert all(isinstance(each, str) for each in child.read("b UInt8", "JSONColumns", deep))


@pytest.mark.parametrize(
    "format_", ["Parquet", "ORC", "Arrow", "ArrowStream", "BSONEachRow", "Npy"]
)
def test_damaged_messages(child: Child, peer: Peer, format_: str) -> None:
    """Any bytes changed, lengths among them: rows or an error, and others are read."""
    columns = "a Int64" if format_ == "Npy" else "a Int64, b String, c Array(UInt8)"
    values = "toInt64(number) AS a" + (
        "" if format_ == "Npy" else ", toString(number) AS b, [1, 2]::Array(UInt8) AS c"
    )
    whole = peer.written(f"SELECT {values} FROM numbers(20)", format_, {})
    chosen = random.Random(format_)  # noqa: S311
    damaged = []
    for _ in range(40):
        made = bytearray(whole)
        for _ in range(chosen.choice((1, 1, 4))):
            made[chosen.randrange(len(made))] = chosen.choice((0, 0x7F, 0x80, 0xFF))
        damaged.append(bytes(made))
    found = child.read(columns, format_, whole, *damaged, whole)
    assert len(found[0]) > 100
    assert found[-1] == found[0]
    assert child.process.poll() is None


def test_it_ends_with_its_parent() -> None:
    """Without a request left it ends by itself, and leaves nothing."""
    with Child() as ended:
        assert (ended.folder / "users.xml").exists()


def test_one_that_is_lost_is_replaced(ours: Converter) -> None:
    """Java starts another process when the one that waits has been killed."""
    first = ours.rows("a UInt8", "Values", {}, b"(0 + 1)")
    killed = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[-2:] == [str(ours.pid).encode(), b""] and b"-I" in words:
                os.kill(int(process.name), signal.SIGKILL)
                killed.append(process.name)
    assert killed
    assert ours.rows("a UInt8", "Values", {}, b"(0 + 1)") == first == b"[1]\n"
