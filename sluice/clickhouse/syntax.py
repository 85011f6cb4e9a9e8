"""What a query is made of, as ClickHouse's own parser tells it.

`formatQuerySingleLine` makes a canonical text of exactly one statement, and `EXPLAIN AST` shows the
tree of that: neither runs anything.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.clickhouse.pool import Worker

_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
      | [^\W\d]\w* | \d[\w.]* | \S""",
    re.X | re.S,
)
_PIECE = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | '(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
      | (?P<name>(?=\w*[^\W\d\x00-\x7f])[^\W\d]\w*) | \w+""",
    re.X | re.S,
)
_NODE = re.compile(r"(?P<indent> *)(?P<kind>\w+)(?: (?P<rest>.*?))?(?: ?\(children \d+\))?")
_ALIAS = re.compile(r" \(alias .*\)$")
_QUERIES = frozenset({"SelectWithUnionQuery", "SelectIntersectExceptQuery"})
_OF_DICTIONARIES = re.compile(r"dict[A-Z]\w*|dictionary", re.I)
_IN = re.compile(r"(?:global)?(?:not)?(?:null)?in(?:ignoreset)?", re.I)


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT: its canonical text without FORMAT and outer SETTINGS, and what it uses.

    `tables` are names as EXPLAIN AST writes them: a dot may separate a database, or be part of a
    name. `local` are names that WITH gives to parts of the query. A name after IN is in `perhaps`:
    it may be a table, or a column. `dictionaries` are those that functions name, as the first of
    their arguments. `words` are all identifiers in the text. `settings` are those of
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

    @property
    def reads_nothing(self) -> bool:
        """Whether it only computes: it names no table, and calls nothing that reads one."""
        uses = self.tables or self.perhaps or self.table_functions
        return not uses and not any(map(_OF_DICTIONARIES.fullmatch, self.functions))


class _Parsed:
    """The queries that were parsed last, by their text: most are asked again and again."""

    def __init__(self, most: int = 512, longest: int = 1 << 14) -> None:
        self._most = most
        self._longest = longest
        self._kept: OrderedDict[str, Query] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> Query | None:
        with self._lock:
            found = self._kept.get(text)
            if found is not None:
                self._kept.move_to_end(text)
            return found

    def keep(self, text: str, query: Query) -> None:
        if len(text) > self._longest:
            return
        with self._lock:
            self._kept[text] = query
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)


_PARSED = _Parsed()


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
    given = quote_string(text if text.isascii() else _with_quoted_names(text))
    canonical = worker.run(f"SELECT formatQuerySingleLine({given})").rstrip("\n")
    tokens = list(_TOKEN.finditer(canonical))
    names = _parameters(tokens)
    for name in sorted(names - parameters.keys()):
        raise errors.UNKNOWN_QUERY_PARAMETER(name=name)
    values = [f"SET param_{name} = {quote_string(parameters[name])}" for name in sorted(names)]
    body, format_, settings = _clauses(canonical, tokens)
    explained = worker.run(f"EXPLAIN AST {body}", values)
    body, explained = _for_views(worker, body, explained)
    tree = list(_nodes(explained))
    if not tree or tree[0][1] not in _QUERIES:
        what = tree[0][1] if tree else "This"
        raise errors.UNSUPPORTED_STATEMENT(what=f"{what} in the place of a SELECT", hint="")
    return Query(
        body,
        format_,
        settings,
        *_used(tree),
        _local(tokens),
        frozenset(names),
        frozenset(
            _unquoted(t[0]) for t in _TOKEN.finditer(body) if t[0][0] in '`"_' or t[0][0].isalpha()
        ),
        _inner_settings(body),
        frozenset(_dictionaries(tree)),
    )


def _for_views(worker: Worker, body: str, explained: str) -> tuple[str, str]:
    """A query, and its tree, in words that views take: they are merged, and filtered by WHERE.

    The tree does not tell FINAL, so that one which has changed without it had another FINAL.
    """
    words = {token[0] for token in _TOKEN.finditer(body)}
    if "FINAL" in words:
        without = _TOKEN.sub(lambda token: "" if token[0] == "FINAL" else token[0], body)
        with suppress(errors.SluiceError):
            if worker.run(f"EXPLAIN AST {without}") == explained:
                body = without
    if "PREWHERE" in words:
        filtered = _with_where(body)
        with suppress(errors.SluiceError):
            body, explained = filtered, worker.run(f"EXPLAIN AST {filtered}")
    return body, explained


def _with_where(text: str) -> str:
    """A query with conditions after WHERE alone: those of PREWHERE come first."""
    tokens = list(_TOKEN.finditer(text))
    at = next((i for i, token in enumerate(tokens) if token[0] == "PREWHERE"), None)
    if at is None:
        return text
    end = _condition_end(tokens, at)
    stop = tokens[end].start() if end < len(tokens) else len(text)
    first, rest = text[tokens[at].end() : stop], text[stop:]
    if end < len(tokens) and tokens[end][0] == "WHERE":
        last = _condition_end(tokens, end)
        stop = tokens[last].start() if last < len(tokens) else len(text)
        first, rest = f"({first}) AND ({text[tokens[end].end() : stop]})", text[stop:]
    return _with_where(f"{text[: tokens[at].start()]}WHERE {first.strip()} {rest}".rstrip())


def _condition_end(tokens: list[re.Match[str]], at: int) -> int:
    """Where the condition after the token `at` ends: at the next clause, or bracket."""
    depth = 0
    for index in range(at + 1, len(tokens)):
        piece = tokens[index][0]
        depth += (piece in "([{") - (piece in ")]}")
        if depth < 0 or (not depth and piece in _AFTER_CONDITION):
            return index
    return len(tokens)


_AFTER_CONDITION = frozenset({
    "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "SETTINGS",
    "UNION", "EXCEPT", "INTERSECT", "FETCH",
})  # fmt: skip


def _inner_settings(body: str) -> dict[str, str]:
    """The settings of the parts of a query.

    Raises:
        SluiceError: UNSUPPORTED_CLAUSE for what is perhaps a list of settings, and cannot be read.
    """
    found: dict[str, str] = {}
    tokens = list(_TOKEN.finditer(body))
    for start, token in enumerate(tokens):
        if token[0] != "SETTINGS":
            continue
        given = tokens[start + 1 : _condition_end(tokens, start)]
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
        _unquoted(texts[at - 2])
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
            start, form = at - 2, _unquoted(tokens[at - 1][0])
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
        stop = _next_comma(tokens, at + 2)
        found[_unquoted(tokens[at][0])] = text[tokens[at + 2].start() : tokens[stop - 1].end()]
        at = stop + 1
    return found


def _next_comma(tokens: list[re.Match[str]], at: int) -> int:
    """Where the next comma is, outside of brackets; the end if there is none."""
    depth = 0
    for index in range(at, len(tokens)):
        piece = tokens[index][0]
        depth += (piece in "([{") - (piece in ")]}")
        if not depth and piece == ",":
            return index
    return len(tokens)


def _unquoted(token: str) -> str:
    quote = token[0]
    if quote not in "`\"'":
        return token
    inner = token[1:-1].replace(quote * 2, quote)
    return re.sub(r"\\(.)", r"\1", inner)


def _nodes(tree: str) -> Iterator[tuple[int, str, str]]:
    """Depth, kind and the rest of each line of a tree."""
    for line in tree.splitlines():
        if found := _NODE.fullmatch(line):
            yield len(found["indent"]), found["kind"], _ALIAS.sub("", found["rest"] or "")


def _used(
    tree: list[tuple[int, str, str]],
) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    tables, perhaps = set(), set()
    functions: set[str] = set()
    table_functions: set[str] = set()
    for at, (_, kind, rest) in enumerate(tree):
        parent = tree[at - 1][1] if at else ""
        if kind == "TableIdentifier":
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
                yield _unquoted(text)


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
