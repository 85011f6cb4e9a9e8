"""What a query is made of, as ClickHouse's own parser tells it.

`formatQuerySingleLine` makes a canonical text of exactly one statement, and `EXPLAIN AST` shows the
tree of that: neither runs anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse import view_calls
from sluice.clickhouse.allowed import TABLE_FUNCTIONS
from sluice.clickhouse.rewriting import for_views
from sluice.clickhouse.tokens import TOKEN, clause_end, next_comma, nodes, unquoted
from sluice.clickhouse.used_columns import uses_unnamed
from sluice.sql.core.recent import Recent
from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sluice.clickhouse.pool import Worker
    from sluice.clickhouse.view_calls import Call, Merge

_PIECE = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | '(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
      | (?P<name>(?=\w*[^\W\d\x00-\x7f])[^\W\d]\w*) | \w+""",
    re.X | re.S,
)
_QUERIES = frozenset({"SelectWithUnionQuery", "SelectIntersectExceptQuery"})
_OF_DICTIONARIES = re.compile(r"dict[A-Z]\w*|dictionary", re.I)
_NO_VIEWS = TABLE_FUNCTIONS | {"cluster", "clusterallreplicas"}
_IN = re.compile(r"(?:global)?(?:not)?(?:null)?in(?:ignoreset)?", re.I)


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT: its canonical text without FORMAT and outer SETTINGS, and what it uses.

    `tables` are names as EXPLAIN AST writes them: a dot may separate a database, or be part of a
    name. `local` are names that WITH gives to parts of the query. A name after IN is in `perhaps`:
    it may be a table, or a column. `dictionaries` are those that functions name, as the first of
    their arguments. `calls` are those of views with parameters, by the names that stand in their
    place. `words` are all identifiers in the text. `settings` are those of
    the query as a whole, `inner` those of its parts, each value as it is written.
    """

    text: str
    format: str | None
    settings: Mapping[str, str]
    tables: frozenset[str]
    perhaps: frozenset[str]
    functions: frozenset[str]
    table_functions: frozenset[str]
    local: frozenset[str]
    parameters: frozenset[str]
    words: frozenset[str]
    inner: Mapping[str, str]
    dictionaries: frozenset[str]
    calls: Mapping[str, Call | Merge]
    unnamed: bool

    @property
    def reads_nothing(self) -> bool:
        """Whether it only computes: it names no table, and calls nothing that reads one."""
        uses = self.tables or self.perhaps or self.table_functions or self.calls
        return not uses and not any(map(_OF_DICTIONARIES.fullmatch, self.functions))


_PARSED: Recent[Query] = Recent()


def read(worker: Worker, text: str, parameters: Mapping[str, str]) -> Query:
    """Let ClickHouse parse a SELECT, or take what it told of the same text before.

    Values of parameters are set in the worker, so a text with parameters is parsed each time.

    Raises:
        SluiceError: SYNTAX_ERROR and the like in ClickHouse's words; UNKNOWN_QUERY_PARAMETER;
            UNSUPPORTED_STATEMENT for what is not a SELECT.
    """
    found = _PARSED.get(text)
    if found is None:
        found = _read(worker, text, parameters)
        if not found.parameters:
            _PARSED.keep(text, found)
    return found


def _read(worker: Worker, text: str, parameters: Mapping[str, str]) -> Query:
    """Let ClickHouse parse a SELECT.

    Raises:
        SluiceError: SYNTAX_ERROR and the like in ClickHouse's words; UNKNOWN_QUERY_PARAMETER;
            UNSUPPORTED_STATEMENT for what is not a SELECT.
    """
    canonical = in_canonical_form(worker, text)
    tokens = list(TOKEN.finditer(canonical))
    names = _parameters(tokens)
    for name in sorted(names - parameters.keys()):
        raise errors.UNKNOWN_QUERY_PARAMETER(name=name)
    values = [f"SET param_{name} = {quote_string(parameters[name])}" for name in sorted(names)]
    body, format_, settings = _clauses(canonical, tokens)
    explained = worker.run(f"EXPLAIN AST {body}", values)
    body, explained = for_views(worker, body, explained)
    body, explained, calls = view_calls.taken_out(worker, body, explained, _NO_VIEWS)
    tree = list(nodes(explained))
    if not tree or tree[0][1] not in _QUERIES:
        what = tree[0][1] if tree else "This"
        raise errors.UNSUPPORTED_STATEMENT(what=f"{what} in the place of a SELECT", hint="")
    if any(kind == "SampleRatio" for _, kind, _ in tree):
        hint = "WHERE rand() % 10 = 0 takes about a tenth of the rows."
        raise errors.UNSUPPORTED_CLAUSE(clause="SAMPLE", hint=hint)
    words = frozenset(
        unquoted(t[0]) for t in TOKEN.finditer(body) if t[0][0] in '`"_' or t[0][0].isalpha()
    )
    return Query(
        body,
        format_,
        settings,
        *_used(tree, calls.keys()),
        _local(tokens),
        frozenset(names),
        words,
        _inner_settings(body),
        frozenset(_dictionaries(tree)),
        calls,
        uses_unnamed(tree, words),
    )


def in_canonical_form(worker: Worker, text: str) -> str:
    """A query as ClickHouse's formatter writes it, in one line.

    Raises:
        SluiceError: SYNTAX_ERROR and the like in ClickHouse's words.
    """
    given = quote_string(text if text.isascii() else _with_quoted_names(text))
    return worker.run(f"SELECT formatQuerySingleLine({given})").rstrip("\n")


def _inner_settings(body: str) -> dict[str, str]:
    """The settings of the parts of a query.

    Raises:
        SluiceError: UNSUPPORTED_CLAUSE for what is perhaps a list of settings, and cannot be read.
    """
    found: dict[str, str] = {}
    tokens = list(TOKEN.finditer(body))
    for start, token in enumerate(tokens):
        if token[0] != "SETTINGS":
            continue
        given = tokens[start + 1 : clause_end(tokens, start)]
        named = _assignments(body, given)
        if named is None and len(given) > 1 and given[1][0] == "=":
            raise errors.UNSUPPORTED_CLAUSE(clause="This list of SETTINGS", hint="")
        found |= named or {}
    return found


def _with_quoted_names(text: str) -> str:
    """Names with letters beyond ASCII in quotes: Sluice takes them as they are."""
    return _PIECE.sub(lambda piece: f"`{piece['name']}`" if piece["name"] else piece[0], text)


def _parameters(tokens: list[re.Match[str]]) -> set[str]:
    """The names in `{name:Type}`."""
    texts = [token[0] for token in tokens]
    return {
        texts[at + 1]
        for at in range(len(texts) - 2)
        if texts[at] == "{" and texts[at + 2] == ":" and texts[at + 1].isidentifier()
    }


def _local(tokens: list[re.Match[str]]) -> frozenset[str]:
    """The names in `WITH name AS (SELECT …)`."""
    texts = [token[0] for token in tokens]
    return frozenset(
        unquoted(texts[at - 2])
        for at in range(2, len(texts))
        if texts[at] == "(" and texts[at - 1] in ("AS", "MATERIALIZED")
    )


def _clauses(text: str, tokens: list[re.Match[str]]) -> tuple[str, str | None, dict[str, str]]:
    """The query without FORMAT and SETTINGS at its end, and what these say."""
    settings: dict[str, str] = {}
    form, end, at = None, len(text), len(tokens)
    while True:
        start = _clause(tokens, at, "SETTINGS")
        if start is not None:
            found = _assignments(text, tokens[start + 1 : at])
            if found is None:
                break
            settings = found | settings
        elif at >= 2 and tokens[at - 2][0] == "FORMAT" and form is None:
            start, form = at - 2, unquoted(tokens[at - 1][0])
        else:
            break
        at, end = start, tokens[start].start()
    if _clause(tokens, at, "OUTFILE") is not None:
        raise errors.UNSUPPORTED_CLAUSE(
            clause="INTO OUTFILE", hint="Redirect the answer to a file at the client."
        )
    return text[:end].rstrip(), form, settings


def _clause(tokens: list[re.Match[str]], end: int, word: str) -> int | None:
    """Where a clause begins that reaches to the end, outside of brackets."""
    depth = 0
    for at in range(end - 1, -1, -1):
        piece = tokens[at][0]
        depth += (piece in ")]}") - (piece in "([{")
        if depth < 0:
            return None
        if not depth and piece == word:
            return at
        if not depth and piece in _OTHERS:
            return None
    return None


_OTHERS = frozenset({"SELECT", "FROM", "WHERE", "FORMAT", "ORDER", "GROUP", "LIMIT", "UNION"})


def _assignments(text: str, tokens: list[re.Match[str]]) -> dict[str, str] | None:
    """Settings by name, each value as it is written; None if it is no list of them."""
    found: dict[str, str] = {}
    at = 0
    while at < len(tokens):
        if at + 2 >= len(tokens) or tokens[at + 1][0] != "=":
            return None
        stop = next_comma(tokens, at + 2)
        found[unquoted(tokens[at][0])] = text[tokens[at + 2].start() : tokens[stop - 1].end()]
        at = stop + 1
    return found


def _used(
    tree: list[tuple[int, str, str]], calls: Collection[str]
) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    tables, perhaps = set(), set()
    functions: set[str] = set()
    table_functions: set[str] = set()
    for at, (_, kind, rest) in enumerate(tree):
        parent = tree[at - 1][1] if at else ""
        if kind == "TableIdentifier":
            if rest not in calls:
                tables.add(rest)
        elif kind == "Function":
            (table_functions if parent == "TableExpression" else functions).add(rest)
            if _IN.fullmatch(rest):
                perhaps |= _second_argument(tree, at)
    return frozenset(tables), frozenset(perhaps), frozenset(functions), frozenset(table_functions)


def _dictionaries(tree: list[tuple[int, str, str]]) -> Iterator[str]:
    """What calls such as `dictGet('name', …)` and `dictionary(name)` name."""
    for at, (_, kind, rest) in enumerate(tree[:-2]):
        if kind == "Function" and _OF_DICTIONARIES.fullmatch(rest):
            _, named, text = tree[at + 2]
            if named == "Identifier":
                yield text
            elif named == "Literal" and text.startswith("'"):
                yield unquoted(text)


def _second_argument(tree: list[tuple[int, str, str]], at: int) -> set[str]:
    """The identifier on the right of IN, if it is one: a table, or a column."""
    depth = tree[at][0] + 2
    arguments = []
    for level, kind, rest in tree[at + 2 :]:
        if level < depth:
            break
        if level == depth:
            arguments.append((kind, rest))
    return {rest for kind, rest in arguments[1:2] if kind == "Identifier"}
