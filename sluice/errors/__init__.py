"""Error conditions as data (`conditions.toml`) and as classes that decide who retries.

::

    SluiceError
    ├── UserError        the statement is wrong; never retried
    ├── Transient        something outside failed; the supervisor retries with backoff
    │   └── Indefinite   the outcome is not known: it is looked up before retrying
    └── Terminal         retrying cannot help; the pipeline stops until a user decides

A condition is raised by its name, with the parameters its texts mention::

    raise errors.UNKNOWN_TABLE(table="default.q", hint="", place=Place(1, 15))
"""

from __future__ import annotations

import difflib
import re
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """The position of an error in the statement's text; both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Condition:
    """One kind of error; calling it makes the error.

    `flink_message` and `flink_hint` replace `message` and `hint` in the Flink dialect. `dialect` is
    set if only one dialect's tables and jobs have the condition.
    """

    name: str
    kind: str
    http: int
    clickhouse_code: int
    sqlstate: str
    message: str
    detail: str = ""
    hint: str = ""
    flink_message: str = ""
    flink_hint: str = ""
    clickhouse_name: str = ""
    dialect: str = ""

    def __call__(
        self, *, place: Place | None = None, dialect: str = "", **params: object
    ) -> SluiceError:
        """Make the error; a parameter that a text mentions and that is not given is a bug."""
        return _KINDS[self.kind](self, params, place, dialect)


class SluiceError(Exception):
    """Everything that Sluice reports to a user on purpose.

    `dialect` is that of the statement or job it is reported for; message and hint are worded in it.
    """

    def __init__(
        self,
        condition: Condition,
        params: Mapping[str, object],
        place: Place | None = None,
        dialect: str = "",
    ) -> None:
        self.condition = condition
        self.params = dict(params)
        self.place = place
        self.detail = condition.detail.format_map(self.params)
        self.dialect = dialect or condition.dialect or "clickhouse"
        super().__init__(self.text())

    def __str__(self) -> str:
        return self.text()

    @property
    def message(self) -> str:
        """What failed and why, in the dialect's terms."""
        return self._worded(self.dialect)[0]

    @property
    def hint(self) -> str:
        """What to do, in the dialect's terms."""
        return self._worded(self.dialect)[1]

    def _worded(self, dialect: str) -> tuple[str, str]:
        c, flink = self.condition, dialect == "flink"
        message = c.flink_message if flink and c.flink_message else c.message
        hint = c.flink_hint if flink and c.flink_hint else c.hint
        return message.format_map(self.params), hint.format_map(self.params)

    def text(self, dialect: str = "") -> str:
        """The message, its place, the detail and the hint, as one paragraph.

        What it quotes from records and statements has no control characters any more.
        """
        where = f" (line {self.place.line}, column {self.place.column})" if self.place else ""
        message, hint = self._worded(dialect or self.dialect)
        parts = [_sentence(f"{message}{where}"), _sentence(self.detail), _sentence(hint)]
        return printable(" ".join(part for part in parts if part))

    def clickhouse_text(self) -> str:
        """The form ClickHouse's clients look for."""
        c = self.condition
        name = c.clickhouse_name or c.name
        return f"Code: {c.clickhouse_code}. DB::Exception: {self.text('clickhouse')} ({name})"

    def text_for(self, dialect: str) -> str:
        """What a client of a dialect is shown: ClickHouse's form, or `Code: N. NAME: …`."""
        if dialect == "clickhouse":
            return self.clickhouse_text()
        c = self.condition
        return f"Code: {c.clickhouse_code}. {c.name}: {self.text(dialect)}"

    def at(self, place: Place | None) -> SluiceError:
        """The same error, with a place if it had none."""
        if self.place:
            return self
        return type(self)(self.condition, self.params, place, self.dialect)


@contextmanager
def at(place: Place | None, *, part: bool = False) -> Iterator[None]:
    """Give the errors that are raised inside a place, if they have none.

    What is checked is with `part` a part of the statement, so that a place in it means nothing.
    """
    try:
        yield
    except SluiceError as bad:
        if part and place is not None:
            bad = type(bad)(bad.condition, bad.params, None, bad.dialect)
        raise bad.at(place) from bad


class UserError(SluiceError):
    """The statement is wrong; never retried."""


class Transient(SluiceError):
    """Something outside failed; retried with backoff."""


class Indefinite(Transient):
    """It may or may not have happened; looked up before retrying."""


class Terminal(SluiceError):
    """Retrying cannot help; a user has to decide."""


_KINDS: Mapping[str, type[SluiceError]] = {
    "user": UserError,
    "transient": Transient,
    "indefinite": Indefinite,
    "terminal": Terminal,
}


@cache
def conditions() -> Mapping[str, Condition]:
    """All conditions by name."""
    text = resources.files(__name__).joinpath("conditions.toml").read_text("utf-8")
    rows = tomllib.loads(text)
    return {name: _condition(name, row, rows) for name, row in rows.items()}


def _condition(name: str, row: Mapping[str, Any], rows: Mapping[str, Any]) -> Condition:
    """A row as a condition; `is_a` names the one that it takes kind, status and codes from."""
    if "is_a" not in row:
        return Condition(name, **row)
    general = {key: value for key, value in rows[row["is_a"]].items() if key not in _TEXTS}
    general.setdefault("clickhouse_name", row["is_a"])
    return Condition(name, **general | {k: v for k, v in row.items() if k != "is_a"})


_TEXTS = ("message", "detail", "hint", "flink_message", "flink_hint")


def __getattr__(name: str) -> Condition:
    if name in conditions():
        return conditions()[name]
    raise AttributeError(name)


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """A text without control characters, but for line breaks and tabs.

    A terminal obeys them: they can rewrite what it shows, and make it type for its user.
    """
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def nearest(word: str, known: Iterable[str], *, say: str = "Did you mean {}?") -> str:
    """A hint with the known names closest to `word`, or nothing."""
    by_fold: dict[str, str] = {k.casefold(): k for k in known}
    close = difflib.get_close_matches(word.casefold(), by_fold, n=3, cutoff=0.6)
    return say.format(" or ".join(by_fold[c] for c in close)) if close else ""


def _sentence(text: Any) -> str:
    text = str(text).strip()
    return text if not text or text[-1] in ".?!" else f"{text}."
