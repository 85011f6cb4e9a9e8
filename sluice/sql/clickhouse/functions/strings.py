"""Text. ClickHouse counts bytes unless a name ends in UTF8; so do these where the two differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.patterns import checked
from sluice.sql.clickhouse.functions.conversions import bits_of, to_string
from sluice.sql.clickhouse.functions.model import Scalar, fill, special, template
from sluice.sql.clickhouse.spark import Sql, number, raised, string
from sluice.sql.clickhouse.values import BYTE, LONG, STRING, ULONG, UNKNOWN, Value
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.errors import Place
    from sluice.sql.clickhouse.functions.model import Call

LONGEST = 1_000_000
"""How often `repeat` and its like may repeat."""

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
    return Sql("octet_length(:0)", to_string(value).sql)


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


def _counted(count: Sql) -> Value:
    """A number of bytes, letters or items."""
    return Value(Sql("CAST(:0 AS BIGINT)", count), ULONG, bounds=(0, 1 << 31))


def _position(call: Call, text: str, sought: str) -> Value:
    start = Sql("CAST(:0 AS BIGINT)", call.arg(2).number()) if call.count > 2 else Sql("1L")
    sql = Sql(f"sluice_ch_position({text}, {sought}, :2)", *(a.sql for a in call.args()[:2]), start)
    return Value(sql, ULONG, bounds=(0, 1 << 31))


def _reverse(value: Value) -> Value:
    text = (
        "reverse(:0)" if value.is_a(m.Array) or value.kind == UNKNOWN else "sluice_ch_reverse(:0)"
    )
    return Value(Sql(text, value.sql), value.type)


FUNCTIONS: dict[str, Scalar] = {
    "length": special(1, any_case=True)(lambda call: _counted(length(call.arg(0)))),
    "lengthUTF8": special(1)(lambda call: _counted(Sql("char_length(:0)", call.arg(0).sql))),
    "empty": special(1)(lambda call: Value(Sql(":0 = 0", length(call.arg(0))), BYTE, logical=True)),
    "notEmpty": special(1)(
        lambda call: Value(Sql(":0 <> 0", length(call.arg(0))), BYTE, logical=True)
    ),
    "lower": template("sluice_ch_lower(:0)", returns=STRING, any_case=True, doc=_ASCII),
    "upper": template("sluice_ch_upper(:0)", returns=STRING, any_case=True, doc=_ASCII),
    "lowerUTF8": template("lower(:0)", returns=STRING),
    "upperUTF8": template("upper(:0)", returns=STRING),
    "initcap": template("sluice_ch_initcap(:0)", returns=STRING, any_case=True, doc=_ASCII),
    "trim": template("trim(:0)", "trim(BOTH :1 FROM :0)", returns=STRING, any_case=True),
    "trimLeft": template("ltrim(:0)", "trim(LEADING :1 FROM :0)", returns=STRING),
    "trimRight": template("rtrim(:0)", "trim(TRAILING :1 FROM :0)", returns=STRING),
    "substring": template(
        f"sluice_ch_substring(:0, CAST(:1# AS BIGINT), {_REST})",
        "sluice_ch_substring(:0, CAST(:1# AS BIGINT), CAST(:2# AS BIGINT))",
        returns=STRING,
        any_case=True,
    ),
    "substringUTF8": template(
        "substring(:0, CAST(:1 AS INT))",
        "substring(:0, CAST(:1 AS INT), CAST(:2 AS INT))",
        returns=STRING,
    ),
    "left": template(
        "sluice_ch_substring(:0, 1L, CAST(:1# AS BIGINT))", returns=STRING, any_case=True
    ),
    "right": template(
        f"sluice_ch_substring(:0, if(:1# >= 0, -CAST(:1# AS BIGINT), 1 - CAST(:1# AS BIGINT)),"
        f" {_REST})",
        returns=STRING,
        any_case=True,
    ),
    "leftUTF8": template("left(:0, CAST(:1 AS INT))", returns=STRING),
    "rightUTF8": template("right(:0, CAST(:1 AS INT))", returns=STRING),
    "position": special(2, 3, any_case=True)(lambda call: _position(call, ":0", ":1")),
    "positionUTF8": special(2)(
        lambda call: _counted(Sql("instr(:0, :1)", call.arg(0).sql, call.arg(1).sql))
    ),
    "positionCaseInsensitive": special(2, 3)(
        lambda call: _position(call, "sluice_ch_lower(:0)", "sluice_ch_lower(:1)")
    ),
    "replaceAll": template("replace(:0, :1, :2)", returns=STRING),
    "replaceOne": template(
        "if(:1 = '' OR instr(:0, :1) = 0, :0, concat(left(:0, instr(:0, :1) - 1), :2,"
        " substring(:0, instr(:0, :1) + char_length(:1))))",
        returns=STRING,
    ),
    "startsWith": template("startswith(:0, :1)", returns=BYTE, logical=True),
    "endsWith": template("endswith(:0, :1)", returns=BYTE, logical=True),
    "match": special(2, doc="RE2's regular expressions")(
        lambda call: matched(call.arg(0), _regex(call, 1))
    ),
    "like": template("like(:0, :1)", returns=BYTE, logical=True),
    "notLike": template("NOT like(:0, :1)", returns=BYTE, logical=True),
    "ilike": template("ilike(:0, :1)", returns=BYTE, logical=True),
    "reverse": special(1, any_case=True)(lambda call: _reverse(call.arg(0))),
    "reverseUTF8": template("reverse(:0)", returns=STRING),
    "concatWithSeparator": special(1, None)(lambda call: _joined(call)),
    "format": special(1, None)(lambda call: _format(call)),
    "hex": special(1, any_case=True)(lambda call: _hex(call.arg(0))),
    "unhex": template("CAST(unhex(:0) AS STRING)", returns=STRING, any_case=True),
    "base64Encode": template("base64(CAST(:0 AS BINARY))", returns=STRING),
    "base64Decode": template("CAST(unbase64(:0) AS STRING)", returns=STRING),
    "MD5": template(
        "CAST(unhex(md5(CAST(:0 AS BINARY))) AS STRING)", returns=STRING, doc="16 bytes"
    ),
    "SHA1": template(
        "CAST(unhex(sha1(CAST(:0 AS BINARY))) AS STRING)", returns=STRING, doc="20 bytes"
    ),
    "SHA256": template(
        "CAST(unhex(sha2(CAST(:0 AS BINARY), 256)) AS STRING)", returns=STRING, doc="32 bytes"
    ),
    "SHA512": template(
        "CAST(unhex(sha2(CAST(:0 AS BINARY), 512)) AS STRING)", returns=STRING, doc="64 bytes"
    ),
    "CRC32": template("crc32(CAST(:0 AS BINARY))", returns=LONG),
    "editDistance": template("levenshtein(:0, :1)", returns=LONG),
    "ascii": template("sluice_ch_ascii(:0)", returns=m.Int(32), any_case=True),
    "translate": template("translate(:0, :1, :2)", returns=STRING),
    "toValidUTF8": template("make_valid_utf8(:0)", returns=STRING),
    "substringIndex": template("substring_index(:0, :1, CAST(:2 AS INT))", returns=STRING),
    "countSubstrings": template(
        "if(:0 <> :0 OR :1 = '', 0,"
        " (octet_length(:0) - octet_length(replace(:0, :1, ''))) DIV octet_length(:1))",
        returns=LONG,
    ),
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
FUNCTIONS |= {
    "lcase": FUNCTIONS["lower"],
    "ucase": FUNCTIONS["upper"],
    "trimBoth": FUNCTIONS["trim"],
    "ltrim": FUNCTIONS["trimLeft"],
    "rtrim": FUNCTIONS["trimRight"],
    "substr": FUNCTIONS["substring"],
    "mid": FUNCTIONS["substring"],
    "replace": FUNCTIONS["replaceAll"],
    "REGEXP_MATCHES": FUNCTIONS["match"],
    "levenshteinDistance": FUNCTIONS["editDistance"],
    "char_length": FUNCTIONS["lengthUTF8"],
    "character_length": FUNCTIONS["lengthUTF8"],
    "octet_length": FUNCTIONS["length"],
    "to_base64": FUNCTIONS["base64Encode"],
    "from_base64": FUNCTIONS["base64Decode"],
}


@special(1, None, any_case=True)
def _concat(call: Call) -> Value:
    args = call.args()
    if any(arg.is_a(m.Array) for arg in args):
        return Value(fill("concat(:*)", args), args[0].type)
    texts = [arg if arg.kind == UNKNOWN else to_string(arg) for arg in args]
    return Value(fill("concat(:*)", texts), STRING)


FUNCTIONS["concat"] = _concat


def _hex(value: Value) -> Value:
    kind = value.kind
    if isinstance(kind, m.Int):
        mask = (1 << kind.bits) - 1
        bits = bits_of(value)
        bits = Sql(f":0 & {mask}L", bits) if kind.bits < 64 else bits
        digits = Sql("hex(:0)", bits)
        return Value(Sql("lpad(:0, length(:0) + length(:0) % 2, '0')", digits), STRING)
    if value.is_a(m.Float, m.Decimal, m.Date, m.DateTime, m.Uuid):
        what, hint = f"hex of a {value.type}", "Convert it to a String first: hex(toString(x))."
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint)
    return Value(Sql("hex(:0)", value.plain()), STRING)


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
        parts.append(to_string(args[n]).sql)
    return Value(Sql("concat(:*)", *parts), STRING)


@special(2, any_case=True, doc=f"at most {LONGEST} times")
def _repeat(call: Call) -> Value:
    count = limited(_check(call, 1), "repeat")
    return Value(Sql("repeat(:0, :1)", call.arg(0).sql, count), STRING)


FUNCTIONS["repeat"] = _repeat


def _joined(call: Call) -> Value:
    """Texts with a separator between them; NULL among them makes it NULL."""
    first, *rest = (to_string(arg).sql for arg in call.args())
    parts = [part for text in rest for part in (first, text)][1:]
    return Value(Sql("concat(:*)", *parts) if parts else string(""), STRING)


def _pad(function: str) -> Scalar:
    @special(2, 3, any_case=True, doc=f"to at most {LONGEST} letters")
    def build(call: Call) -> Value:
        fill_with = call.arg(2).sql if call.count > 2 else string(" ")
        count = limited(_check(call, 1), call.name)
        return Value(Sql(f"{function}(:0, :1, :2)", call.arg(0).sql, count, fill_with), STRING)

    return build


for _name, _function in (("leftPad", "lpad"), ("rightPad", "rpad")):
    FUNCTIONS[_name] = FUNCTIONS[_function] = _pad(f"sluice_ch_{_name.lower()}")
    FUNCTIONS[f"{_name}UTF8"] = _pad(_function)


def _split(call: Call) -> Value:
    separator = Sql("concat('\\\\Q', :0, '\\\\E')", call.arg(0).sql)
    if isinstance(literal := call.arg(0).literal, str):
        separator = string(re.escape(literal).replace("\\ ", " ")) if literal else string("")
    sql = Sql("split(:0, :1)", call.arg(1).sql, separator)
    if call.count > 2:
        sql = Sql("slice(:0, 1, :1)", sql, number(call.literal(2, int)))
    return Value(sql, STRINGS)


FUNCTIONS["splitByChar"] = FUNCTIONS["splitByString"] = special(2, 3)(_split)


def matched(text: Value, pattern: Sql) -> Value:
    """Whether a pattern, as `regex` makes it, matches a part of a text."""
    return Value(Sql("sluice_regexp_like(:0, :1)", text.plain(), pattern), BYTE, logical=True)


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
        return Value(Sql("split(:0, '')", call.arg(1).sql), STRINGS)
    sql = Sql("sluice_regexp_split(:0, :1)", call.arg(1).sql, _regex(call, 0))
    return Value(sql, STRINGS)


FUNCTIONS["splitByRegexp"] = _split_by_regexp


def _group(call: Call) -> Sql:
    """The first group, if a pattern has one."""
    return number(min(checked(call.literal(1), call.place).groups, 1))


@special(2, doc="the first group, or all if there is none; RE2's regular expressions")
def _extract(call: Call) -> Value:
    sql = "sluice_regexp_first(:0, :1, :2)"
    return Value(Sql(sql, call.arg(0).sql, _regex(call, 1), _group(call)), STRING)


@special(2, doc="the first group, or all if there is none; RE2's regular expressions")
def _extract_all(call: Call) -> Value:
    sql = "sluice_regexp_extract_all(:0, :1, :2)"
    return Value(Sql(sql, call.arg(0).sql, _regex(call, 1), _group(call)), STRINGS)


FUNCTIONS["extract"] = _extract
FUNCTIONS["extractAll"] = _extract_all


def _replacement(text: str) -> str:
    r"""ClickHouse's replacement (`\\1`) as Java's (`$1`)."""

    def one(found: re.Match[str]) -> str:
        return f"${found[1]}" if found[1] else "\\" + (found[2] or found[0])

    return re.sub(r"\\(\d)|\\(\\)|\$|\\", one, text)


def _replace_regexp(function: str) -> Scalar:
    @special(3, doc="RE2's regular expressions; \\1 stands for a group")
    def build(call: Call) -> Value:
        if call.arg(1).literal == "":  # ClickHouse replaces nothing then
            return Value(call.arg(0).sql, STRING)
        new = string(_replacement(call.literal(2)))
        sql = Sql(f"{function}(:0, :1, :2)", call.arg(0).sql, _regex(call, 1), new)
        return Value(sql, STRING)

    return build


FUNCTIONS["replaceRegexpAll"] = _replace_regexp("sluice_regexp_replace")
FUNCTIONS["REGEXP_REPLACE"] = FUNCTIONS["replaceRegexpAll"]
FUNCTIONS["replaceRegexpOne"] = _replace_regexp("sluice_regexp_replace_first")
