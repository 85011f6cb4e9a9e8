"""The statements of the ClickHouse guide, and the same columns as one would write them for Spark."""

from __future__ import annotations

from sluice.cli.demo import statements

SPARK_SCHEMA = """
    file_time TIMESTAMP, event_type STRING, actor_login STRING, repo_name STRING,
    created_at TIMESTAMP, updated_at TIMESTAMP, action STRING, comment_id BIGINT, path STRING,
    ref STRING, ref_type STRING, creator_user_login STRING, number INT, title STRING,
    labels ARRAY<STRING>, state STRING, assignee STRING, assignees ARRAY<STRING>,
    closed_at TIMESTAMP, merged_at TIMESTAMP, merge_commit_sha STRING,
    requested_reviewers ARRAY<STRING>, merged_by STRING, review_comments INT, member_login STRING
"""


def pipeline(broker: str, topic: str, **settings: int) -> list[str]:
    """Queue, table and view for a topic, in a database named after it, with settings changed.

    They are the guide's statements; only the places where they say where to read are replaced.
    """
    queue, table, view = statements(broker)
    queue = queue.replace("kafka_topic_list='github'", f"kafka_topic_list='{topic}'")
    for name, value in settings.items():
        queue = _set(queue, name, value)
    database = database_of(topic)
    return [f"CREATE DATABASE {database}", f"USE {database}", queue, table, view]


def database_of(topic: str) -> str:
    """The database that a topic's pipeline is in."""
    return topic.replace("-", "_")


def _set(statement: str, name: str, value: int) -> str:
    """Give a setting another value, or add it."""
    import re

    changed, times = re.subn(rf"\b{name} *= *\d+", f"{name} = {value}", statement)
    return changed if times else f"{statement}, {name} = {value}"
