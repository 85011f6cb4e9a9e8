"""csv and avro in jobs: lines come in, records go out, and are read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab

COLUMNS = "id INT, name STRING, price DECIMAL(10, 2), at TIMESTAMP(3), tags ARRAY<STRING>"
LINES = (
    '1,"a, b",1.50,2024-01-31 12:30:00.5,x;y',
    "2,,-0.01,1969-12-31 23:59:59,",
    "oops,c,2,2024-01-31 12:30:00,z",
    "3,too,many,fields,for,it,by,far",
)


def test_from_lines_to_records_and_back(flink: FlinkLab) -> None:
    """FL-77, FL-80, FL-82: two jobs through two formats; wrong lines are NULLs or no rows."""
    flink.produce("formats-csv", *LINES, None)
    lenient = {"csv__ignore_parse_errors": "true", "scan__bounded__mode": "latest-offset"}
    flink.table("lines", COLUMNS, "formats-csv", format="csv", **lenient)
    flink.make_topic("formats-avro")
    keyed = {"key__format": "csv", "key__fields": "id", "key__csv__null_literal": "-"}
    flink.table(
        "records",
        COLUMNS,
        "formats-avro",
        format="",
        value__format="avro",
        scan__bounded__mode="latest-offset",
        **keyed,
    )
    job = flink.start("INSERT INTO records SELECT * FROM lines")
    flink.job_becomes(job, "FINISHED")
    sent = flink.consume("formats-avro")
    assert {message.key for message in sent} == {b"1", b"2", b"-"}
    first = b"\x02\x02\x02\x08a, b\x02\x04\x00\x96\x02"
    assert sum(message.value.startswith(first) for message in sent if message.value) == 1
    flink.sql(f"CREATE TABLE t ({COLUMNS})")
    job = flink.start("INSERT INTO t SELECT * FROM records")
    flink.job_becomes(job, "FINISHED")
    found = flink.sql("SELECT id, name, CAST(price AS STRING), CAST(at AS STRING), tags FROM t")
    assert sorted(found, key=str) == [
        (1, "a, b", "1.50", "2024-01-31 12:30:00.500", ["x", "y"]),
        (2, "", "-0.01", "1969-12-31 23:59:59.000", []),
        (None, "c", "2.00", "2024-01-31 12:30:00.000", ["z"]),
    ]


def test_a_wrong_line_stops_a_job_and_is_reported(flink: FlinkLab) -> None:
    """FL-85: the job names the message, the field and what is wrong with it."""
    flink.produce("formats-bad", "1,x,1,2024-01-31 12:30:00,", LINES[2])
    flink.table("lines", COLUMNS, "formats-bad", format="csv")
    flink.sql(f"CREATE TABLE t ({COLUMNS})")
    job = flink.start("INSERT INTO t SELECT * FROM lines")
    error = "\n".join(map(str, flink.job_becomes(job, "WAITING(CANNOT_PARSE_MESSAGE)")))
    assert f"Failed to deserialize CSV row '{LINES[2]}'. " in error
    assert "Fail to deserialize at field: id. Cannot parse 'oops' as INT" in error
    assert "To skip bad messages set ignore-parse-errors of the format csv." in error
