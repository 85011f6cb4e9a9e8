"""Answers of Spark with values that have types of their own: it has only what is stored of them."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sluice.clickhouse import json_rows
from sluice.formats import typed_values
from sluice.session.clickhouse_prepared import clauses, taken
from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.engine.engine import Engine
    from sluice.types import Type


def values_of(engine: Engine, type_: Type, texts: Sequence[str | None]) -> list[Any]:
    """The values of a type, as ClickHouse makes them of what is stored."""
    if not texts:
        return []
    with ExitStack() as stack:
        above = engine.folder.path / "tmp"
        folder = stack.enter_context(TemporaryDirectory(prefix="answer-", dir=above))
        given = Path(folder, "data")
        given.write_text("\n".join(map(json.dumps, enumerate(texts))), "utf-8")
        structure = "'n UInt64, t Nullable(String)'"
        source = f"file({quote_string(str(given))}, JSONCompactEachRow, {structure})"
        query = f"SELECT {typed_values.value_of('t', type_)} AS v FROM {source} ORDER BY n"  # noqa: S608
        worker = taken(engine, stack)
        how = clauses(json_rows.FORMAT, json_rows.SETTINGS)
        with closing(worker.stream(query, how)) as stream:
            _, rows = json_rows.read(stream)
    return [value for (value,) in rows]
