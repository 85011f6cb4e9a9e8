"""ClickHouse's own errors, with its codes and names."""

from __future__ import annotations

import re

from sluice.errors import Condition, SluiceError

_CODE = re.compile(
    r"Code: (?P<code>\d+)\. DB::Exception: (?P<text>.*?)(?: \((?P<name>[A-Z][A-Z0-9_]+)\))?"
    r"(?: \(version [\d.]+[^)]*\))?\.?\s*",
    re.S,
)
_NESTED = re.compile(
    r"Code: \d+\. DB::Exception: | \([A-Z][A-Z0-9_]+\) \(version [^)]*\)\.?"
    r"|\s*\(version [\d.]+[^)]*\)"
)
"""What an error within an error repeats."""
_SCOPE = re.compile(
    r":? In scope SELECT formatQuerySingleLine\(.*|: While processing  PRIMARY KEY .*", re.S
)
"""How a worker parses a query."""
_PATH = re.compile(
    r"(?:/[^\s/'\"`,:()]+)*/(?:(?:clickhouse-\d+|insert)-[a-z0-9_]{8}|dev/fd/\d+)[^\s'\"`,:()]*"
)
"""Files of a worker, which tell a user nothing."""

_HTTP = {
    400: """
        CANNOT_PARSE_TEXT CANNOT_PARSE_ESCAPE_SEQUENCE CANNOT_PARSE_QUOTED_STRING CANNOT_PARSE_DATE
        CANNOT_PARSE_DATETIME CANNOT_PARSE_NUMBER CANNOT_PARSE_INPUT_ASSERTION_FAILED
        CANNOT_PARSE_UUID CANNOT_PARSE_IPV4 CANNOT_PARSE_IPV6 SYNTAX_ERROR TYPE_MISMATCH
        INCORRECT_DATA ILLEGAL_TYPE_OF_ARGUMENT NUMBER_OF_ARGUMENTS_DOESNT_MATCH NO_COMMON_TYPE
        UNKNOWN_SETTING BAD_ARGUMENTS BAD_QUERY_PARAMETER UNKNOWN_QUERY_PARAMETER
        AMBIGUOUS_COLUMN_NAME AMBIGUOUS_IDENTIFIER NOT_AN_AGGREGATE ILLEGAL_AGGREGATION
        UNKNOWN_TYPE UNEXPECTED_AST_STRUCTURE TOO_DEEP_AST TOO_BIG_AST
        INCORRECT_DICTIONARY_DEFINITION
        FUNCTION_THROW_IF_VALUE_IS_NON_ZERO CANNOT_CONVERT_TYPE ARGUMENT_OUT_OF_BOUND
        MULTIPLE_EXPRESSIONS_FOR_ALIAS ILLEGAL_COLUMN DECIMAL_OVERFLOW ILLEGAL_DIVISION
    """,
    404: """
        UNKNOWN_TABLE UNKNOWN_FUNCTION UNKNOWN_IDENTIFIER UNKNOWN_DATABASE UNKNOWN_FORMAT
        UNKNOWN_AGGREGATE_FUNCTION UNKNOWN_DATABASE_ENGINE UNKNOWN_TYPE_OF_QUERY
    """,
    501: "NOT_IMPLEMENTED",
}
_STATUS = {name: status for status, names in _HTTP.items() for name in names.split()}


def reported(text: str) -> SluiceError:
    """The error that a text of ClickHouse names."""
    found = _CODE.fullmatch(text.strip())
    code, name, message = 1001, "STD_EXCEPTION", text.strip()
    if found is not None:
        code, name = int(found["code"]), found["name"] or "UNKNOWN_EXCEPTION"
        message = found["text"]
    message = _NESTED.sub("", message)
    message = _SCOPE.sub("", message)
    message = _PATH.sub("(a file of the query)", message).rstrip(". ")
    status = _STATUS.get(name, 500)
    condition = Condition(name, "user", status, code, "42000", "{text}")
    return condition(text=message)
