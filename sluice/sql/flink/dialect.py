"""Flink's grammar: sqlglot's, with every call kept under the name it was written with.

sqlglot has no Flink dialect. This one parses expressions and queries; statements are read from
tokens in `statements`. A call always becomes `exp.Anonymous`, so that the table in `functions`
alone decides what a name means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import Dialect, TokenType, exp, tokens
from sqlglot import parser as base

from sluice.sql.flink.cursor import Cursor, hint_at
from sluice.sql.flink.types import plain_type, read_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import Token

    from sluice.types import Type

UNITS = (
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND",
    "MICROSECOND", "NANOSECOND", "DECADE", "CENTURY", "MILLENNIUM", "DOW", "ISODOW", "DOY",
    "ISOYEAR", "EPOCH",
)  # fmt: skip
"""What EXTRACT takes; an INTERVAL takes those from YEAR to SECOND."""

OPTIONS = "options"
"""Where a table's node has the options of the hint after its name, in `meta`."""

_MARKS = {"||", ">=", "<=", "<>", "!=", "=>"}
_NO_KEYWORDS = (TokenType.COMMAND, TokenType.EXECUTE, TokenType.SESSION, TokenType.SUMMARIZE)
_TRIM_SIDES = ("LEADING", "TRAILING", "BOTH")
_LITERALS = ("DATE", "TIME", "TIMESTAMP")
_CONSTRUCTORS = ("ARRAY", "MAP")


class Parser(base.Parser):
    """Parses expressions and queries."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[[Any], exp.Expr]]] = {
        "CAST": lambda self: self.cast_call(self._called()),
        "TRY_CAST": lambda self: self.cast_call(self._called()),
        "EXTRACT": lambda self: self.extract_call(self._called()),
        "POSITION": lambda self: self.position_call(self._called()),
        "SUBSTRING": lambda self: self.words_call(self._called(), "FROM", "FOR"),
        "OVERLAY": lambda self: self.words_call(self._called(), "PLACING", "FROM", "FOR"),
        "TRIM": lambda self: self.trim_call(self._called()),
        "CEIL": lambda self: self.rounded_call(self._called()),
        "CEILING": lambda self: self.rounded_call(self._called()),
        "FLOOR": lambda self: self.rounded_call(self._called()),
        "JSON_VALUE": lambda self: self.json_call(self._called()),
        "JSON_QUERY": lambda self: self.json_call(self._called()),
        "JSON_EXISTS": lambda self: self.json_call(self._called()),
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {"CASE": lambda self: self._parse_case()}
    NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, Any]] = {}
    ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}
    VERSION_PHRASES: ClassVar[dict[tuple[str, ...], str]] = {("FOR", "SYSTEM_TIME"): "TIMESTAMP"}

    def call(self, name: Token, *args: exp.Expr | None) -> exp.Expr:
        """A call of the function whose name is a token."""
        given = [arg for arg in args if arg is not None]
        found = exp.Anonymous(this=name.text.upper(), expressions=given)
        return self.expression(found).update_positions(name)

    def _called(self) -> Token:
        """The name of the function whose parenthesis was just read."""
        return self._tokens[self._index - 2]

    def _parse_as_command(self, start: Token) -> exp.Command:
        """Nothing is kept as text."""
        self.raise_error("Expected a query", start)
        return exp.Command()

    # calls that are not written as a list of arguments

    def cast_call(self, name: Token) -> exp.Expr:
        """`CAST(x AS T)`: the type is a string literal with its canonical text."""
        this = self._value()
        if not self._match(TokenType.ALIAS):
            self.raise_error(f"Expected AS and a type in {name.text.upper()}")
        return self.call(name, this, self.type_literal(read_type))

    def _value(self) -> exp.Expr:
        """An expression that must be there."""
        found = self._parse_disjunction()
        if found is None:
            self.raise_error("Expected a value")
        return found or exp.Null()

    def type_literal(self, read: Callable[[Cursor], Type]) -> exp.Expr:
        """A type as a string literal with its canonical text."""
        cursor = Cursor(self.sql, self._tokens, self._index)
        first = self._curr
        type_ = read(cursor)
        self._advance(cursor.index - self._index)
        return exp.Literal.string(str(type_)).update_positions(first)

    def extract_call(self, name: Token) -> exp.Expr:
        """`EXTRACT(DAY FROM x)`: the unit becomes a string literal."""
        unit = self._unit()
        if not self._match(TokenType.FROM):
            self.raise_error("Expected FROM in EXTRACT")
        return self.call(name, unit, self._value())

    def _unit(self) -> exp.Expr:
        word = self._curr
        if word.text.upper() not in UNITS:
            self.raise_error("Expected a unit such as DAY")
        self._advance()
        return exp.Literal.string(word.text.upper()).update_positions(word)

    def position_call(self, name: Token) -> exp.Expr:
        """`POSITION(needle IN text)`."""
        needle = self._parse_bitwise()
        if not self._match(TokenType.IN):
            self.raise_error("Expected IN in POSITION")
        return self.call(name, needle, self._parse_bitwise())

    def words_call(self, name: Token, *words: str) -> exp.Expr:
        """`SUBSTRING(x FROM 2 FOR 3)`, or with commas."""
        args: list[exp.Expr | None] = list(self._parse_csv(self._parse_disjunction))
        args.extend(self._parse_bitwise() for word in words if self._match_text_seq(word))
        return self.call(name, *args)

    def trim_call(self, name: Token) -> exp.Expr:
        """`TRIM(LEADING 'x' FROM s)`: the side comes first, then what is trimmed and from where."""
        side = "BOTH"
        if self._match_texts(_TRIM_SIDES):
            side = self._prev.text.upper()
        letters = None
        if not self._match(TokenType.FROM):
            letters = self._parse_bitwise()
            if not self._match(TokenType.FROM):
                return self.call(name, exp.Literal.string(side), letters)
        text = self._value()
        return self.call(name, exp.Literal.string(side), text, letters)

    def rounded_call(self, name: Token) -> exp.Expr:
        """`FLOOR(x)` and `FLOOR(x TO DAY)`."""
        args = [self._value()]
        if self._match_text_seq("TO"):
            args.append(self._unit())
        return self.call(name, *args)

    def json_call(self, name: Token) -> exp.Expr:
        """`JSON_VALUE(x, path RETURNING type DEFAULT v ON EMPTY …)`: the clauses become Kwargs."""
        args: list[exp.Expr | None] = list(self._parse_csv(self._parse_disjunction))
        if self._match_text_seq("RETURNING"):
            args.append(
                exp.Kwarg(this=exp.var("RETURNING"), expression=self.type_literal(plain_type))
            )
        while self._curr and self._curr.token_type != TokenType.R_PAREN:
            args.append(self._json_clause())
        return self.call(name, *args)

    def _json_clause(self) -> exp.Expr:
        first = self._curr
        words: list[str] = []
        value: exp.Expr | None = None
        while self._curr and self._curr.token_type not in (TokenType.R_PAREN, TokenType.COMMA):
            if self._match(TokenType.DEFAULT):
                words.append("DEFAULT")
                value = self._parse_bitwise()
                continue
            self._advance()
            words.append(self._prev.text.upper())
            if words[-1] in ("EMPTY", "ERROR", "WRAPPER") and words[0] != words[-1]:
                break
        if not words:
            self.raise_error("Expected a clause such as NULL ON EMPTY")
        clause = exp.Kwarg(this=exp.var(" ".join(words)), expression=value or exp.Null())
        return clause.update_positions(first)

    # arguments: tables and names of parameters

    def _parse_function_args(self, alias: bool = False) -> list[exp.Expr]:
        return self._parse_csv(lambda: self._argument(alias))

    def _argument(self, alias: bool) -> exp.Expr | None:
        if self._next and self._next.token_type == TokenType.FARROW:
            name = self._curr
            self._advance(2)
            value = self._argument(alias)
            return exp.Kwarg(this=exp.var(name.text.upper()), expression=value).update_positions(
                name
            )
        if self._curr and self._curr.token_type == TokenType.TABLE:
            self._advance()
            table = self._parse_table_parts()
            if table is not None and self._match(TokenType.PARTITION_BY):
                table.set("partition", self._partition_columns())
            return table
        return self._parse_lambda(alias=alias)

    def _partition_columns(self) -> list[exp.Expr | None]:
        """One column, or several in parentheses: after a comma the next argument begins."""
        if self._match(TokenType.L_PAREN, advance=False):
            return list(self._parse_wrapped_csv(self._parse_column))
        return [self._parse_column()]

    # FROM

    def _parse_table(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        """`TABLE(f(…))` and `LATERAL TABLE(f(…))`, else what sqlglot knows."""
        start, lateral = self._index, self._match(TokenType.LATERAL)
        if not (self._match(TokenType.TABLE) and self._match(TokenType.L_PAREN)):
            self._retreat(start)
            return super()._parse_table(*args, **kwargs)
        call = self._parse_function()
        if not isinstance(call, exp.Anonymous):
            self.raise_error("Expected a function in TABLE(…)")
        self._match_r_paren()
        alias = self._parse_table_alias()
        if lateral:
            return self.expression(exp.Lateral(this=call, alias=alias))
        return self.expression(exp.Table(this=call, alias=alias))

    def _parse_table_parts(self, *args: Any, **kwargs: Any) -> exp.Table | exp.Dot | None:
        """A table's name, with the hint that may follow it."""
        found = super()._parse_table_parts(*args, **kwargs)
        if isinstance(found, exp.Table):
            found.meta[OPTIONS] = hint_at(self.sql, self._prev.end + 1)
        return found

    def _parse_join(self, *args: Any, **kwargs: Any) -> exp.Join | None:
        """A JOIN without other words is INNER, which a comma is not."""
        comma = bool(self._curr) and self._curr.token_type == TokenType.COMMA
        found = super()._parse_join(*args, **kwargs)
        if isinstance(found, exp.Join) and not (comma or found.kind or found.side or found.method):
            found.set("kind", "INNER")
        return found

    # values

    def _parse_interval(
        self, require_interval: bool = True, parse_function_unit: bool = True
    ) -> exp.Interval | None:
        """`INTERVAL '1:30' HOUR(2) TO MINUTE`; anything else called interval is a name."""
        start = self._index
        if not self._match(TokenType.INTERVAL):
            return None
        sign = "-" if self._match(TokenType.DASH) else ""
        if not self._match(TokenType.STRING):
            self._retreat(start)
            return None
        value, first = f"{sign}{self._prev.text}", self._tokens[start]
        unit: exp.Expr = self._interval_unit()
        if self._match_text_seq("TO"):
            unit = exp.IntervalSpan(this=unit, expression=self._interval_unit())
        found = exp.Interval(this=exp.Literal.string(value), unit=unit)
        return self.expression(found).update_positions(first)

    def _interval_unit(self) -> exp.Expr:
        word = self._curr.text.upper().removesuffix("S") if self._curr else ""
        if word not in UNITS[:8]:
            self.raise_error("Expected a unit such as MINUTE after INTERVAL")
        self._advance()
        if self._match(TokenType.L_PAREN):
            self._parse_csv(self._parse_number)
            self._match_r_paren()
        return exp.var(word)

    def _parse_type(
        self, parse_interval: bool = True, fallback_to_identifier: bool = False
    ) -> exp.Expr | None:
        """A value: `DATE '2024-01-31'`, `ARRAY[1, 2]`, an INTERVAL, else a column or a call."""
        word = self._curr.text.upper() if self._curr else ""
        following = self._next.token_type if self._next else None
        if word in _LITERALS and following == TokenType.STRING:
            first = self._curr
            self._advance()
            return self._parse_column_ops(self.call(first, self._parse_primary()))
        if word in _CONSTRUCTORS and following == TokenType.L_BRACKET:
            first = self._curr
            self._advance(2)
            items = self._parse_csv(self._parse_disjunction)
            if not self._match(TokenType.R_BRACKET):
                self.raise_error("Expected ]")
            return self._parse_column_ops(self.call(first, *items))
        if parse_interval and (interval := self._parse_interval()):
            return interval
        return self._parse_id_var() if fallback_to_identifier else self._parse_column()


class Flink(Dialect):
    """The dialect. Names keep their case; a subscript counts from 1, as it was written."""

    INDEX_OFFSET = 0

    class Tokenizer(tokens.Tokenizer):
        """Back-quotes around names, `''` in strings; no word swallows the rest of the text."""

        QUOTES: ClassVar[list[Any]] = ["'"]
        IDENTIFIERS: ClassVar[list[Any]] = ["`"]
        STRING_ESCAPES: ClassVar[list[str]] = ["'"]
        HEX_STRINGS: ClassVar[list[Any]] = [("x'", "'"), ("X'", "'")]
        COMMENTS: ClassVar[list[Any]] = ["--", "//", ("/*", "*/")]
        NESTED_COMMENTS = False
        TOKENS_PRECEDING_HINT: ClassVar[set[TokenType]] = set()
        COMMANDS: ClassVar[set[TokenType]] = set()
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind
            for word, kind in tokens.Tokenizer.KEYWORDS.items()
            if kind not in _NO_KEYWORDS and (word[0].isalpha() or word in _MARKS)
        } | {"/*+": TokenType.HINT}

    Parser = Parser
