"""What can go wrong, as data (`conditions.toml`) and as a tree that says who retries.

::

    SluiceError
    ├── UserError        the statement is wrong; never retried
    ├── Transient        the world is wrong; the supervisor retries with backoff
    │   └── Indefinite   we do not know whether it happened: read again before retrying
    └── Terminal         retrying cannot help; the pipeline stops and says so

A condition is raised by its name, with the parameters its texts mention::

    raise errors.UNKNOWN_TABLE(table="default.q", hint="", place=Place(1, 15))
"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the statement's text an error stands; both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Condition:
    """One kind of error; calling it makes the error.

    `flink_hint` stands in for `hint` in the Flink dialect, where that needs other words. `dialect`
    is set if only one dialect's tables and jobs have the condition.
    """

    name: str
    kind: str
    http: int
    clickhouse_code: int
    sqlstate: str
    message: str
    detail: str = ""
    hint: str = ""
    flink_hint: str = ""
    clickhouse_name: str = ""
    dialect: str = ""

    def __call__(self, *, place: Place | None = None, **params: object) -> SluiceError:
        """Make the error; a parameter that a text mentions and that is not given is a bug."""
        return _KINDS[self.kind](self, params, place)


class SluiceError(Exception):
    """Everything that Sluice reports to a user on purpose.

    `dialect` is that of the statement or job it is reported for, and chooses the words of the hint.
    """

    def __init__(
        self, condition: Condition, params: Mapping[str, object], place: Place | None = None
    ) -> None:
        self.condition = condition
        self.params = dict(params)
        self.place = place
        self.message = condition.message.format_map(self.params)
        self.detail = condition.detail.format_map(self.params)
        self.dialect = condition.dialect or "clickhouse"
        super().__init__(self.text())

    def __str__(self) -> str:
        return self.text()

    @property
    def hint(self) -> str:
        """What to do, in the words of the dialect."""
        return self._hint(self.dialect)

    def _hint(self, dialect: str) -> str:
        c = self.condition
        chosen = c.flink_hint if dialect == "flink" and c.flink_hint else c.hint
        return chosen.format_map(self.params)

    def text(self, dialect: str = "") -> str:
        """The message, its place, the detail and the hint, as one paragraph.

        What it quotes from records and statements has no control characters any more.
        """
        where = f" (line {self.place.line}, column {self.place.column})" if self.place else ""
        hint = self._hint(dialect or self.dialect)
        parts = [_sentence(f"{self.message}{where}"), _sentence(self.detail), _sentence(hint)]
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
        return self if self.place else type(self)(self.condition, self.params, place)


class UserError(SluiceError):
    """The statement is wrong; never retried."""


class Transient(SluiceError):
    """The world is wrong; retried with backoff."""


class Indefinite(Transient):
    """It may or may not have happened; look before retrying."""


class Terminal(SluiceError):
    """Retrying cannot help; somebody has to decide."""


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
    return {name: Condition(name, **row) for name, row in tomllib.loads(text).items()}


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
