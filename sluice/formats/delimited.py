"""Which texts with delimiters of the user's own are left to ClickHouse.

Our decoders read a field whose end they see where ClickHouse sees it. That depends on the escaping
rule and on what comes after the field.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice.formats.fields import nested
from sluice.types import encoded
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.formats.descriptor import Columns
    from sluice.types import Type

    Options = Mapping[str, Any]

_ENDS: Mapping[str, str] = {
    "Escaped": "\t\n",
    "Raw": "\t\n",
    "Quoted": ",;:|/#~!@$%^&*=<>?)]}\t\n",
    "JSON": ",;:|/#~!@$%^&*=<>?)]}\t\n",
    "CSV": ",;:|/#~!@$%^&*=<>?()[]{}\n\\_",
}
"""By the escaping rule: how a delimiter after a field may begin."""

_OTHERWISE: Mapping[str, tuple[type[Type], ...]] = {
    "CSV": (m.Tuple,),
    "JSON": (m.Tuple, m.Map, m.FixedString),
}
"""Types of which a rule makes more than one field, or of which ClickHouse takes more forms."""

_DELIMITERS = {
    "field": "\t",
    "row_before": "",
    "row_after": "\n",
    "row_between": "",
    "result_before": "",
    "result_after": "",
}
"""Those of CustomSeparated with their defaults."""

_FIELD = re.compile(r"\$\{(|[A-Za-z_]\w*)(?::(\w*))?\}", re.ASCII)
_ROWS = "${data}"


def custom(columns: Columns, options: Options) -> bool:
    """Those of CustomSeparated."""
    given = _delimiters(options)
    rule = options.get("format_custom_escaping_rule", "Escaped")
    same = given["field"] == given["row_after"]
    return same or _unclear(rule, columns, (given["field"], given["row_after"]))


def custom_with_names(columns: Columns, options: Options) -> bool:
    """The same with a header, which may leave out columns."""
    return custom(columns, options) or may_omit(columns, options)


def ignoring_spaces(columns: Columns, options: Options) -> bool:
    """Those of CustomSeparatedIgnoreSpaces."""
    blank = any(each[:1] in set(" \t\r\v\f") for each in _delimiters(options).values())
    return blank or custom_with_names(columns, options)


def regexp(columns: Columns, options: Options) -> bool:
    """Those of Regexp, whose fields end where their group does."""
    return _unclear(options.get("format_regexp_escaping_rule", "Raw"), columns, ())


def template(columns: Columns, options: Options) -> bool:
    """Those of Template: all but one with every column once, and without other `$`."""
    row, every = (options.get(f"format_template_{each}_format") for each in ("row", "resultset"))
    parts, (before, found, after) = _FIELD.split(row or ""), (every or _ROWS).partition(_ROWS)
    texts, names, rules = parts[::3], parts[1::3], [each or "None" for each in parts[2::3]]
    if not found or sorted(filter(None, names)) != sorted(name for name, _ in columns):
        return True
    if any("$" in each for each in (*texts, before, after)):
        return True
    between = options.get("format_template_rows_between_delimiter", "\n")
    for at, (name, rule) in enumerate(zip(names, rules, strict=True)):
        end = next((n for n in range(at + 1, len(names)) if texts[n] or rules[n] != "None"), -1)
        if not texts[at + 1] and (
            rule in ("Escaped", "Raw") or (rule == "CSV" and _has_ip(columns))
        ):
            return True
        follows = [texts[end]] if texts[end] else filter(None, (between, after))
        if _unclear_field(name, rule, columns, follows):
            return True
    return False


def template_ignoring_spaces(columns: Columns, options: Options) -> bool:
    """Those of TemplateIgnoreSpaces."""
    row, every = (options.get(f"format_template_{each}_format") for each in ("row", "resultset"))
    between = options.get("format_template_rows_between_delimiter", "\n")
    texts = (*_FIELD.split(row or "")[::3], *(every or _ROWS).split(_ROWS), between)
    return any(each[:1].isspace() for each in texts) or template(columns, options)


def _unclear_field(name: str, rule: str, columns: Columns, after: Iterable[str]) -> bool:
    if rule == "None":
        return bool(name)
    return (rule == "CSV" and not name) or _unclear(rule, columns, after)


def _unclear(rule: str, columns: Columns, after: Iterable[str]) -> bool:
    """Whether fields with one of these texts after them are left to ClickHouse."""
    types = [type_ for _, column in columns for type_ in nested(column)]
    if rule not in _ENDS or any(isinstance(type_, _OTHERWISE.get(rule, ())) for type_ in types):
        return True
    return not all(each and each[0] in _ENDS[rule] for each in after)


def _delimiters(options: Options) -> dict[str, str]:
    return {
        name: options.get(f"format_custom_{name}_delimiter", text)
        for name, text in _DELIMITERS.items()
    }


def _has_ip(columns: Columns) -> bool:
    """Whether a value looks like a number, and is read up to a delimiter like a text."""
    return any(isinstance(m.bare(type_), encoded.IPv4 | encoded.IPv6) for _, type_ in columns)


def may_omit(columns: Columns, _: Options) -> bool:
    """Those whose messages name columns: a value that is left out is none of its type for enums."""
    return any(isinstance(m.bare(type_), m.Enum) for _, type_ in columns)
