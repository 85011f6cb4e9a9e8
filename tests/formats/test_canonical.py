"""Formats that our own decoders read first: what they accept is to ClickHouse the same rows.

Messages are made at random of texts that mean something in some escaping rule, right or not. What
the decoders refuse is read by ClickHouse anyway, so nothing about it is tested here.
"""

from __future__ import annotations

import os
import random
import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from formats.convert import Wrong, codec, columns_of
from formats.made import KINDS, NUMPY, changed, dump, dynamic, numpy_file, variant
from formats.test_transcoding import Child
from sluice.formats.transcoding import CARRIED, CARRIER, carried

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formats.convert import Converter

CHOSEN, MESSAGES = 12, int(os.environ.get("MESSAGES", "60"))
"""How many types each case has, and how many messages each of these."""
SEED = os.environ.get("SEED", "")
ROWS = (1, 1, 1, 2, 3)

_TEXTS = tomllib.loads(Path(__file__).with_name("canonical.toml").read_text("utf-8"))
NUMBERS: list[str]
TIMES: list[str]
WORDS: list[str]
NESTED: list[str]
NUMBERS, TIMES, WORDS, NESTED = (_TEXTS[each] for each in ("numbers", "times", "words", "nested"))
TYPES: list[str] = _TEXTS["types"]


@dataclass(frozen=True, slots=True)
class Case:
    """A format, its escaping rule, and what stands before, between and after fields and rows."""

    format: str
    rule: str
    between: str = "\t"
    after: str = "\n"
    before: str = ""
    rows: str = ""
    first: str = ""
    last: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def settings(self, names: list[str]) -> dict[str, Any]:
        """What a table with these columns sets."""
        if self.format.startswith("Template"):
            fields = self.between.join(f"${{{name}:{self.rule}}}" for name in names)
            made: dict[str, Any] = {
                "format_template_row_format": f"{self.before}{fields}{self.after}",
                "format_template_resultset_format": f"{self.first}${{data}}{self.last}",
                "format_template_rows_between_delimiter": self.rows,
            }
        elif self.format == "Regexp":
            fields = re.escape(self.between).join("(.*?)" for _ in names)
            made = {
                "format_regexp": f"^{re.escape(self.before)}{fields}{re.escape(self.after)}",
                "format_regexp_escaping_rule": self.rule,
            }
        elif self.format.startswith("Custom"):
            made = {
                "format_custom_escaping_rule": self.rule,
                "format_custom_field_delimiter": self.between,
                "format_custom_row_before_delimiter": self.before,
                "format_custom_row_after_delimiter": self.after,
                "format_custom_row_between_delimiter": self.rows,
                "format_custom_result_before_delimiter": self.first,
                "format_custom_result_after_delimiter": self.last,
            }
        else:
            made = {}
        return made | self.more


AROUND: dict[str, Any] = {"before": "<", "rows": "--", "first": "all:", "last": "!"}
NO_NULL = {"input_format_null_as_default": False}
TSV = {"format_tsv_null_representation": "x", "input_format_tsv_empty_as_default": True}
CSV = {"format_csv_null_representation": "x", "input_format_csv_empty_as_default": False}
VALUES: dict[str, Any] = {"between": ",", "before": "(", "after": ")", "rows": ","}
TABLE, NO_NAMES = (
    {f"input_format_mysql_dump_{name}": value}
    for name, value in (("table_name", "t"), ("map_column_names", False))
)
SPACES, TEMPLATE = "CustomSeparatedIgnoreSpaces", "TemplateIgnoreSpaces"

CASES = {
    "Values": Case("Values", "Quoted", **VALUES),
    "Values, blanks": Case("Values", "Quoted", ", ", " )", "( ", " ", "\n", ";\n", NO_NULL),
    "Escaped": Case("CustomSeparated", "Escaped"),
    "Escaped, around": Case("CustomSeparated", "Escaped", "\t|", "\n>", **AROUND),
    "Escaped, nothing": Case("CustomSeparated", "Escaped", more=TSV),
    "Raw": Case("CustomSeparated", "Raw"),
    "Quoted": Case("CustomSeparated", "Quoted", "|", ")\n"),
    "Quoted, comma": Case("CustomSeparated", "Quoted", ",", ";", **AROUND),
    "CSV": Case("CustomSeparated", "CSV", ","),
    "CSV, long": Case("CustomSeparated", "CSV", "||", ";\n", **AROUND),
    "CSV, nothing": Case("CustomSeparated", "CSV", ",", more=CSV),
    "JSON": Case("CustomSeparated", "JSON", ","),
    "JSON, no NULL": Case("CustomSeparated", "JSON", "|", more=NO_NULL),
    "names": Case("CustomSeparatedWithNames", "Escaped"),
    "names, CSV": Case("CustomSeparatedWithNames", "CSV", ",", ";\n", **AROUND),
    "names, JSON": Case("CustomSeparatedWithNames", "JSON", ",", "}", before="{", rows="\n"),
    "names, Quoted": Case(f"{SPACES}WithNames", "Quoted", ",", ";"),
    "spaces": Case(SPACES, "Quoted", ",", ";"),
    "spaces, CSV": Case(SPACES, "CSV", ","),
    "spaces, JSON": Case(SPACES, "JSON", ",", **AROUND),
    "Template, CSV": Case("Template", "CSV", ",", "", rows=";", first="[", last="]"),
    "Template, CSV, after": Case("Template", "CSV", ", b=", ">", **AROUND),
    "Template, JSON": Case("Template", "JSON", ",", "}", before="{", rows=",\n"),
    "Template, Quoted": Case("Template", "Quoted", ";", "", rows="\n", last="\nend"),
    "Template, Escaped": Case("Template", "Escaped", "\t", "\n"),
    "Template, spaces": Case(TEMPLATE, "JSON", ",", "", rows=";", first="[", last="]"),
    "Template, spaces, CSV": Case(TEMPLATE, "CSV", ",", "", rows=";"),
    "Regexp, Escaped": Case("Regexp", "Escaped", ", ", "", rows="\n"),
    "Regexp, Raw": Case("Regexp", "Raw", "|", ";", rows="\r\n", last="\n"),
    "Regexp, CSV": Case("Regexp", "CSV", "|", "", rows="\n"),
    "Regexp, JSON": Case("Regexp", "JSON", "|", "", rows="\n"),
    "Regexp, Quoted": Case("Regexp", "Quoted", " b=", "", "a=", rows="\n"),
    "Form": Case("Form", "Raw", "&", "", rows="\n"),
    "MySQLDump": Case("MySQLDump", "Quoted", **VALUES),
    "MySQLDump, blanks": Case("MySQLDump", "Quoted", ", ", " )", "( ", " ", more=NO_NULL),
    "MySQLDump, a table": Case("MySQLDump", "Quoted", **VALUES, more=TABLE),
    "MySQLDump, no names": Case("MySQLDump", "Quoted", **VALUES, more=NO_NAMES),
}


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child() as found:
        yield found


def text(chosen: random.Random, rule: str, type_: str) -> str:
    """What may stand for a value of a type in a rule, or for a value of something else."""
    if chosen.random() < 0.05:
        return chosen.choice(("NULL", "\\N", "null", ""))
    if chosen.random() < 0.1:
        mark = chosen.choice(("", "", "'", "'", '"'))
        return mark + chosen.choice(chosen.choice((NUMBERS, TIMES, WORDS, NESTED))) + mark
    made = chosen.choice(pool := _pool(type_))
    if rule == "CSV" and pool is NESTED:
        return f'"{made}"'
    quoted = pool in (TIMES, WORDS) and type_ != "Bool" and chosen.random() < 0.95
    mark = {"Quoted": "'", "JSON": '"', "CSV": '"'}.get(rule, "") if quoted else ""
    return f"{mark}{made}{mark}"


def _pool(type_: str) -> list[str]:
    if type_.startswith(("Array", "Map", "Tuple")):
        return NESTED
    if type_.startswith("Date"):
        return TIMES
    return NUMBERS if type_.startswith(("UInt", "Int", "Float", "Decimal")) else WORDS


def message(chosen: random.Random, types: list[str], case: Case) -> bytes:
    """A message of some rows, sometimes with a byte changed."""
    texts = [[text(chosen, case.rule, each) for each in types] for _ in range(chosen.choice(ROWS))]
    dumped, named = case.format == "MySQLDump", []
    if case.format.endswith("WithNames") or (dumped and chosen.random() < 0.6):
        named = [f"c{i}" for i in range(len(types))] + ["other"] * chosen.choice((0, 0, 1))
        texts = [
            [*row, *(text(chosen, case.rule, "String") for _ in named[len(row) :])] for row in texts
        ]
        order = chosen.sample(range(len(named)), chosen.choice((1, len(named), len(named))))
        named = [named[at] for at in order]
        texts = [[row[at] for at in order] for row in texts]
        if not dumped:
            mark = {"Quoted": "'", "JSON": '"'}.get(case.rule, "")
            texts.insert(0, [mark + each + mark for each in named])
    if case.format == "Form":
        texts = [[f"c{i}={quote(each)}" for i, each in enumerate(texts[0])]]
    blank = " " if "Spaces" in case.format and chosen.random() < 0.5 else ""
    between = f"{blank}{case.between}{blank}"
    made = [case.before + blank + between.join(row) + blank + case.after for row in texts]
    if dumped:
        return dump(chosen, named, made)
    return changed(chosen, (case.first + case.rows.join(made) + case.last).encode())


@pytest.mark.parametrize("name", CASES)
def test_what_is_accepted_is_the_same(name: str, ours: Converter, child: Child) -> None:
    """Rows of our decoders are those of ClickHouse, byte for byte as RowBinary."""
    case = CASES[name]
    chosen = random.Random(name + SEED)  # noqa: S311
    differ: list[Any] = []
    accepted = 0
    for type_ in chosen.sample(TYPES, CHOSEN):
        types = [f"Nullable({type_})" if chosen.random() < 0.5 and _may_be_null(type_) else type_]
        types += ["String"] * chosen.choice((0, 1))
        names = [f"c{i}" for i in range(len(types))]
        columns = ", ".join(f"{each} {type_}" for each, type_ in zip(names, types, strict=True))
        settings = case.settings(names)
        if not codec(case.format, settings).decodes(columns_of(columns)):
            continue
        made = (message(chosen, types, case) for _ in range(MESSAGES))
        accepted += compare(columns, case.format, settings, made, ours, child, differ)
    assert not differ, "\n".join(map(str, differ))
    assert accepted > CHOSEN, accepted


def test_arrays_of_numpy(ours: Converter, child: Child) -> None:
    """The same for files of NumPy."""
    chosen = random.Random(f"Npy{SEED}")  # noqa: S311
    differ: list[Any] = []
    for type_, kind in NUMPY.items():
        for depth in (0, chosen.choice((1, 2))):
            columns = f"a {'Array(' * depth}{type_}{')' * depth}"
            made = (numpy_file(chosen, kind, depth) for _ in range(MESSAGES))
            accepted = compare(columns, "Npy", {}, made, ours, child, differ)
            assert accepted > 1, columns
    assert not differ, "\n".join(map(str, differ))


def test_values_with_types(ours: Converter, child: Child) -> None:
    """The same for RowBinary with values of type Variant and Dynamic, as they are stored."""
    chosen = random.Random(f"Variant{SEED}")  # noqa: S311
    differ: list[Any] = []
    for type_, value in ((f"Variant({', '.join(KINDS)})", variant), ("Dynamic", dynamic)):
        rows = [[b"\7" + value(chosen) for _ in range(chosen.choice(ROWS))] for _ in range(600)]
        made = (changed(chosen, b"".join(each)) for each in rows)
        accepted = compare(f"i UInt8, v {type_}", "RowBinary", {}, made, ours, child, differ)
        assert accepted > 100, (type_, accepted)
    assert not differ, "\n".join(map(str, differ))


def compare(
    columns: str, format_: str, settings: dict[str, Any], messages: Iterable[bytes],
    ours: Converter, child: Child, differ: list[Any],
) -> int:  # fmt: skip
    """How many messages our decoder accepts; those that ClickHouse reads otherwise are added."""
    read, write = codec(format_, settings), codec(CARRIER, CARRIED)
    stored = ", ".join(f"{name} {type_}" for name, type_ in carried(columns_of(columns)))
    found: dict[bytes, bytes] = {}
    for data in messages:
        with suppress(Wrong):
            found[data] = ours.convert(columns, read, write, data, here=True)
    theirs = child.read(columns, format_, *found, **settings) if found else []
    for (data, rows), their in zip(found.items(), theirs, strict=True):
        if isinstance(their, bytes) and their not in (rows, b""):  # a map has each key once
            their = ours.convert(stored, write, write, their)
        if their != rows:
            differ.append((columns, data, rows, their))
    return len(found)


def _may_be_null(type_: str) -> bool:
    return not type_.startswith(("Low", "Array", "Map", "Tuple"))
