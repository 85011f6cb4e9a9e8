"""The tables of the catalog's own database."""

from __future__ import annotations

import sqlalchemy as sa

META = sa.MetaData()
DATABASES = sa.Table(
    "databases",
    META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("comment", sa.Text, nullable=True),
)
IDENTITY = sa.Table(
    "identity",
    META,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("store", sa.Text, nullable=False),
    sa.Column("place", sa.Text, nullable=True),
    sa.Column("former", sa.Text, nullable=True),
    sa.Column("trusted", sa.BigInteger, nullable=True),
    sa.Column("renamed", sa.DateTime(timezone=True), nullable=True),
    sa.Column("version", sa.BigInteger, nullable=True),
)
STARTS = sa.Table(
    "starts",
    META,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("token", sa.Text, nullable=False),
    sa.Column("time", sa.DateTime(timezone=True), nullable=False),
)
TABLES = sa.Table(
    "tables",
    META,
    sa.Column("uuid", sa.Text, primary_key=True),
    sa.Column("database", sa.ForeignKey(DATABASES.c.name), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("attached", sa.Boolean, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    sa.Column("changed", sa.BigInteger, nullable=True),
    sa.UniqueConstraint("database", "name"),
)
TEMPORARY_ROWS = sa.Table(
    "temporary_rows", META, sa.Column("table_uuid", sa.Text, primary_key=True)
)
COLLECTIONS = sa.Table(
    "named_collections",
    META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("entries", sa.JSON, nullable=False),
)
FUNCTIONS = sa.Table(
    "functions",
    META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("parameters", sa.JSON, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)
GENERATIONS = sa.Table(
    "generations",
    META,
    sa.Column("table_uuid", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("starts", sa.JSON, nullable=False),
    sa.Column("topic_ids", sa.JSON, nullable=False),
    sa.Column("shared", sa.Boolean, nullable=True),
    sa.Column("ends", sa.JSON, nullable=True),
)
JOBS = sa.Table(
    "jobs",
    META,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("database", sa.Text, nullable=False),
    sa.Column("statement", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
    sa.Column("plan", sa.JSON, nullable=False),
)
EVENTS = sa.Table(
    "events",
    META,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("time", sa.DateTime(timezone=True), nullable=False),
    sa.Column("database", sa.Text, nullable=False),
    sa.Column("table", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("ranges", sa.JSON, nullable=False),
)
MUTATIONS = sa.Table(
    "mutations",
    META,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("database", sa.Text, nullable=False),
    sa.Column("table", sa.Text, nullable=False),
    sa.Column("table_uuid", sa.Text, nullable=False),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column("command", sa.Text, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("finished", sa.DateTime(timezone=True), nullable=False),
    sa.Column("fail_name", sa.Text, nullable=False),
    sa.Column("fail_reason", sa.Text, nullable=False),
)
HANDOVERS = sa.Table(
    "handovers",
    META,
    sa.Column("group_name", sa.Text, primary_key=True),
    sa.Column("topic_id", sa.Text, primary_key=True),
    sa.Column("partition", sa.Integer, primary_key=True),
    sa.Column("offset", sa.BigInteger, nullable=False),
)
ACCESS_ENTITIES = sa.Table(
    "access_entities",
    META,
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
)
