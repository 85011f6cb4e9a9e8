"""What a query uses, as ClickHouse's parser tells it, and what it may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sluice.clickhouse import allowed, syntax
from sluice.clickhouse.pool import Pool, Worker
from sluice.errors import SluiceError
from sluice.formats import answers
from sluice.options import clickhouse_settings

if TYPE_CHECKING:
    from pathlib import Path


def read(worker: Worker, text: str, **parameters: str) -> syntax.Query:
    query = syntax.read(worker, text, parameters)
    allowed.check(query)
    return query


def test_a_text_is_parsed_once(tmp_path: Path) -> None:
    pool = Pool(tmp_path)
    with pool.worker() as lost:
        known = syntax.read(lost, "SELECT 'parsed once' FROM t", {})
        asked = "SELECT {x:String}"
        assert syntax.read(lost, asked, {"x": "a"}).parameters == {"x"}
        lost.kill()
        assert syntax.read(lost, "SELECT 'parsed once' FROM t", {}) == known
        with pytest.raises(SluiceError):  # its values are set in the worker
            syntax.read(lost, asked, {"x": "a"})
    pool.close()


def test_tables(worker: Worker) -> None:
    query = read(
        worker,
        "WITH c AS (SELECT 1 AS x FROM a) SELECT * FROM db.t AS z FINAL JOIN c ON z.x = c.x "
        "WHERE x IN u AND y NOT IN db.v AND (1, 2) IN ((1, 2)) AND k IN (SELECT j FROM `w.x`)",
    )
    assert query.tables == {"a", "db.t", "c", "w.x"}
    assert query.perhaps == {"u", "db.v"}
    assert query.local == {"c"}


@pytest.mark.parametrize(
    ("text", "body", "format_", "settings"),
    [
        ("SELECT 1", "SELECT 1", None, {}),
        ("SELECT 1 -- FORMAT JSON\n", "SELECT 1", None, {}),
        ("SELECT 1 FORMAT JSON", "SELECT 1", "JSON", {}),
        (
            "SELECT уровень, 'é' -- ü\nFROM ежедневно",
            "SELECT `уровень`, 'é' FROM `ежедневно`",
            None,
            {},
        ),
        (
            "SELECT a FROM t FORMAT CSV SETTINGS max_threads = 2, log_comment = 'a, b = 1'",
            "SELECT a FROM t",
            "CSV",
            {"max_threads": "2", "log_comment": "'a, b = 1'"},
        ),
        (
            "SELECT a FROM t ORDER BY a SETTINGS max_threads=1 FORMAT TSV SETTINGS limit=9",
            "SELECT a FROM t ORDER BY a ASC",
            "TSV",
            {"max_threads": "1", "limit": "9"},
        ),
        (
            "SELECT format, settings FROM (SELECT 1 AS format, 2 AS settings SETTINGS limit = 1)",
            "SELECT format, settings FROM (SELECT 1 AS format, 2 AS settings SETTINGS limit = 1)",
            None,
            {},
        ),
    ],
)
def test_clauses(
    worker: Worker, text: str, body: str, format_: str | None, settings: dict[str, Any]
) -> None:
    query = read(worker, text)
    assert (query.text, query.format, query.settings) == (body, format_, settings)


def test_parameters(worker: Worker) -> None:
    assert read(worker, "SELECT {a:UInt8}, {b:String}", a="1", b="it's").parameters == {"a", "b"}
    with pytest.raises(SluiceError, match="`c` is not set"):
        read(worker, "SELECT {c:UInt8}", a="1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SELECT 1; DROP TABLE t", "Multi-statements are not allowed"),
        ("SELEC 1", "Syntax error"),
        ("INSERT INTO t SELECT 1", "InsertQuery in the place of a SELECT"),
        ("DROP TABLE t", "in the place of a SELECT"),
        ("SELECT 1 INTO OUTFILE '/tmp/x'", "INTO OUTFILE is not supported"),
        ("SELECT file('/etc/passwd')", "function file cannot be used: it reads files"),
        ("SELECT FILE('/etc/passwd')", "function FILE cannot be used"),
        ("SELECT `file`('/etc/passwd')", "function file cannot be used"),
        ("SELECT arrayMap(x -> file(x), ['/etc/passwd'])", "function file cannot be used"),
        ("SELECT 1 WHERE 'a' = (SELECT file('/etc/passwd'))", "function file cannot be used"),
        ("SELECT * FROM file('/etc/passwd')", "table function file cannot be used"),
        ("SELECT * FROM view(SELECT * FROM url('http://127.0.0.1'))", "table function url"),
        ("SELECT * FROM s3('http://127.0.0.1/x', 'CSV')", "table function s3"),
        ("SELECT * FROM remote('127.0.0.1', system.one)", "table function remote"),
        ("SELECT * FROM executable('ls', 'CSV', 'a String')", "table function executable"),
        ("SELECT * FROM python('x')", "table function python"),
        ("SELECT * FROM mergeTreeIndex('a', 'b')", "table function mergeTreeIndex"),
        ("SELECT 1 IN (SELECT * FROM mysql('h', 'd', 't', 'u', 'p'))", "table function mysql"),
        *(
            (f"SELECT * FROM {call}", "names and types of columns alone")
            for call in (
                "format(CSV, 'a Int8, b String DEFAULT file(''/etc/passwd'')', '1')",
                "format('CSV', concat('a Int8 DEF', 'AULT file(1)'), '1')",
                "FORMAT(CSV, identity('a Int8'), '1')",
                "format(CSV, 'a Int8, b String ' || 'ALIAS file(1)', '1')",
                "`format`(CSV, 'a Int8, b alias file(1)', '1')",
                "view(SELECT * FROM format(CSV, 'a Int8 materialized 1', (SELECT '1')))",
                "generateRandom('a Int8, b String ALIAS file(1)')",
                "null('a Int8, b String EPHEMERAL file(1)')",
                "values('a Int8, b String DEFAULT file(1)', (1))",
            )
        ),
        ("SELECT regionToName(1)", "there are no dictionaries of the server"),
        ("SELECT reflect('java.lang.System', 'getenv', 'X')", "Unknown function reflect"),
        ("SELECT getServerSetting('path')", "inside of the server"),
        ("SELECT aiGenerate('x')", "services outside"),
    ],
)
def test_what_is_refused(worker: Worker, text: str, problem: str) -> None:
    with pytest.raises(SluiceError) as bad:
        read(worker, text)
    assert problem in str(bad.value)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT sumIf(a, b), quantilesTDigestArrayIf(0.5)(c, d), uniqStateMerge(e) FROM t",
        "SELECT count(DISTINCT a), COUNT(*), SUM(a), CAST(a AS Date), a.1, a[1], -a, NOT a FROM t",
        "SELECT * EXCEPT (a) REPLACE (b + 1 AS b) APPLY(toString), COLUMNS('x') FROM t",
        "SELECT arrayMap((x, y) -> x + y, a, b), CASE a WHEN 1 THEN 2 ELSE 3 END, a ? b : c FROM t",
        "SELECT a, GROUPING(a) FROM t GROUP BY ROLLUP(a) WITH TOTALS HAVING a > 1 LIMIT 1 BY a",
        "SELECT sum(a) OVER (PARTITION BY b ORDER BY c ROWS 1 PRECEDING) FROM t QUALIFY 1",
        "SELECT INTERVAL 1 DAY, DATE '2020-01-01', EXTRACT(YEAR FROM d), a BETWEEN 1 AND 2 FROM t",
        "SELECT * FROM numbers(10), generateSeries(1, 2), values('a UInt8', 1), zeros(1)",
        "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT 1",
        "SELECT EXISTS(SELECT 1), untuple((1, 2)), $$a heredoc$$, 0xFF, toString(1)::UInt8",
    ],
)
def test_what_is_allowed(worker: Worker, text: str) -> None:
    read(worker, text)


def test_every_function_was_looked_at(worker: Worker) -> None:
    """A function of a newer ClickHouse is in `functions.txt`, or denied, before it can be used."""
    names = worker.run("SELECT name FROM system.functions").split()
    known = {*allowed.functions()}
    assert [name for name in names if name not in known and not allowed.denied(name)] == []
    assert [name for name in known if allowed.denied(name)] == []
    assert sorted(known) == list(allowed.functions())


def test_every_setting_was_looked_at(worker: Worker) -> None:
    found = set(worker.run("SELECT name FROM system.settings").split())
    assert found == clickhouse_settings.settings().keys(), (
        "python -m sluice.options.clickhouse_settings, then look at what is new"
    )


def test_every_output_format_is_known(worker: Worker) -> None:
    query = "SELECT name, content_type FROM system.formats WHERE is_output"
    found = {tuple(line.split("\t")) for line in worker.run(query).splitlines()}
    known = {(each.name, each.content_type) for each in answers.formats().values()}
    assert found == known, "python -m sluice.formats.answers"


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("SELECT a FROM t FINAL", "SELECT a FROM t"),
        ("SELECT a FROM t AS x FINAL WHERE a IN (SELECT b FROM u FINAL)", None),
        ("SELECT 'FINAL' FROM t FINAL", "SELECT 'FINAL' FROM t"),
        ("SELECT a FROM t PREWHERE a > 1", "SELECT a FROM t WHERE a > 1"),
        (
            "SELECT a FROM t PREWHERE a > 1 OR b WHERE c OR (d) GROUP BY a",
            "SELECT a FROM t WHERE ((a > 1) OR b) AND (c OR (d)) GROUP BY a",
        ),
        (
            "SELECT * FROM (SELECT a FROM t PREWHERE b) PREWHERE a LIMIT 1",
            "SELECT * FROM (SELECT a FROM t WHERE b) WHERE a LIMIT 1",
        ),
        (
            "SELECT a AS FINAL, PREWHERE, cluster FROM t AS FINAL FINAL PREWHERE PREWHERE = 'X'",
            "SELECT a AS FINAL, PREWHERE, cluster FROM t AS FINAL WHERE PREWHERE = 'X'",
        ),
        (
            "SELECT a FROM t PREWHERE a IN (SELECT 1 WHERE 2) AND (b OR c) WHERE d ORDER BY a",
            "SELECT a FROM t WHERE ((a IN (SELECT 1 WHERE 2)) AND (b OR c)) AND (d) ORDER BY a ASC",
        ),
        (
            "SELECT * FROM clusterAllReplicas('default', d.t) AS x FINAL JOIN t AS y ON 1",
            "SELECT * FROM `d`.`t` AS x INNER JOIN t AS y ON 1",
        ),
        (
            "SELECT 1 FROM cluster('{cluster}', 'd', t), cluster(default, `a.b`.c, rand())",
            "SELECT 1 FROM `d`.`t`, `a.b`.`c`",
        ),
        (
            "SELECT 1 FROM cluster('default', view(SELECT a FROM cluster('default', t) FINAL))",
            "SELECT 1 FROM view(SELECT a FROM `t`)",
        ),
        ("SELECT 1 FROM cluster('default') WHERE 1", "SELECT 1 FROM `system`.`one` WHERE 1"),
    ],
)
def test_words_that_views_do_not_take(worker: Worker, text: str, rewritten: str | None) -> None:
    found = " ".join(syntax.read(worker, text, {}).text.split())
    if rewritten is None:
        assert "FINAL" not in found
    else:
        assert found.replace("( ", "(").replace(" )", ")") == rewritten


def test_tables_of_clusters_are_tables(worker: Worker) -> None:
    query = syntax.read(worker, "SELECT * FROM cluster('default', system.tables), cluster()", {})
    assert query.tables == {"system.tables"}
    assert query.table_functions == {"cluster"}  # without arguments ClickHouse refuses it
    with pytest.raises(SluiceError, match="Requested cluster 'east' not found") as unknown:
        syntax.read(worker, "SELECT * FROM clusterAllReplicas('east', t)", {})
    assert unknown.value.condition.clickhouse_code == 701


def test_sample_is_refused(worker: Worker) -> None:
    """A view would take it, and return all rows."""
    for text in ("SELECT a FROM t SAMPLE 1/10", "SELECT 1 IN (SELECT a FROM t SAMPLE 10 OFFSET 5)"):
        with pytest.raises(SluiceError, match="SAMPLE is not supported"):
            syntax.read(worker, text, {})
    syntax.read(worker, "SELECT SAMPLE, a AS OFFSET FROM t", {})


def test_settings_of_parts(worker: Worker) -> None:
    text = (
        "SELECT * FROM (SELECT 1 SETTINGS limit = 1, max_threads = 2) SETTINGS max_block_size = 3"
    )
    query = syntax.read(worker, text, {})
    assert query.inner == {"limit": "1", "max_threads": "2"}
    assert query.settings == {"max_block_size": "3"}
    filters = "SETTINGS additional_table_filters = {'a': 'x', 'b': 'y'}, limit = 2"
    for text in (
        f"SELECT * FROM (SELECT 1 {filters})",
        f"SELECT 1 WHERE 1 IN (SELECT 1 {filters})",
    ):
        assert syntax.read(worker, text, {}).inner.keys() == {"additional_table_filters", "limit"}
    outer = syntax.read(worker, f"SELECT 1 {filters}", {})
    assert outer.settings.keys() | outer.inner.keys() == {"additional_table_filters", "limit"}
