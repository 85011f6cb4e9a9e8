"""Jobs as far as they need no Spark: settings, planning, what is refused, what is shown."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest

from sluice.engine.runtime.status import now
from sluice.errors import SluiceError
from sluice.options import job_settings
from sluice.parameters.option import NO_EFFECT, REFUSED
from sluice.planner.job_planner import plan_job
from sluice.session import jobs
from sluice.session.context import Context
from sluice.sql.flink import parse

if TYPE_CHECKING:
    from session.lab import Lab
    from sluice.catalog import Job
    from sluice.planner.query import JobSpec

CANARY = "c4nary-p4ss"
TOPIC = (
    "('connector' = 'kafka', 'topic' = '{}', 'properties.bootstrap.servers' = 'localhost:9092', "
    "'format' = 'raw', 'scan.startup.mode' = 'earliest-offset')"
)


def flink(lab: Lab, sql: str, **settings: str) -> list[tuple[Any, ...]]:
    return lab.session.execute(sql, dialect="flink", settings=settings).fetchall()


def tables(lab: Lab) -> None:
    """Two topics, a view, and three stored tables."""
    for name in ("a", "b"):
        flink(lab, f"CREATE TABLE {name} (p STRING) WITH {TOPIC.format(name)}")
    flink(lab, "CREATE VIEW v AS SELECT p FROM a WHERE p <> ''")
    for name in ("t", "u"):
        flink(lab, f"CREATE TABLE {name} (p STRING)")
    flink(lab, "CREATE TABLE n (p STRING, c BIGINT, PRIMARY KEY (p) NOT ENFORCED)")


def job(lab: Lab, text: str, plan: dict[str, Any] | None = None, **settings: str) -> Job:
    """The job of a statement, as it would be kept; nothing is started."""
    parsed: Any = parse(text)
    context = Context(lab.engine, "default", "flink", settings, text=text)
    made = jobs.new_job(context, parsed)
    return replace(made, plan=plan or {})


def spec(lab: Lab, made: Job) -> JobSpec:
    return plan_job(lab.engine.environment, made, jobs.inserts_of(parse(made.statement)))


def kept(found: JobSpec, generation: int = 1) -> dict[str, Any]:
    """What the catalog keeps of a job when it has begun."""
    queries = [asdict(query.record(generation)) for query in found.queries]
    listed = [
        {k: list(v) if isinstance(v, tuple) else v for k, v in each.items()} for each in queries
    ]
    return {"queries": listed, "tables": list(found.tables), "notes": []}


# settings


def test_settings_are_known_or_refused(lab: Lab) -> None:
    """Nothing is set that nobody knows; Spark's settings are not SQL's."""
    flink(lab, "SET 'execution.savepoint.path' = 'x'")
    flink(lab, "SET 'execution.checkpointing.interval' = '10 s'")
    flink(lab, "SET 'state.backend' = 'hashmap'")
    flink(lab, "SET 'table.dml-sync' = 'TRUE'")
    flink(lab, "SET pipeline.name = my job")
    assert flink(lab, "SET") == [
        ("execution.checkpointing.interval", "10 s"),
        ("execution.state-recovery.path", "x"),
        ("pipeline.name", "my job"),
        ("state.backend", "hashmap"),
        ("table.dml-sync", "TRUE"),
    ]
    flink(lab, "RESET 'execution.savepoint.path'")
    assert ("execution.state-recovery.path", "x") not in flink(lab, "SET")
    for name, value, told in (
        ("spark.sql.shuffle.partitions", "1", "the operator who starts the server"),
        ("pipeline.jars", "file:///x.jar", "cannot load code"),
        ("security.kerberos.login.keytab", "/etc/passwd", "files and credentials"),
        ("pipline.name", "x", "pipeline.name"),
        ("table.exec.state.tll", "1 d", "Did you mean table.exec.state.ttl"),
        ("table.exec.sink.not-null-enforcr", "DROP", "table.exec.sink.not-null-enforcer"),
        ("table.dml-sync", "perhaps", "boolean"),
        ("parallelism.default", "0", "can not be lower than 1"),
        ("execution.runtime-mode", "batch", "streaming"),
        ("table.local-time-zone", "Europe/Moscow", "UTC"),
    ):
        with pytest.raises(SluiceError) as caught:
            flink(lab, f"SET '{name}' = '{value}'")
        assert told in caught.value.text()
    with pytest.raises(SluiceError, match="Unknown setting"):
        flink(lab, "SELECT 1", max_threads="1")


def test_every_setting_has_an_outcome() -> None:
    for setting in job_settings.SETTINGS:
        assert setting.doc
        assert job_settings.find(setting.name.replace("*", "x")) is not None
    states = {name: status for names, status, _ in job_settings.rows() for name in names}
    assert states["spark.*"] == REFUSED
    assert states["execution.checkpointing.*"] == NO_EFFECT
    for name in ("table.exec.sink.upsert-materialize", "table.exec.mini-batch.enabled"):
        assert job_settings.find(name).status == NO_EFFECT


# planning


def test_inserts_without_state_share_what_they_read(lab: Lab) -> None:
    tables(lab)
    found = spec(
        lab,
        job(
            lab,
            "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT p FROM a; INSERT INTO u SELECT p "
            "FROM v; INSERT INTO t SELECT p FROM b; INSERT INTO n SELECT p, COUNT(*) FROM a "
            "GROUP BY p; END",
        ),
    )
    assert [len(query.outputs) for query in found.queries] == [2, 1, 1]
    assert [query.stateful for query in found.queries] == [False, False, True]
    assert [query.id for query in found.queries] == [f"{found.id}-{n}" for n in range(3)]
    assert len(found.tables) == 6
    (said,) = found.queries[2].state
    assert "GroupAggregate" in said


def test_a_query_is_the_same_until_it_is_another(lab: Lab) -> None:
    """Columns and options that it does not use make no difference; what it does with rows does."""
    tables(lab)
    made = job(lab, "INSERT INTO t SELECT p FROM v")
    first = spec(lab, made).queries[0].fingerprint
    assert spec(lab, made).queries[0].fingerprint == first
    flink(lab, "ALTER TABLE a SET ('properties.client.id' = 'x')")
    flink(lab, "ALTER TABLE a ADD s STRING METADATA FROM 'topic' VIRTUAL")
    flink(lab, "DROP TABLE t")
    flink(lab, "CREATE TABLE t (p STRING)")
    assert spec(lab, made).queries[0].fingerprint == first
    flink(lab, "DROP VIEW v")
    flink(lab, "CREATE VIEW v AS SELECT UPPER(p) AS p FROM a")
    second = spec(lab, made).queries[0].fingerprint
    assert second != first
    flink(lab, "ALTER TABLE a SET ('topic' = 'other')")
    assert spec(lab, made).queries[0].fingerprint not in (first, second)


def test_a_changed_job_keeps_its_queries_apart(lab: Lab) -> None:
    """A query resumes for one before it; what has left a shared read starts at its position."""
    tables(lab)
    text = (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT p FROM a; "
        "INSERT INTO n SELECT p, CHAR_LENGTH(p) FROM v; END"
    )
    made = job(lab, text)
    before = spec(lab, made)
    (shared,) = before.queries
    made = replace(made, plan=kept(before))
    (again,) = spec(lab, made).queries
    assert again.id == shared.id
    assert again.before is not None
    assert again.before.fingerprint == again.fingerprint
    flink(lab, "DROP VIEW v")
    flink(lab, "CREATE VIEW v AS SELECT p FROM (SELECT p, COUNT(*) FROM a GROUP BY p) x")
    first, second = spec(lab, made).queries
    assert first.id == shared.id
    assert second.id != shared.id
    assert second.stateful
    assert first.before == second.before


def of_another_version(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan of a job as a version kept it that lowers queries in another way."""
    return plan | {"queries": [each | {"fingerprint": "x"} for each in plan["queries"]]}


def test_an_upgrade_drops_no_state(lab: Lab) -> None:
    """A stateful query that is lowered in another way by a new version is refused, with a remedy.

    Whoever has changed it, or accepts it, continues without the state.
    """
    tables(lab)
    text = "INSERT INTO n SELECT p, COUNT(*) FROM v GROUP BY p"
    made = job(lab, text)
    first = spec(lab, made)
    plan = kept(first) | {"definition": first.definition}
    assert spec(lab, replace(made, plan=plan)).queries[0].before is not None
    older = of_another_version(plan)
    unknown = of_another_version(kept(first))  # a version that kept no definition
    for refused in (older, unknown, older | {"took": "j"}):
        with pytest.raises(SluiceError) as caught:
            spec(lab, replace(made, plan=refused))
        assert caught.value.condition.name == "JOB_STATE_UNUSABLE"
        assert "cannot use its state: the rows of GroupAggregate(" in str(caught.value)
    spec(lab, replace(made, plan=unknown | {"took": "j"}))
    accepted = {job_settings.UNCLAIMED: "true"}
    spec(lab, replace(made, plan=older, settings=accepted))

    lab.engine.catalog.jobs.put(replace(made, plan=older))
    jobs.resume(lab.engine)
    (shown,) = flink(lab, f"DESCRIBE JOB '{made.id}'")
    assert shown[2] == "FAILED(JOB_STATE_UNUSABLE)"
    assert f"STOP JOB '{made.id}'" in str(shown)
    kept_job = lab.engine.catalog.jobs.find(made.id)
    assert kept_job is not None
    assert kept_job.plan == older  # the previous version can resume it

    flink(lab, "ALTER VIEW v AS SELECT UPPER(p) AS p FROM a")
    spec(lab, replace(made, plan=older))
    stateless = job(lab, "INSERT INTO t SELECT p FROM v")
    begun = spec(lab, stateless)
    plan = of_another_version(kept(begun) | {"definition": begun.definition})
    assert spec(lab, replace(stateless, plan=plan)).queries[0].before is not None


def test_errors_are_reported_before_anything_is_stored(lab: Lab) -> None:
    tables(lab)
    flink(
        lab,
        f"CREATE TABLE out1 (p STRING, c BIGINT) WITH {TOPIC.format('o').replace('raw', 'csv')}",
    )
    for text, told in (
        ("INSERT INTO nothing SELECT p FROM a", "nothing"),
        ("INSERT INTO t SELECT p, p FROM a", "Different number of columns"),
        ("INSERT INTO t SELECT q FROM a", "q"),
        ("INSERT INTO t SELECT name FROM system.jobs", "the system table jobs"),
        ("INSERT INTO out1 SELECT p, COUNT(*) FROM a GROUP BY p", "update changes"),
        ("BEGIN STATEMENT SET; INSERT INTO t SELECT p FROM a; INSERT INTO x SELECT 1; END", "x"),
    ):
        with pytest.raises(SluiceError) as caught:
            flink(lab, text)
        assert told in caught.value.text()
    assert flink(lab, "SHOW JOBS") == []


def test_a_job_does_not_feed_itself(lab: Lab) -> None:
    """A topic that is read without an end is not written to by the same INSERT."""
    tables(lab)
    flink(lab, f"CREATE TABLE same (p STRING) WITH {TOPIC.format('a')}")
    pattern = TOPIC.format("a.*").replace("'topic'", "'topic-pattern'")
    flink(lab, f"CREATE TABLE every (p STRING) WITH {pattern}")
    elsewhere = TOPIC.format("a").replace("localhost", "elsewhere")
    flink(lab, f"CREATE TABLE elsewhere (p STRING) WITH {elsewhere}")
    for into, source in (("a", "a"), ("same", "a"), ("a", "v"), ("same", "every")):
        text = f"INSERT INTO {into} SELECT '+' || p FROM {source}"
        with pytest.raises(SluiceError) as caught:
            flink(lab, text)
        bad = caught.value
        assert bad.condition.name == "JOB_FEEDS_ITSELF"
        assert bad.place is not None
        assert bad.place.column == 13
        assert "reads the topic a, which default." in bad.text()
        assert "'scan.bounded.mode' = 'latest-offset'" in bad.text()
    assert flink(lab, "SHOW JOBS") == []
    ends = "/*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */"
    for text in (
        f"INSERT INTO a SELECT p FROM a {ends}",
        "INSERT INTO elsewhere SELECT p FROM a",
        "INSERT INTO b SELECT p FROM a",
    ):
        assert spec(lab, job(lab, text)).queries


# what is shown and refused


def put(lab: Lab, text: str, state: str = "RUNNING") -> Job:
    """A job in the catalog that this process does not run."""
    made = job(lab, text)
    made = replace(made, state=state, ended=None if state == "RUNNING" else now())
    made = replace(made, plan=kept(spec(lab, made)))
    lab.engine.catalog.jobs.put(made)
    return made


def test_jobs_are_shown(lab: Lab) -> None:
    tables(lab)
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    login = f'{module} required username="u" password="{CANARY}";'
    given = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": login}
    options = ", ".join(f"'properties.{name}' = '{value}'" for name, value in given.items())
    hint = f"/*+ OPTIONS({options}) */"
    text = f"INSERT INTO t SELECT p FROM a {hint}"
    made = put(lab, text)
    result = lab.session.execute("SHOW JOBS", dialect="flink")
    names = [column.name for column in result.columns]
    assert names[:4] == ["job id", "job name", "status", "start time"]
    (row,) = result.fetchall()
    assert row[:3] == (made.id, "insert-into_default_catalog.default.t", "SUSPENDED")
    (described,) = flink(lab, f"DESCRIBE JOB '{made.id}'")
    (listed,) = lab.system("jobs", "id", "state", "generation", "tables", "statement")
    assert listed[:4] == (made.id, "SUSPENDED", 1, ["default.a", "default.t"])
    assert CANARY not in repr(described) + repr(lab.system("jobs"))
    with pytest.raises(SluiceError, match="read-only request"):
        lab.session.execute(f"STOP JOB '{made.id}'", dialect="flink", readonly=True)
    with pytest.raises(SluiceError, match="read-only request"):
        lab.session.execute("INSERT INTO t VALUES ('x')", dialect="flink", readonly=True)
    with pytest.raises(SluiceError, match="WITH DRAIN could only be used"):
        flink(lab, f"STOP JOB '{made.id}' WITH DRAIN")
    assert flink(lab, f"STOP JOB '{made.id}' WITH SAVEPOINT WITH DRAIN") == [(made.id,)]
    assert flink(lab, "SHOW JOBS")[0][2] == "STOPPED"


def test_what_a_running_job_uses_stays(lab: Lab) -> None:
    """DROP and RENAME say which job stands in the way; other changes wait for its next start."""
    tables(lab)
    made = put(lab, "INSERT INTO t SELECT p FROM v")
    for text in (
        "DROP TABLE t",
        "DROP TABLE a",
        "DROP VIEW v",
        "ALTER TABLE a RENAME TO a2",
        "DROP DATABASE `default` CASCADE",
    ):
        with pytest.raises(SluiceError, match=f"is used by job {made.id}"):
            flink(lab, text)
    with pytest.raises(SluiceError, match=f"is used by job {made.id}"):
        lab.run("DROP DATABASE default")
    flink(lab, "ALTER TABLE a SET ('topic' = 'c')")
    flink(lab, "DROP TABLE u")
    flink(lab, f"STOP JOB '{made.id}'")
    flink(lab, "DROP TABLE t")
    flink(lab, "DROP VIEW v")


def test_the_oldest_jobs_are_forgotten(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """With their checkpoints; those that run are not."""
    tables(lab)
    monkeypatch.setattr(jobs, "KEPT_JOBS", 2)
    running = put(lab, "INSERT INTO t SELECT p FROM a")
    old = [put(lab, f"INSERT INTO u SELECT p FROM {name}", "STOPPED") for name in "abb"]
    folder = lab.engine.folder.path / "checkpoints" / old[0].id
    folder.mkdir(parents=True)
    jobs.forget_old(lab.engine)
    assert {row[0] for row in flink(lab, "SHOW JOBS")} == {running.id, old[1].id, old[2].id}
    assert not folder.exists()


def test_a_job_resumes_for_one_that_was_stopped(lab: Lab) -> None:
    tables(lab)
    old = put(lab, "INSERT INTO t SELECT p FROM a")
    insert = "INSERT INTO t SELECT p FROM {}"
    flink(lab, f"SET 'execution.savepoint.path' = '{old.id}'")
    with pytest.raises(SluiceError, match="is still running"):
        flink(lab, insert.format("a"))
    flink(lab, f"STOP JOB '{old.id}'")
    with pytest.raises(SluiceError, match="Failed to rollback"):
        flink(lab, insert.format("b"))
    lab.engine.catalog.jobs.update(old.id, plan={"taken": "other"})
    with pytest.raises(SluiceError, match="Job other has already taken over"):
        flink(lab, insert.format("a"))
    flink(lab, "SET 'execution.savepoint.path' = 'nothing'")
    with pytest.raises(SluiceError, match="Job nothing does not exist"):
        flink(lab, insert.format("a"))


# explained

EXPLAINED = """\
Query 1 of 2: micro-batches, stateless
  reads default.a: topic a at localhost:9092; from earliest-offset; format raw
  shared source: each message is read once for 2 INSERTs
  writes default.t (p): stored, exactly once
  writes default.o (p): topic o at localhost:9092; format raw; delivery at-least-once; \
partitioner default
Query 2 of 2: micro-batches, stateful
  reads default.late: topics x, y at localhost:9092; from timestamp 1000; format raw; \
watermark at - 5000 ms; computes at
  state: the open TUMBLE windows over at
  writes default.w (at, c): stored, exactly once"""


def test_explain_shows_what_a_job_would_do(lab: Lab) -> None:
    tables(lab)
    flink(lab, f"CREATE TABLE o (p STRING) WITH {TOPIC.format('o')}")
    late = TOPIC.format("x;y").replace(
        "'earliest-offset'", "'timestamp', 'scan.startup.timestamp-millis' = '1000'"
    )
    flink(
        lab,
        "CREATE TABLE late (p STRING, at AS CAST(p AS TIMESTAMP(3)), "
        f"WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH {late}",
    )
    flink(lab, "CREATE TABLE w (at TIMESTAMP(3), c BIGINT)")
    text = (
        "STATEMENT SET BEGIN INSERT INTO t SELECT p FROM a; INSERT INTO o SELECT p FROM v; "
        "INSERT INTO w SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE late, DESCRIPTOR(at), "
        "INTERVAL '10' SECOND)) GROUP BY window_start, window_end; END"
    )
    ((found,),) = flink(lab, f"EXPLAIN {text}")
    assert found == EXPLAINED
    count = "INSERT INTO n SELECT p, COUNT(*) FROM a GROUP BY p"
    ((found,),) = flink(lab, f"EXPLAIN CHANGELOG_MODE, PLAN_ADVICE {count}")
    assert "upsert by p" in found
    assert "changelog: [I,UA]" in found
    assert "advice: a table without a watermark" in found
    ((found,),) = flink(lab, f"EXPLAIN JSON_EXECUTION_PLAN {count}")
    assert json.loads(found)["queries"][0]["reads"][0]["topics"] == ["a"]
    ((found,),) = flink(lab, "EXPLAIN PLAN FOR SELECT p FROM v")
    assert found.splitlines()[0] == "Query: once, over the rows that exist now"
    with pytest.raises(SluiceError, match="nothing"):
        flink(lab, "EXPLAIN INSERT INTO nothing SELECT p FROM a")
    assert flink(lab, "SHOW JOBS") == []


def test_explain_hides_secrets(lab: Lab) -> None:
    tables(lab)
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    login = f'{module} required username="u" password="{CANARY}";'
    given = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": login}
    options = ", ".join(f"'properties.{name}' = '{value}'" for name, value in given.items())
    for details in ("", "CHANGELOG_MODE ", "JSON_EXECUTION_PLAN ", "PLAN_ADVICE "):
        text = f"EXPLAIN {details}INSERT INTO t SELECT p FROM a /*+ OPTIONS({options}) */"
        assert CANARY not in repr(flink(lab, text))
