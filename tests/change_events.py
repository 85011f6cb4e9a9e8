"""A table of products whose changes are written as each of the change-data formats writes them.

The story is the one that Flink's own tests tell (FL-86): eleven rows are inserted, four updates
change three of them, and one is deleted.
"""

from __future__ import annotations

import json
from typing import Any

Row = dict[str, Any]
Change = tuple[Row | None, Row | None]
"""A row before and after."""


def _product(id_: int, name: str, description: str | None, weight: float) -> Row:
    return {"id": id_, "name": name, "description": description, "weight": weight}


_FIRST = [
    _product(101, "scooter", "Small 2-wheel scooter", 3.140000104904175),
    _product(102, "car battery", "12V car battery", 8.100000381469727),
    _product(103, "12-pack drill bits", "12 drill bits, sizes #40 to #3", 0.800000011920929),
    _product(104, "hammer", "12oz carpenter's hammer", 0.75),
    _product(105, "hammer", "14oz carpenter's hammer", 0.875),
    _product(106, "hammer", None, 1.0),
    _product(107, "rocks", "box of assorted rocks", 5.300000190734863),
    _product(108, "jacket", "water resistent black wind breaker", 0.10000000149011612),
    _product(109, "spare tire", "24 inch spare tire", 22.200000762939453),
]
_JACKET = _product(110, "jacket", "water resistent white wind breaker", 0.20000000298023224)
_SCOOTER = _product(111, "scooter", "Big 2-wheel scooter ", 5.179999828338623)
_NEW_JACKET = _JACKET | {
    "description": "new water resistent white wind breaker",
    "weight": 0.5,
}
_NEW_SCOOTER = _SCOOTER | {"weight": 5.170000076293945}

CHANGES: list[Change] = [
    *((None, row) for row in _FIRST),
    (_FIRST[5], _FIRST[5] | {"description": "18oz carpenter hammer"}),
    (_FIRST[6], _FIRST[6] | {"weight": 5.099999904632568}),
    (None, _JACKET),
    (None, _SCOOTER),
    (_JACKET, _NEW_JACKET),
    (_SCOOTER, _NEW_SCOOTER),
    (_NEW_SCOOTER, None),
]
"""16 events, which are 20 rows of a changelog."""

MORE_CHANGES: list[Change] = [
    (_FIRST[0], _FIRST[0] | {"weight": 5.17}),
    (_FIRST[1], _FIRST[1] | {"weight": 5.17}),
    (_FIRST[1] | {"weight": 5.17}, None),
    (_FIRST[2], None),
]
"""What Flink's test of Canal adds (FL-93): with them there are 26 rows, and 8 are left."""

COLUMNS = "id INT, name STRING, description STRING, weight DECIMAL(10, 3)"

SUMS = {
    "scooter": "3.140", "car battery": "8.100", "12-pack drill bits": "0.800", "hammer": "2.625",
    "rocks": "5.100", "jacket": "0.600", "spare tire": "22.200",
}  # fmt: skip
"""SUM(weight) by name in the end (FL-89)."""


def final(changes: list[Change] | None = None) -> dict[int, Row]:
    """The rows that the changes leave, by id."""
    found: dict[int, Row] = {}
    for before, after in CHANGES if changes is None else changes:
        if before is not None:
            del found[before["id"]]
        if after is not None:
            found[after["id"]] = after
    return found


def _operation(change: Change) -> int:
    """0 for an insert, 1 for an update, 2 for a delete."""
    before, after = change
    return 0 if before is None else 2 if after is None else 1


_MYSQL = {
    "version": "1.1.1.Final", "connector": "mysql", "name": "dbserver1", "ts_ms": 0,
    "snapshot": "true", "db": "inventory", "table": "products", "server_id": 0, "gtid": None,
    "file": "mysql-bin.000003", "pos": 154, "row": 0, "thread": None, "query": None,
}  # fmt: skip
_POSTGRES = {
    "version": "1.2.0.Final", "connector": "postgresql", "name": "fullfillment",
    "ts_ms": 1596001099434, "snapshot": "true", "db": "postgres", "schema": "inventory",
    "table": "products", "txId": 602, "lsn": 34078720, "xmin": None,
}  # fmt: skip


def debezium(
    changes: list[Change] | None = None, *, postgres: bool = False, schema: bool = False
) -> list[Row]:
    """Debezium's events; Postgres reads its first nine rows from a snapshot (FL-88)."""
    found = []
    for at, change in enumerate(CHANGES if changes is None else changes):
        before, after = change
        snapshot = postgres and _operation(change) == 0 and at < len(_FIRST)
        event = {
            "before": before,
            "after": after,
            "source": _POSTGRES if postgres else _MYSQL,
            "op": "r" if snapshot else "cud"[_operation(change)],
            "ts_ms": (1596001099434 if postgres else 1589355606100) + at,
            "transaction": None,
        }
        described = {"type": "struct", "optional": False, "name": "dbserver1.products.Envelope"}
        found.append({"schema": described, "payload": event} if schema else event)
    return found


def _texts(row: Row | None) -> Row | None:
    return row and {name: None if v is None else str(v) for name, v in row.items()}


def _changed(change: Change) -> Row:
    """Of an updated row the values that it had before."""
    before, after = change
    return {k: v for k, v in (before or {}).items() if v != (after or {}).get(k)}


def canal(changes: list[Change] | None = None, *, table: str = "products2") -> list[Row]:
    """Canal's messages: several changes in one, every value a text, and a DDL statement first."""
    found: list[Row] = [_canal("CREATE", table, [], [], ddl=True)]
    for change in CHANGES if changes is None else changes:
        type_ = ("INSERT", "UPDATE", "DELETE")[_operation(change)]
        if found[-1]["type"] != type_:
            found.append(_canal(type_, table, [], [] if type_ == "UPDATE" else None))
        found[-1]["data"].append(_texts(change[1] if change[1] is not None else change[0]))
        if type_ == "UPDATE":
            found[-1]["old"].append(_texts(_changed(change)))
    return found


def _canal(
    type_: str, table: str, data: list[Row | None], old: list[Row | None] | None, ddl: bool = False
) -> Row:
    return {
        "data": None if ddl else data,
        "database": "inventory",
        "es": 1589373515000,
        "id": 3,
        "isDdl": ddl,
        "mysqlType": {"id": "INTEGER", "name": "VARCHAR(255)", "weight": "FLOAT"},
        "old": None if ddl else old,
        "pkNames": ["id"],
        "sql": "CREATE TABLE products2 (id INT)" if ddl else "",
        "sqlType": {"id": 4, "name": 12, "description": 12, "weight": 7},
        "table": table,
        "ts": 1589373515477,
        "type": type_,
    }


def maxwell(changes: list[Change] | None = None) -> list[Row]:
    """Maxwell's messages, one for each change."""
    found = []
    for change in CHANGES if changes is None else changes:
        type_ = ("insert", "update", "delete")[_operation(change)]
        row: Row = {"database": "test", "table": "product", "type": type_, "ts": 1596684883}
        row |= {"data": change[1] if change[1] is not None else change[0]}
        row |= {"primary_key_columns": ["id"]}
        found.append(row | ({"old": _changed(change)} if type_ == "update" else {}))
    return found


def ogg(changes: list[Change] | None = None) -> list[Row]:
    """GoldenGate's messages, one for each change."""
    found = []
    for change in CHANGES if changes is None else changes:
        before, after = change
        row: Row = {"table": "OGG.TBL_TEST", "pos": "00000000000000000001436"}
        row |= {"op_type": "IUD"[_operation(change)], "primary_keys": ["id"]}
        row |= {"op_ts": "2020-05-13 15:40:06.000000", "current_ts": "2020-05-13T15:40:07.123456"}
        row |= {} if before is None else {"before": before}
        found.append(row | ({} if after is None else {"after": after}))
    return found


def encoded(events: list[Row]) -> list[bytes]:
    """Messages as bytes."""
    return [json.dumps(event).encode() for event in events]
