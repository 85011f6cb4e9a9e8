"""Flink, in a process of its own: a line with a statement comes in, one with its answer goes out.

It runs in bench/.venv-flink, which has PyFlink and nothing of Sluice.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def main() -> None:
    """Answer until the input ends; what Flink itself prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    flink = Flink(json.loads(sys.argv[1]))
    for line in sys.stdin:
        answers.write(json.dumps(flink.answer(**json.loads(line))) + "\n")
        answers.flush()


class Flink:
    """SQL on a cluster inside this process; each INSERT is a job of its own."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        from pyflink.common import Configuration  # type: ignore[import-not-found]
        from pyflink.table import (  # type: ignore[import-not-found]
            EnvironmentSettings,
            TableEnvironment,
        )

        configuration = Configuration()
        for name, value in settings.items():
            configuration.set_string(name, value)
        builder = EnvironmentSettings.new_instance().in_streaming_mode()
        chosen = builder.with_configuration(configuration).build()
        self._environment = TableEnvironment.create(chosen)
        self._jobs: dict[str, Any] = {}

    def answer(self, sql: str = "", stop: str = "", state: str = "") -> dict[str, str]:
        """Run a statement and name the job it started; or stop a job; or say how it is."""
        if stop:
            self._jobs.pop(stop).cancel().result()
            return {}
        if state:
            return {"state": self._jobs[state].get_job_status().result().name}
        try:
            job = self._environment.execute_sql(sql).get_job_client()
        except Exception as error:  # noqa: BLE001 - whatever it is, the other side shows it
            return {"error": str(error)}
        if job is None:
            return {}
        name = str(job.get_job_id())
        self._jobs[name] = job
        return {"job": name}


if __name__ == "__main__":
    main()
