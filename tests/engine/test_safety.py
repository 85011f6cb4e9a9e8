"""What a statement must not reach, and what must not be shown."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.lab import Lab
    from sluice.session import Session

CANARY = "cAnArY-7f3e"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM text.`/etc/passwd`", "does not exist"),
        ("SELECT * FROM `text`.`/etc/passwd`", "does not exist"),
        ("SELECT * FROM delta.`/tmp`", "does not exist"),
        ("SELECT * FROM sluice_source", "does not exist"),
        ("SELECT * FROM sluice_system_tables", "does not exist"),
        ("SELECT reflect('java.lang.System', 'getenv', 'PATH')", "Unknown function reflect"),
        ("SELECT java_method('java.lang.System', 'exit', 1)", "Unknown function java_method"),
        ("SELECT * FROM file('/etc/passwd')", "file"),
        ("SELECT input_file_name()", "Unknown function input_file_name"),
    ],
)
def test_nothing_outside_the_catalog_is_reached(session: Session, query: str, said: str) -> None:
    """Tables and functions are those of Sluice; Spark's own are not to be had by name."""
    with pytest.raises(SluiceError, match=said):
        session.execute(query)


def test_the_catalog_is_for_its_owner_alone(engine: Session, folder: Path) -> None:
    """The catalog keeps passwords, so nobody else may read it."""
    assert stat.S_IMODE((folder / "catalog.sqlite").stat().st_mode) == 0o600


def test_a_password_is_never_shown(
    lab: Lab, topic: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A SASL password is in no answer, error, system table or log file."""
    lab.queue(
        "q",
        topic,
        kafka_broker_list="127.0.0.1:1",
        kafka_security_protocol="SASL_PLAINTEXT",
        kafka_sasl_mechanism="PLAIN",
        kafka_sasl_username="user",
        kafka_sasl_password=CANARY,
    )
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    seen = [lab.becomes("WAITING(BROKER_UNREACHABLE)")]
    ((created,),) = lab.sql("SHOW CREATE TABLE q")
    assert "kafka_sasl_password = '[HIDDEN]'" in created
    with pytest.raises(SluiceError) as away:
        lab.sql("SELECT * FROM q")
    seen += [created, str(away.value), repr(away.value), caplog.text]
    for (table,) in lab.sql("SHOW TABLES FROM system"):
        seen.append(str(lab.sql(f"SELECT * FROM system.{table} LIMIT 10000")))
    seen += [path.read_text("utf-8", "replace") for path in (folder / "logs").iterdir()]
    assert not [text for text in seen if CANARY in text]


def test_a_bad_password_setting_is_not_echoed(lab: Lab, topic: str) -> None:
    """Nor when the statement itself is wrong."""
    with pytest.raises(SluiceError) as bad:
        lab.queue("q", topic, kafka_sasl_username="u", kafka_sasl_password=CANARY)
    assert CANARY not in str(bad.value)


def test_a_folder_belongs_to_one_process(engine: Session, folder: Path) -> None:
    """A second process is refused, and told who has the folder."""
    script = "import sys, sluice; sluice.connect(data=sys.argv[1])"
    second = subprocess.run(
        [sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False
    )
    assert second.returncode != 0
    assert f"is in use by process {os.getpid()}" in second.stderr
