"""What the README shows works as it stands there."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from documents import ROOT, blocks
from quick import QUICK
from waiting import eventually

from engine.lab import PATIENCE, Lab
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster
from sluice.sql.split import split

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.session import Session

README = blocks((ROOT / "README.md").read_text("utf-8"))


def of(language: str) -> list[str]:
    """The blocks of a language."""
    return [block.text for block in README if block.language == language]


def test_first_pipeline(session: Session, tmp_path: Path) -> None:
    """The statements and messages of the first pipeline, with only the broker changed.

    Reading creates no topic, though the broker would let a client; producing does.
    """
    with Broker(tmp_path / "broker", java_options=QUICK, auto_create=True) as broker:
        cluster = Cluster({"bootstrap.servers": broker.address})
        lab = Lab(session, cluster, broker.address)
        *made, question = split(of("sql")[0].replace("localhost:9092", broker.address))
        for statement in made:
            lab.sql(statement)
        lab.becomes("WAITING(KAFKA_TOPIC_MISSING)", "queue")
        assert cluster.topics(["logs"]) == {}
        command = next(text for text in of("sh") if "topic produce" in text)
        command = command.replace(".venv/bin/sluice", f"{sys.executable} -m sluice.cli")
        command = command.replace("produce logs", f"produce logs --brokers {broker.address}")
        subprocess.run(["/bin/sh", "-c", command], check=True, timeout=60)
        lab.arrives(f"{question} ORDER BY level", [("info", 2), ("warn", 1)])
        lab.sql("DROP TABLE queue")
        cluster.close()


def test_flink(lab: Lab, topic: str) -> None:
    """The statements of Flink's part, with only the broker and the topics changed."""
    text = of("sql")[1].replace("localhost:9092", lab.brokers)
    text = text.replace("= 'orders'", f"= '{topic}'").replace("'large-orders'", f"'{topic}-large'")
    orders = [(1, "pen", "5.50", "00:00:10"), (2, "desk", "150.00", "00:00:50"),
              (3, "pen", "4.50", "00:00:30"), (4, "pen", "1.00", "00:05:00")]  # fmt: skip
    rows = [{"id": i, "item": n, "price": p, "at": f"2024-01-01 {t}"} for i, n, p, t in orders]
    lab.produce(topic, *rows)
    lab.make_topic(f"{topic}-large")

    def flink(statement: str) -> list[tuple[object, ...]]:
        return lab.session.execute(statement, dialect="flink").fetchall()

    *made, shown = split(text)
    for statement in made:
        flink(statement)
    wanted = [("desk", Decimal("150.00")), ("pen", Decimal("10.00"))]
    asked = "SELECT item, total FROM sales ORDER BY item"
    eventually(lambda: flink(asked), lambda found: found == wanted, PATIENCE)
    eventually(lambda: len(lab.consume(f"{topic}-large")), lambda count: count == 1, PATIENCE)
    mine = [row for row in flink(shown) if f"{lab.database}." in str(row[1])]
    assert [row[2] for row in mine] == ["RUNNING", "RUNNING"]
    for row in mine:
        flink(f"STOP JOB '{row[0]}'")


@pytest.mark.slow
def test_python(tmp_path: Path) -> None:
    """The Python example, in a process of its own; nothing but its answer is printed."""
    done = subprocess.run(
        [sys.executable, "-c", of("python")[0]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert (done.stdout, done.stderr) == ("[(2, 'y')]\n", "")
