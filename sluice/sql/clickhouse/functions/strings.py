"""Text. ClickHouse counts bytes unless a name ends in UTF8; so do these where the two differ."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.patterns import checked
from sluice.sql.clickhouse.casts import bits_of, to_string
from sluice.sql.clickhouse.functions.model import Scalar, fill, template
from sluice.sql.clickhouse.values import BYTE, LONG, STRING, ULONG, Value, fields, truth
from sluice.sql.core.functions import LONGEST, of_values, special
from sluice.sql.core.spark import Sql, number, raised, string
from sluice.sql.core.values import UNKNOWN
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place
    from sluice.sql.clickhouse.functions.model import Call
    from sluice.types import Type

STRINGS = m.Array(STRING)

_UNKNOWN_LENGTH = (
    "CASE WHEN typeof(:0) LIKE 'array%' THEN"
    " json_array_length(get_json_object(to_json(array(:0)), '$[0]'))"
    " WHEN typeof(:0) LIKE 'map%' THEN"
    " size(json_object_keys(get_json_object(to_json(array(:0)), '$[0]')))"
    " ELSE octet_length(CAST(:0 AS STRING)) END"
)


def length(value: Value) -> Sql:
    """Bytes of text, items of an array or a map."""
    if value.is_a(m.Array, m.Map):
        return Sql("size(:0)", value.sql)
    if value.kind == UNKNOWN:
        return Sql(_UNKNOWN_LENGTH, value.sql)
    return Sql("octet_length(:0)", bytes_of(value))


def bytes_of(value: Value) -> Sql:
    """A text with all of its bytes: a FixedString is not cut off at its zeros, as toString does."""
    return value.sql if value.is_a(m.FixedString) else to_string(value).sql


def _is_empty(value: Value) -> Sql:
    """Whether there is nothing in a value: no bytes, no items, zeros alone if its size is fixed."""
    if value.is_a(m.Uuid):
        return Sql(f":0 = '{_NO_UUID}'", value.sql)
    if value.is_a(m.FixedString):
        value = to_string(value)
    return Sql(":0 = 0", length(value))


_NO_UUID = "00000000-0000-0000-0000-000000000000"


def limited(count: Value, what: str) -> Sql:
    """A number of repetitions as INT; one that is too large is an error, not a full memory."""
    if isinstance(count.literal, int):
        return Sql("CAST(:0 AS INT)", count.number())
    refused = raised("TOO_LARGE_STRING_SIZE", reason=string(f"{what} takes at most {LONGEST}"))
    text = f"if(:0 > {LONGEST}, CAST(:1 AS INT), CAST(:0 AS INT))"
    return Sql(text, count.number(), refused)


def _check(call: Call, n: int) -> Value:
    count = call.arg(n)
    if isinstance(count.literal, int | float) and count.literal > LONGEST:
        raise call.wrong(reason=f"{call.name} takes at most {LONGEST}, {count.literal} given")
    return count


_ASCII = "of ASCII's letters"
_REST = f"{(1 << 63) - 1}L"
"""So many bytes that nothing is left out."""
_NUMBER = "CAST(:1# AS BIGINT)"
_FROM_RIGHT = f"if(:1# >= 0, -{_NUMBER}, 1 - {_NUMBER})"
"""Where the last so many bytes or letters begin; of a negative number, all but so many."""


def _cut(*bounds: str, utf8: bool = False, any_case: bool = False) -> Scalar:
    """A part of a text, by where it begins and its length; of bytes, or of letters."""
    function = f"sluice_ch_substring{'utf8' if utf8 else ''}"
    texts = (f"{function}(:0, {each})" for each in bounds)
    return template(*texts, returns=STRING, any_case=any_case)


def _counted(count: Sql) -> Value:
    """A number of bytes, letters or items."""
    return Value(Sql("CAST(:0 AS BIGINT)", count), ULONG, bounds=(0, 1 << 31))


def _position(text: str, sought: str, *args: Value) -> Value:
    start = Sql("CAST(:0 AS BIGINT)", args[2].number()) if len(args) > 2 else Sql("1L")
    sql = Sql(f"sluice_ch_position({text}, {sought}, :2)", args[0].sql, args[1].sql, start)
    return Value(sql, ULONG, bounds=(0, 1 << 31))


def _as_long(args: Sequence[Value]) -> Type:
    """A FixedString for one of the same length, a String for anything else."""
    kind = args[0].kind
    return kind if isinstance(kind, m.FixedString) else STRING


def _reverse(value: Value) -> Value:
    kind = value.kind
    if isinstance(kind, m.Tuple):
        return _reversed_tuple(value, kind)
    function = "reverse" if value.is_a(m.Array) or kind == UNKNOWN else "sluice_ch_reverse"
    return Value(Sql(f"{function}(:0)", value.sql), value.type)


def _reversed_tuple(value: Value, kind: m.Tuple) -> Value:
    type_ = m.Tuple(kind.items[::-1], kind.names[::-1] if kind.names else None)
    found = zip(type_.struct, fields(value.sql, kind)[::-1], strict=True)
    parts = [each for (new, _), old in found for each in (string(new), old.sql)]
    return Value(Sql("named_struct(:*)", *parts), type_)


def _at(function: str, first: str) -> Scalar:
    """Whether a text, or an array at its item `first`, begins or ends with another."""

    def build(whole: Value, part: Value) -> Value:
        if not whole.is_a(m.Array):
            return truth(Sql(f"{function}(:0, :1)", whole.plain(), part.plain()))
        text = f"if(size(:0) < size(:1), false, slice(:0, {first}, size(:1)) <=> :1)"
        return truth(Sql(text, whole.sql, part.sql))

    return of_values(build, 2)


def pattern_of(pattern: Value) -> Sql:
    """A pattern of LIKE; a back-slash that escapes nothing is a back-slash."""
    if isinstance(pattern.literal, str):
        return string(re.sub(r"\\(?:([%_\\])|(?=.))", _escape, pattern.literal, flags=re.S))
    return Sql("sluice_ch_likepattern(:0)", to_string(pattern).sql)


def _escape(found: re.Match[str]) -> str:
    return found[0] if found[1] else "\\\\"


def _like(text: str) -> Scalar:
    return of_values(
        lambda value, pattern: truth(Sql(text, to_string(value).sql, pattern_of(pattern))), 2
    )


def _concat(*args: Value) -> Value:
    if args[0].is_a(m.Array) and all(arg.is_a(m.Array) or arg.kind == UNKNOWN for arg in args):
        return Value(fill("concat(:*)", args), args[0].type)
    if len(args) == 1:
        return to_string(args[0])
    return Value(Sql("concat(:*)", *map(_part, args)), STRING)


def _part(value: Value) -> Sql:
    return value.plain() if value.kind == UNKNOWN else bytes_of(value)


def _hex(value: Value) -> Value:
    kind = value.kind
    match kind:
        case m.Int(bits):
            return Value(_digits(value, bits), STRING)
        case m.Bool():
            return Value(_digits(Value(value.number(), BYTE), 8), STRING)
        case m.Date(wide=False):
            return Value(
                _digits(Value(Sql("CAST(unix_date(:0) AS BIGINT)", value.sql), LONG), 16), STRING
            )
        case m.DateTime(precision=None):
            return Value(_digits(Value(Sql("unix_seconds(:0)", value.sql), LONG), 32), STRING)
        case m.Float(bits):
            text = "hexdouble(CAST(:0 AS DOUBLE))" if bits == 64 else "hexfloat(CAST(:0 AS FLOAT))"
            found = Sql(f"sluice_ch_{text}", value.sql)
            return Value(Sql("right(:0, 4)", found) if bits == 16 else found, STRING)
        case m.Decimal(precision, scale):
            size = 4 if precision <= 9 else 8 if precision <= 18 else 16
            text = f"sluice_ch_hexdecimal(CAST(:0 AS STRING), {scale}, {size})"
            return Value(Sql(text, value.sql), STRING)
        case m.Uuid():
            return Value(Sql("upper(replace(:0, '-', ''))", value.sql), STRING)
        case m.Date() | m.DateTime() | m.Enum() | m.Array() | m.Map() | m.Tuple():
            reason = f"Illegal type {value.type} of argument of function hex"
            hint = "Convert it to a String first: hex(toString(x))."
            raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint)
        case _:
            return Value(Sql("hex(:0)", value.plain()), STRING)


def _digits(value: Value, bits: int) -> Sql:
    """The digits of an integer, two for each byte from the first one that is not 0."""
    sql = bits_of(value)
    sql = Sql(f":0 & {(1 << bits) - 1}L", sql) if bits < 64 else sql
    return Sql("lpad(:0, length(:0) + length(:0) % 2, '0')", Sql("hex(:0)", sql))


@special(1, None)
def _format(call: Call) -> Value:
    args = call.args()[1:]
    parts: list[Sql] = []
    following = iter(range(len(args)))
    for verbatim, index in re.findall(r"((?:[^{}]|\{\{|\}\})+)|\{(\d*)\}", call.literal(0)):
        if verbatim:
            parts.append(string(verbatim.replace("{{", "{").replace("}}", "}")))
            continue
        n = int(index) if index else next(following, len(args))
        if n >= len(args):
            raise call.wrong(
                reason=f"The pattern of {call.name} asks for more values than are given"
            )
        parts.append(bytes_of(args[n]))
    return Value(Sql("concat(:*)", *parts), STRING)


@special(2, any_case=True, doc=f"at most {LONGEST} times")
def _repeat(call: Call) -> Value:
    count = limited(_check(call, 1), "repeat")
    return Value(Sql("repeat(:0, :1)", call.arg(0).sql, count), STRING)


def _joined(*args: Value) -> Value:
    """Texts with a separator between them; NULL among them makes it NULL."""
    first, *rest = map(bytes_of, args)
    parts = [part for text in rest for part in (first, text)][1:]
    return Value(Sql("concat(:*)", *parts) if parts else string(""), STRING)


def _pad(function: str) -> Scalar:
    @special(2, 3, any_case=True, doc=f"to at most {LONGEST} letters")
    def build(call: Call) -> Value:
        fill_with = call.arg(2).sql if call.count > 2 else string(" ")
        count = limited(_check(call, 1), call.name)
        return Value(Sql(f"{function}(:0, :1, :2)", call.arg(0).sql, count, fill_with), STRING)

    return build


def _not_null(text: Value) -> Sql:
    """A text to be made an array of, which cannot be NULL: that of a NULL is that of no text."""
    return Sql("coalesce(:0, '')", text.sql) if is_nullable(text.type) else text.sql


@special(2, 3)
def _split(call: Call) -> Value:
    sql = Sql("sluice_ch_split(:0, :1)", _not_null(call.arg(1)), call.arg(0).sql)
    if (most := call.option(2, int, 0)) > 0:
        sql = Sql("slice(:0, 1, :1)", sql, number(most))
    return Value(sql, STRINGS)


def matched(text: Value, pattern: Sql) -> Value:
    """Whether a pattern, as `regex` makes it, matches a part of a text."""
    return truth(Sql("sluice_regexp_like(:0, :1)", text.plain(), pattern))


def regex(pattern: Value, place: Place | None) -> Sql:
    """A pattern in which a dot is any letter, line ends too; one that is written out is checked.

    Raises:
        SluiceError: CANNOT_COMPILE_REGEXP.
    """
    if isinstance(pattern.literal, str):
        checked(pattern.literal, place)
        return string(f"(?s){pattern.literal}")
    return Sql("concat('(?s)', :0)", pattern.plain())


def _regex(call: Call, n: int) -> Sql:
    return regex(call.arg(n), call.place)


@special(2, doc="RE2's regular expressions")
def _split_by_regexp(call: Call) -> Value:
    if call.arg(0).literal == "":
        return Value(Sql("sluice_ch_split(:0, '')", _not_null(call.arg(1))), STRINGS)
    sql = Sql("sluice_regexp_split(:0, :1)", _not_null(call.arg(1)), _regex(call, 0))
    return Value(sql, STRINGS)


def _extract(function: str, text: Callable[[Value], Sql], type_: Type) -> Scalar:
    @special(2, doc="the first group, or all if there is none; RE2's regular expressions")
    def build(call: Call) -> Value:
        group = number(min(checked(call.literal(1), call.place).groups, 1))
        sql = Sql(f"{function}(:0, :1, :2)", text(call.arg(0)), _regex(call, 1), group)
        return Value(sql, type_)

    return build


def _check_groups(call: Call) -> None:
    """Refuse a replacement that names a group which the pattern has not."""
    pattern, new = call.arg(1).literal, call.arg(2).literal
    if not isinstance(pattern, str) or not isinstance(new, str):
        return
    groups = checked(pattern, call.place).groups
    for found in re.findall(r"\\(?:(\d)|.)", new, flags=re.S):
        if found and int(found) > groups:
            reason = f"\\{found} in the replacement: the pattern has only {groups} groups"
            raise call.wrong(reason=reason)


def _replace_regexp(function: str) -> Scalar:
    @special(3, doc="RE2's regular expressions; \\1 stands for a group")
    def build(call: Call) -> Value:
        if call.arg(1).literal == "":  # ClickHouse replaces nothing then
            return Value(call.arg(0).sql, STRING)
        _check_groups(call)
        text, _, new = (arg.sql for arg in call.args())
        return Value(Sql(f"{function}(:0, :1, :2)", text, _regex(call, 1), new), STRING)

    return build


FUNCTIONS: dict[str, Scalar] = {
    "length": of_values(lambda value: _counted(length(value)), 1, any_case=True),
    "lengthUTF8": of_values(lambda value: _counted(Sql("char_length(:0)", value.sql)), 1),
    "empty": of_values(lambda value: truth(_is_empty(value)), 1),
    "notEmpty": of_values(lambda value: truth(Sql("NOT (:0)", _is_empty(value))), 1),
    "lower": template("sluice_ch_lower(:0)", returns=_as_long, any_case=True, doc=_ASCII),
    "upper": template("sluice_ch_upper(:0)", returns=_as_long, any_case=True, doc=_ASCII),
    "lowerUTF8": template("sluice_ch_lowerutf8(:0)", returns=STRING),
    "upperUTF8": template("sluice_ch_upperutf8(:0)", returns=STRING),
    "initcap": template("sluice_ch_initcap(:0)", returns=_as_long, any_case=True, doc=_ASCII),
    "trim": template("trim(:0)", "trim(BOTH :1 FROM :0)", returns=STRING, any_case=True),
    "trimLeft": template("ltrim(:0)", "trim(LEADING :1 FROM :0)", returns=STRING),
    "trimRight": template("rtrim(:0)", "trim(TRAILING :1 FROM :0)", returns=STRING),
    "substring": _cut(f"{_NUMBER}, {_REST}", f"{_NUMBER}, CAST(:2# AS BIGINT)", any_case=True),
    "substringUTF8": _cut(f"{_NUMBER}, {_REST}", f"{_NUMBER}, CAST(:2# AS BIGINT)", utf8=True),
    "left": _cut(f"1L, {_NUMBER}", any_case=True),
    "leftUTF8": _cut(f"1L, {_NUMBER}", utf8=True),
    "right": _cut(f"{_FROM_RIGHT}, {_REST}", any_case=True),
    "rightUTF8": _cut(f"{_FROM_RIGHT}, {_REST}", utf8=True),
    "position": of_values(partial(_position, ":0", ":1"), 2, 3, any_case=True),
    "positionUTF8": of_values(
        lambda text, sought: _counted(Sql("instr(:0, :1)", text.sql, sought.sql)), 2
    ),
    "positionCaseInsensitive": of_values(
        partial(_position, "sluice_ch_lower(:0)", "sluice_ch_lower(:1)"), 2, 3
    ),
    "replaceAll": template("replace(:0, :1, :2)", returns=STRING),
    "replaceOne": template(
        "if(:1 = '' OR instr(:0, :1) = 0, :0, concat(left(:0, instr(:0, :1) - 1), :2,"
        " substring(:0, instr(:0, :1) + char_length(:1))))",
        returns=STRING,
    ),
    "startsWith": _at("startswith", "1"),
    "endsWith": _at("endswith", "size(:0) - size(:1) + 1"),
    "match": special(2, doc="RE2's regular expressions")(
        lambda call: matched(call.arg(0), _regex(call, 1))
    ),
    "like": _like("like(:0, :1)"),
    "notLike": _like("NOT like(:0, :1)"),
    "ilike": _like("ilike(:0, :1)"),
    "reverse": of_values(_reverse, 1, any_case=True),
    "reverseUTF8": template("reverse(:0)", returns=STRING),
    "concat": of_values(_concat, 1, None, any_case=True),
    "concatWithSeparator": of_values(_joined, 1, None),
    "format": _format,
    "repeat": _repeat,
    **{
        f"{side}Pad{suffix}": _pad(f"sluice_ch_{side}pad{suffix.lower()}")
        for side in ("left", "right")
        for suffix in ("", "UTF8")
    },
    **dict.fromkeys(("splitByChar", "splitByString"), _split),
    "splitByRegexp": _split_by_regexp,
    "extract": _extract("sluice_regexp_first", lambda text: text.sql, STRING),
    "extractAll": _extract("sluice_regexp_extract_all", _not_null, STRINGS),
    "replaceRegexpAll": _replace_regexp("sluice_regexp_replace"),
    "replaceRegexpOne": _replace_regexp("sluice_regexp_replace_first"),
    "hex": of_values(_hex, 1, any_case=True),
    "unhex": template("sluice_ch_unhex(:0)", returns=STRING, any_case=True),
    "base64Encode": template("base64(CAST(:0 AS BINARY))", returns=STRING),
    "base64Decode": template("CAST(unbase64(:0) AS STRING)", returns=STRING),
    **{
        hash_: template(f"CAST(unhex({text}) AS STRING)", returns=m.FixedString(size))
        for hash_, size, text in (
            ("MD5", 16, "md5(CAST(:0 AS BINARY))"),
            ("SHA1", 20, "sha1(CAST(:0 AS BINARY))"),
            ("SHA256", 32, "sha2(CAST(:0 AS BINARY), 256)"),
            ("SHA512", 64, "sha2(CAST(:0 AS BINARY), 512)"),
        )
    },
    "CRC32": template("crc32(CAST(:0 AS BINARY))", returns=m.Int(32, signed=False)),
    "editDistance": template("sluice_ch_editdistance(:0, :1)", returns=ULONG),
    "ascii": template("sluice_ch_ascii(:0)", returns=m.Int(32), any_case=True),
    "translate": template("translate(:0, :1, :2)", returns=STRING),
    "toValidUTF8": template("make_valid_utf8(:0)", returns=STRING),
    "substringIndex": template("substring_index(:0, :1, CAST(:2 AS INT))", returns=STRING),
    "countSubstrings": template("sluice_ch_countsubstrings(:0, :1)", returns=ULONG),
    "domain": template("sluice_ch_domain(:0)", returns=STRING),
    "domainWithoutWWW": template(
        "regexp_replace(sluice_ch_domain(:0), '^www[.]', '')", returns=STRING
    ),
    "protocol": template("coalesce(try_parse_url(:0, 'PROTOCOL'), '')", returns=STRING),
    "path": template("sluice_ch_path(:0)", returns=STRING),
    "queryString": template("coalesce(try_parse_url(:0, 'QUERY'), '')", returns=STRING),
    "fragment": template("coalesce(try_parse_url(:0, 'REF'), '')", returns=STRING),
    "extractURLParameter": template("coalesce(try_parse_url(:0, 'QUERY', :1), '')", returns=STRING),
}
ALIASES = {
    "lcase": "lower", "ucase": "upper", "trimBoth": "trim", "ltrim": "trimLeft",
    "rtrim": "trimRight", "lpad": "leftPad", "rpad": "rightPad", "substr": "substring",
    "mid": "substring", "replace": "replaceAll", "REGEXP_MATCHES": "match",
    "REGEXP_REPLACE": "replaceRegexpAll", "levenshteinDistance": "editDistance",
    "char_length": "lengthUTF8", "character_length": "lengthUTF8", "octet_length": "length",
    "to_base64": "base64Encode", "from_base64": "base64Decode",
}  # fmt: skip
"""Other names of functions."""
FUNCTIONS |= {alias: FUNCTIONS[function] for alias, function in ALIASES.items()}
