"""A user who may do nothing finds nothing: every statement, every system table."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

from access.lab import Lab, refused, rows
from sluice import errors
from sluice.access import owner
from sluice.catalog.system_tables import INFORMATION, SYSTEM
from sluice.session import changes, needed
from sluice.session.dispatch import HANDLERS
from sluice.session.need import Scope
from sluice.session.parsing import parse
from sluice.sql import access as access_sql
from sluice.sql import clickhouse, ir
from sluice.sql.access import nodes
from sluice.system import frame_of, rows_of
from sluice.system.visibility import PUBLIC, RULES, STANDARD, rule_of

if TYPE_CHECKING:
    from sluice.session import Session

DENIED, EMPTY, OWN = "denied", "empty", "own"

DICTIONARY = "PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 't' DB 'db')) LAYOUT(FLAT())"

STATEMENTS: dict[type[ir.Statement], list[tuple[str, str]]] = {
    ir.Select: [
        ("SELECT * FROM db.t", DENIED),
        ("SELECT count() FROM db.t", DENIED),
        ("SELECT 1 WHERE 1 IN (SELECT a FROM db.t)", DENIED),
        ("WITH x AS (SELECT a FROM db.t) SELECT * FROM x", DENIED),
        ("SELECT * FROM db.nothing", DENIED),
        ("SELECT * FROM nothing.t", DENIED),
        ("SELECT * FROM db.q", DENIED),
        ("SELECT * FROM db.v", DENIED),
        ("SELECT * FROM db.t SETTINGS sluice_engine = 'spark'", DENIED),
    ],
    ir.Insert: [
        ("INSERT INTO db.t VALUES (1, 'x', 1)", DENIED),
        ("INSERT INTO db.t (a) SELECT a FROM db.u", DENIED),
        ("INSERT INTO db.t (* EXCEPT(a)) VALUES (1)", DENIED),
        ("INSERT INTO db.t (COLUMNS('nothing')) VALUES (1)", DENIED),
        ("INSERT INTO db.nothing VALUES (1)", DENIED),
    ],
    ir.CreateDatabase: [
        ("CREATE DATABASE e", DENIED),
        ("CREATE DATABASE IF NOT EXISTS db", DENIED),
    ],
    ir.AlterDatabase: [
        ("ALTER DATABASE db MODIFY COMMENT 'x'", DENIED),
        ("ALTER DATABASE nothing MODIFY COMMENT 'x'", DENIED),
    ],
    ir.DropDatabase: [("DROP DATABASE db", DENIED), ("DROP DATABASE IF EXISTS nothing", DENIED)],
    ir.RenameDatabase: [("RENAME DATABASE db TO n", DENIED)],
    ir.TruncateDatabase: [
        ("TRUNCATE DATABASE db", DENIED),
        ("TRUNCATE DATABASE IF EXISTS nothing", DENIED),
    ],
    ir.TruncateTables: [
        ("TRUNCATE ALL TABLES FROM db", DENIED),
        ("TRUNCATE ALL TABLES FROM nothing LIKE 't%'", DENIED),
    ],
    ir.CreateTable: [
        ("CREATE TABLE db.n (a UInt8) ENGINE = MergeTree ORDER BY a", DENIED),
        ("CREATE TABLE IF NOT EXISTS db.t (a UInt8) ENGINE = MergeTree ORDER BY a", DENIED),
        ("CREATE TABLE db.n AS db.t", DENIED),
        ("CREATE TABLE db.n AS SELECT a FROM db.t", DENIED),
        ("CREATE OR REPLACE TABLE db.t (a UInt8) ENGINE = MergeTree ORDER BY a", DENIED),
        ("CREATE TEMPORARY TABLE n (a UInt8)", DENIED),
    ],
    ir.CreateMaterializedView: [
        ("CREATE MATERIALIZED VIEW db.w TO db.u AS SELECT a FROM db.q", DENIED)
    ],
    ir.CreateFunction: [
        ("CREATE FUNCTION f AS (x) -> x + 1", DENIED),
        ("CREATE OR REPLACE FUNCTION f AS (x) -> (SELECT max(a) FROM db.t)", DENIED),
    ],
    ir.DropFunction: [("DROP FUNCTION f", DENIED), ("DROP FUNCTION IF EXISTS f", DENIED)],
    ir.Drop: [
        ("DROP TABLE db.t", DENIED),
        ("DROP TABLE IF EXISTS n, db.t", DENIED),
        ("DROP VIEW IF EXISTS db.v", DENIED),
    ],
    ir.Detach: [("DETACH TABLE db.t", DENIED)],
    ir.Attach: [("ATTACH TABLE db.t", DENIED)],
    ir.Use: [("USE db", DENIED), ("USE nothing", DENIED)],
    ir.ShowDatabases: [("SHOW DATABASES", EMPTY)],
    ir.ShowTables: [("SHOW TABLES FROM db", EMPTY), ("SHOW TABLES FROM nothing", EMPTY)],
    ir.ShowCreate: [
        ("SHOW CREATE TABLE db.t", DENIED),
        ("SHOW CREATE DATABASE db", DENIED),
        ("SHOW CREATE NAMED COLLECTION hidden_collection", DENIED),
    ],
    ir.Describe: [("DESCRIBE db.t", DENIED), ("DESCRIBE db.nothing", DENIED)],
    ir.DescribeQuery: [("DESCRIBE (SELECT a FROM db.t)", DENIED)],
    ir.ExplainQuery: [
        ("EXPLAIN SELECT a FROM db.t", DENIED),
        ("EXPLAIN AST SELECT a FROM db.t", DENIED),
        ("EXPLAIN SYNTAX SELECT a FROM db.nothing", DENIED),
        ("EXPLAIN QUERY TREE SELECT 1 WHERE 1 IN (SELECT a FROM db.t)", DENIED),
    ],
    ir.Exists: [("EXISTS TABLE db.t", DENIED), ("EXISTS TABLE db.nothing", DENIED)],
    ir.CheckTable: [
        ("CHECK TABLE db.t", DENIED),
        ("CHECK TABLE db.nothing PARTITION 1", DENIED),
        ("CHECK ALL TABLES", EMPTY),
    ],
    ir.ResetOffsets: [("SYSTEM RESET OFFSETS db.q TO EARLIEST", DENIED)],
    ir.Consume: [("SYSTEM STOP db.q", DENIED), ("SYSTEM START ALL BACKGROUND", DENIED)],
    ir.KillQuery: [("KILL QUERY WHERE 1", EMPTY)],
    ir.KillMutation: [("KILL MUTATION WHERE 1", EMPTY)],
    ir.Set: [("SET max_result_rows = 5", EMPTY)],
    ir.CreateNamedCollection: [("CREATE NAMED COLLECTION n AS a = 'b'", DENIED)],
    ir.AlterNamedCollection: [("ALTER NAMED COLLECTION hidden_collection SET a = 'b'", DENIED)],
    ir.DropNamedCollection: [("DROP NAMED COLLECTION hidden_collection", DENIED)],
    ir.ShowNamedCollections: [("SHOW NAMED COLLECTIONS", EMPTY)],
    ir.AlterInSteps: [
        ("ALTER TABLE db.t ADD COLUMN d UInt8, UPDATE d = 1 WHERE 1", DENIED),
        ("ALTER TABLE db.t DELETE WHERE 1, CLEAR COLUMN b, DROP COLUMN c", DENIED),
    ],
    ir.AlterTable: [
        ("ALTER TABLE db.t ADD COLUMN d UInt8", DENIED),
        ("ALTER TABLE db.q MODIFY SETTING kafka_max_block_size = 5", DENIED),
        ("ALTER TABLE db.v MODIFY QUERY SELECT a FROM db.q", DENIED),
    ],
    ir.RenameTables: [("RENAME TABLE db.t TO db.n", DENIED)],
    ir.ExchangeTables: [("EXCHANGE TABLES db.t AND db.u", DENIED)],
    ir.Truncate: [("TRUNCATE TABLE db.t", DENIED)],
    ir.CreateDictionary: [
        (f"CREATE DICTIONARY db.n (a UInt64, c UInt8) {DICTIONARY}", DENIED),
        (f"CREATE OR REPLACE DICTIONARY db.t (a UInt64, c UInt8) {DICTIONARY}", DENIED),
    ],
    ir.Optimize: [("OPTIMIZE TABLE db.t FINAL", DENIED)],
    ir.Mutation: [
        ("DELETE FROM db.t WHERE a = 1", DENIED),
        ("DELETE FROM db.nothing WHERE a = 1", DENIED),
        ("UPDATE db.t SET b = 'x' WHERE 1", DENIED),
        ("ALTER TABLE db.t DELETE WHERE 1", DENIED),
        ("ALTER TABLE db.t UPDATE b = 'x' WHERE 1", DENIED),
        ("ALTER TABLE db.t UPDATE b = 'x' WHERE 1, DELETE WHERE 1", DENIED),
        ("ALTER TABLE db.t DROP PARTITION ALL", DENIED),
        ("ALTER TABLE db.t REPLACE PARTITION ALL FROM db.u", DENIED),
    ],
    ir.System: [("SYSTEM FLUSH LOGS", DENIED), ("SYSTEM STOP MERGES db.t", DENIED)],
    ir.Redrive: [("REDRIVE DEAD LETTERS FROM db.q", DENIED)],
    ir.ExplainMigration: [
        ("EXPLAIN MIGRATION CREATE TABLE db.n (a UInt8) ENGINE = MergeTree ORDER BY a", DENIED)
    ],
    ir.CreateView: [
        ("CREATE VIEW db.n AS SELECT a FROM db.t", DENIED),
        ("CREATE OR REPLACE VIEW db.v AS SELECT a FROM db.t", DENIED),
        ("flink: CREATE VIEW w AS SELECT a FROM flinks", DENIED),
    ],
    ir.AlterView: [("flink: ALTER VIEW w AS SELECT a FROM flinks", DENIED)],
    ir.CreateCatalog: [("flink: CREATE CATALOG c WITH ('type' = 'x')", DENIED)],
    ir.DropCatalog: [("flink: DROP CATALOG c", DENIED)],
    ir.UseCatalog: [("flink: USE CATALOG default_catalog", EMPTY)],
    ir.StatementSet: [
        (
            "flink: EXECUTE STATEMENT SET BEGIN INSERT INTO flinks SELECT a FROM flinks; END",
            DENIED,
        )
    ],
    ir.Explain: [("flink: EXPLAIN SELECT a FROM flinks", DENIED)],
    ir.ShowJobs: [("flink: SHOW JOBS", DENIED)],
    ir.DescribeJob: [("flink: DESCRIBE JOB 'x'", DENIED)],
    ir.StopJob: [("flink: STOP JOB 'x'", DENIED)],
    ir.Show: [("flink: SHOW VIEWS", EMPTY)],
    ir.ShowColumns: [("flink: SHOW COLUMNS FROM flinks", DENIED)],
    ir.ShowSettings: [("flink: SET", OWN)],
    ir.Reset: [("flink: RESET", EMPTY)],
    nodes.CreateEntity: [
        (f"CREATE {kind}", DENIED)
        for kind in (
            "USER n", "ROLE n", "QUOTA n", "SETTINGS PROFILE n", "ROW POLICY n ON db.t USING 1"
        )
    ],
    nodes.AlterEntity: [
        ("ALTER USER nobody IDENTIFIED BY 'x'", DENIED),
        ("ALTER USER default HOST ANY", DENIED),
    ],
    nodes.DropEntity: [("DROP USER default", DENIED), ("DROP ROLE IF EXISTS r", DENIED)],
    nodes.Grant: [
        ("GRANT SELECT ON *.* TO nobody", DENIED),
        ("GRANT SELECT(a) ON db.t TO nobody", DENIED),
        ("GRANT keeper TO nobody", DENIED),
    ],
    nodes.Revoke: [
        ("REVOKE ALL ON *.* FROM default", DENIED),
        ("REVOKE keeper FROM default", DENIED),
    ],
    nodes.CheckGrant: [("CHECK GRANT SELECT ON db.t", OWN)],
    nodes.SetRole: [("SET ROLE NONE", EMPTY)],
    nodes.SetDefaultRole: [("SET DEFAULT ROLE NONE TO default", DENIED)],
    nodes.ShowGrants: [("SHOW GRANTS", EMPTY), ("SHOW GRANTS FOR default", DENIED)],
    nodes.ShowEntities: [
        (f"SHOW {what}", DENIED) for what in ("USERS", "ROLES", "POLICIES", "QUOTAS", "ACCESS")
    ]
    + [("SHOW CURRENT ROLES", EMPTY)],
    nodes.ShowCreateEntity: [("SHOW CREATE USER default", DENIED), ("SHOW CREATE USER", OWN)],
}  # fmt: skip
"""Examples of every statement, and what comes of them."""


def kinds() -> set[type[ir.Statement]]:
    """All statements that there are."""
    found = [each for module in (ir, nodes) for each in vars(module).values()]
    made = {each for each in found if inspect.isclass(each) and issubclass(each, ir.Statement)}
    return made - {ir.Statement, ir.ReadOnly}


@pytest.fixture(scope="module")
def nobody(lab: Lab) -> Session:
    lab.run("CREATE ROLE IF NOT EXISTS keeper")
    return lab.user("nobody")


def test_every_statement_has_its_privileges_and_an_example() -> None:
    assert kinds() == needed.NEEDS.keys()
    assert kinds() == STATEMENTS.keys()
    handled = {kind for table in (*HANDLERS.values(), *changes.CHANGES.values()) for kind in table}
    assert handled <= needed.NEEDS.keys()


@pytest.mark.parametrize(
    ("kind", "text", "outcome"),
    [(kind, text, outcome) for kind, each in STATEMENTS.items() for text, outcome in each],
    ids=lambda value: value.__name__ if inspect.isclass(value) else str(value),
)
def test_every_statement(
    nobody: Session, kind: type[ir.Statement], text: str, outcome: str
) -> None:
    dialect, text = ("flink", text[7:]) if text.startswith("flink: ") else ("clickhouse", text)
    assert type(parse(text, dialect)) is kind
    if outcome == DENIED:
        told = refused(nobody, text, dialect)
        assert "nobody" in told
        assert "Did you mean" not in told
    elif outcome == EMPTY:
        assert rows(nobody, text, dialect) == []
    else:
        assert "db" not in str(rows(nobody, text, dialect))


def test_a_statement_without_a_row_is_for_those_who_may_do_everything(lab: Lab) -> None:
    scope = Scope(lab.session._engine.catalog, "default", "x")
    assert [each.privilege for each in needed.needs(ir.Statement(), scope)] == ["ALL"]


TABLES = [
    (db, name)
    for db, own in (("system", SYSTEM), ("information_schema", INFORMATION))
    for name in own
]


@pytest.mark.parametrize(("database", "name"), TABLES)
def test_every_system_table(lab: Lab, nobody: Session, database: str, name: str) -> None:
    made = (SYSTEM if database == "system" else INFORMATION)[name]
    rule = rule_of(made)
    query = f"SELECT * FROM {database}.{name}"
    if rule is None or rule.privilege:
        refused(nobody, query)
        return
    if frame_of(made) is not None:
        pytest.fail(f"{name} is read by Spark: it needs a grant")
    seen = list(rows_of(made, lab.session._engine, nobody.access))
    if rule is PUBLIC:
        shown = str(seen)
        assert "hidden_collection" not in shown
        assert "flinks" not in shown
    elif rule.own:
        at = [column for column, _ in made.columns].index("user")
        assert {row[at] for row in seen} <= {"nobody"}
    else:
        assert seen == []
    assert rule is PUBLIC or rule.own or rows(nobody, query) == []


def test_rules_are_for_tables_that_exist() -> None:
    assert RULES.keys() <= SYSTEM.keys()
    assert STANDARD.keys() == INFORMATION.keys()


def test_whoever_opens_the_folder_sees_everything(lab: Lab) -> None:
    engine = lab.session._engine
    for name in ("tables", "databases", "users", "named_collections"):
        assert list(rows_of(SYSTEM[name], engine, owner()))


def test_an_unknown_table_is_no_hint_for_others(lab: Lab) -> None:
    one = lab.user("one", "SELECT ON db.t")
    missing = refused(one, "SELECT * FROM db.nothing").replace("nothing", "u")
    assert missing == refused(one, "SELECT * FROM db.u")


def test_ids_of_queries_of_others(lab: Lab, nobody: Session) -> None:
    engine = lab.session._engine
    with engine.activity.statement("SELECT 1", "default", "clickhouse", "mine", "default"):
        assert not lab.session.cancel("mine", "", "nobody")
        assert rows(nobody, "KILL QUERY WHERE query_id = 'mine'") == []
        assert rows(
            lab.user("killer", "SELECT ON system.processes"),
            "SELECT query_id FROM system.processes WHERE user = 'default'",
        ) == [("mine",)]
        refused(
            lab.user("killer", "SELECT ON system.processes"), "KILL QUERY WHERE query_id = 'mine'"
        )


def test_the_parsers_know_every_access_statement() -> None:
    for words in access_sql.STATEMENTS:
        with pytest.raises(errors.SluiceError) as caught:
            clickhouse.parse(" ".join(words) + " ,")
        assert caught.value.condition.name == "SYNTAX_ERROR" or "privilege" in str(caught.value)
