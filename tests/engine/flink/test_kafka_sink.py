"""Batches of rows into topics: once, at least once or neither, and to which partitions."""

from __future__ import annotations

import itertools
import re
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from quick import QUICK
from topics import committed
from waiting import eventually

from engine.lab import PATIENCE, configure
from sluice.broker import Broker, Listener
from sluice.catalog import NOBODY, Instance
from sluice.config import Config
from sluice.engine.sinks.kafka import KafkaSink
from sluice.engine.storage.ledger import Writer
from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message
from sluice.planner.spec import Rules, SinkSpec
from sluice.planner.topic_sink import flink_sink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from engine.flink.flink_lab import FlinkLab
    from engine.lab import Lab
    from sluice.engine.offsets import Ranges

_numbers = itertools.count(1)

ONCE = "'sink.semantic' = 'exactly-once'"
JAVA = "org.apache.kafka.clients.producer.RoundRobinPartitioner"
PYTHON = "engine.flink.choosers:ByNumber"
ALLOWED = Config(partitioners=(JAVA, PYTHON, "engine.flink.choosers:Beyond", "no.such.Class"))


@dataclass
class Desk:
    """A lab where rows made by hand are written to topics."""

    lab: Lab
    writers: list[KafkaSink]

    @property
    def spark(self) -> SparkSession:
        return self.lab.session._engine.spark()

    def sink(self, topic: str, options: str = "", columns: str = "v STRING") -> SinkSpec:
        """A table over a topic, as something to write to."""
        name = f"s{next(_numbers)}"
        given = f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{self.lab.brokers}'"
        if "format" not in options:
            given += ", 'format' = 'raw'"
        given += f", {options}" if options else ""
        text = f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', {given})"
        self.lab.session.execute(text, dialect="flink")
        table = self.lab.session._engine.catalog.find(self.lab.database, name)
        assert table is not None
        names = tuple(c.name for c in table.columns)
        return SinkSpec(table, flink_sink(table, config=ALLOWED), names, Rules())

    def writer(
        self,
        target: SinkSpec,
        job: str,
        generation: int = 1,
        output: int = 0,
        instance: Instance = NOBODY,
    ) -> KafkaSink:
        """One that has started."""
        writer = KafkaSink(target, self.spark, Writer(job, generation, str(output)), instance)
        self.writers.append(writer)
        writer.start()
        return writer

    def numbers(self, *span: int, tasks: int = 1) -> DataFrame:
        """Numbers as texts, in so many tasks."""
        start, end = span if len(span) == 2 else (0, span[0])
        return self.spark.range(start, end, 1, tasks).selectExpr("CAST(id AS STRING) AS v")

    def committed(self, topic: str) -> list[Any]:
        """All that a reader of committed messages sees."""
        return committed(self.lab.cluster, topic)

    def values(self, topic: str) -> list[int]:
        """The numbers that are there, sorted."""
        return sorted(int(message.value()) for message in self.committed(topic))

    def places(self, topic: str) -> dict[int, int]:
        """How many messages each partition has."""
        return dict(sorted(Counter(m.partition() for m in self.committed(topic)).items()))

    def producer(self, name: str) -> Any:
        """Java's producer under a name, as another process would have it."""
        jvm: Any = self.spark._jvm
        settings = jvm.java.util.HashMap()
        settings.put("bootstrap.servers", self.lab.brokers)
        settings.put("transactional.id", name)
        bytes_ = jvm.org.apache.kafka.common.serialization.StringSerializer()
        made = jvm.org.apache.kafka.clients.producer.KafkaProducer(settings, bytes_, bytes_)
        made.initTransactions()
        made.beginTransaction()
        return made

    def say(self, producer: Any, topic: str, text: str) -> None:
        """Send a message and wait until it is there."""
        jvm: Any = self.spark._jvm
        producer.send(jvm.org.apache.kafka.clients.producer.ProducerRecord(topic, text)).get()


@pytest.fixture
def desk(lab: Lab) -> Iterator[Desk]:
    before = lab.session._engine.config
    assert before is not None
    configure(lab.session, replace(before, partitioners=ALLOWED.partitioners))
    made = Desk(lab, [])
    yield made
    for writer in made.writers:
        writer.close()
    configure(lab.session, before)


def job() -> str:
    return str(uuid.uuid4())


def fails(condition: str, action: Callable[[], object]) -> str:
    with pytest.raises(SluiceError) as caught:
        action()
    assert caught.value.condition.name == condition, caught.value.text()
    return caught.value.text()


def test_once(desk: Desk, topic: str) -> None:
    """A batch is there once, however often it is written; FL-42."""
    desk.lab.make_topic(topic, 3)
    target, mine = desk.sink(topic, ONCE), job()
    writer = desk.writer(target, mine)
    assert writer.last_batch() == -1
    rows = desk.numbers(100, tasks=4)  # more tasks than partitions
    writer.write(writer.prepare(rows), 0)
    writer.write(writer.prepare(rows), 0)
    assert writer.last_batch() == 0
    assert desk.values(topic) == list(range(100))
    writer.write(writer.prepare(desk.numbers(100, 110)), 1)  # others have no rows in this one
    writer.close()
    again = desk.writer(target, mine)
    assert again.last_batch() == 1
    again.write(again.prepare(desk.numbers(100, 110)), 1)
    again.write(again.prepare(desk.numbers(110, 120, tasks=2)), 2)
    again.write(again.prepare(desk.numbers(0)), 3)
    assert again.last_batch() == 3
    assert desk.values(topic) == list(range(120))
    again.close()
    late = desk.writer(target, mine)
    assert late.last_batch() == 2
    said = fails("SINK_IS_AHEAD", lambda: late.write(late.prepare(rows), 1))
    assert f"Topic {topic} already has batch 2 of this job" in said
    # A new generation begins to count anew, and another output of the job counts for itself.
    for other in (desk.writer(target, mine, 2), desk.writer(target, mine, 1, 1)):
        other.write(other.prepare(desk.numbers(1)), 0)
    assert Counter(desk.values(topic))[0] == 3


def test_a_copy_of_the_data_folder(desk: Desk, topic: str) -> None:
    """Of two servers that write the same batches one stops, and every row is there once."""
    desk.lab.make_topic(topic, 2)
    target, mine = desk.sink(topic, ONCE), job()

    def read(batch: int) -> Ranges:
        return {"in": {0: (10 * batch, 10 * batch + 10)}}

    def write(writer: KafkaSink, batch: int, ranges: Ranges | None = None) -> None:
        rows = desk.numbers(10 * batch, 10 * batch + 10, tasks=2)
        writer.write(writer.prepare(rows), batch, ranges or read(batch))

    one = Instance("folder", "folder:100:a")
    original = desk.writer(target, mine, instance=one)
    for batch in (0, 1, 2):
        write(original, batch)
    copy = Instance("folder", "folder:200:b", frozenset({one.token}))
    # A copy that was made before batch 1 has nothing to add, and does not disturb the original.
    stale = desk.writer(target, mine, instance=copy)
    fails("SINK_IS_AHEAD", lambda: write(stale, 1))
    write(original, 3)
    # The same number with other messages is not the same batch.
    other = desk.writer(target, mine, instance=copy)
    assert other.has(3, read(3))
    said = fails("BATCH_RANGES_DIFFER", lambda: other.has(3, read(4)))
    assert "in/0: 40 to 49" in said
    assert fails("BATCH_RANGES_DIFFER", lambda: write(other, 3, read(4)))
    write(original, 4)
    # One that was made just now takes over. The original finds out with its next batch, whichever
    # it is, and when it is started again.
    taken = desk.writer(target, mine, instance=copy)
    write(taken, 5)
    taken.close()  # in another process the original would not find its producers
    for batch in (5, 6):
        said = fails("DATA_FOLDER_COPIED", partial(write, original, batch))
    assert "--new-instance" in said
    fails("DATA_FOLDER_COPIED", lambda: desk.writer(target, mine, instance=one))
    write(taken, 6)
    assert desk.values(topic) == list(range(70))
    # A copy with an identity of its own has names of its own, and disturbs nobody.
    new = Instance("new", "new:300:c", copy.past | {copy.token}, suffix="-new")
    apart = desk.writer(target, mine, instance=new)
    assert apart.last_batch() == -1
    write(apart, 7)
    write(taken, 7)
    assert desk.values(topic) == sorted([*range(80), *range(70, 80)])


def test_jobs(desk: Desk, flink: FlinkLab, topic: str) -> None:
    """INSERTs into a topic; FL-42: rows that are written out, then those of another topic."""
    flink.make_topic(topic, 2)
    given = {"format": "raw", "sink__delivery_guarantee": "exactly-once"}
    flink.table("s", "v STRING", topic, **given, sink__transactional_id_prefix="jobs")
    job = flink.start("INSERT INTO s VALUES ('1000'), ('1001')")
    assert flink.job(job)[2] == "FINISHED"
    assert desk.values(topic) == [1000, 1001]
    flink.make_topic(f"{topic}-in", 3)
    flink.table("q", "v STRING", f"{topic}-in", format="raw")
    job = flink.start("INSERT INTO s SELECT v FROM q WHERE v <> '7'")
    flink.produce(f"{topic}-in", *(Message(str(n).encode()) for n in range(300)))
    wanted = [*(n for n in range(300) if n != 7), 1000, 1001]
    eventually(lambda: desk.values(topic), lambda found: found == wanted, PATIENCE)
    flink.sql(f"STOP JOB '{job}'")
    assert flink.job(job)[4] is not None  # the last batch


def test_in_part(desk: Desk, topic: str) -> None:
    """Tasks that had committed skip the batch when it is run again; the others write it."""
    desk.lab.make_topic(topic, 2)
    target, mine = desk.sink(topic, ONCE), job()
    rows = desk.numbers(100, tasks=2)
    broken = rows.selectExpr("IF(v = '99', CAST(RAISE_ERROR('bad row') AS STRING), v) AS v")

    def attempt() -> list[int]:
        """Spark ends the good task as well, if it has not committed when the bad one fails."""
        writer = desk.writer(target, mine)
        with pytest.raises(Exception, match="bad row"):
            writer.write(writer.prepare(broken), 0)
        writer.close()
        return desk.values(topic)

    # What was begun is aborted, and invisible.
    eventually(attempt, lambda found: found == list(range(50)), PATIENCE)
    again = desk.writer(target, mine)
    assert again.last_batch() == -1
    wider = again.prepare(desk.numbers(100, tasks=3))
    said = fails("SINK_TASKS_CHANGED", lambda: again.write(wider, 0))
    assert re.search(r"divided among other tasks: 3 \w+, not 2 \w+", said)
    again.write(again.prepare(rows), 0)
    assert desk.values(topic) == list(range(100))


def test_zombies(desk: Desk, topic: str) -> None:
    """Whoever had a task's name before is shut out, and what it left open is aborted."""
    desk.lab.make_topic(topic, 1)
    target, mine = desk.sink(topic, f"{ONCE}, 'sink.transactional-id-prefix' = 'mine'"), job()
    zombie = desk.producer(f"mine-{mine}-1-0-0")
    desk.say(zombie, topic, "666")
    gone = desk.producer(f"mine-{mine}-1-0-17")  # a task that will not come back
    desk.say(gone, topic, "667")
    other = desk.producer(f"mine-{job()}-1-0-0")
    writer = desk.writer(target, mine)  # ends what this job has left open, and nothing else
    desk.say(other, topic, "42")
    other.commitTransaction()
    assert desk.values(topic) == [42]
    revived = desk.producer(f"mine-{mine}-1-0-0")
    desk.say(revived, topic, "668")
    writer.write(writer.prepare(desk.numbers(3)), 0)
    for producer in (zombie, gone, revived):
        with pytest.raises(Exception, match=r"Fenced|newer producer|error state|epoch"):
            producer.commitTransaction()
    assert desk.values(topic) == [0, 1, 2, 42]
    # A producer that the writer has kept is shut out itself: the batch fails, and is then written.
    revived = desk.producer(f"mine-{mine}-1-0-0")
    rows = writer.prepare(desk.numbers(3, 6))
    fails("KAFKA_NOT_WRITTEN", lambda: writer.write(rows, 1))
    writer.write(rows, 1)
    assert desk.values(topic) == [0, 1, 2, 3, 4, 5, 42]
    jvm: Any = desk.spark._jvm
    for producer in (zombie, gone, revived, other):
        producer.close(jvm.java.time.Duration.ZERO)


@pytest.mark.slow
def test_partitions(desk: Desk, topic: str) -> None:
    """FL-98: fixed; round-robin continues with the next batch; classes in Java and Python."""
    names = {n: f"{topic}-{n}" for n in ("fixed", "few", "many", "turns", "java", "python", "key")}
    for name in names.values():
        desk.lab.make_topic(name, 3)

    def written(n: str, options: str, *batches: DataFrame) -> dict[int, int]:
        writer = desk.writer(desk.sink(names[n], options), job())
        for number, batch in enumerate(batches):
            writer.write(writer.prepare(batch), number)
        return desk.places(names[n])

    fixed = "'sink.partitioner' = 'fixed'"
    assert written("fixed", fixed, desk.numbers(40, tasks=4)) == {0: 20, 1: 10, 2: 10}
    # FL-22: the number of tasks that write
    few = f"{fixed}, 'sink.parallelism' = '2', {ONCE}"
    assert written("few", few, desk.numbers(40, tasks=4)) == {0: 20, 1: 20}
    many = written("many", f"{fixed}, 'sink.parallelism' = '5'", desk.numbers(99))
    assert set(many) == {0, 1, 2}
    turns = [desk.numbers(4), desk.numbers(4, 5), desk.numbers(5, 9)]
    assert written("turns", f"'sink.partitioner' = 'round-robin', {ONCE}", *turns) == {
        0: 3,
        1: 3,
        2: 3,
    }
    java = f"'sink.partitioner' = '{JAVA}'"
    assert set(written("java", java, desk.numbers(30))) == {0, 1, 2}
    python = f"'sink.partitioner' = '{PYTHON}', {ONCE}"
    written("python", python, desk.numbers(30, tasks=2))
    assert all(int(m.value()) % 3 == m.partition() for m in desk.committed(names["python"]))
    wrong = desk.writer(
        desk.sink(names["python"], "'sink.partitioner' = 'engine.flink.choosers:Beyond'"), job()
    )
    with pytest.raises(Exception, match="gave the partition 99 of a topic with 3"):
        wrong.write(wrong.prepare(desk.numbers(1)), 0)
    # A key decides, as it does for every client of Kafka's.
    keyed = desk.sink(
        names["key"],
        "'key.format' = 'raw', 'value.format' = 'raw', 'key.fields' = 'k', "
        "'value.fields-include' = 'EXCEPT_KEY'",
        "k STRING, v STRING",
    )
    writer = desk.writer(keyed, job())
    rows = desk.numbers(90, tasks=3).selectExpr("CAST(v % 5 AS STRING)", "v")
    writer.write(writer.prepare(rows), 0)
    found = {(m.key(), m.partition()) for m in desk.committed(names["key"])}
    assert len(found) == 5


@pytest.mark.parametrize("name", ["abc", "os:system", "java.lang.Runtime", "subprocess:Popen"])
def test_classes_that_nobody_allowed(desk: Desk, topic: str, name: str) -> None:
    """FL-06."""
    said = fails("UNKNOWN_PARTITIONER", lambda: desk.sink(topic, f"'sink.partitioner' = '{name}'"))
    assert f"Could not find and instantiate partitioner class '{name}'" in said


def test_surroundings(desk: Desk, topic: str) -> None:
    """FL-45, FL-46: times and headers; a NULL map is none, a header's value may be NULL."""
    desk.lab.make_topic(topic)
    target = desk.sink(
        topic,
        columns="v STRING, at TIMESTAMP(3) METADATA FROM 'timestamp', "
        "h MAP<STRING, BYTES> METADATA FROM 'headers', p INT METADATA FROM 'partition' VIRTUAL",
    )
    target = replace(target, columns=("h", "v", "at"))
    writer = desk.writer(target, job())
    rows = desk.spark.sql(
        "SELECT map('k1', X'C0FFEE', 'k2', CAST(NULL AS BINARY)), 'a', "
        "TIMESTAMP_NTZ '2020-03-08 13:12:11.123' "
        "UNION ALL SELECT NULL, NULL, NULL"
    ).coalesce(1)
    writer.write(writer.prepare(rows), 0)
    first, second = desk.committed(topic)
    assert first.headers() == [("k1", b"\xc0\xff\xee"), ("k2", None)]
    assert first.timestamp()[1] == 1583673131123
    assert (second.value(), second.headers()) == (None, None)
    assert second.timestamp()[1] > 1583673131123


def test_keys_and_values(desk: Desk, flink: FlinkLab, topic: str) -> None:
    """FL-45, FL-47, FL-48: what is in the key, what in the value, and all of it read again."""
    columns = (
        "k_user_id BIGINT, name STRING, at TIMESTAMP(3) METADATA FROM 'timestamp', "
        "k_event_id BIGINT, user_id INT, payload STRING, "
        "kind STRING METADATA FROM 'timestamp-type' VIRTUAL"
    )
    row = "1, 'name 1', TIMESTAMP '2020-03-08 13:12:11.123', 100, 41, 'payload 1'"
    wanted = (1, "name 1", datetime(2020, 3, 8, 13, 12, 11, 123000), 100, 41, "payload 1")  # noqa: DTZ001
    for half, key, value in (
        (
            "json",
            b'{"event_id":100,"user_id":1}',
            b'{"name":"name 1","user_id":41,"payload":"payload 1"}',
        ),
        ("csv", b"100,1", b'"name 1",41,"payload 1"'),
    ):
        flink.make_topic(f"{topic}-{half}")
        given = {
            "format": "",
            "key.format": half,
            "value.format": half,
            "key.fields": "k_event_id; k_user_id",
            "key.fields-prefix": "k_",
            "value.fields-include": "EXCEPT_KEY",
            "scan.bounded.mode": "latest-offset",
            "sink.semantic": "exactly-once",
        }
        flink.table(f"part_{half}", columns, f"{topic}-{half}", **given)
        flink.sql(f"INSERT INTO part_{half} VALUES ({row})")
        (sent,) = desk.committed(f"{topic}-{half}")
        assert (sent.key(), sent.value()) == (key, value)
        assert flink.sql(f"SELECT * FROM part_{half}") == [(*wanted, "CreateTime")]
    flink.make_topic(f"{topic}-all")
    given |= {"key.fields": "event_id; user_id", "key.fields-prefix": ""}
    given |= {"value.fields-include": "ALL", "key.format": "json", "value.format": "json"}
    flink.table("whole", "user_id BIGINT, name STRING, event_id BIGINT", f"{topic}-all", **given)
    flink.sql("INSERT INTO whole VALUES (1, 'a', 10), (2, 'b', 20)")
    flink.sql("INSERT INTO whole (event_id, user_id) VALUES (30, 3)")
    rows = [(1, "a", 10), (2, "b", 20), (3, None, 30)]
    assert sorted(flink.sql("SELECT * FROM whole")) == rows
    sent = {m.key(): m.value() for m in desk.committed(f"{topic}-all")}
    assert sent[b'{"event_id":30,"user_id":3}'] == b'{"user_id":3,"name":null,"event_id":30}'


def test_columns(desk: Desk, topic: str) -> None:
    """What does not fit the table is refused when the job begins; a NULL, when it comes."""
    desk.lab.make_topic(topic)
    writer = desk.writer(desk.sink(topic, columns="v STRING NOT NULL"), job())
    said = fails("SINK_SCHEMA_MISMATCH", lambda: writer.prepare(desk.spark.range(1)))
    assert "Column types of query result and sink for" in said
    assert "Incompatible types for sink column 'v' at position 0" in said
    with pytest.raises(Exception, match="Column 'v' is NOT NULL, however, a null value"):
        writer.write(writer.prepare(desk.spark.sql("SELECT NULL AS v")), 0)


def test_guarantees(desk: Desk, topic: str) -> None:
    """FL-59: at least once; and none, which only hands over."""
    desk.lab.make_topic(topic, 2)
    for start, semantic in ((0, "at-least-once"), (100, "none")):
        writer = desk.writer(desk.sink(topic, f"'sink.semantic' = '{semantic}'"), job())
        writer.write(writer.prepare(desk.numbers(start, start + 50, tasks=2)), 0)
        writer.write(writer.prepare(desk.numbers(start + 50, start + 100)), 1)
        assert writer.last_batch() == 1
        if start == 0:
            assert desk.values(topic) == list(range(100))
    eventually(lambda: desk.values(topic), lambda found: found == list(range(200)), 30)


@pytest.mark.slow
def test_what_goes_wrong(desk: Desk, topic: str) -> None:
    """FL-58: it is said what Kafka does not take, and nothing of such a batch is there."""
    missing = KafkaSink(desk.sink(f"{topic}-missing", ONCE), desk.spark, Writer(job(), 1, "0"))
    assert "does not exist" in fails("KAFKA_TOPIC_MISSING", missing.start)
    desk.lab.cluster.create_topic(topic, 1)
    hour = f"{ONCE}, 'properties.transaction.timeout.ms' = '3600000'"
    said = fails("KAFKA_TRANSACTION_TOO_LONG", lambda: desk.writer(desk.sink(topic, hour), job()))
    assert "transaction.max.timeout.ms is 900000" in said
    for options in (ONCE, ""):
        writer = desk.writer(desk.sink(topic, options), job())
        big = writer.prepare(
            desk.numbers(3).selectExpr("IF(v = '2', repeat('x', 2000000), v) AS v")
        )
        said = fails("KAFKA_MESSAGE_TOO_LARGE", lambda: writer.write(big, 0))  # noqa: B023
        assert re.search(r"larger than", said)
        if options == ONCE:
            assert desk.values(topic) == []
            writer.write(writer.prepare(desk.numbers(3)), 0)
            assert desk.values(topic) == [0, 1, 2]
    away = desk.sink(topic, ONCE)
    assert away.kafka is not None
    connection = replace(away.kafka.connection, brokers="127.0.0.1:1")
    nobody = replace(away, kafka=replace(away.kafka, connection=connection))
    fails("BROKER_UNREACHABLE", KafkaSink(nobody, desk.spark, Writer(job(), 1, "0")).start)
    absent = desk.sink(topic, "'sink.partitioner' = 'no.such.Class'")
    said = fails("UNKNOWN_PARTITIONER", lambda: desk.writer(absent, job()))
    assert "Could not find and instantiate partitioner class 'no.such.Class'" in said


@pytest.mark.slow
def test_a_batch_that_takes_too_long(desk: Desk, topic: str) -> None:
    """The brokers end a transaction after its time; then that is said, and nothing is there."""
    desk.lab.make_topic(topic)
    short = f"{ONCE}, 'properties.transaction.timeout.ms' = '1000'"
    writer = desk.writer(desk.sink(topic, short), job())
    rows = desk.numbers(2)
    # They look for such transactions every second.
    wait = "IF(v = '1', coalesce(reflect('java.lang.Thread', 'sleep', 5000L), v), v) AS v"
    slow = writer.prepare(rows.selectExpr(wait))
    said = fails("KAFKA_NOT_WRITTEN", lambda: writer.write(slow, 0))
    assert "it took longer than transaction.timeout.ms" in said
    assert desk.values(topic) == []
    writer.write(writer.prepare(rows), 0)
    assert desk.values(topic) == [0, 1]


class Guarded(Listener):
    """A listener of a broker that lets users do only what they were allowed."""

    def settings(self) -> dict[str, str]:
        authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
        return super().settings() | {
            "authorizer.class.name": authorizer,
            "super.users": "User:ANONYMOUS",
        }


@pytest.mark.slow
def test_rights(desk: Desk, topic: str, tmp_path: Path) -> None:
    """It is said what the brokers do not allow; what the page of sinks asks for is enough."""
    login = Guarded("LOGIN", "SASL_PLAINTEXT", ("PLAIN",), {"alice": "S3CR3T"})
    with Broker(tmp_path / "broker", listeners=[login], java_options=QUICK) as broker:
        cluster = Cluster({"bootstrap.servers": broker.address})
        admin = AdminClient({"bootstrap.servers": broker.address})

        def allow(kind: ResourceType, name: str, *operations: AclOperation) -> None:
            pattern = ResourcePatternType.PREFIXED
            bindings = [
                AclBinding(kind, name, pattern, "User:alice", "*", each, AclPermissionType.ALLOW)
                for each in operations
            ]
            for done in admin.create_acls(bindings).values():
                done.result()

        cluster.create_topic(topic, 1)
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        jaas = f'{module} required username="alice" password="S3CR3T";'
        options = (
            "'properties.security.protocol' = 'SASL_PLAINTEXT', "
            f"'properties.sasl.mechanism' = 'PLAIN', 'properties.sasl.jaas.config' = '{jaas}'"
        )
        own = replace(desk, lab=replace(desk.lab, brokers=broker.address_of("LOGIN")))
        once = own.sink(topic, f"{options}, {ONCE}")
        writer = KafkaSink(once, desk.spark, Writer(job(), 1, "0"))
        assert "uthoriz" in fails("KAFKA_REFUSED", writer.start)
        allow(ResourceType.TOPIC, topic, AclOperation.DESCRIBE)
        plain = desk.writer(own.sink(topic, options), job())
        rows = plain.prepare(desk.numbers(3))
        assert "uthoriz" in fails("KAFKA_REFUSED", lambda: plain.write(rows, 0))
        assert "uthoriz" in fails("KAFKA_REFUSED", writer.start)
        allow(ResourceType.GROUP, "sluice.", AclOperation.READ, AclOperation.DESCRIBE)
        writer.start()
        said = fails("KAFKA_REFUSED", lambda: writer.write(rows, 0))
        assert "uthoriz" in said
        allow(ResourceType.TOPIC, topic, AclOperation.WRITE, AclOperation.READ)
        ids = (AclOperation.WRITE, AclOperation.DESCRIBE)
        allow(ResourceType.TRANSACTIONAL_ID, "sluice-", *ids)
        writer.write(rows, 0)
        writer.close()
        writer.start()
        assert writer.last_batch() == 0
        plain.write(rows, 0)
        whole = replace(desk, lab=replace(desk.lab, brokers=broker.address, cluster=cluster))
        assert whole.values(topic) == [0, 0, 1, 1, 2, 2]
        writer.close()
        plain.close()
        cluster.close()
