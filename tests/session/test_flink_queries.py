"""Queries of jobs as far as they need no Spark: what they keep, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.test_flink_jobs import TOPIC, flink, job, spec
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from session.lab import Lab

END = TOPIC.replace("('connector'", "('scan.bounded.mode' = 'latest-offset', 'connector'")


@pytest.fixture
def tables(lab: Lab) -> Lab:
    for name, options in (("a", TOPIC), ("b", TOPIC), ("ending", END)):
        flink(lab, f"CREATE TABLE {name} (p STRING) WITH {options.format(name)}")
    flink(lab, "CREATE TABLE n (p STRING, c BIGINT, PRIMARY KEY (p) NOT ENFORCED)")
    flink(lab, "CREATE TABLE stored (p STRING)")
    flink(lab, "CREATE VIEW counts AS SELECT p, COUNT(*) AS c FROM a GROUP BY p")
    return lab


@pytest.mark.parametrize(
    ("query", "node"),
    [
        ("SELECT p FROM a GROUP BY p", "GroupAggregate(groupBy=[p], select=[p])"),
        (
            "SELECT p FROM counts",
            "GroupAggregate(groupBy=[p], select=[p, COUNT(*) AS c])",
        ),
        (
            "SELECT p FROM (SELECT p, ROW_NUMBER() OVER w AS rn FROM a "  # noqa: ISC004
            "WINDOW w AS (PARTITION BY p ORDER BY CHAR_LENGTH(p))) WHERE rn <= 2",
            "Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=2], "  # noqa: ISC004
            "partitionBy=[p], orderBy=[CHAR_LENGTH(p) ASC])",
        ),
        (
            "SELECT CAST(COUNT(*) AS STRING) FROM a GROUP BY p",
            "GroupAggregate(groupBy=[p], select=[CAST(COUNT(*) AS STRING) AS EXPR$0])",
        ),
    ],
)
def test_changes_into_a_topic_are_refused(tables: Lab, query: str, node: str) -> None:
    with pytest.raises(SluiceError) as caught:
        spec(tables, job(tables, f"INSERT INTO b {query}"))
    said = (
        "Table sink 'default_catalog.default.b' doesn't support consuming update changes which is "
        f"produced by node {node}"
    )
    assert said in str(caught.value)


def test_a_view_is_its_query(tables: Lab) -> None:
    """Its state and its keys are those of the query that reads it."""
    (query,) = spec(tables, job(tables, "INSERT INTO n SELECT p, c FROM counts")).queries
    (output,) = query.outputs
    assert query.stateful
    assert (output.updating, output.key) == (True, ("p",))


def test_what_ends_is_no_stream(tables: Lab) -> None:
    """All of SQL runs over what ends, as a whole; beside a stream it is a stream as well."""
    text = "INSERT INTO stored SELECT p FROM ending ORDER BY p LIMIT 3"
    (query,) = spec(tables, job(tables, text)).queries
    assert (query.bounded, query.stateful, query.outputs[0].updating) == (True, True, False)
    (query,) = spec(tables, job(tables, "INSERT INTO b SELECT p FROM ending GROUP BY p")).queries
    assert (query.stateful, query.outputs[0].updating) == (True, False)
    (query,) = spec(tables, job(tables, "INSERT INTO b SELECT p FROM ending WHERE p <> ''")).queries
    assert not query.stateful
    with pytest.raises(SluiceError, match="ORDER BY on an unbounded stream"):
        spec(tables, job(tables, text.replace("ending", "a")))
    mixed = "INSERT INTO b SELECT a.p FROM a LEFT JOIN ending ON a.p = ending.p"
    with pytest.raises(SluiceError, match="consuming update and delete changes"):
        spec(tables, job(tables, mixed))
