"""ClickHouse's grammar: sqlglot's, with every call kept under the name it was written with.

sqlglot maps functions of all dialects to common classes. Here the table in `functions` decides what
a name means, so a call always becomes `exp.Anonymous` (or `exp.ParameterizedAgg` for `f(a)(b)`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import TokenType, exp
from sqlglot import parser as base
from sqlglot.dialects import clickhouse
from sqlglot.parsers.clickhouse import ClickHouseParser

from sluice.sql.clickhouse.constants import is_number

if TYPE_CHECKING:
    from collections.abc import Callable


EXTRACT_UNITS = {
    "SECOND": "toSecond",
    "MINUTE": "toMinute",
    "HOUR": "toHour",
    "DAY": "toDayOfMonth",
    "WEEK": "toISOWeek",
    "MONTH": "toMonth",
    "QUARTER": "toQuarter",
    "YEAR": "toYear",
}
"""`EXTRACT(unit FROM x)` is a way to write these."""

_TRIM_SIDES = {"LEADING": "trimLeft", "TRAILING": "trimRight", "BOTH": "trimBoth"}

_TYPED_LITERALS = {"DATE": "toDate", "TIMESTAMP": "toDateTime"}
"""`DATE '2024-01-31'`."""


class Parser(ClickHouseParser):
    """Parses expressions and queries; statements are read from tokens in `statements`."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    FUNC_TOKENS: ClassVar[set[TokenType]] = {*ClickHouseParser.FUNC_TOKENS, TokenType.DATABASE}
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[[Any], exp.Expr]]] = {
        "CAST": lambda self: self.cast_call(),
        "EXTRACT": lambda self: self.extract_call(),
        "POSITION": lambda self: self.position_call(),
        "SUBSTRING": lambda self: self.substring_call(),
        "TRIM": lambda self: self.trim_call(),
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {"CASE": lambda self: self._parse_case()}
    ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}
    NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, Any]] = {}
    COLUMN_OPERATORS: ClassVar[dict[TokenType, Any]] = {
        **ClickHouseParser.COLUMN_OPERATORS,
        TokenType.DCOLON: lambda self, this, to: self.cast_to(this, to),
    }

    QUERY_MODIFIER_PARSERS: ClassVar[dict[TokenType, Any]] = {
        **ClickHouseParser.QUERY_MODIFIER_PARSERS,
        TokenType.LIMIT: lambda self: self.limit_clause(),
    }

    def call(self, name: str, *args: exp.Expr | None, at: Any = None) -> exp.Expr:
        """A call of `name`, placed where `at` (else the name just read) stands."""
        found = exp.Anonymous(this=name, expressions=[arg for arg in args if arg is not None])
        return self.expression(found).update_positions(at or self._tokens[self._index - 1])

    def cast_to(self, this: exp.Expr, to: exp.Expr) -> exp.Expr:
        """`x::T`; a number is read by its type, so that a Decimal keeps every digit."""
        if is_number(this) and to.name.upper().startswith("DECIMAL"):
            this = exp.Literal.string(this.name).update_positions(this)
        return self.call("CAST", this, to).update_positions(to)

    def cast_call(self) -> exp.Expr:
        """`CAST(x AS T)` and `CAST(x, 'T')`."""
        name = self._tokens[self._index - 2]
        this = self._parse_assignment()
        if self._match(TokenType.COMMA):
            return self.call("CAST", this, self._parse_assignment(), at=name)
        if not self._match(TokenType.ALIAS):
            self.raise_error("Expected AS and a type, or a comma and a type's name, in CAST")
        return self.call("CAST", this, self._parse_dcolon(), at=name)

    def extract_call(self) -> exp.Expr:
        """`EXTRACT(DAY FROM x)` and ClickHouse's `extract(text, pattern)`."""
        name = self._tokens[self._index - 2]
        unit = EXTRACT_UNITS.get(self._curr.text.upper()) if self._curr and self._next else None
        if unit and self._next.token_type == TokenType.FROM:
            self._advance(2)
            return self.call(unit, self._parse_assignment(), at=name)
        return self.call(name.text, *self._parse_csv(self._parse_lambda), at=name)

    def position_call(self) -> exp.Expr:
        """`position(needle IN text)` and `position(text, needle)`."""
        name = self._tokens[self._index - 2]
        first = self._parse_bitwise()
        if self._match(TokenType.IN):
            return self.call(name.text, self._parse_bitwise(), first, at=name)
        rest = self._parse_csv(self._parse_lambda) if self._match(TokenType.COMMA) else []
        return self.call(name.text, first, *rest, at=name)

    def substring_call(self) -> exp.Expr:
        """`substring(x FROM 2 FOR 3)` and `substring(x, 2, 3)`."""
        name = self._tokens[self._index - 2]
        args = self._parse_csv(self._parse_lambda)
        for word in (TokenType.FROM, TokenType.FOR):
            if self._match(word):
                args.extend(self._parse_csv(self._parse_assignment))
        return self.call(name.text, *args, at=name)

    def trim_call(self) -> exp.Expr:
        """`trim(LEADING 'x' FROM s)` and `trim(s)`."""
        name = self._tokens[self._index - 2]
        side = _TRIM_SIDES.get(self._curr.text.upper()) if self._curr and self._next else None
        if side and self._next.token_type != TokenType.R_PAREN:
            self._advance()
            letters = None if self._match(TokenType.FROM) else self._parse_bitwise()
            if letters is not None and not self._match(TokenType.FROM):
                self.raise_error("Expected FROM in TRIM")
            return self.call(side, self._parse_assignment(), letters, at=name)
        return self.call(name.text, *self._parse_csv(self._parse_lambda), at=name)

    def limit_clause(self) -> tuple[str, exp.Expr | None]:
        """`LIMIT n BY columns` may stand beside `LIMIT n`, so it gets a key of its own."""
        limit = self._parse_limit()
        return ("limit_by" if limit is not None and limit.expressions else "limit", limit)

    def _parse_disjunction(self) -> exp.Expr | None:
        """`a ? b : c` binds weaker than OR, wherever a condition may stand."""
        this = super()._parse_disjunction()
        if not self._match(TokenType.PLACEHOLDER):
            return this
        true = self._parse_disjunction()
        if not self._match(TokenType.COLON):
            self.raise_error("Expected : and a second value after ?")
        false = self._parse_disjunction()
        if true is None or false is None:
            self.raise_error("Expected a value on both sides of the : after ?", self._prev)
        return self.expression(exp.If(this=this, true=true, false=false))

    def _parse_type(
        self, parse_interval: bool = True, fallback_to_identifier: bool = False
    ) -> exp.Expr | None:
        """A value: `Array(1)[1]` is a call here, never a type."""
        name = _TYPED_LITERALS.get(self._curr.text.upper()) if self._curr and self._next else None
        if name and self._next.token_type == TokenType.STRING:
            self._advance()
            return self.call(name, self._parse_primary(), at=self._tokens[self._index - 2])
        if parse_interval and (interval := self._parse_interval()):
            return interval
        return self._parse_id_var() if fallback_to_identifier else self._parse_column()

    def _parse_query_parameter(self) -> exp.Expr | None:
        """`{name:Type}`: there is no way to give its value yet."""
        if super()._parse_query_parameter() is not None:
            self.raise_error("Query parameters such as {name:Type} are not supported", self._prev)
        return None

    def _parse_dcolon(self) -> exp.Expr | None:
        """A type, as a string literal holding its text."""
        first = self._curr
        if not first:
            self.raise_error("Expected a type after ::", self._prev)
        self._advance()
        last = self._prev
        if self._match(TokenType.L_PAREN, advance=False):
            depth = 0
            while self._curr and (
                depth or self._curr.token_type == TokenType.L_PAREN or last is first
            ):
                depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(self._curr.token_type, 0)
                last = self._curr
                self._advance()
                if not depth:
                    break
        text = self.sql[first.start : last.end + 1]
        return exp.Literal.string(text).update_positions(first)

    def _parse_function(
        self,
        functions: dict[str, Any] | None = None,
        anonymous: bool = False,
        optional_parens: bool = True,
        any_token: bool = False,
    ) -> exp.Expr | None:
        found = base.Parser._parse_function(self, functions, anonymous, optional_parens, any_token)
        if isinstance(found, exp.Anonymous) and self._match(TokenType.L_PAREN):
            params = exp.ParameterizedAgg(
                this=found.this,
                expressions=found.expressions,
                params=self._parse_csv(self._parse_lambda),
            )
            self._match_r_paren(params)
            return self._parse_window(self.expression(params).update_positions(found))
        return found


class ClickHouse(clickhouse.ClickHouse):
    """The dialect; sqlglot's own stays as it is."""

    INDEX_OFFSET = 0  # a subscript keeps the number that was written

    class Tokenizer(clickhouse.ClickHouse.Tokenizer):
        """No word swallows the rest of the text as an unparsed command."""

        COMMANDS: ClassVar[set[TokenType]] = set()
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind
            for word, kind in clickhouse.ClickHouse.Tokenizer.KEYWORDS.items()
            if kind not in (TokenType.COMMAND, TokenType.EXECUTE, TokenType.FETCH)
        }

    Parser = Parser
