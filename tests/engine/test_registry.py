"""Tables whose messages have schemas in a registry, a real one, through Kafka."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import fastavro
import httpx
import pytest

from engine.registered import ROW, framed, order, register
from sluice.errors import SluiceError
from sluice.session import found_columns

if TYPE_CHECKING:
    from engine.lab import Lab


def test_ch_94_files(lab: Lab, topic: str) -> None:
    """CH-94: rows of a file by a setting of the INSERT; CH-76: what is no file is told."""
    lab.make_topic(topic)
    lab.queue("q", topic, "key UInt64, value UInt64", kafka_format="Avro")
    settings = "output_format_avro_rows_in_file = 2, output_format_avro_codec = 'deflate'"
    lab.sql(f"INSERT INTO q SELECT number * 10, number FROM numbers(4) SETTINGS {settings}")
    found: Any = [fastavro.reader(io.BytesIO(m.value or b"")) for m in lab.consume(topic)]
    assert [file.metadata["avro.codec"] for file in found] == ["deflate"] * 2
    assert [[row["key"] for row in file] for file in found] == [[0, 10], [20, 30]]
    query = "SELECT key, value, _offset FROM q ORDER BY key"
    assert lab.sql(query) == [(0, 0, 0), (10, 1, 0), (20, 2, 1), (30, 3, 1)]
    lab.produce(topic, "qwertyuiop")
    with pytest.raises(SluiceError, match=r"Magic does not match.*offset: 2"):
        lab.sql(query)


def test_ch_95_ch_96_ch_97_written(lab: Lab, topic: str, registry: str) -> None:
    """CH-95 to CH-97, through the setting that has Kafka's prefix; rows of a view come back."""
    lab.make_topic(topic)
    settings: dict[str, Any] = {
        "kafka_format": "AvroConfluent",
        "kafka_format_avro_schema_registry_url": registry,
        "kafka_max_rows_per_message": 5,
    }
    columns = "id UInt64, s String"
    for first in (0, 10):
        lab.queue("q", topic, columns, **settings)
        lab.sql(f"INSERT INTO q SELECT number + {first}, toString(number) FROM numbers(10)")
        lab.sql("DROP TABLE q")
    assert httpx.get(f"{registry}/subjects/{topic}-value/versions").json() == [1]
    lab.pipe(topic, columns, **settings)
    lab.arrives("SELECT count(), sum(id), max(s) FROM v", [(20, 190, "9")])
    messages = [message.value or b"" for message in lab.consume(topic)]
    assert len(messages) == 4
    assert {message[:5] for message in messages} == {messages[0][:5]}


def test_ch_74_bad_messages_beside_good_ones(lab: Lab, topic: str, registry: str) -> None:
    """An unknown id and a schema that does not fit are bad messages; others are rows."""
    id_ = register(registry, f"{topic}-value", ROW)
    other = {"type": "record", "name": "o", "fields": [{"name": "id", "type": "string"}]}
    wrong = framed(register(registry, f"{topic}-other", other), other, {"id": "x"})
    good = framed(id_, ROW, order(1), order(2))
    lab.make_topic(topic)
    lab.queue(
        "q", topic, "id UInt16, `place.x` Int32", kafka_format="AvroConfluent",
        format_avro_schema_registry_url=registry, kafka_handle_error_mode="stream",
    )  # fmt: skip
    lab.produce(topic, good, b"\0\0\0\xff\xff\2", wrong, good)
    query = "SELECT id, `place.x`, _offset, _error FROM q ORDER BY _offset, id"
    rows = lab.sql(query)
    assert [row[:3] for row in rows if not row[3]] == [(1, 1, 0), (2, 2, 0), (1, 1, 3), (2, 2, 3)]
    unknown, unfit = (row[3] for row in rows if row[3])
    assert "has no schema with the id 65535" in unknown
    assert "Type UInt16 is not compatible with Avro string" in unfit


def test_columns_of_the_registry(lab: Lab, topic: str, registry: str) -> None:
    """A table without columns has those of the newest schema, fixed when it is created."""
    id_ = register(registry, f"{topic}-value", ROW)
    lab.produce(topic, framed(id_, ROW, order(5)))
    settings = (
        f"kafka_broker_list = '{lab.brokers}', kafka_topic_list = '{topic}', "
        f"kafka_group_name = 'g', kafka_format = 'AvroConfluent', "
        f"format_avro_schema_registry_url = '{registry}'"
    )
    lab.sql(f"CREATE TABLE q ENGINE = Kafka SETTINGS {settings}")
    described = {row[0]: row[1] for row in lab.sql("DESCRIBE TABLE q")}
    assert described == {
        "id": "Int64",
        "name": "Nullable(String)",
        "at": "DateTime64(3)",
        "tags": "Array(String)",
        "place": "Tuple(x Int32)",
    }
    more = {**ROW, "fields": [*ROW["fields"], {"name": "new", "type": "int", "default": 1}]}
    newer = register(registry, f"{topic}-value", more)
    lab.produce(topic, framed(newer, more, {**order(6), "new": 7}))
    assert lab.sql("SELECT id, name, tags, place.x FROM q ORDER BY id") == [
        (5, None, ["a"], 5),
        (6, None, ["a"], 6),
    ]
    assert "`place` Tuple(" in lab.sql("SHOW CREATE TABLE q")[0][0]


def test_columns_of_a_sample(lab: Lab, topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSONEachRow: the columns are those of the oldest messages, by ClickHouse's rules."""
    settings = (
        f"kafka_broker_list = '{lab.brokers}', kafka_topic_list = '{topic}', "
        "kafka_group_name = 'g', kafka_format = 'JSONEachRow'"
    )
    create = f"CREATE TABLE q ENGINE = Kafka SETTINGS {settings}"
    with pytest.raises(SluiceError, match=r"KAFKA_TOPIC_MISSING|does not exist"):
        lab.sql(create)
    lab.make_topic(topic)
    with pytest.raises(SluiceError, match=r"cannot be taken from the topic .*has no messages"):
        lab.sql(create)
    lab.produce(topic, {"a": 1, "b": "x"}, {"a": 2.5, "c": [True], "d": "2020-01-01"})
    with monkeypatch.context() as quick:
        quick.setattr(found_columns, "MOST_SECONDS", 0.001)
        with pytest.raises(SluiceError, match=r"could not be read within 0.001 seconds"):
            lab.sql(create)
    lab.sql(create)
    described = {row[0]: row[1] for row in lab.sql("DESCRIBE TABLE q")}
    assert described == {
        "a": "Float64",
        "b": "String",
        "c": "Array(Nullable(Bool))",
        "d": "Date",
    }
    assert lab.sql("SELECT a, b FROM q ORDER BY a") == [(1.0, "x"), (2.5, "")]
    with pytest.raises(SluiceError, match="that is possible for AvroConfluent, JSONEachRow"):
        lab.sql(create.replace("JSONEachRow", "CSV").replace("TABLE q", "TABLE r"))


def test_no_columns_without_a_schema(lab: Lab, topic: str, registry: str) -> None:
    lab.make_topic(topic)
    settings = (
        f"kafka_broker_list = '{lab.brokers}', kafka_topic_list = '{topic}', "
        "kafka_group_name = 'g', kafka_format = 'AvroConfluent', format_avro_schema_registry_url"
    )
    with pytest.raises(SluiceError, match=f"a schema of the subject {topic}-value"):
        lab.sql(f"CREATE TABLE q ENGINE = Kafka SETTINGS {settings} = '{registry}'")
    with pytest.raises(SluiceError, match="No answer from the schema registry"):
        lab.sql(f"CREATE TABLE q ENGINE = Kafka SETTINGS {settings} = 'http://127.0.0.1:1'")
