"""What a query may read: its tables and columns, and the rows that policies leave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard

from sluice import errors
from sluice.catalog.system_tables import SystemTable
from sluice.planner.query_views import PARAMETERS
from sluice.planner.relations import columns_of
from sluice.session import constraints
from sluice.session.context import ExternalTable
from sluice.system import visibility
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyspark.sql import DataFrame

    from sluice.access import Access
    from sluice.catalog import Table
    from sluice.clickhouse.pool import Worker
    from sluice.clickhouse.syntax import Query

    Key = tuple[str, str]
    Found = Mapping[Key, Table | SystemTable | ExternalTable]

_LINE = re.compile(r", result_type: .*, source_id: (\d+)$")
_TABLE = re.compile(r"^\s*TABLE id: (\d+),.*?table_name: (.*)$", re.M)
_NAME = "column_name: "
_MEANT = re.compile(r"\.? *(?:Maybe you meant|Did you mean)[^\n]*", re.I)


def check_tables(access: Access, found: Found) -> None:
    """Make sure that a user may read something of every table.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES.
    """
    if access.unlimited:
        return
    for key, table in found.items():
        if isinstance(table, SystemTable):
            visibility.check(access, table)
        elif _is_kept(table):
            access.check_somewhere("SELECT", _granted(key, table))


def _is_kept(table: Table | SystemTable | ExternalTable) -> TypeGuard[Table]:
    """Whether a table belongs to the catalog, and not to the session or the request."""
    return not isinstance(table, SystemTable | ExternalTable) and not table.temporary


def _granted(key: Key, table: Table) -> Key:
    """What rights on a name are about: the name itself, or the view of a call with values."""
    return table.key if PARAMETERS in table.settings else key


def check_settings(access: Access, query: Query) -> None:
    """Make sure that a user may set what the query itself does, for all of it or for a part.

    Raises:
        SluiceError: SETTING_CONSTRAINT_VIOLATION and the like.
    """
    for given in (query.settings, query.inner):
        constraints.check(access, {name: text.strip("'") for name, text in given.items()})


def hidden(access: Access, problem: errors.SluiceError, key: Key) -> errors.SluiceError:
    """The error for a name that is not known: whether it is a table is not told to everybody."""
    if access.holds_somewhere("SELECT", key) or access.holds("SHOW TABLES", key[:1]):
        return problem
    return access.denied(f"SELECT ON {key[0]}.{key[1]}")


def check_columns(access: Access, worker: Worker, text: str, found: Found) -> None:
    """Make sure that a user may read every column that a query uses, as ClickHouse resolves them.

    The tables have to be there as views. Only those are looked at of which the user may not read
    all columns.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES, with the columns.
    """
    partly = {
        key: table
        for key, table in found.items()
        if _is_kept(table) and not access.holds("SELECT", _granted(key, table))
    }
    if access.unlimited or not partly:
        return
    tree = _tree(worker, text)
    names: dict[str, set[str]] = {}
    for id_, name in _TABLE.findall(tree):
        names.setdefault(id_, set()).add(name)
    used: dict[str, set[str]] = {}
    for line in tree.splitlines():
        if _NAME not in line:
            continue
        end = _LINE.search(line)
        for part in line.split(_NAME)[1:]:
            column, is_whole, _ = part.partition(", result_type: ")
            for table in names.get(end[1], set()) if end is not None else {""}:
                used.setdefault(table if is_whole else "", set()).add(column)
    for key, each in partly.items():
        every = [column.name for column in each.columns]
        columns = used.get(f"{key[0]}.{key[1]}", set()) | used.get("", set())
        wanted = {_column(name, every) for name in columns}
        if wanted:
            access.check("SELECT", _granted(key, each), wanted)


def _tree(worker: Worker, text: str) -> str:
    """The tree of a query; an error does not tell the names of columns that come near."""
    try:
        return worker.run(f"EXPLAIN QUERY TREE {text}")
    except errors.SluiceError as bad:
        kept = {k: _MEANT.sub("", v) if isinstance(v, str) else v for k, v in bad.params.items()}
        raise type(bad)(bad.condition, kept, bad.place, bad.dialect) from None


def _column(name: str, columns: Iterable[str]) -> str:
    """The column that a name is, or is a part of."""
    known = set(columns)
    while name not in known and "." in name:
        name = name.rpartition(".")[0]
    return name


def row_filter(access: Access, *keys: Key) -> str:
    """The condition of the rows that a user sees of a table, in ClickHouse's SQL; "" for all."""
    wanted = [access.row_filter(*key) for key in dict.fromkeys(keys)]
    listed = " AND ".join(f"({each})" for each in wanted if each is not None)
    return with_user(listed, access, named=False) if listed else ""


def filtered_rows(access: Access, table: Table, rows: DataFrame) -> DataFrame:
    """The rows of a table that a user sees, for Spark.

    Raises:
        SluiceError: for a policy that Spark cannot apply.
    """
    condition = row_filter(access, table.key)
    if not condition:
        return rows
    from sluice.sql.clickhouse import lower_expression

    found = lower_expression(f"if({condition}, 1, 0)", columns_of(table))
    return rows.where(f"({found.sql}) = 1")


def check_unfiltered(access: Access, view: Table) -> None:
    """Make sure that a user sees all rows of a view whose query is read by Spark.

    Raises:
        SluiceError: ROW_POLICY_APPLIES.
    """
    if access.row_filter(*view.key) is not None:
        raise errors.ROW_POLICY_APPLIES(
            user=access.user, table=view.full_name, what="a query on Spark"
        )


_CALL = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
      | \b(?P<name>currentUser|current_user|user|currentRoles|enabledRoles|defaultRoles|uptime)\(\)
    """,
    re.X | re.S | re.I,
)

_ANSWERS: Mapping[str, Callable[[Access], str]] = {
    "currentuser": lambda access: quote_string(access.user),
    "current_user": lambda access: quote_string(access.user),
    "user": lambda access: quote_string(access.user),
    "currentroles": lambda access: _texts(r for r in access.roles if r in access.granted_roles),
    "enabledroles": lambda access: _texts(access.roles),
    "defaultroles": lambda access: _texts(access.default_roles),
}


def with_user(text: str, access: Access, *, named: bool = True, uptime: float = 0.0) -> str:
    """A query with the user's name in the place of `currentUser()` and the like.

    The worker that runs it has a user, and an uptime in seconds, of its own. What stands there is
    `named` as before.
    """
    server = {"uptime": f"toUInt32({int(uptime)})"}

    def put(found: re.Match[str]) -> str:
        name = found["name"]
        if name is None:
            return found[0]
        value = server.get(name.lower()) or _ANSWERS[name.lower()](access)
        return f"({value} AS {quote_name(found[0])})" if named else value

    return _CALL.sub(put, text)


def _texts(names: Iterable[str]) -> str:
    return f"CAST([{', '.join(map(quote_string, names))}], 'Array(String)')"
