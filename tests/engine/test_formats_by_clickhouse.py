"""Messages that ClickHouse's own code reads and writes, through tables, views and statements.

What each format reads and writes is in `tests/formats`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.lab import Lab

COLUMNS = "id Int64, blockNo UInt16, val1 String, val2 Float32, val3 UInt8"
ROW = "({}, {}, 'AM', 0.5, 1)"


@pytest.mark.cluster
def test_ch_78_stream(lab: Lab, topic: str) -> None:
    """CH-58, CH-78, CH-79: one row, many in one message, a bad one as it is, nothing at all.

    Literals are read in the JVM; the expression in the first row, and what is bad, by ClickHouse.
    """
    many = ", ".join(ROW.format(i, 0) for i in range(1, 16))
    bad = b"(0, 'BAD\xff', 'AM', 0.5, 1)"
    lab.produce(
        topic, ROW.format("1 - 1", 0), many, bad, "", None, "(file('/etc/passwd'))", "(1 + 1"
    )
    lab.queue("q", topic, COLUMNS, kafka_format="Values", kafka_handle_error_mode="stream")
    lab.sql(
        "CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY tuple() AS "
        "SELECT *, _offset AS at, _error AS error, hex(_raw_message) AS raw FROM q"
    )
    lab.arrives("SELECT count() FROM v", [(19,)])
    good = lab.sql("SELECT at, count(), sum(id) FROM v WHERE error = '' GROUP BY at ORDER BY at")
    assert good == [(0, 1, 0), (1, 15, 120)]
    wrong = lab.sql("SELECT at, error, raw, id FROM v WHERE error != '' ORDER BY at")
    assert [row[0] for row in wrong] == [2, 5, 6]
    assert "Cannot parse string 'BAD" in wrong[0][1]
    assert wrong[0][2:] == (bad.hex().upper(), 0)
    assert "root:" not in wrong[1][1]
    assert not any("sluice-messages" in row[1] for row in wrong)
    lab.group_at(topic, 7)


def test_ch_81_dead_letters_and_redrive(lab: Lab, topic: str) -> None:
    """CH-81: what is bad is kept; it is read again with other settings."""
    lab.produce(topic, "1|a\n", "x|b\n", "3;c\n", Message(b"", b"k"))
    modes = {
        "kafka_handle_error_mode": "dead_letter_queue",
        "format_custom_escaping_rule": "CSV",
        "format_custom_field_delimiter": "|",
    }
    lab.pipe(topic, "a UInt8, b String", kafka_format="CustomSeparated", **modes)
    lab.arrives("SELECT * FROM v", [(1, "a")])
    own = f"FROM system.dead_letter_queue WHERE database = '{lab.database}'"
    lab.arrives(f"SELECT kafka_offset, raw_message {own} ORDER BY kafka_offset",
                [(1, "x|b\n"), (2, "3;c\n")])  # fmt: skip
    lab.sql("REDRIVE DEAD LETTERS FROM q SETTINGS format_custom_field_delimiter = ';'")
    lab.arrives("SELECT * FROM v ORDER BY a", [(1, "a"), (3, "c")])


def test_ch_76_default_mode(lab: Lab, topic: str) -> None:
    """CH-76: without another mode a bad message stops the pipeline, which names its place."""
    insert = "INSERT INTO `t` VALUES ({});"
    lab.produce(topic, insert.format("1), (2"), insert.format("'qwertyuiop'"))
    lab.pipe(topic, "a UInt8", kafka_format="MySQLDump")
    error = lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)")
    assert "Cannot parse input: expected ')' before: " in error
    assert "qwertyuiop" in error
    assert topic in error
    assert "offset: 1" in error
    with pytest.raises(SluiceError, match="qwertyuiop"):
        lab.sql("SELECT * FROM q")


@pytest.mark.cluster
def test_ch_90_ch_91_written(lab: Lab, topic: str) -> None:
    """CH-90, CH-92: rows in each message, with what comes before and after; read back."""
    delimiters = {
        "kafka_format": "CustomSeparated",
        "format_custom_result_before_delimiter": "<prefix>\n",
        "format_custom_result_after_delimiter": "<suffix>\n",
    }
    lab.make_topic(topic)
    lab.queue("q", topic, "a UInt64, b UInt64", kafka_max_rows_per_message=3, **delimiters)
    lab.sql("INSERT INTO q SELECT number * 10, number * 100 FROM numbers(5) ORDER BY number")
    assert [each.value for each in lab.consume(topic)] == [
        b"<prefix>\n0\t0\n10\t100\n20\t200\n<suffix>\n",
        b"<prefix>\n30\t300\n40\t400\n<suffix>\n",
    ]
    lab.make_topic(f"{topic}-one")
    lab.queue("one", f"{topic}-one", "a UInt64, b UInt64", **delimiters)
    lab.sql("INSERT INTO one SELECT * FROM q WHERE a < 20")
    assert sorted(each.value or b"" for each in lab.consume(f"{topic}-one")) == [
        b"<prefix>\n0\t0\n<suffix>\n", b"<prefix>\n10\t100\n<suffix>\n",
    ]  # fmt: skip


def test_ch_93_blocks(lab: Lab, topic: str) -> None:
    """CH-93: a message for each block; a view that writes, and one that reads it back."""
    rows = "SELECT number, toString(number) FROM numbers(100)"
    for format_ in ("Parquet", "Native", "Buffers"):
        lab.make_topic(f"{topic}-{format_}")
        lab.queue(format_, f"{topic}-{format_}", "a UInt64, b String", kafka_format=format_)
        lab.sql(f"INSERT INTO {format_} {rows} SETTINGS max_block_size = 12")
        assert len(lab.consume(f"{topic}-{format_}")) == 9, format_
        found = lab.sql(f"SELECT count(), sum(a), max(b), uniqExact(_offset) FROM {format_}")
        assert found == [(100, 4950, "99", 9)], format_


def test_written_alone(lab: Lab, topic: str) -> None:
    """A format that nothing reads is that of a table to write to."""
    lab.make_topic(topic)
    lab.queue("q", topic, "a UInt8", kafka_format="Vertical")
    lab.sql("INSERT INTO q VALUES (7)")
    line = "─" * 6
    assert lab.consume(topic)[0].value == f"Row 1:\n{line}\na: 7\n".encode()
    with pytest.raises(SluiceError, match="Reading messages as Vertical is not implemented"):
        lab.sql("SELECT * FROM q")
    with pytest.raises(SluiceError, match="Reading messages as Vertical is not implemented"):
        lab.sql("CREATE MATERIALIZED VIEW m ENGINE = Null AS SELECT * FROM q")
