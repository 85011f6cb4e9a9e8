"""A SELECT as a statement or a part of one, and its FORMAT clause."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import Token, TokenType, exp

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import clauses, reading
from sluice.sql.clickhouse.causes import is_aggregate_call
from sluice.sql.core import places
from sluice.sql.core.cursor import Cursor
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sluice.types import Type

STARTS = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN}
"""What a query begins with."""


def begins(token: Token | None, *, lenient: bool) -> bool:
    """Whether a query begins here; one that begins with FROM is left to ClickHouse's parser."""
    kind = token.token_type if token is not None else None
    return kind in STARTS or (lenient and kind == TokenType.FROM)


def select(cursor: Cursor) -> ir.Select:
    """`SELECT … [FORMAT name]`."""
    query, form = read(cursor, lenient=cursor.lenient)
    return ir.Select(query, query.settings, format=form)


class Unread(exp.Expression):
    """Stands for a query that only ClickHouse's own parser may understand; Spark cannot run it.

    One with parameters may have a `shape`: the tree with texts in their place.
    """

    arg_types: ClassVar[dict[str, bool]] = {"problem": True, "shape": False}

    @property
    def problem(self) -> errors.SluiceError:
        """Why it has no tree."""
        found: errors.SluiceError = self.args["problem"]
        return found


def read(cursor: Cursor, *, lenient: bool = False) -> tuple[ir.Query, str | None]:
    """Read a query up to the end of the statement; a `lenient` reader leaves errors to others."""
    tokens = list(cursor.tokens[cursor.index :])
    if not begins(tokens[0] if tokens else None, lenient=lenient):
        raise cursor.wrong(reason="expected SELECT")
    tokens, form, rest = _without_format(cursor, tokens)
    _refuse_outfile(cursor, tokens)
    tree = _tree(cursor, tokens, lenient=lenient)
    where: dict[str, errors.Place] = {}
    settings = _settings(tree, where)
    if rest:
        settings |= clauses.settings(Cursor(cursor.text, rest), where)
    cursor.index = len(cursor.tokens)
    text = cursor.slice(tokens)
    query = ir.Query(tree, text, settings=settings, setting_places=where)  # type: ignore[arg-type]
    return query, form


def _tree(cursor: Cursor, tokens: Sequence[Token], *, lenient: bool) -> exp.Expr:
    try:
        return reading.parse_query(cursor.text, tokens)
    except errors.SluiceError as problem:
        if not lenient:
            raise
        return Unread(problem=problem, shape=_shape(cursor.text, tokens))


def _shape(text: str, tokens: Sequence[Token]) -> exp.Expr | None:
    """The tree of a query with a text in the place of each parameter `{name:Type}`."""
    left, found = iter(tokens), []
    for token in left:
        if token.token_type != TokenType.L_BRACE:
            found.append(token)
            continue
        inside = list(itertools.takewhile(lambda t: t.token_type != TokenType.R_BRACE, left))
        if len(inside) < 3 or inside[1].token_type != TokenType.COLON:
            return None
        found.append(Token(TokenType.STRING, "", token.line, token.col, token.start, token.end))
    with suppress(errors.SluiceError):
        return reading.parse_query(text, found) if len(found) < len(tokens) else None
    return None


def check_read(query: ir.Query) -> None:
    """Raise why a query has no tree, if it has none."""
    if isinstance(query.tree, Unread):
        raise query.tree.problem


def in_shape(query: ir.Query) -> ir.Query | None:
    """A query with a tree that tells what it names, though Spark may not run it; None for none."""
    if not isinstance(query.tree, Unread):
        return query
    tree = query.tree.args.get("shape")
    return None if tree is None else replace(query, tree=tree)


def _settings(tree: exp.Expr, where: dict[str, errors.Place]) -> dict[str, Any]:
    """What the SETTINGS clauses of a query say; those of its parts hold for all of it."""
    found: dict[str, Any] = {}
    for part in tree.find_all(exp.Select, exp.SetOperation, exp.Subquery):
        for each in part.args.get("settings") or ():
            place = places.of_node(each.this)
            value = each.expression if isinstance(each, exp.EQ) else None
            if not isinstance(value, exp.Literal | exp.Boolean | exp.Neg):
                reason = f"expected a constant as the value of the setting {each.this.name}"
                raise errors.SYNTAX_ERROR(reason=reason, place=place)
            found.setdefault(each.this.name, value.to_py())
            if place is not None:
                where.setdefault(each.this.name, place)
    return found


def whole(table: ir.Name) -> ir.Query:
    """A query of all rows of a table."""
    named = exp.table_(table.table, table.database, quoted=True)
    tree = exp.select(exp.Star()).from_(named)
    return ir.Query(tree, tree.sql("clickhouse"))


def with_columns(query: ir.Query, computed: Mapping[str, str]) -> ir.Query:
    """A query with more columns after its own: expressions over those, by their names."""
    inner = exp.Subquery(this=query.tree.copy())
    more = [
        exp.alias_(reading.parse_expression(text).copy(), name, quoted=True)
        for name, text in computed.items()
    ]
    tree = exp.select(exp.Star(), *more, copy=False).from_(inner, copy=False)
    return replace(query, tree=tree)


def with_hidden(query: ir.Query, names: Sequence[str], listing: str = "") -> ir.Query:
    """A query over rows with hidden columns that selects these too, row by row.

    The column `listing` has names of columns. A column of the query is among those if one that it
    is computed from is.

    Raises:
        SluiceError: CHANGES_NOT_ROW_BY_ROW if a row of it is not made of one row.
    """
    tree = query.tree.copy()
    _add_hidden(tree, names, listing)
    return replace(query, tree=tree)


_TOGETHER = {
    "distinct": "DISTINCT", "group": "GROUP BY", "having": "HAVING", "limit": "LIMIT",
    "offset": "OFFSET", "with_": "WITH", "qualify": "QUALIFY",
}  # fmt: skip
"""Clauses whose result depends on several rows, and WITH, whose queries may be read twice."""

_OUTER = {"RIGHT": "RIGHT JOIN", "FULL": "FULL JOIN"}


def _add_hidden(node: exp.Expr, names: Sequence[str], listing: str) -> None:
    if isinstance(node, exp.Union):
        if node.args.get("distinct"):
            raise errors.CHANGES_NOT_ROW_BY_ROW(what="UNION DISTINCT")
        for side in (node.this, node.expression):
            _add_hidden(side, names, listing)
        return
    if isinstance(node, exp.Subquery):
        _add_hidden(node.this, names, listing)
        return
    if not isinstance(node, exp.Select):
        raise errors.CHANGES_NOT_ROW_BY_ROW(what=node.key.upper())
    for key, clause in _TOGETHER.items():
        if node.args.get(key):
            raise errors.CHANGES_NOT_ROW_BY_ROW(what=clause)
    for join in node.args.get("joins") or ():
        side = str(join.args.get("side") or "").upper()
        if side in _OUTER:
            raise errors.CHANGES_NOT_ROW_BY_ROW(what=_OUTER[side])
    if any(map(_folds, node.expressions)):
        raise errors.CHANGES_NOT_ROW_BY_ROW(what="An aggregate or window function")
    source = node.args.get("from_")
    inner = source.this if source is not None else None
    if isinstance(inner, exp.Subquery):
        _add_hidden(inner, names, listing)
        if any(each.find(exp.Star) for each in node.expressions):
            return  # the columns of the subquery have them
    made = [_listed(node, name) if name == listing else _column(name) for name in names]
    for name, each in zip(names, made, strict=True):
        node.append("expressions", exp.alias_(each, name, quoted=True))


def _listed(node: exp.Select, listing: str) -> exp.Expr:
    """The names of a SELECT's columns that are computed from listed ones."""
    computed = {}
    for each in node.expressions:
        of = sorted({column.name for column in each.find_all(exp.Column)})
        if of and of != [each.alias_or_name]:
            computed[each.alias_or_name] = of
    if not computed:
        return _column(listing)
    held = quote_name(listing)
    own = f"arrayFilter(name -> NOT has({_texts(computed)}, name), {held})"
    listed = (
        f"name = {quote_string(name)} AND hasAny({held}, {_texts(of)})"
        for name, of in computed.items()
    )
    more = f"arrayFilter(name -> {' OR '.join(listed)}, {_texts(computed)})"
    return reading.parse_expression(f"arrayConcat({own}, {more})").copy()


def _texts(names: Iterable[str]) -> str:
    return f"[{', '.join(map(quote_string, names))}]"


def _folds(item: exp.Expr) -> bool:
    """Whether a part of a SELECT is computed from several rows; subqueries are values."""
    within = item.walk(prune=lambda part: isinstance(part, exp.Query))
    return any(isinstance(part, exp.Window) or is_aggregate_call(part) for part in within)


@dataclass(frozen=True, slots=True)
class Computed:
    """A column with a DEFAULT or MATERIALIZED expression.

    If values are `given` for it, in a column of another name, they are taken where they are not
    NULL, or, with a column that says it, where they are not `omitted`.
    """

    expression: str
    type: Type
    given: str | None = None
    omitted: str | None = None

    def tree(self) -> exp.Expr:
        """What the column holds."""
        made = self._cast(reading.parse_expression(self.expression).copy())
        if self.given is None:
            return made
        value = _column(self.given)
        missing = _column(self.omitted) if self.omitted else _call("isNull", value.copy())
        return _call("if", missing, made, self._cast(value))

    def _cast(self, value: exp.Expr) -> exp.Expr:
        return _call("CAST", value, exp.Literal.string(str(self.type)))


def computing(table: str, columns: Sequence[str], computed: Mapping[str, Computed]) -> exp.Select:
    """A SELECT of columns and of expressions over them, each of which may use the others' names."""
    more = (exp.alias_(each.tree(), name, quoted=True) for name, each in computed.items())
    selected = (*map(_column, columns), *more)
    return exp.select(*selected, copy=False).from_(exp.to_table(table), copy=False)


def casting(query: exp.Expr, types: Mapping[str, Type]) -> exp.Expr:
    """A SELECT of columns of a query, by their names, as values of these types."""
    selected = (
        exp.alias_(_call("CAST", _column(name), exp.Literal.string(str(type_))), name, quoted=True)
        for name, type_ in types.items()
    )
    return exp.select(*selected, copy=False).from_(exp.Subquery(this=query), copy=False)


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _call(name: str, *args: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(args))


def tables_in(query: ir.Query) -> list[ir.Name]:
    """The tables that a query names, without those that it defines itself with WITH."""
    own = {each.alias for each in query.tree.find_all(exp.CTE)}
    return [
        ir.Name(table.name, table.db or None, places.of_node(table.this))
        for table in query.tree.find_all(exp.Table)
        if table.name and (table.db or table.name not in own)
    ]


def leading_table(query: ir.Query) -> ir.Name | None:
    """The first table that a query reads, however deep in subqueries: what feeds a view of it."""
    node: exp.Expr | None = query.tree
    ctes: dict[str, exp.Expr] = {}
    while node is not None:
        clause = node.args.get("with_")
        ctes |= {cte.alias: cte.this for cte in (clause.expressions if clause else ())}
        if isinstance(node, exp.Select):
            source = node.args.get("from_")
            node = source.this if source is not None else None
        elif isinstance(node, exp.Table):
            if node.db or node.name not in ctes:
                return _named_table(node)
            node = ctes.pop(node.name)
        else:
            node = node.args.get("this")
            node = node if isinstance(node, exp.Expr) else None
    return None


def _named_table(node: exp.Table) -> ir.Name | None:
    if not isinstance(node.this, exp.Identifier):
        return None
    return ir.Name(node.name, node.db or None, places.of_node(node))


def _is(token: Token, word: str) -> bool:
    return token.text.upper() == word and token.token_type not in (
        TokenType.STRING,
        TokenType.IDENTIFIER,
    )


def _without_format(
    cursor: Cursor, tokens: list[Token]
) -> tuple[list[Token], str | None, list[Token]]:
    """Cut off `FORMAT name`, and return the SETTINGS that may follow it."""
    depth = 0
    for n in range(len(tokens) - 2, 0, -1):
        kind = tokens[n + 1].token_type
        depth += (kind == TokenType.R_PAREN) - (kind == TokenType.L_PAREN)
        following = tokens[n + 2] if n + 2 < len(tokens) else None
        if depth or not _is(tokens[n], "FORMAT"):
            continue
        if tokens[n + 1].token_type in (TokenType.COMMA, TokenType.FROM, TokenType.DOT):
            continue
        if following is None or _is(following, "SETTINGS"):
            return tokens[:n], str(tokens[n + 1].text), tokens[n + 3 :]
        if _is(tokens[n - 1], ","):
            continue
        return tokens, None, []
    return tokens, None, []


def _refuse_outfile(cursor: Cursor, tokens: Sequence[Token]) -> None:
    for first, second in itertools.pairwise(tokens):
        if _is(first, "INTO") and _is(second, "OUTFILE"):
            raise errors.UNSUPPORTED_CLAUSE(
                clause="INTO OUTFILE",
                hint="Take the rows from the answer, with a FORMAT of your choice",
                place=places.of_token(cursor.text, first),
            )


def format_clause(cursor: Cursor) -> str | None:
    """`[FORMAT name]` at the end of a small statement."""
    return cursor.identifier("a format's name") if cursor.word("FORMAT") else None
