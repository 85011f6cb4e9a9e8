"""The table of output formats, and the one way to use it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.formats.output import json, pretty, separated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sluice.formats.output.table import Table

CHUNK = 1 << 16
"""About how many characters go into one chunk."""

_TSV = "text/tab-separated-values; charset=UTF-8"
_CSV = "text/csv; charset=UTF-8; header={}"
_JSON = "application/json; charset=UTF-8"
_LINES = "application/x-ndjson; charset=UTF-8"
_PLAIN = "text/plain; charset=UTF-8"
_MARKDOWN = "text/markdown; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Format:
    """An output format: its name, what HTTP calls it, and what writes it."""

    name: str
    content_type: str
    write: Callable[[Table], Iterator[str]]
    aliases: tuple[str, ...] = ()


def _nothing(table: Table) -> Iterator[str]:
    return iter(())


FORMATS = (
    Format("TabSeparated", _TSV, separated.tab_separated, ("TSV",)),
    Format("TabSeparatedRaw", _TSV, separated.tab_separated_raw, ("TSVRaw", "Raw")),
    Format("TabSeparatedWithNames", _TSV, partial(separated.tab_separated, names=True),
           ("TSVWithNames",)),
    Format("TabSeparatedWithNamesAndTypes", _TSV,
           partial(separated.tab_separated, names=True, types=True), ("TSVWithNamesAndTypes",)),
    Format("TabSeparatedRawWithNames", _TSV, partial(separated.tab_separated_raw, names=True),
           ("TSVRawWithNames", "RawWithNames")),
    Format("TabSeparatedRawWithNamesAndTypes", _TSV,
           partial(separated.tab_separated_raw, names=True, types=True),
           ("TSVRawWithNamesAndTypes", "RawWithNamesAndTypes")),
    Format("CSV", _CSV.format("absent"), separated.csv),
    Format("CSVWithNames", _CSV.format("present"), partial(separated.csv, names=True)),
    Format("CSVWithNamesAndTypes", _CSV.format("present"),
           partial(separated.csv, names=True, types=True)),
    Format("JSON", _JSON, json.document),
    Format("JSONStrings", _JSON, partial(json.document, strings=True)),
    Format("JSONCompact", _JSON, partial(json.document, compact=True)),
    Format("JSONCompactStrings", _JSON, partial(json.document, compact=True, strings=True)),
    Format("JSONEachRow", _LINES, json.each_row, ("JSONLines", "NDJSON")),
    Format("JSONStringsEachRow", _LINES, partial(json.each_row, strings=True)),
    Format("JSONCompactEachRow", _LINES, json.compact_each_row),
    Format("JSONCompactEachRowWithNames", _LINES, partial(json.compact_each_row, names=True)),
    Format("JSONCompactEachRowWithNamesAndTypes", _LINES,
           partial(json.compact_each_row, names=True, types=True)),
    Format("JSONCompactStringsEachRow", _LINES, partial(json.compact_each_row, strings=True)),
    Format("Pretty", _PLAIN, pretty.pretty, ("PrettyNoEscapes", "PrettyMonoBlock")),
    Format("PrettyCompact", _PLAIN, pretty.pretty_compact,
           ("PrettyCompactNoEscapes", "PrettyCompactMonoBlock")),
    Format("PrettySpace", _PLAIN, pretty.pretty_space,
           ("PrettySpaceNoEscapes", "PrettySpaceMonoBlock")),
    Format("Vertical", _PLAIN, pretty.vertical),
    Format("Values", _PLAIN, separated.sql_values),
    Format("Markdown", _MARKDOWN, separated.markdown, ("MD",)),
    Format("TSKV", _TSV, separated.tskv),
    Format("Null", _PLAIN, _nothing),
)  # fmt: skip

_BY_NAME = {name.casefold(): f for f in FORMATS for name in (f.name, *f.aliases)}


def find_format(name: str) -> Format:
    """The format of that name, in whatever case it is written."""
    found = _BY_NAME.get(name.casefold())
    if found is None:
        known = [known for f in FORMATS for known in (f.name, *f.aliases)]
        raise errors.UNKNOWN_FORMAT(format=name, hint=errors.nearest(name, known))
    return found


def content_type(format_name: str) -> str:
    """What an HTTP answer in this format calls itself."""
    return find_format(format_name).content_type


def render(table: Table, format_name: str) -> Iterator[bytes]:
    """The answer in a format, chunk by chunk; an answer without columns is empty.

    An unknown format is refused at once, not when the first chunk is asked for.
    """
    write = find_format(format_name).write
    return _chunks(write(table)) if table.columns else iter(())


def _chunks(pieces: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield _bytes(held)
            held, size = [], 0
    if held:
        yield _bytes(held)


def _bytes(pieces: list[str]) -> bytes:
    text = "".join(pieces)
    try:  # bytes that were no UTF-8 come out as they came in
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
