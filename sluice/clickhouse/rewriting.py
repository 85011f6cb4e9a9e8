"""A query in words that views take.

Stored tables are views for ClickHouse, merged for every reader, of one server: FINAL changes
nothing, PREWHERE is WHERE, and a table of a cluster is that table. A token of the canonical text
tells where to change it; the change is kept if the tree that ClickHouse shows then is the one that
it has to be.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse.tokens import TOKEN, clause_end, next_comma, nodes, unquoted
from sluice.sql.clickhouse.clusters import CLUSTERS
from sluice.types import quote_name

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from sluice.clickhouse.pool import Worker

    Tokens = list[re.Match[str]]
    Change = Callable[[str, Tokens, int], str | None]
    Same = Callable[[str, str], bool]


def for_views(worker: Worker, text: str, tree: str) -> tuple[str, str]:
    """The text of a query that views can run, and its tree.

    Raises:
        SluiceError: CLUSTER_DOESNT_EXIST.
    """
    for at in range(len(tokens := list(TOKEN.finditer(text))) - 1, -1, -1):
        # Backwards: a change leaves what stands before it as it was.
        if tokens[at][0] not in _CHANGES:
            continue
        change, same = _CHANGES[tokens[at][0]]
        changed = change(text, list(TOKEN.finditer(text)), at)
        if changed is None:
            continue
        try:
            explained = worker.run(f"EXPLAIN AST {changed}")
        except errors.SluiceError:
            continue  # the word was a name
        if same(tree, explained):
            text, tree = changed, explained
    return text, tree


def _without(text: str, tokens: Tokens, at: int) -> str:
    return f"{text[: tokens[at].start()].rstrip()}{text[tokens[at].end() :]}"


def _with_where(text: str, tokens: Tokens, at: int) -> str:
    """PREWHERE becomes WHERE, its condition the first of that."""
    end = clause_end(tokens, at)
    stop = _start(text, tokens, end)
    first, rest = text[tokens[at].end() : stop], text[stop:]
    if end < len(tokens) and tokens[end][0] == "WHERE":
        stop = _start(text, tokens, clause_end(tokens, end))
        first, rest = f"({first}) AND ({text[tokens[end].end() : stop]})", text[stop:]
    return f"{text[: tokens[at].start()]}WHERE {first.strip()} {rest}".rstrip()


def _start(text: str, tokens: Tokens, at: int) -> int:
    return tokens[at].start() if at < len(tokens) else len(text)


def _without_cluster(text: str, tokens: Tokens, at: int) -> str | None:
    """`cluster('default', db.t)` becomes `db.t`."""
    if at + 1 >= len(tokens) or tokens[at + 1][0] != "(":
        return None
    arguments: list[Tokens] = []
    end = at + 1
    while end < len(tokens) and tokens[end][0] != ")":
        start, end = end + 1, min(next_comma(tokens, end + 1), clause_end(tokens, end))
        arguments.append(tokens[start:end])
    if end == len(tokens) or not all(arguments):
        return None
    cluster, *of = arguments
    if (name := unquoted(cluster[0][0])) not in CLUSTERS:
        raise errors.CLUSTER_DOESNT_EXIST(cluster=name)
    if of and any(token[0] == "(" for token in of[0]):
        table = text[of[0][0].start() : of[0][-1].end()]
    else:
        parts = [unquoted(token[0]) for token in of[0] if token[0] != "."] if of else []
        if len(parts) == 1 and len(of) > 1 and len(of[1]) == 1:
            parts.append(unquoted(of[1][0][0]))
        table = ".".join(map(quote_name, parts or ["system", "one"]))
    return f"{text[: tokens[at].start()]}{table}{text[tokens[end].end() :]}"


def _leaves(tree: str) -> Counter[tuple[str, str]]:
    """What conditions are made of, without what connects them."""
    found = ((kind, rest) for _, kind, rest in nodes(tree))
    return Counter(node for node in found if node not in _CONNECTING)


_CONNECTING = frozenset({("Function", "and"), ("ExpressionList", "")})


def _one_call_less(before: str, after: str) -> bool:
    """Whether one table function for a cluster was removed, and nothing else has moved."""
    calls, tables = zip(_in_from(before), _in_from(after), strict=True)
    return calls[0] == calls[1] + 1 and tables[0] == tables[1]


def _in_from(tree: str) -> tuple[int, int]:
    """How many tables of clusters are in FROM, and how many sources."""
    found = list(nodes(tree))
    sources = [found[at + 1] for at, node in enumerate(found) if node[1] == "TableExpression"]
    return sum(rest in _CHANGES for _, _, rest in sources), len(sources)


_CHANGES: Mapping[str, tuple[Change, Same]] = {
    "FINAL": (_without, str.__eq__),
    "PREWHERE": (_with_where, lambda before, after: _leaves(before) == _leaves(after)),
    "cluster": (_without_cluster, _one_call_less),
    "clusterAllReplicas": (_without_cluster, _one_call_less),
}
