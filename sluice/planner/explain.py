"""EXPLAIN MIGRATION: how each option of a statement is handled, before anything is created."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sluice.errors import Place, SluiceError
from sluice.formats.registry import find_format, of_dialect
from sluice.options import client
from sluice.options.kafka import KAFKA, dialect_of
from sluice.parameters.kinds import CLICKHOUSE, DLI, FLINK, hide_in_url
from sluice.parameters.option import HONOURED, NO_EFFECT, REFUSED, STATES, Option
from sluice.parameters.secret import HIDDEN
from sluice.planner.source import check_create
from sluice.planner.topic_sink import flink_sink
from sluice.planner.topic_source import flink_source
from sluice.planner.topics import flink_options, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.formats.descriptor import Format

CHANGED = "changed"
_FORMATS = ("format", "value_format", "key_format")
_SYSTEMS = {CLICKHOUSE: "ClickHouse", FLINK: "Flink", DLI: "DLI"}
WHOLE = "(the table)"
ROLES = (AS_SOURCE, AS_SINK) = ("(as a source)", "(as a sink)")


@dataclass(frozen=True, slots=True)
class Explained:
    """One row. `outcome` is honoured, changed or refused; `how` tells how or why."""

    option: str
    given: str
    outcome: str
    how: str
    default: str


def explain(
    table: Table,
    *,
    config: Config | None = None,
    collection: Mapping[str, Any] | None = None,
) -> list[Explained]:
    """How each option of a table is handled, whether it is set or not."""
    dialect = CLICKHOUSE if table.dialect == CLICKHOUSE else dialect_of(table.settings)
    given = {**(collection or {}), **table.settings}
    if dialect == DLI:
        with suppress(SluiceError):  # the checks below report the error
            given = plain(given)
    shown = KAFKA.shown(given, dialect)
    rows = {name: _given(name, value, shown[name], dialect) for name, value in given.items()}
    checks = (
        _clickhouse(table, config, collection) if dialect == CLICKHOUSE else _flink(table, config)
    )
    whole = []
    for name, error in checks:
        if name in rows:
            row = rows[name]
            rows[name] = Explained(name, row.given, REFUSED, _message(error), row.default)
        else:
            whole.append(Explained(name, "", REFUSED, _message(error), ""))
    return [*rows.values(), *whole, *_absent(given, dialect)]


def _given(name: str, value: Any, visible: Any, dialect: str) -> Explained:
    option = KAFKA.named(dialect).get(name)
    shown = _text(visible)
    default = _default(option) if option else ""
    try:
        if option is None:
            return _property(name, shown, dialect)
        KAFKA.read({name: value, **_required(name, dialect)}, dialect)
        outcome, how = _became(option, value, dialect)
    except SluiceError as error:
        return Explained(name, shown, REFUSED, _message(error), default)
    return Explained(name, shown, outcome, how, default)


def _property(name: str, shown: str, dialect: str) -> Explained:
    """A property of the Kafka client, or an unknown name."""
    prefix = KAFKA.properties.get(dialect)
    if prefix is None or not name.startswith(prefix):
        raise KAFKA.unknown(name, dialect)
    key = client.find(name.removeprefix(prefix), client.JAVA, trusted=False)
    if key.secret:
        shown = HIDDEN
    if key.unused:
        return Explained(name, shown, CHANGED, f"{STATES[NO_EFFECT]}: {key.unused}", "")
    return Explained(name, shown, HONOURED, "passed to the Kafka clients", "")


def _became(option: Option, value: Any, dialect: str) -> tuple[str, str]:
    if option.key in _FORMATS and dialect != CLICKHOUSE:
        return _format(find_format(str(value), dialect))
    if option.status == HONOURED:
        return HONOURED, option.doc
    if option.default is not None and option.kind.read(value, dialect) == option.default:
        return HONOURED, "equal to the default, which applies"
    return CHANGED, STATES[option.status] + (f": {option.why}" if option.why else "")


def _format(chosen: Format) -> tuple[str, str]:
    if chosen.reads and chosen.writes:
        return HONOURED, "messages can be read and written in this format"
    if chosen.reads or chosen.writes:
        can, cannot = ("read", "written") if chosen.reads else ("written", "read")
        return CHANGED, f"messages can be {can} in this format, but not yet {cannot}"
    return REFUSED, f"messages can neither be read nor written as {chosen.name} yet"


def _clickhouse(
    table: Table, config: Config | None, collection: Mapping[str, Any] | None
) -> Iterator[tuple[str, SluiceError]]:
    """Every error that creating the table would raise, each with the option that causes it."""
    left = {**(collection or {}), **table.settings}
    while True:
        names = list(left)
        places = {name: Place(at, 1) for at, name in enumerate(names, start=1)}
        try:
            check_create(replace(table, settings=left), places, config=config)
        except SluiceError as error:
            name = names[error.place.line - 1] if error.place else WHOLE
            yield name, error
            if error.place is None:
                return
            if name == "kafka_format":
                left[name] = next(f.name for f in of_dialect(CLICKHOUSE) if f.reads)
            else:
                del left[name]
        else:
            return


def _flink(table: Table, config: Config | None) -> Iterator[tuple[str, SluiceError]]:
    """The errors of reading the table, and of writing to it."""
    try:
        flink_options(table.settings)
    except SluiceError as error:
        yield WHOLE, error
        return

    names = list(table.settings)
    places = {name: Place(at, 1) for at, name in enumerate(names, start=1)}
    for use, plan in zip(ROLES, (flink_source, flink_sink), strict=True):
        try:
            plan(table, places, config=config)
        except SluiceError as error:
            yield names[error.place.line - 1] if error.place else use, error


def _absent(given: Mapping[str, Any], dialect: str) -> Iterator[Explained]:
    """Options that are not set, with the default that applies."""
    connector = given.get(KAFKA.by_key["connector"].names.get(dialect, ""), "kafka")
    for option in KAFKA.options:
        if option.status in (NO_EFFECT, REFUSED) or not option.belongs_to(connector, dialect):
            continue
        for name in _names(option, given, dialect):
            if name in given:
                continue
            theirs = option.theirs.get(dialect)
            if theirs:
                how = f"not set; the default in {_SYSTEMS[dialect]} is {theirs}"
                yield Explained(name, "", CHANGED, how, _default(option))
            elif _default(option):
                how = "not set; the default applies"
                yield Explained(name, "", HONOURED, how, _default(option))


def _names(option: Option, given: Mapping[str, Any], dialect: str) -> list[str]:
    """An option's names in a dialect; those of formats only for the formats that are chosen."""
    if dialect not in option.names or (option.part and dialect == CLICKHOUSE):
        return []
    if not option.part:
        return [option.names[dialect]]
    chosen = _chosen(given, dialect)
    fits = [(at, f) for at, f in chosen if f in option.formats]
    if dialect == FLINK:
        return [at + option.names[FLINK].format(format=f) for at, f in fits]
    return [option.names[dialect]] if fits else []


def _chosen(given: Mapping[str, Any], dialect: str) -> list[tuple[str, str]]:
    keys = {"format": "", "value_format": "value.", "key_format": "key."}
    chosen = []
    for key, at in keys.items():
        name = KAFKA.by_key[key].names.get(dialect, "")
        try:
            chosen.append((at, find_format(str(given[name]), dialect).name))
        except (KeyError, SluiceError):
            continue
    return chosen


def _required(name: str, dialect: str) -> dict[str, str]:
    """Values for the required options, so that one option can be read by itself."""
    needed = [o for o in KAFKA.options if dialect in o.required and o.names[dialect] != name]
    return {o.names[dialect]: "kafka" for o in needed}


def _default(option: Option) -> str:
    return "" if option.default is None else _text(option.default)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return hide_in_url(str(value))


def _message(error: SluiceError) -> str:
    """An error's message and hint in one line, without its place."""
    hint = "" if error.condition.name == "OPTION_REFUSED" else error.hint
    text = f"{error.message}. {hint}" if hint else error.message
    return " ".join(text.split())
