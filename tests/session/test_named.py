"""Named collections, and the Kafka tables that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sluice
from sluice.catalog import Collection, Generation, Value
from sluice.config import load
from sluice.errors import SluiceError
from sluice.planner.named_collections import source_of

if TYPE_CHECKING:
    from pathlib import Path

    from session.lab import Lab

CANARY = "c4nary-p4ss"
KAFKA1 = (
    "CREATE NAMED COLLECTION kafka1 AS kafka_broker_list = 'b:9092', kafka_topic_list = 't', "
    "kafka_group_name = 'g'"
)
QUEUE = "CREATE TABLE q (a Int8) ENGINE = Kafka(kafka1, kafka_format = 'JSONEachRow')"


def make(lab: Lab) -> None:
    lab.run(KAFKA1, QUEUE, QUEUE.replace(" q ", " detached "), "DETACH TABLE detached")


def test_a_collection_supplies_settings(lab: Lab) -> None:
    """CH-07: the collection's name first, then what is to be added or replaced."""
    lab.run(KAFKA1, QUEUE)
    source = lab.source("q")
    assert source.connection.brokers == "b:9092"
    assert (source.topics, source.group, source.value.name) == (("t",), "g", "JSONEachRow")
    assert "ENGINE = Kafka(kafka1, kafka_format = 'JSONEachRow')" in lab.shown("q")
    assert lab.shown("q").count("kafka_broker_list") == 0
    lab.run("CREATE TABLE q2 (a Int8) ENGINE = Kafka(kafka1) SETTINGS kafka_format = 'JSONEachRow'")
    assert "ENGINE = Kafka(kafka1) SETTINGS kafka_format = 'JSONEachRow'" in lab.shown("q2")


def test_the_later_value_wins(lab: Lab) -> None:
    """The collection, then the parentheses, then SETTINGS; what is not for Kafka is left alone."""
    lab.run(
        f"{KAFKA1}, kafka_format = 'JSONEachRow', kafka_max_block_size = 1, "
        "kafka_flush_interval_ms = 1, kafka_skip_broken_messages = '1', host = 'elsewhere'",
        "CREATE TABLE q (a Int8) ENGINE = Kafka(kafka1, kafka_max_block_size = 2, "
        "kafka_flush_interval_ms = 2) SETTINGS kafka_flush_interval_ms = 3",
    )
    source = lab.source("q")
    assert (source.max_block, source.flush_ms, source.skip_broken) == (2, 3, True)


def test_some_values_stay(lab: Lab) -> None:
    lab.run(
        f"{KAFKA1} NOT OVERRIDABLE, kafka_format = 'JSONEachRow' OVERRIDABLE",
        "CREATE TABLE q (a Int8) ENGINE = Kafka(kafka1, kafka_format = 'jsoneachrow')",
    )
    for rest, at in (
        ("(kafka1, kafka_group_name = 'x')", "1:48"),
        ("(kafka1) SETTINGS kafka_group_name = 'x'", "1:57"),
    ):
        text = f"CREATE TABLE r (a Int8) ENGINE = Kafka{rest}"
        lab.fails(
            text, "NAMED_COLLECTION_OVERRIDE", at, "Override not allowed for 'kafka_group_name'"
        )
    lab.fails(
        "ALTER TABLE q MODIFY SETTING kafka_group_name = 'x'",
        "NAMED_COLLECTION_OVERRIDE",
        "1:30",
        "Override not allowed for 'kafka_group_name'",
    )


@pytest.mark.parametrize(
    ("text", "condition", "at", "says"),
    [
        (KAFKA1, "NAMED_COLLECTION_ALREADY_EXISTS", "1:25", "A named collection `kafka1` already"),
        (
            "CREATE TABLE r (a Int8) ENGINE = Kafka(kafka2)",
            "NAMED_COLLECTION_DOESNT_EXIST",
            "1:34",
            "There is no named collection `kafka2` (line 1, column 34). Did you mean kafka1?",
        ),
        (
            "CREATE TABLE r (a Int8) ENGINE = Kafka(kafka1)",
            "MISSING_OPTION",
            "1:14",
            "Required parameter 'kafka_format' for storage Kafka not specified",
        ),
        (
            "CREATE TABLE r (a Int8) ENGINE = Kafka(kafka1, kafka_formt = 'x')",
            "UNKNOWN_SETTING",
            "1:48",
            "kafka_format",
        ),
        (
            "CREATE TABLE r (a Int8) ENGINE = Kafka(kafka1, kafka_format = '', kafka_format = '')",
            "INVALID_ENGINE_ARGUMENT",
            "1:67",
            "Duplicated key 'kafka_format' in params",
        ),
        (
            "DROP NAMED COLLECTION kafka1",
            "NAMED_COLLECTION_IS_USED",
            "1:23",
            "Named collection `kafka1` is used by tables: default.detached, default.q",
        ),
        ("DROP NAMED COLLECTION kafka2", "NAMED_COLLECTION_DOESNT_EXIST", "1:23", "kafka1"),
        ("ALTER NAMED COLLECTION k SET a = 1", "NAMED_COLLECTION_DOESNT_EXIST", "1:24", "`k`"),
        (
            "ALTER NAMED COLLECTION kafka1 DELETE nosuch",
            "NAMED_COLLECTION_KEY_MISSING",
            "1:24",
            "nosuch",
        ),
        (
            "ALTER NAMED COLLECTION kafka1 DELETE kafka_topic_list",
            "NAMED_COLLECTION_BREAKS_TABLE",
            "1:24",
            "default.detached could no longer use the named collection: Required parameter",
        ),
        (
            "ALTER NAMED COLLECTION kafka1 SET kafka_format = 'x' NOT OVERRIDABLE",
            "NAMED_COLLECTION_BREAKS_TABLE",
            "1:24",
            "Override not allowed for 'kafka_format'",
        ),
        ("SHOW CREATE NAMED COLLECTION k", "NAMED_COLLECTION_DOESNT_EXIST", "1:30", "`k`"),
        (
            "CREATE NAMED COLLECTION k AS a 'x'",
            "SYNTAX_ERROR",
            "1:32",
            "expected =, found a string",
        ),
        ("CREATE NAMED COLLECTION k", "SYNTAX_ERROR", "1:26", "expected AS"),
        ("CREATE NAMED COLLECTION k AS a = b", "SYNTAX_ERROR", "1:34", "the value of a"),
    ],
)
def test_what_is_refused(shared: Lab, text: str, condition: str, at: str, says: str) -> None:
    shared.fails(text, condition, at, says)


def test_collections_of_the_configuration(lab: Lab) -> None:
    values = {
        "kafka_broker_list": Value("b:9092"),
        "kafka_topic_list": Value("t"),
        "kafka_group_name": Value("g"),
    }
    lab.engine.catalog.provide([Collection("kafka1", values, "CONFIG")])
    lab.run(QUEUE, "CREATE NAMED COLLECTION a AS b = 1")
    assert lab.source("q").group == "g"
    assert [(row[0], row[2]) for row in lab.system("named_collections")] == [
        ("a", "SQL"),
        ("kafka1", "CONFIG"),
    ]
    lab.fails(KAFKA1, "NAMED_COLLECTION_ALREADY_EXISTS", "1:25")
    lab.fails("DROP NAMED COLLECTION kafka1", "NAMED_COLLECTION_IS_IMMUTABLE", "1:23")
    lab.fails("ALTER NAMED COLLECTION kafka1 SET a = 1", "NAMED_COLLECTION_IS_IMMUTABLE", "1:24")


def test_if_exists(lab: Lab) -> None:
    lab.run(KAFKA1, "CREATE NAMED COLLECTION IF NOT EXISTS kafka1 AS other = 1")
    assert "other" not in lab.run("SHOW CREATE NAMED COLLECTION kafka1")[0][0]
    lab.run("DROP NAMED COLLECTION IF EXISTS k", "ALTER NAMED COLLECTION IF EXISTS k SET a = 1")
    lab.run("DROP NAMED COLLECTION kafka1")
    assert lab.run("SHOW NAMED COLLECTIONS") == []


def test_a_change_reaches_the_tables(lab: Lab) -> None:
    lab.run(KAFKA1, QUEUE)
    before = lab.spec("q")
    lab.run(
        "ALTER NAMED COLLECTION kafka1 SET kafka_max_block_size = 7, x = 1 OVERRIDABLE DELETE x"
    )
    after = lab.spec("q")
    assert after != before
    assert after.source.max_block == 7
    assert after.id == before.id


def test_a_table_that_has_begun_stays_with_its_topics(lab: Lab) -> None:
    lab.run(KAFKA1, QUEUE, "ALTER NAMED COLLECTION kafka1 SET kafka_topic_list = 'u'")
    lab.engine.catalog.positions.add({lab.table("q").uuid: Generation(1, {"u": {0: 0}}, {})})
    lab.fails(
        "ALTER NAMED COLLECTION kafka1 SET kafka_topic_list = 'v'",
        "NAMED_COLLECTION_BREAKS_TABLE",
        "1:24",
        "has read from u and would read from v",
    )


def test_values_stay_unless_they_are_set_again(lab: Lab) -> None:
    lab.run(
        "CREATE NAMED COLLECTION c AS a = 1 NOT OVERRIDABLE, b = 'x', d = true",
        "ALTER NAMED COLLECTION c SET a = 2, b = 'y' OVERRIDABLE",
    )
    text = "CREATE NAMED COLLECTION c AS a = 2 NOT OVERRIDABLE, b = 'y' OVERRIDABLE, d = true"
    assert lab.run("SHOW CREATE NAMED COLLECTION c") == [(text,)]
    assert lab.system("named_collections") == [
        ("c", {"a": "2", "b": "y", "d": "true"}, "SQL", text)
    ]


def test_secrets_are_shown_nowhere(lab: Lab) -> None:
    """A password planted in a collection, in parentheses and in SETTINGS."""
    said = "kafka_security_protocol = 'sasl_ssl', kafka_sasl_mechanism = 'PLAIN'"
    lab.run(
        f"{KAFKA1}, {said}, kafka_sasl_username = 'u', kafka_sasl_password = '{CANARY}', "
        f"aws_secret = '{CANARY}'",
        QUEUE,
        QUEUE.replace(" q ", " r ").replace("')", f"', kafka_sasl_password = '{CANARY}')"),
        QUEUE.replace(" q ", " s ") + f" SETTINGS kafka_sasl_password = '{CANARY}'",
    )
    password = lab.source("s").connection.sasl_password
    assert password is not None
    assert password.reveal() == CANARY
    seen = [
        lab.run("SHOW NAMED COLLECTIONS"),
        lab.run("SHOW CREATE NAMED COLLECTION kafka1"),
        *(lab.shown(name) for name in "qrs"),
        *(lab.system(name) for name in ("tables", "named_collections", "pipelines")),
        repr(lab.spec("q")).replace(repr(lab.source("q").table), ""),
        lab.fails(KAFKA1, "NAMED_COLLECTION_ALREADY_EXISTS"),
        lab.fails(f"CREATE NAMED COLLECTION c AS a '{CANARY}'", "SYNTAX_ERROR"),
        lab.fails(f"CREATE NAMED COLLECTION c AS a = 1 '{CANARY}'", "SYNTAX_ERROR"),
        lab.fails(
            f"ALTER NAMED COLLECTION kafka1 SET kafka_sasl_password '{CANARY}'", "SYNTAX_ERROR"
        ),
        lab.fails(
            f"ALTER NAMED COLLECTION kafka1 SET kafka_sasl_password = '{CANARY}' "
            "DELETE kafka_sasl_username",
            "NAMED_COLLECTION_BREAKS_TABLE",
        ),
        repr(lab.engine.catalog.collections()),
    ]
    assert "[HIDDEN]" in str(seen)
    assert CANARY not in str(seen)


CONFIG = """
<clickhouse>
  <named_collections>
    <mine>
      <kafka_broker_list>b:9092</kafka_broker_list>
      <kafka_topic_list>t</kafka_topic_list>
      <kafka_group_name>g</kafka_group_name>
      <kafka><sasl_username>u</sasl_username></kafka>
    </mine>
  </named_collections>
  <kafka><retry_backoff_ms>250</retry_backoff_ms></kafka>
</clickhouse>
"""


def test_collections_of_configuration_files(tmp_path: Path) -> None:
    """CH-07, CH-16: they are used like others, with their client properties, and stay."""
    file = tmp_path / "config.xml"
    file.write_text(CONFIG, "utf-8")
    with sluice.connect(tmp_path / "data", pipelines=False, config=load(file)) as session:
        session.execute(
            "CREATE TABLE q (a Int8) ENGINE = Kafka(mine) SETTINGS kafka_format = 'JSONEachRow', "
            "kafka_security_protocol = 'sasl_plaintext', kafka_sasl_password = 'p'"
        )
        (table,) = session._engine.catalog.tables()
        client = source_of(session._engine.environment, table).connection.librdkafka()
        assert client["sasl.username"] == "u"
        assert client["retry.backoff.ms"] == "250"
        for statement in ("DROP NAMED COLLECTION mine", "ALTER NAMED COLLECTION mine SET a = 1"):
            with pytest.raises(SluiceError, match="in the configuration"):
                session.execute(statement)


def test_ch_08_a_session_lifts_the_limit_of_consumers(lab: Lab) -> None:
    """CH-08: more consumers than the machine allows are refused, unless the session has said so."""
    queue = (
        "CREATE TABLE q (a Int8) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow') "
        "SETTINGS kafka_num_consumers = 100"
    )
    lab.fails(queue, "TOO_MANY_CONSUMERS", says="The number of consumers can not be bigger than")
    lab.run("SET kafka_disable_num_consumers_limit = 1", queue)
    assert lab.source("q").min_tasks == 100
