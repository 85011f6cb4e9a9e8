"""Text. ClickHouse counts bytes unless a name ends in UTF8; so do these where the two differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice.options.patterns import checked
from sluice.sql.clickhouse.functions.conversions import to_string
from sluice.sql.clickhouse.functions.model import Scalar, fill, special, template
from sluice.sql.clickhouse.spark import Sql, number, string
from sluice.sql.clickhouse.values import BYTE, LONG, STRING, UNKNOWN, Value
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
    refused = f"CAST(raise_error('{what} takes at most {LONGEST}') AS INT)"
    text = f"if(:0 > {LONGEST}, {refused}, CAST(:0 AS INT))"
    return Sql("CAST(:0 AS INT)" if isinstance(count.literal, int) else text, count.number())


def _check(call: Call, n: int) -> Value:
    count = call.arg(n)
    if isinstance(count.literal, int | float) and count.literal > LONGEST:
        raise call.wrong(reason=f"{call.name} takes at most {LONGEST}, {count.literal} given")
    return count


def _bytes(text: str) -> str:
    """A template over `:b`, the first argument's bytes, with text as its result."""
    return f"CAST({text.replace(':b', 'CAST(:0 AS BINARY)')} AS STRING)"


def text_args(text: str, *, logical: bool = False, any_case: bool = False, doc: str = "") -> Scalar:
    """A template all of whose arguments are turned into text first."""
    plain = template(text, returns=BYTE if logical else STRING, logical=logical)

    @special(plain.low, plain.high, any_case=any_case, doc=doc)
    def build(call: Call) -> Value:
        args = [to_string(arg) for arg in call.args()]
        return Value(fill(text, args), BYTE if logical else STRING, logical=logical)

    return build


FUNCTIONS: dict[str, Scalar] = {
    "length": special(1, any_case=True)(lambda call: Value(length(call.arg(0)), LONG)),
    "lengthUTF8": template("char_length(:0)", returns=LONG),
    "empty": special(1)(lambda call: Value(Sql(":0 = 0", length(call.arg(0))), BYTE, logical=True)),
    "notEmpty": special(1)(
        lambda call: Value(Sql(":0 <> 0", length(call.arg(0))), BYTE, logical=True)
    ),
    "lower": template("lower(:0)", returns=STRING, any_case=True),
    "upper": template("upper(:0)", returns=STRING, any_case=True),
    "lowerUTF8": template("lower(:0)", returns=STRING),
    "upperUTF8": template("upper(:0)", returns=STRING),
    "initcap": template("initcap(:0)", returns=STRING, any_case=True),
    "trim": template("trim(:0)", "trim(BOTH :1 FROM :0)", returns=STRING, any_case=True),
    "trimLeft": template("ltrim(:0)", "trim(LEADING :1 FROM :0)", returns=STRING),
    "trimRight": template("rtrim(:0)", "trim(TRAILING :1 FROM :0)", returns=STRING),
    "substring": template(
        _bytes("substring(:b, CAST(:1 AS INT))"),
        _bytes("substring(:b, CAST(:1 AS INT), CAST(:2 AS INT))"),
        returns=STRING,
        any_case=True,
    ),
    "substringUTF8": template(
        "substring(:0, CAST(:1 AS INT))",
        "substring(:0, CAST(:1 AS INT), CAST(:2 AS INT))",
        returns=STRING,
    ),
    "left": template(_bytes("substring(:b, 1, CAST(:1 AS INT))"), returns=STRING, any_case=True),
    "right": template(
        _bytes("substring(:b, greatest(octet_length(:0) - CAST(:1 AS INT), 0) + 1)"),
        returns=STRING,
        any_case=True,
    ),
    "leftUTF8": template("left(:0, CAST(:1 AS INT))", returns=STRING),
    "rightUTF8": template("right(:0, CAST(:1 AS INT))", returns=STRING),
    "position": template(
        "if(instr(:0, :1) = 0, 0, octet_length(left(:0, instr(:0, :1) - 1)) + 1)",
        returns=LONG,
        any_case=True,
    ),
    "positionUTF8": template("instr(:0, :1)", returns=LONG),
    "positionCaseInsensitive": template("instr(lower(:0), lower(:1))", returns=LONG),
    "replaceAll": template("replace(:0, :1, :2)", returns=STRING),
    "replaceOne": template(
        "if(instr(:0, :1) = 0, :0, concat(left(:0, instr(:0, :1) - 1), :2,"
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
    "reverse": template("reverse(:0)", returns=lambda args: args[0].type, any_case=True),
    "reverseUTF8": template("reverse(:0)", returns=STRING),
    "concatWithSeparator": text_args("concat_ws(:0, :*)"),
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
    "ascii": template("ascii(:0)", returns=LONG, any_case=True),
    "translate": template("translate(:0, :1, :2)", returns=STRING),
    "toValidUTF8": template("make_valid_utf8(:0)", returns=STRING),
    "substringIndex": template("substring_index(:0, :1, CAST(:2 AS INT))", returns=STRING),
    "countSubstrings": template(
        "if(:1 = '', 0,"
        " (octet_length(:0) - octet_length(replace(:0, :1, ''))) DIV octet_length(:1))",
        returns=LONG,
    ),
    "domain": template("coalesce(try_parse_url(:0, 'HOST'), '')", returns=STRING),
    "domainWithoutWWW": template(
        "regexp_replace(coalesce(try_parse_url(:0, 'HOST'), ''), '^www[.]', '')", returns=STRING
    ),
    "protocol": template("coalesce(try_parse_url(:0, 'PROTOCOL'), '')", returns=STRING),
    "path": template("coalesce(try_parse_url(:0, 'PATH'), '')", returns=STRING),
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
    if value.is_a(m.Int):
        digits = Sql("hex(CAST(:0 AS BIGINT))", value.number())
        return Value(Sql("lpad(:0, length(:0) + length(:0) % 2, '0')", digits), STRING)
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


def _pad(function: str) -> Scalar:
    @special(2, 3, any_case=True, doc=f"to at most {LONGEST} letters")
    def build(call: Call) -> Value:
        fill_with = call.arg(2).sql if call.count > 2 else string(" ")
        count = limited(_check(call, 1), call.name)
        return Value(Sql(f"{function}(:0, :1, :2)", call.arg(0).sql, count, fill_with), STRING)

    return build


for _name, _function in (("leftPad", "lpad"), ("rightPad", "rpad")):
    FUNCTIONS[_name] = FUNCTIONS[f"{_name}UTF8"] = FUNCTIONS[_function] = _pad(_function)


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
