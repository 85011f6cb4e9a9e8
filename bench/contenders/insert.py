"""Sluice writes to Kafka: INSERT INTO a Kafka table SELECT from a stored one, 25 columns wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sluice
from contenders.job import Answer, Job, Stopwatch, expect, serve
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.session import Session


def run(job: Job) -> Answer:
    """Write half of the warm topic, then half of the other, each to a topic of its own."""
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        _insert(session, job.warm_up, job, job.warm_topic, job.warm_rows // 2)
        watch = _insert(session, job.statements, job, job.topic, job.rows // 2)
    return watch.answer(job.rows // 2)


def _insert(
    session: Session, statements: Sequence[str], job: Job, topic: str, rows: int
) -> Stopwatch:
    out = f"{topic}-{job.folder.rpartition('/')[2]}"
    cluster = Cluster({"bootstrap.servers": job.broker})
    cluster.create_topic(out, 3)
    for statement in statements[:-1]:  # all but the view
        session.execute(statement)
    rest = f"FROM github_queue LIMIT {rows}"
    session.execute(f"INSERT INTO github SELECT * {rest}")
    made = f"Kafka('{job.broker}', '{out}', '{out}', 'JSONEachRow')"
    session.execute(f"CREATE TABLE github_out_queue AS github_queue ENGINE = {made}")
    with Stopwatch() as watch:
        session.execute("INSERT INTO github_out_queue SELECT * FROM github")
    expect("messages", sum(cluster.latest([out])[out].values()), rows)
    cluster.close()
    return watch


if __name__ == "__main__":
    serve(run)
