from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sluice import errors
from sluice.engine import faults
from sluice.engine.sources.decode import BAD_MESSAGE, bad_message
from sluice.errors.raised import EXPRESSION, JAVA, Raised
from sluice.session import spark_errors

KAFKA = "org.apache.kafka.common.errors"
BAD = {"topic": "t", "partition": 1, "offset": 7, "reason": "Cannot parse 'x\"{}' as Int8"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("java.io.IOException: No space left on device", "NO_SPACE"),
        ("org.apache.kafka.clients.consumer.OffsetOutOfRangeException: x", "KAFKA_DATA_LOSS"),
        ("java.lang.OutOfMemoryError: Java heap space", "OUT_OF_MEMORY"),
        ("[UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire 65536 bytes", "OUT_OF_MEMORY"),
        (f"{KAFKA}.UnknownTopicOrPartitionException: x", "KAFKA_TOPIC_MISSING"),
        (f"{KAFKA}.TimeoutException: x", "BROKER_UNREACHABLE"),
        ("[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012", "BATCH_FAILED"),
        ("", "BATCH_FAILED"),
    ],
)  # fmt: skip
def test_a_fault_gets_its_name(text: str, name: str) -> None:
    named = faults.classify(RuntimeError(text), "d.q", "b:1")
    assert named.condition.name == name
    assert named.text()


def test_an_error_may_be_its_own_cause() -> None:
    fault = RuntimeError("round and round")
    fault.__cause__ = fault
    assert faults.messages(fault) == ["round and round"]


def test_an_error_of_ours_stays_what_it_is() -> None:
    ours = errors.TARGET_MISSING(view="v", target="t")
    assert faults.classify(ours, "d.q", "b:1") is ours


def test_a_bad_message_is_found_in_sparks_words() -> None:
    ours = BAD_MESSAGE + json.dumps(BAD | {"reason": "The field is missing."})
    text = f"Job aborted: [USER_RAISED_EXCEPTION] {ours} SQLSTATE: P0001\n\tat x"
    found = bad_message(text)
    assert found is not None
    assert found.condition.name == "CANNOT_PARSE_MESSAGE"
    place = "while parsing Kafka message (topic: t, partition: 1, offset: 7)"
    assert found.text().startswith(f"The field is missing: {place}")
    assert faults.classify(RuntimeError(text), "d.q", "b").condition.name == "CANNOT_PARSE_MESSAGE"
    assert bad_message("something else") is None


def test_a_condition_of_our_java_is_found_in_sparks_words() -> None:
    ours = f'{JAVA}{{"condition":"SCHEMA_NOT_FOUND","reason":"no \\"7\\"\\n{{x}}","url":"u:1"}}'
    task = "org.apache.spark.SparkException: Job aborted: Lost task 0.0 in stage 1.0 (TID 1)"
    text = f"{task}: sluice.errors.ConditionException: {ours}\n\tat sluice.avro.X\n\nDriver stack"
    fault = RuntimeError("[STREAM_FAILED] Query terminated")
    fault.__cause__ = RuntimeError(text)
    assert faults.condition(fault) == Raised(
        "SCHEMA_NOT_FOUND", {"reason": 'no "7"\n{x}', "url": "u:1"}
    )
    assert faults.classify(fault, "d.q", "b").condition.name == "SCHEMA_NOT_FOUND"
    assert spark_errors.failed(fault).condition.name == "SCHEMA_NOT_FOUND"
    fenced = RuntimeError(
        f'{JAVA}{{"condition":"COMMIT_FENCED","batch":1,"newest":2,"writer":"w"}}'
    )
    assert "table d.q" in faults.classify(fenced, "d.q", "b").text()
    other = RuntimeError(f'{JAVA}{{"condition":"ONE_THAT_HAS_NO_NAME_HERE"}}')
    assert faults.classify(other, "d.q", "b").condition.name == "BATCH_FAILED"
    assert faults.condition(RuntimeError("something else")) is None


def test_the_reason_is_the_innermost_cause_spark_has_a_name_for() -> None:
    inner = RuntimeError("[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012\n\tat x")
    outer = RuntimeError("[STREAM_FAILED] Query terminated. SQLSTATE: XXKST")
    outer.__cause__ = inner
    assert faults.reason(outer) == "Division by zero."
    ours = f'{EXPRESSION}{{"condition":"DIVISION_BY_ZERO","expression":"1 / a"}}'
    lost = RuntimeError(f"Lost task 0.0: sluice.errors.ConditionException: {ours}\n\tat x")
    assert faults.reason(lost) == "Division by zero in 1 / a"
    assert faults.reason(RuntimeError("plain\nsecond")) == "plain"
    assert faults.reason(RuntimeError("")) == "RuntimeError"
    java = "An error occurred while calling o1.get.\n: a.B: x\n\tat c\nCaused by: d.E: y\n\tat f"
    assert faults.reason(RuntimeError(java)) == "d.E: y"


def test_failpoints_kill_at_the_right_moment() -> None:
    script = (
        "from sluice.engine import failpoints\n"
        "for n in range(5):\n"
        "    print(n, flush=True)\n"
        "    failpoints.hit('a.b')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={"SLUICE_FAILPOINTS": "a.b=kill9@3,other=kill9"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == -9
    assert run.stdout.split() == ["0", "1", "2"]


def test_failpoints_do_nothing_unless_asked() -> None:
    script = "from sluice.engine import failpoints as f\nf.hit('a.b'); print('alive')"
    run = subprocess.run([sys.executable, "-c", script], env={}, capture_output=True, check=False)
    assert run.stdout == b"alive\n"


def test_an_unknown_action_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from sluice.engine import failpoints"],
        env={"SLUICE_FAILPOINTS": "a.b=sleep"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "unknown action" in run.stderr
