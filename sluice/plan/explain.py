"""EXPLAIN MIGRATION: what becomes of each option of a statement, before anything is created."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sluice.errors import Place, SluiceError
from sluice.options import client
from sluice.options.formats import FORMATS, find_format
from sluice.options.kafka import KAFKA, dialect_of
from sluice.options.kinds import CLICKHOUSE, DLI, FLINK, hide_in_url
from sluice.options.option import HONOURED, NO_EFFECT, REFUSED, STATES, Option
from sluice.options.secret import HIDDEN
from sluice.plan.source import check_create
from sluice.plan.topic_sink import flink_sink
from sluice.plan.topic_source import flink_source
from sluice.plan.topics import flink_options, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.options.formats import Format

CHANGED = "changed"
_FORMATS = ("format", "value_format", "key_format")
WHOLE = "(the table)"
ROLES = (AS_SOURCE, AS_SINK) = ("(as a source)", "(as a sink)")


@dataclass(frozen=True, slots=True)
class Explained:
    """One row. `outcome` is honoured, changed or refused; `how` says how or why."""

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
    """What becomes of each option of a table, of those it gives and of those it does not."""
    dialect = CLICKHOUSE if table.dialect == CLICKHOUSE else dialect_of(table.settings)
    given = {**(collection or {}), **table.settings}
    if dialect == DLI:
        with suppress(SluiceError):  # the checks below say what is wrong
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
            rows[name] = Explained(name, row.given, REFUSED, _said(error), row.default)
        else:
            whole.append(Explained(name, "", REFUSED, _said(error), ""))
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
        return Explained(name, shown, REFUSED, _said(error), default)
    return Explained(name, shown, outcome, how, default)


def _property(name: str, shown: str, dialect: str) -> Explained:
    """A property of the Kafka client, or a name that nobody knows."""
    prefix = KAFKA.properties.get(dialect)
    if prefix is None or not name.startswith(prefix):
        raise KAFKA.unknown(name, dialect)
    key = client.find(name.removeprefix(prefix), client.JAVA, trusted=False)
    if key.secret:
        shown = HIDDEN
    if key.unused:
        return Explained(name, shown, CHANGED, f"{STATES[NO_EFFECT]}: {key.unused}", "")
    return Explained(name, shown, HONOURED, "handed to the Kafka clients", "")


def _became(option: Option, value: Any, dialect: str) -> tuple[str, str]:
    if option.key in _FORMATS and dialect != CLICKHOUSE:
        return _format(find_format(str(value), dialect))
    if option.status == HONOURED:
        return HONOURED, option.doc
    if option.default is not None and option.kind.read(value, dialect) == option.default:
        return HONOURED, "it is the default, which applies"
    return CHANGED, STATES[option.status] + (f": {option.why}" if option.why else "")


def _format(chosen: Format) -> tuple[str, str]:
    if chosen.reads and chosen.writes:
        return HONOURED, "messages are read and written so"
    if chosen.reads or chosen.writes:
        can, cannot = ("read", "written") if chosen.reads else ("written", "read")
        return CHANGED, f"messages are {can} so, and not yet {cannot}"
    return REFUSED, f"messages are neither read nor written as {chosen.name} yet"


def _clickhouse(
    table: Table, config: Config | None, collection: Mapping[str, Any] | None
) -> Iterator[tuple[str, SluiceError]]:
    """Everything that the table would be refused for, each with the option that is to blame."""
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
                left[name] = next(f.name for f in FORMATS[CLICKHOUSE] if f.reads)
            else:
                del left[name]
        else:
            return


def _flink(table: Table, config: Config | None) -> Iterator[tuple[str, SluiceError]]:
    """What the table would be refused for when it is read, and when it is written to."""
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
    """Options that are not given, with the default that applies."""
    connector = given.get(KAFKA.by_key["connector"].names.get(dialect, ""), "kafka")
    for option in KAFKA.options:
        if option.status in (NO_EFFECT, REFUSED) or connector not in option.connectors:
            continue
        for name in _names(option, given, dialect):
            if name in given:
                continue
            theirs = option.theirs.get(dialect)
            if theirs:
                how = f"not given; the default there is {theirs}"
                yield Explained(name, "", CHANGED, how, _default(option))
            elif _default(option):
                how = "not given; the default applies"
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
    """Something for the options that must be there, so that one can be read by itself."""
    needed = [o for o in KAFKA.options if dialect in o.required and o.names[dialect] != name]
    return {o.names[dialect]: "kafka" for o in needed}


def _default(option: Option) -> str:
    return "" if option.default is None else _text(option.default)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return hide_in_url(str(value))


def _said(error: SluiceError) -> str:
    """An error's message and hint in one line, without its place."""
    hint = "" if error.condition.name == "OPTION_REFUSED" else error.hint
    text = f"{error.message}. {hint}" if hint else error.message
    return " ".join(text.split())
