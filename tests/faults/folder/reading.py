"""What a stored data folder and its topics are compared by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import topics

from faults.folder.contents import FLINK

if TYPE_CHECKING:
    from pathlib import Path

    from faults.server import Server
    from sluice.kafka.cluster import Cluster

FLINK_VIEWS = {text.split()[2] for text in FLINK if text.startswith("CREATE VIEW")}
FLINK_TABLES = {text.split()[2] for text in FLINK}


def committed(cluster: Cluster, topic: str) -> list[int]:
    """The numbers in a topic, as a consumer of committed messages sees them."""
    return [json.loads(message.value())["n"] for message in topics.committed(cluster, topic)]


def committed_rows(table: Path) -> int:
    """How many rows the log of a Delta table that is only appended to has."""
    lines = [
        json.loads(line)
        for entry in sorted((table / "_delta_log").glob("*.json"))
        for line in entry.read_text("utf-8").splitlines()
    ]
    return sum(json.loads(line["add"]["stats"])["numRecords"] for line in lines if "add" in line)


def shown(server: Server) -> dict[str, str]:
    """SHOW CREATE of everything there is, by database and name."""
    own = "WHERE database IN ('default', 'shop') AND NOT startsWith(name, '.')"
    definitions = {}
    for database, name in server.sql(f"SELECT database, name FROM system.tables {own}"):
        flink = database == "default" and name in FLINK_TABLES
        what = "VIEW" if name in FLINK_VIEWS else "TABLE"
        text = f"SHOW CREATE {what} {database}.{name}"
        ((answer,),) = server.sql(text, "flink" if flink else "clickhouse")
        definitions[f"{database}.{name}"] = answer
    return definitions
