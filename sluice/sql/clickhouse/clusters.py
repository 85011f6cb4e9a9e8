"""`ON CLUSTER`: a server is a cluster of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors

if TYPE_CHECKING:
    from sluice.sql.core.cursor import Cursor

CLUSTERS = ("default", "{cluster}")
"""The one server by itself, and the macro that names whatever cluster a server is in."""


def on_cluster(cursor: Cursor) -> None:
    """`ON CLUSTER name`: a cluster of one server is that server, any other does not exist."""
    if not cursor.word("ON", "CLUSTER"):
        return
    place = cursor.place()
    if cursor.token is not None and cursor.token.token_type == TokenType.STRING:
        name = cursor.string("a cluster's name")
    else:
        name = cursor.identifier("a cluster's name")
    if name not in CLUSTERS:
        raise errors.CLUSTER_DOESNT_EXIST(cluster=name, place=place)
