"""Tables of Protobuf through Kafka, with schemas from the server's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.lab import Lab
    from sluice.server.run import Server
    from sluice.session import Session

PAIR = 'syntax = "proto3";\nmessage KeyValuePair { uint64 key = 1; string value = 2; }'
USER = 'syntax = "proto3"; message User { string username = 1; int32 timestamp = 2; }'


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def pair(key: int) -> bytes:
    text = str(key).encode()
    return (b"\x08" + varint(key) if key else b"") + b"\x12" + varint(len(text)) + text


def delimited(*records: bytes) -> bytes:
    return b"".join(varint(len(record)) + record for record in records)


@pytest.fixture
def schemas(folder: Path) -> Path:
    made = folder / "format_schemas"
    made.mkdir(exist_ok=True)
    (made / "kafka.proto").write_text(PAIR)
    (made / "social.proto").write_text(USER)
    return made


@pytest.mark.usefixtures("schemas")
def test_ch_68_ch_70_read_and_written(lab: Lab, topic: str) -> None:
    """CH-68, CH-70: many records in a message, or one; what is written is read back."""
    lab.pipe(
        topic,
        "key UInt64, value String",
        kafka_format="Protobuf",
        kafka_schema="kafka:KeyValuePair",
    )
    for first, last in ((0, 20), (20, 21), (21, 50)):
        lab.produce(topic, delimited(*map(pair, range(first, last))))
    lab.arrives("SELECT count(), sum(key), max(value) FROM v", [(50, 1225, "9")])
    one = {"kafka_format": "ProtobufSingle", "kafka_schema": "kafka.proto:KeyValuePair"}
    lab.make_topic(f"{topic}-one")
    lab.queue("one", f"{topic}-one", "key UInt64, value String", **one)
    lab.sql("INSERT INTO one SELECT key, value FROM v ORDER BY key")
    found = sorted(message.value or b"" for message in lab.consume(f"{topic}-one"))
    assert found == sorted(map(pair, range(50)))
    lab.queue(
        "many", f"{topic}-one", "key UInt64, value String", kafka_max_rows_per_message=2, **one
    )
    with pytest.raises(SluiceError, match="can't be used to write multiple rows") as bad:  # ST-14
        lab.sql("INSERT INTO many SELECT key, value FROM v ORDER BY key")
    assert bad.value.clickhouse_text().startswith("Code: 546.")


def test_ch_69_a_schema_that_changes(lab: Lab, topic: str, schemas: Path) -> None:
    """CH-69: without an extension; a changed file is read when the cache is dropped."""
    lab.pipe(
        topic,
        "username String, timestamp Int32",
        kafka_format="Protobuf",
        kafka_schema="social:User",
    )
    record = b"\x0a\x03abc\x10\x07"
    lab.produce(topic, delimited(record))
    lab.arrives("SELECT * FROM v", [("abc", 7)])
    (schemas / "social.proto").write_text(USER.replace("timestamp = 2", "timestamp = 3"))
    lab.produce(topic, delimited(record))
    lab.arrives("SELECT * FROM v", [("abc", 7), ("abc", 7)])
    lab.sql("SYSTEM DROP FORMAT SCHEMA CACHE FOR Protobuf")
    lab.produce(topic, delimited(b"\x0a\x03abc\x18\x09"))
    lab.arrives("SELECT max(timestamp) FROM v", [(9,)])


@pytest.mark.usefixtures("schemas")
def test_data_of_an_insert(session: Session, server: Server) -> None:
    """INSERT … FORMAT Protobuf over HTTP, with a schema of the folder; of no other file."""
    session.execute("CREATE TABLE t (key UInt64, value String) ENGINE = MergeTree ORDER BY key")
    data = delimited(*map(pair, range(3)))
    insert = "INSERT INTO t {} FORMAT Protobuf"
    by_setting = insert.format("SETTINGS format_schema = 'kafka:KeyValuePair'")
    told = {"format_schema": "kafka", "format_schema_message_name": "KeyValuePair"}
    given: list[tuple[str, dict[str, str]]] = [(by_setting, {}), (insert.format(""), told)]
    text = {"format_schema_source": "string", "format_schema": PAIR}
    given.append((insert.format(""), told | text))
    with httpx.Client(base_url=server.url, params={"database": session.database}) as http:
        for query, params in given:
            answer = http.post("/", params={"query": query, **params}, content=data)
            assert answer.is_success, answer.text
        counted = http.post("/", content="SELECT count(), sum(key), max(value) FROM t").text
        assert counted == "9\t9\t2\n"
        for file in ("/etc/passwd", "../../etc/passwd"):
            params = {"query": insert.format(""), "format_schema": f"{file}:X"}
            answer = http.post("/", params=params, content=data)
            assert "a path leads to a file below the folder" in answer.text
            params["query"] = "INSERT INTO t SELECT 1, 'x'"
            assert "it names files of the server" in http.post("/", params=params).text


def test_ch_80_bad_messages_are_rows(lab: Lab, topic: str, schemas: Path) -> None:
    """CH-80: garbage is one error each, with the bytes as they were."""
    del schemas
    more: dict[str, Any] = {"kafka_handle_error_mode": "stream"}
    columns = "key UInt64, value String"
    lab.make_topic(topic)
    lab.queue(
        "q", topic, columns, kafka_format="Protobuf", kafka_schema="kafka:KeyValuePair", **more
    )
    lab.produce(topic, b"qwertyuiop", b"poiuytrewq", b"zxcvbnm")
    query = "SELECT _raw_message FROM q WHERE _error LIKE '%a field of%' ORDER BY _offset"
    assert lab.sql(query) == [("qwertyuiop",), ("poiuytrewq",), ("zxcvbnm",)]


@pytest.mark.usefixtures("schemas")
@pytest.mark.parametrize(
    ("schema", "columns", "says", "code"),
    [
        (
            "kafka:Gone",
            "key UInt64",
            "kafka.proto.*line 1.*Could not find a message named 'Gone'",
            434,
        ),
        ("gone:Pair", "key UInt64", "gone.proto cannot be read: there is no such file", 107),
        ("../x:Pair", "key UInt64", r"without '\.\.'", 36),
        ("broken:Pair", "key UInt64", "broken.proto.*line 4.*expected ';'", 434),
        ("kafka:KeyValuePair", "other UInt64", "Not found matches between the names", 36),
        ("kafka:KeyValuePair", "key Array(UInt64)", "must be repeated in the protobuf schema", 36),
    ],
)
def test_what_does_not_fit_is_told_at_create(
    lab: Lab, schemas: Path, schema: str, columns: str, says: str, code: int
) -> None:
    (schemas / "broken.proto").write_text('syntax = "proto3";\nmessage Pair {\n  int32 i = 1\n}')
    with pytest.raises(SluiceError, match=f"(?s){says}") as bad:
        lab.queue("q", "t", columns, kafka_format="Protobuf", kafka_schema=schema)
    assert bad.value.clickhouse_text().startswith(f"Code: {code}.")
    assert lab.sql("SHOW TABLES") == []


def test_columns_of_schemas(lab: Lab, topic: str, registry: str, schemas: Path) -> None:
    """A table without columns has those of its schema: of a file, or of the subject's newest."""
    (schemas / "wide.proto").write_text(
        'syntax = "proto3"; message Wide { int32 i = 1; repeated string s = 2; '
        "enum E { A = 0; B = 1; } E e = 3; "
        "map<string, double> m = 4; message N { bytes x = 1; bool y = 2; } N n = 5; }"
    )
    common = f"kafka_broker_list = '{lab.brokers}', kafka_topic_list = '{topic}'"
    common += ", kafka_group_name = 'g'"
    file = "kafka_format = 'Protobuf', kafka_schema = 'wide:Wide'"
    lab.sql(f"CREATE TABLE q ENGINE = Kafka SETTINGS {common}, {file}")
    assert {row[0]: row[1] for row in lab.sql("DESCRIBE TABLE q")} == {
        "i": "Int32",
        "s": "Array(String)",
        "e": "Enum8('A' = 0, 'B' = 1)",
        "m": "Map(String, Float64)",
        "n": "Tuple(x String, y UInt8)",
    }
    text = (
        'syntax = "proto3"; message Order { int64 id = 1; string name = 2; repeated int32 n = 3; }'
    )
    given = {"schema": text, "schemaType": "PROTOBUF"}
    answer = httpx.post(f"{registry}/subjects/{topic}-value/versions", json=given)
    id_ = int(answer.raise_for_status().json()["id"])
    lab.produce(topic, b"\0" + id_.to_bytes(4, "big") + b"\0\x08\x07\x12\x01a\x1a\x01\x05")
    known = f"kafka_format = 'ProtobufConfluent', format_avro_schema_registry_url = '{registry}'"
    lab.sql(f"CREATE TABLE c ENGINE = Kafka SETTINGS {common}, {known}")
    assert lab.sql("SELECT id, name, n FROM c") == [(7, "a", [5])]
