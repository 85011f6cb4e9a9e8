"""What a test of Flink's engine does besides: tables over topics, and jobs."""

from __future__ import annotations

from typing import Any

from waiting import eventually

from engine.lab import PATIENCE, Lab, Row
from sluice.session import jobs


class FlinkLab(Lab):
    """Statements are Flink's."""

    states = "SHOW JOBS"

    def sql(self, text: str) -> list[Row]:
        """Run a statement."""
        return self.session.execute(text, dialect="flink").fetchall()

    def table(self, name: str, columns: str, topic: str | None = None, **options: Any) -> None:
        """Create a table over a topic, json from its beginning unless the options say otherwise.

        In the names of options `__` stands for a dot and `_` for a hyphen.
        """
        given = {
            "connector": "kafka",
            "topic": name if topic is None else topic,
            "properties.bootstrap.servers": self.brokers,
            "format": "json",
            "scan.startup.mode": "earliest-offset",
        }
        given |= {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()}
        texts = ", ".join(f"'{key}' = '{value}'" for key, value in given.items() if value != "")
        self.sql(f"CREATE TABLE {name} ({columns}) WITH ({texts})")

    def start(self, statement: str) -> str:
        """Start a job; its id."""
        return str(self.sql(statement)[0][0])

    def job(self, job: str) -> Row:
        """What DESCRIBE JOB says: id, name, status, start time, last batch, lag, error …."""
        return self.sql(f"DESCRIBE JOB '{job}'")[0]

    def job_becomes(self, job: str, status: str, within: float = PATIENCE) -> Row:
        """Wait until a job has a status that begins so."""
        return eventually(lambda: self.job(job), lambda row: str(row[2]).startswith(status), within)

    def job_says(self, job: str, status: str) -> str:
        """Wait until a job has a status that begins so; its error is the answer."""
        return str(self.job_becomes(job, status)[6])

    def restart(self) -> None:
        """Let all jobs resume as a new process would."""
        engine = self.session._engine
        engine.supervisor.close()
        jobs.resume(engine)

    def stop_all(self) -> None:
        """Stop every job that runs."""
        for row in self.sql("SHOW JOBS"):
            if row[2] not in ("STOPPED", "FINISHED"):
                self.sql(f"STOP JOB '{row[0]}'")
