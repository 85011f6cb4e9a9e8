"""Functions of text, bytes and JSON."""

from __future__ import annotations

import re

from sqlglot import exp

from sluice.options.patterns import checked
from sluice.sql.core.functions import LONGEST, Function, special
from sluice.sql.core.spark import Sql, string
from sluice.sql.flink.functions.model import Call, Scalar, template
from sluice.sql.flink.values import BOOL, BYTES, INT, STRING, Value, cast_sql, whole
from sluice.types import model as m
from sluice.types import parse_type

_WORDS = "[\\\\p{L}\\\\p{N}]+|[^\\\\p{L}\\\\p{N}]+"
_PATH = re.compile(r"\s*(?:lax\s+|strict\s+)?(\$(?:\.[A-Za-z_]\w*|\['[^'\\]*'\]|\[\d+\])*)\s*")


def _limited(call: Call, n: int) -> Sql:
    """A number of repetitions; one that is too large is an error, not a full memory."""
    count = call.arg(n)
    if isinstance(count.literal, int):
        if count.literal > LONGEST:
            reason = f"{call.name} takes at most {LONGEST}, {count.literal} given"
            raise call.wrong(reason=reason)
        return count.sql
    refused = f"CAST(raise_error('{call.name} takes at most {LONGEST}') AS INT)"
    return Sql(f"if(:0 > {LONGEST}, {refused}, CAST(:0 AS INT))", count.sql)


@special(2)
def _repeat(call: Call) -> Value:
    return Value(Sql("repeat(:0, :1)", call.arg(0).sql, _limited(call, 1)), STRING)


def _pad(function: str) -> Scalar:
    @special(3, doc=f"to at most {LONGEST} letters")
    def build(call: Call) -> Value:
        length = _limited(call, 1)
        text = f"if(:1 < 0 OR :2 = '', NULL, {function}(:0, :1, :2))"
        return Value(Sql(text, call.arg(0).sql, length, call.arg(2).sql), STRING)

    return build


def _not_negative(value: Value) -> bool:
    """Whether it is a number that was written out, and not below 0."""
    return isinstance(value.literal, int) and value.literal >= 0


@special(2, 3, doc="a start before the text gives '', a negative length NULL")
def _substring(call: Call) -> Value:
    args = call.args()
    sqls = [args[0].sql, *(whole(arg) for arg in args[1:])]
    text = "substring(:0, :1, :2)" if len(args) > 2 else "substring(:0, :1)"
    if not _not_negative(args[1]):
        text = f"if(:1 < -length(:0), '', {text})"
    if len(args) > 2 and not _not_negative(args[2]):
        text = f"if(:2 < 0, NULL, {text})"
    return Value(Sql(text, *sqls), STRING)


def _regex(call: Call, n: int) -> Sql:
    """A pattern; one that is written out is checked."""
    pattern = call.arg(n)
    if isinstance(pattern.literal, str):
        checked(pattern.literal, call.place)
    return pattern.sql


@special(2, doc="RE2's regular expressions")
def _regexp(call: Call) -> Value:
    return Value(Sql("sluice_regexp_like(:0, :1)", call.arg(0).sql, _regex(call, 1)), BOOL)


@special(2, 3, doc="NULL where nothing matches; RE2's regular expressions")
def _regexp_extract(call: Call) -> Value:
    group = whole(call.arg(2)) if call.count > 2 else Sql("0")
    sql = Sql("sluice_regexp_extract(:0, :1, :2)", call.arg(0).sql, _regex(call, 1), group)
    return Value(sql, STRING)


@special(3, doc="RE2's regular expressions; the replacement is taken as it is")
def _regexp_replace(call: Call) -> Value:
    new = call.arg(2)
    if isinstance(new.literal, str):
        sql = string(new.literal.replace("\\", "\\\\").replace("$", "\\$"))
    else:
        sql = Sql("replace(replace(:0, '\\\\', '\\\\\\\\'), '\\u0024', '\\\\\\u0024')", new.sql)
    text = "sluice_regexp_replace(:0, :1, :2)"
    return Value(Sql(text, call.arg(0).sql, _regex(call, 1), sql), STRING)


@special(3, 4)
def _overlay(call: Call) -> Value:
    args = [arg.sql if n < 2 else whole(arg) for n, arg in enumerate(call.args())]
    inner = "overlay(:0, :1, :2)" if len(args) == 3 else "overlay(:0, :1, :2, :3)"
    return Value(Sql(f"if(:2 <= 0 OR :2 > length(:0), :0, {inner})", *args), STRING)


@special(2, 3, doc="the first argument says which side")
def _trim(call: Call) -> Value:
    side = call.nodes[0].name
    if side not in ("LEADING", "TRAILING", "BOTH"):
        raise call.wrong(reason="TRIM takes LEADING, TRAILING or BOTH")
    return _trimmed(side, *call.args()[1:])


def _trimmed(side: str, text: Value, letters: Value | None = None) -> Value:
    what = letters.sql if letters else string(" ")
    return Value(Sql(f"trim({side} :0 FROM :1)", what, text.sql), STRING)


def _trim_side(side: str) -> Scalar:
    return Scalar(1, 2, build=lambda call: _trimmed(side, *call.args()))


def _path(call: Call) -> Sql:
    found = _PATH.fullmatch(call.literal(1))
    if found is None:
        reason = f"{call.name} takes paths such as '$.a.b[0]'"
        raise call.wrong(reason=reason)
    return string(found[1])


def _clauses(call: Call) -> dict[str, exp.Expr]:
    found = {
        node.this.name: node.expression for node in call.nodes[2:] if isinstance(node, exp.Kwarg)
    }
    for clause in found:
        if clause not in ("RETURNING", "NULL ON EMPTY", "NULL ON ERROR"):
            raise call.wrong(reason=f"{clause} is not supported in {call.name}; use COALESCE")
    return found


@special(2, None, doc="a text that begins with { or [ is taken for an object or a list: NULL")
def _json_value(call: Call) -> Value:
    returning = _clauses(call).get("RETURNING")
    found = Sql("get_json_object(:0, :1)", call.arg(0).sql, _path(call))
    scalar = Sql("if(:0 RLIKE '^[\\\\[{]', NULL, :0)", found)
    if returning is None:
        return Value(scalar, STRING)
    type_ = parse_type(returning.name)
    return Value(cast_sql(scalar, type_, "try_cast"), type_)


@special(2, None, doc="only whole objects and lists are answered")
def _json_query(call: Call) -> Value:
    if _clauses(call).get("RETURNING") is not None:
        raise call.wrong(reason="RETURNING is not supported in JSON_QUERY")
    found = Sql("get_json_object(:0, :1)", call.arg(0).sql, _path(call))
    return Value(Sql("if(:0 RLIKE '^[\\\\[{]', :0, NULL)", found), STRING)


FUNCTIONS: dict[str, Function] = {
    "UPPER": template("upper(:0)"),
    "LOWER": template("lower(:0)"),
    "CONCAT": template("concat(:*)", text=True),
    "CONCAT_WS": template("concat_ws(:0, :*)", text=True),
    "CHAR_LENGTH": template("length(:0)", returns=INT),
    "POSITION": template("position(:0, :1)", returns=INT),
    "TRIM": _trim,
    "LTRIM": _trim_side("LEADING"),
    "RTRIM": _trim_side("TRAILING"),
    "BTRIM": _trim_side("BOTH"),
    "REPEAT": _repeat,
    "REGEXP_REPLACE": _regexp_replace,
    "REGEXP_EXTRACT": _regexp_extract,
    "REGEXP": _regexp,
    "REPLACE": template("replace(:0, :1, :2)"),
    "SUBSTRING": _substring,
    "SUBSTR": _substring,
    "INITCAP": template(
        f"array_join(transform(regexp_extract_all(:0, '{_WORDS}', 0),"
        " `_w` -> concat(upper(left(`_w`, 1)), lower(substring(`_w`, 2)))), '')",
        doc="every run of letters and digits is a word",
    ),
    "LPAD": _pad("lpad"),
    "RPAD": _pad("rpad"),
    "LEFT": template("left(:0, CAST(:1 AS INT))"),
    "RIGHT": template("right(:0, CAST(:1 AS INT))"),
    "LOCATE": template("locate(:0, :1)", "locate(:0, :1, CAST(:2 AS INT))", returns=INT),
    "INSTR": template("instr(:0, :1)", returns=INT),
    "ASCII": template("ascii(:0)", returns=INT),
    "ENCODE": template("encode(:0, :1)", returns=BYTES),
    "DECODE": template("decode(:0, :1)"),
    "REVERSE": template("reverse(:0)"),
    "STARTSWITH": template("startswith(:0, :1)", returns=BOOL),
    "ENDSWITH": template("endswith(:0, :1)", returns=BOOL),
    "OVERLAY": _overlay,
    "TRANSLATE": template("translate(:0, :1, :2)"),
    "SPLIT_INDEX": template(
        "if(:0 = '', NULL, get(split(:0, concat('\\\\Q', :1, '\\\\E')), CAST(:2 AS INT)))",
        doc="counted from 0; NULL where there is none",
    ),
    "SPLIT": template(
        "split(:0, concat('\\\\Q', :1, '\\\\E'))", returns=m.Array(m.Nullable(STRING))
    ),
    "STR_TO_MAP": template(
        "str_to_map(:0, ',', '=')",
        "str_to_map(:0, :1, :2)",
        returns=m.Map(STRING, m.Nullable(STRING)),
    ),
    "PARSE_URL": template("try_parse_url(:0, :1)", "try_parse_url(:0, :1, :2)"),
    "TO_BASE64": template("base64(CAST(:0 AS BINARY))"),
    "FROM_BASE64": template("CAST(unbase64(:0) AS STRING)"),
    "MD5": template("md5(CAST(:0 AS BINARY))"),
    "SHA1": template("sha1(CAST(:0 AS BINARY))"),
    **{
        f"SHA{bits}": template(f"sha2(CAST(:0 AS BINARY), {bits})") for bits in (224, 256, 384, 512)
    },
    "SHA2": template("sha2(CAST(:0 AS BINARY), CAST(:1 AS INT))"),
    "HEX": template("hex(:0)"),
    "UNHEX": template("unhex(:0)", returns=BYTES),
    "BIN": template("bin(CAST(:0 AS BIGINT))"),
    "UUID": template("uuid()"),
    "JSON_VALUE": _json_value,
    "JSON_QUERY": _json_query,
}
FUNCTIONS |= {
    "CHARACTER_LENGTH": FUNCTIONS["CHAR_LENGTH"],
    "LCASE": FUNCTIONS["LOWER"],
    "UCASE": FUNCTIONS["UPPER"],
}
