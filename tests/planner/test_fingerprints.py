"""Jobs of earlier versions: a query that has not changed resumes from its checkpoint."""

from __future__ import annotations

import tomllib
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sluice.catalog import Job
from sluice.planner.job_planner import plan_job
from sluice.session import connect, jobs
from sluice.sql.flink import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.planner.query import QuerySpec
    from sluice.session import Session

KNOWN: dict[str, Any] = tomllib.loads((Path(__file__).parent / "fingerprints.toml").read_text())


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The tables of the jobs, with the ids that they had."""
    with connect(tmp_path_factory.mktemp("folder"), pipelines=False) as made:
        for number, statement in enumerate(KNOWN["tables"], 1):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(uuid, "uuid4", lambda number=number: uuid.UUID(int=number))
                made.execute(statement, dialect="flink", query_id=f"table {number}")
        yield made


@pytest.mark.parametrize("name", KNOWN["jobs"])
def test_recorded_fingerprints_are_recognised(session: Session, name: str) -> None:
    for query, fingerprint in planned(session, KNOWN["jobs"][name]):
        assert query.continues(replace(query.record(1), fingerprint=fingerprint))
        assert query.continues(query.record(1))


@pytest.mark.parametrize("name", KNOWN["superseded"])
def test_state_of_another_form_is_not_read(session: Session, name: str) -> None:
    for query, fingerprint in planned(session, KNOWN["superseded"][name]):
        assert not query.continues(replace(query.record(1), fingerprint=fingerprint))


def planned(session: Session, recorded: dict[str, Any]) -> Iterator[tuple[QuerySpec, str]]:
    """The queries of a job, each with the fingerprint that was recorded."""
    text = recorded["statement"]
    job = Job("job", "", "default", text, "RUNNING", datetime.now(UTC))
    spec = plan_job(session._engine.environment, job, jobs.inserts_of(parse(text)))
    yield from zip(spec.queries, recorded["fingerprints"], strict=True)
