"""Answers as bytes, as ClickHouse writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.clickhouse import made_rows

if TYPE_CHECKING:
    from sluice.clickhouse.pool import Pool
    from sluice.formats.result import Result
    from sluice.session import Session


def answer(session: Session, statement: str, format_: str, **given: Any) -> str:
    """What a session answers in a format; bytes that are no UTF-8 are as `surrogateescape`."""
    result = session.execute(statement, default_format=format_, stream=True, **given)
    return b"".join(result.stream or ()).decode("utf-8", "surrogateescape")


def written(workers: Pool, result: Result, format_: str) -> bytes:
    """The rows of a result that was made without a session."""
    columns = [(column.name, column.type) for column in result.columns]
    with workers.worker() as worker:
        query = made_rows.query(worker.folder / "rows" / "made", columns, result.rows)
        stream = worker.stream(query, f"FORMAT {format_}")
        try:
            return b"".join(stream)
        finally:
            stream.close()
