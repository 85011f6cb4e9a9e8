"""A data folder with a stored table, and sessions of its users. No Spark starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import sluice
from sluice import errors

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from sluice.session import Session


class Lab:
    """Runs statements as the owner, or as a user."""

    def __init__(self, data: Path, **more: Any) -> None:
        self.session = sluice.connect(data, pipelines=False, **more)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def run(self, *statements: str, dialect: str = "clickhouse") -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            rows = self.session.execute(statement, dialect=dialect).fetchall()
        return rows

    def user(self, name: str, *grants: str, settings: str = "") -> Session:
        """A session of a new user with grants."""
        self.run(f"CREATE USER OR REPLACE `{name}` {settings}")
        self.run(*(f"GRANT {grant} TO `{name}`" for grant in grants))
        return self.session.child(user=name)


def rows(session: Session, text: str, dialect: str = "clickhouse", **more: Any) -> list[Any]:
    return session.execute(text, dialect=dialect, **more).fetchall()


def refused(session: Session, text: str, dialect: str = "clickhouse", **more: Any) -> str:
    """The error of a statement that a user may not run; it has ClickHouse's code."""
    with pytest.raises(errors.SluiceError) as caught:
        session.execute(text, dialect=dialect, **more)
    assert caught.value.condition.clickhouse_code == 497, str(caught.value)
    return str(caught.value)


def fails(session: Session, text: str, condition: str, **more: Any) -> str:
    with pytest.raises(errors.SluiceError) as caught:
        session.execute(text, **more)
    assert caught.value.condition.name == condition, str(caught.value)
    return str(caught.value)
