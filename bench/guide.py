"""The statements of the ClickHouse guide, and their columns as one would write them for Spark."""

from __future__ import annotations

import re

from sluice.cli.demo import statements

SPARK_SCHEMA = """
    file_time TIMESTAMP, event_type STRING, actor_login STRING, repo_name STRING,
    created_at TIMESTAMP, updated_at TIMESTAMP, action STRING, comment_id BIGINT, path STRING,
    ref STRING, ref_type STRING, creator_user_login STRING, number INT, title STRING,
    labels ARRAY<STRING>, state STRING, assignee STRING, assignees ARRAY<STRING>,
    closed_at TIMESTAMP, merged_at TIMESTAMP, merge_commit_sha STRING,
    requested_reviewers ARRAY<STRING>, merged_by STRING, review_comments INT, member_login STRING
"""


def pipeline(broker: str, topic: str, **settings: str | int) -> list[str]:
    """Queue, table and view that read a topic, in a database of the topic's name.

    They are the guide's statements; what is replaced says where to read, or is given in `settings`.
    The last one starts the reading.
    """
    queue, table, view = statements(broker)
    for name, value in {"kafka_topic_list": topic, **settings}.items():
        queue = _set(queue, name, f"'{value}'" if isinstance(value, str) else str(value))
    return [f"CREATE DATABASE {topic}", f"USE {topic}", queue, table, view]


def _set(statement: str, name: str, value: str) -> str:
    """Give a setting another value, or add it."""
    changed, times = re.subn(rf"\b{name} *= *('[^']*'|\d+)", f"{name} = {value}", statement)
    return changed if times else f"{statement}, {name} = {value}"
