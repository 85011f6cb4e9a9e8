from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql.clickhouse import lower_expression
from sluice.sql.clickhouse.functions import FUNCTIONS, UNSUPPORTED
from sluice.sql.relation import RelationColumn
from sluice.types import parse_type
from sql.cases import DialectCase


class TestNames(DialectCase):
    def test_a_column_named_with_a_dot(self) -> None:
        self.value("a.b", "`t`.`a.b`")
        self.value("t.a.b", "`t`.`a.b`")
        self.value("t.name", "`t`.`name`")
        self.lowers("SELECT db.t.name FROM db.t", "SELECT `t`.`name` AS `name` FROM `v t` AS `t`")

    def test_elements_of_a_tuple(self) -> None:
        self.value("pair.x", "`t`.`pair`.`x`")
        self.value("pair.2", "`t`.`pair`.`y`")
        self.value("t.pair.y", "`t`.`pair`.`y`")

    def test_virtual_and_alias_columns(self) -> None:
        self.value("_topic", "`t`.`_topic`")
        self.value("shout", "sluice_ch_upper(`t`.`name`)")
        assert "_topic" not in self.lowered("SELECT * FROM t").columns
        assert "shout" not in self.lowered("SELECT * FROM t").columns

    def test_quoting(self) -> None:
        self.lowers(
            'SELECT `back``quote` AS `x``y`, "emoji \U0001f600" FROM `weird ``name```',
            "SELECT `weird ``name```.`back``quote` AS `x``y`, `weird ``name```.`emoji \U0001f600`"
            " AS `emoji \U0001f600` FROM `v weird ``name``` AS `weird ``name```",
        )

    def test_a_name_that_looks_like_a_slot(self) -> None:
        cast = "CAST((1, 2) AS Tuple(`:0` Int8, `:1` Int8))"
        sql = self.lowered(f"SELECT `x:0` AS `:0`, {cast} FROM `weird ``name```").sql
        assert "`x:0` AS `:0`" in sql
        assert "STRUCT<`:0`: TINYINT, `:1`: TINYINT>" in sql

    def test_unknown(self) -> None:
        self.fails("SELECT nme FROM t", "UNKNOWN_COLUMN", "1:8", "Did you mean name")
        self.fails("SELECT\n  x.y FROM t", "UNKNOWN_COLUMN", "2:3")
        self.fails("SELECT 1 FROM missing", "UNKNOWN_TABLE", "1:15")
        self.fails("SELECT x.* FROM t", "UNKNOWN_TABLE", "1:8")
        self.fails("SELECT * EXCEPT (zzz) FROM t", "UNKNOWN_COLUMN", "1:18")
        self.fails("SELECT a", "UNKNOWN_COLUMN", "1:8", "no FROM")

    def test_columns_are_named_as_in_clickhouse(self) -> None:
        self.names("SELECT count(), sum(id), toDate(ts), id + 1, 'x', -1 FROM t",
                   "count()", "sum(id)", "toDate(ts)", "plus(id, 1)", "'x'", "-1")  # fmt: skip
        self.names("SELECT count(DISTINCT name), id IN (1, 2), t.id FROM t",
                   "uniqExact(name)", "in(id, tuple(1, 2))", "id")  # fmt: skip
        self.names("SELECT a.id, b.id FROM t AS a, t AS b", "id", "b.id")


class TestAliases(DialectCase):
    def test_an_alias_hides_the_column_except_in_itself(self) -> None:
        self.lowers(
            "SELECT toDate(ts) AS ts, count() FROM t GROUP BY ts",
            "SELECT CAST(`t`.`ts` AS DATE) AS `ts`, count(1) AS `count()` FROM `v t` AS `t`"
            " GROUP BY CAST(`t`.`ts` AS DATE)",
        )

    def test_an_alias_can_be_used_anywhere(self) -> None:
        self.lowers(
            "SELECT lower(b) AS c, trim(name) AS b FROM t WHERE c > 'x'",
            "SELECT sluice_ch_lower(trim(`t`.`name`)) AS `c`, trim(`t`.`name`) AS `b`"
            " FROM `v t` AS `t`"
            " WHERE sluice_ch_lower(trim(`t`.`name`)) > 'x'",
        )

    def test_positions(self) -> None:
        self.lowers(
            "SELECT name, count() FROM t GROUP BY 1 ORDER BY 2 DESC",
            "SELECT `t`.`name` AS `name`, count(1) AS `count()` FROM `v t` AS `t`"
            " GROUP BY `t`.`name` ORDER BY `count()` DESC NULLS LAST",
        )
        self.fails("SELECT name FROM t ORDER BY 3", "POSITION_OUT_OF_RANGE", says="Position 3")
        self.lowers(
            "SELECT size FROM t ORDER BY size",
            "SELECT `t`.`size` AS `size` FROM `v t` AS `t`"
            " ORDER BY array_position(array('small', 'big'), `size`) ASC NULLS LAST",
        )

    def test_a_replaced_column_is_computed_once(self) -> None:
        id_, name = "CAST(`t`.`maybe` AS BIGINT) * 10 AS `maybe`", "upper(`t`.`name`) AS `name`"
        sql = self.lowered("SELECT * REPLACE (maybe * 10 AS maybe) FROM t").sql
        assert id_ in sql
        assert sql.count("*") == 1
        both = "REPLACE (maybe * 10 AS maybe, upper(name) AS name)"
        sql = self.lowered(f"SELECT t.* EXCEPT (id) {both} FROM t").sql
        assert id_ in sql
        assert name in sql
        assert "AS `id`" not in sql

    def test_an_alias_of_a_number_is_no_position(self) -> None:
        assert self.lowered("SELECT 7 AS n, count() FROM t GROUP BY n").sql.endswith("coalesce(7)")

    def test_billion_laughs(self) -> None:
        items = ", ".join(f"a{n} + a{n} AS a{n + 1}" for n in range(60))
        self.fails(f"SELECT 1 AS a0, {items}", "EXPRESSION_TOO_LARGE", says="too large")


class TestValues(DialectCase):
    def test_conditions_and_numbers(self) -> None:
        self.value("id = 1", "CAST((`t`.`id` = 1) AS SMALLINT)")
        self.value("ok", "`t`.`ok`")
        self.value("ok = 1", "CAST((CAST(`t`.`ok` AS SMALLINT) = 1) AS SMALLINT)")
        self.value("if(maybe, 1, 2)", "if(CAST(`t`.`maybe` AS BOOLEAN), 1, 2)")
        self.value("sum(id > 1)", "coalesce(sum(CAST((`t`.`id` > 1) AS SMALLINT)), 0)")

    def test_precedence(self) -> None:
        self.value("(maybe + 1) * 2", "(CAST(`t`.`maybe` AS BIGINT) + 1) * 2")
        self.value(
            "maybe - (maybe - 1)",
            "CAST(`t`.`maybe` AS BIGINT) - (CAST(`t`.`maybe` AS BIGINT) - 1)",
        )
        self.value("toBool((ok OR ok) AND NOT (ok AND ok))",
                   "(`t`.`ok` OR `t`.`ok`) AND NOT (`t`.`ok` AND `t`.`ok`)")  # fmt: skip
        self.value("-(maybe + 1)", "-(CAST(`t`.`maybe` AS BIGINT) + 1)")

    def test_arithmetic_wraps_around_at_64_bits(self) -> None:
        self.value("maybe * maybe", "CAST(`t`.`maybe` AS BIGINT) * `t`.`maybe`")
        self.value("id + 1", f"pmod(CAST(`t`.`id` AS DECIMAL(20,0)) + 1, {1 << 64})")
        self.value("count() + 1", "count(1) + 1")

    def test_literals(self) -> None:
        self.value("'a\\'b\\\\c\\n'", "'a\\'b\\\\c\\n'")
        self.value("'${env:HOME}'", "'\\u0024{env:HOME}'")
        self.value("'\\0' || '1'", "concat('\\u0000', '1')")
        self.value("$$it's$$", "'it\\'s'")
        self.value("1.5", "1.5D")
        self.value("0x1F", "31")

    def test_arity(self) -> None:
        self.fails("SELECT toDate()", "WRONG_ARGUMENT_COUNT", "1:8", "1 to 2")
        self.fails("SELECT lower('a', 'b')", "WRONG_ARGUMENT_COUNT", "1:8")
        self.fails("SELECT argMax(id) FROM t", "WRONG_ARGUMENT_COUNT")
        self.fails("SELECT argMax(DISTINCT id) FROM t", "WRONG_ARGUMENT_COUNT")
        self.value(
            "covarPop(DISTINCT id, id)",
            "coalesce(covar_pop(DISTINCT CAST(`t`.`id` AS DOUBLE), CAST(`t`.`id` AS DOUBLE)), "
            "double('NaN'))",
        )

    def test_case_of_function_names(self) -> None:
        self.value("COUNT()", "count(1)")
        self.value("Lower(name)", "sluice_ch_lower(`t`.`name`)")
        self.fails("SELECT todate('x')", "UNKNOWN_FUNCTION", "1:8", "toDate")

    def test_known_but_unsupported(self) -> None:
        self.fails("SELECT cityHash64(id) FROM t", "UNKNOWN_FUNCTION", says="MD5")
        self.fails("SELECT corrState(id, id) FROM t", "UNKNOWN_FUNCTION", says="-State")

    def test_argument_of_an_extreme(self) -> None:
        """A row whose value is NULL is not chosen."""
        known = "if(`t`.`maybe` IS NULL, NULL, `t`.`id`)"
        self.value("argMax(maybe, id)", f"max_by(`t`.`maybe`, {known})")
        self.value("argMin(maybe, id)", f"min_by(`t`.`maybe`, {known})")

    def test_states(self) -> None:
        self.value("countState()", "named_struct('count', count(1))")
        self.value(
            "sumStateIf(id, ok)",
            "named_struct('sum', sum(CASE WHEN `t`.`ok` THEN `t`.`id` END))",
        )
        self.value(
            "sumIfState(id, ok)",
            "named_struct('sum', sum(CASE WHEN `t`.`ok` THEN `t`.`id` END))",
        )
        self.lowers(
            "SELECT maxMerge(s) AS m FROM (SELECT maxState(id) AS s FROM t)",
            "SELECT coalesce(max(`_1`.`s`.`max`), CAST(0 AS DECIMAL(20,0))) AS `m` FROM (SELECT "
            "named_struct('max', max(`t`.`id`)) AS `s` FROM `v t` AS `t`) AS `_1`",
        )
        for column, total in (("maybe", "{}"), ("id", "coalesce({}, 0)")):
            self.lowers(
                f"SELECT sumMerge(s) AS m FROM (SELECT sumState({column}) AS s FROM t)",
                f"SELECT {total.format('sum(`_1`.`s`.`sum`)')} AS `m` FROM (SELECT "
                f"named_struct('sum', sum(`t`.`{column}`)) AS `s` FROM `v t` AS `t`) AS `_1`",
            )
        self.fails(
            "SELECT uniqMerge(id) FROM t", "ILLEGAL_TYPE_OF_ARGUMENT", says="AggregateFunction"
        )
        self.fails(
            "SELECT maxState(DISTINCT id) FROM t", "INVALID_FUNCTION_ARGUMENT", says="DISTINCT"
        )

    def test_patterns_are_re2s(self) -> None:
        like = "CAST(sluice_regexp_like(`t`.`name`, '(?s)a.b') AS SMALLINT)"
        self.value("match(name, 'a.b')", like)
        self.value(
            "name NOT REGEXP name",
            "CAST((NOT sluice_regexp_like(`t`.`name`, concat('(?s)', `t`.`name`))) AS SMALLINT)",
        )
        for call in ("match(name, '(?=a)')", "extract(name, '(a)\\\\1')", "name REGEXP '['"):
            self.fails(f"SELECT {call} FROM t", "CANNOT_COMPILE_REGEXP", says="RE2")

    def test_windows_and_filters(self) -> None:
        over = "OVER (PARTITION BY `t`.`name`)"
        self.value(
            "sumIf(id, ok) OVER (PARTITION BY name)",
            f"coalesce(pmod(sum(`t`.`id`) FILTER (WHERE `t`.`ok`) {over}, {1 << 64}), 0)",
        )
        self.value("row_number() OVER ()", "row_number() OVER (ORDER BY NULL)")
        self.fails("SELECT row_number() FROM t", "OVER_REQUIRED", says="OVER")
        self.fails("SELECT count() FROM t GROUP BY", "SYNTAX_ERROR", says="after GROUP BY")
        text = "SELECT lower(name) OVER () FROM t"
        self.fails(text, "NOT_AN_AGGREGATE_FUNCTION", says="not an aggregate")

    def test_lower_scalar(self) -> None:
        columns = [RelationColumn("x", parse_type("String"))]
        assert lower_expression("upper(x)", columns).sql == "sluice_ch_upper(`x`)"
        assert lower_expression("-1.5").sql == "-1.5D"
        assert lower_expression("[1, NULL]").sql == "array(1, NULL)"
        for bad in ("y", "(SELECT 1)", "arrayJoin([1])", "1 +", ""):
            with pytest.raises(errors.SluiceError) as caught:
                lower_expression(bad, columns)
            assert caught.value.place is not None


class TestClauses(DialectCase):
    def test_refused(self) -> None:
        for text in (
            "SELECT * FROM t ANY LEFT JOIN u USING id",
            "SELECT * FROM t ASOF JOIN u ON t.id = u.id",
            "SELECT * FROM t PASTE JOIN u",
        ):
            self.fails(text, "UNSUPPORTED_JOIN")
        for text in ("SELECT id FROM t WHERE id IN u", "SELECT * APPLY(sum) FROM t"):
            self.fails(text, "UNSUPPORTED_EXPRESSION")
        for text in (
            "SELECT * FROM t SAMPLE 0.1",
            "SELECT name, count() FROM t GROUP BY name WITH TOTALS",
            "SELECT id FROM t INTERSECT SELECT id FROM u",
            "SELECT DISTINCT ON (name) id FROM t",
            "SELECT name FROM t QUALIFY row_number() OVER () = 1",
            "SELECT name FROM t ORDER BY ts WITH FILL",
            "WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x",
            "SELECT 1 FROM t AS x(a)",
        ):
            self.fails(text, "UNSUPPORTED_CLAUSE")

    def test_accepted_and_dropped(self) -> None:
        plain = self.lowered("SELECT id FROM t").sql
        assert self.lowered("SELECT id FROM t FINAL").sql == plain
        assert self.lowered("SELECT id FROM t SETTINGS max_threads = 1").sql == plain
        assert self.lowered("SELECT id FROM t FORMAT JSON").sql == plain
        assert self.lowered("(SELECT id FROM t)").sql == plain

    def test_tables_are_reported(self) -> None:
        tables = self.lowered("SELECT * FROM t WHERE id IN (SELECT id FROM db.u)").tables
        assert [str(name) for name in tables] == ["t", "db.u"]

    def test_cyrillic(self) -> None:
        self.lowers(
            "SELECT level, sum(total) FROM очередь GROUP BY level",
            "SELECT `очередь`.`level` AS `level`,"
            f" coalesce(pmod(sum(`очередь`.`total`), {1 << 64}), 0) AS `sum(total)`"
            " FROM `v очередь` AS `очередь` GROUP BY `очередь`.`level`",
        )


def test_every_function_can_be_listed() -> None:
    assert not set(FUNCTIONS) & set(UNSUPPORTED)
    assert {function.kind for function in FUNCTIONS.values()} == {"scalar", "aggregate", "window"}
    for name, function in FUNCTIONS.items():
        assert function.takes(), name
