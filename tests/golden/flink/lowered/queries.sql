CREATE TABLE t (
  id INT, big BIGINT, tiny TINYINT, price DECIMAL(10, 2), x DOUBLE, f FLOAT, name STRING, code CHAR(3), ok BOOLEAN,
  ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), `day` DATE, tod TIME(3), raw BYTES, tags ARRAY<STRING>, attrs MAP<STRING, INT>,
  r ROW<a INT, b ROW<c STRING>>, items ARRAY<ROW<sku STRING, n INT>>, twice AS id * 2, `w:0 $` STRING
)
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE db.u (id INT, label STRING, rt TIMESTAMP(3))
---- ir
CreateTable
--------------------------------------------------------------------------------
SELECT * FROM db.u
---- spark
SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`
FROM `view of db.u` AS `u`
--------------------------------------------------------------------------------
SELECT u.id, db.u.label, default_catalog.db.u.rt FROM db.u
---- spark
SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`
FROM `view of db.u` AS `u`
--------------------------------------------------------------------------------
SELECT twice, `w:0 $`, r.b.c, t.r.a, tags[1], tags[big], attrs['k'], r[1], items[1].sku FROM t
---- spark
SELECT sluice_multiply(`t`.`id`, 2) AS `twice`, `t`.`w:0 $` AS `w:0 $`, `t`.`r`.`b`.`c` AS `c`, `t`.`r`.`a` AS `a`, try_element_at(`t`.`tags`, 1) AS `EXPR$4`, try_element_at(`t`.`tags`, nullif(CAST(`t`.`big` AS INT), -2147483648)) AS `EXPR$5`, try_element_at(`t`.`attrs`, 'k') AS `EXPR$6`, `t`.`r`.`a` AS `EXPR$7`, try_element_at(`t`.`items`, 1).`sku` AS `EXPR$8`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT id + 1, big - id, id * tiny, id / 2, big / id, price / 3, price / price, x / 2, id / 2.0, id % 3, -id, - (id + 1) FROM t
---- spark
SELECT sluice_add(`t`.`id`, 1) AS `EXPR$0`, sluice_subtract(`t`.`big`, `t`.`id`) AS `EXPR$1`, sluice_multiply(`t`.`id`, `t`.`tiny`) AS `EXPR$2`, sluice_int32(sluice_divide(`t`.`id`, 2, 'id / 2')) AS `EXPR$3`, sluice_int64(sluice_divide(`t`.`big`, `t`.`id`, 'big / id')) AS `EXPR$4`, `t`.`price` / CAST(3 AS DECIMAL(10,0)) AS `EXPR$5`, `t`.`price` / `t`.`price` AS `EXPR$6`, sluice_divide_double(`t`.`x`, 2) AS `EXPR$7`, CAST(`t`.`id` AS DECIMAL(10,0)) / 2.0BD AS `EXPR$8`, sluice_int32(sluice_modulo(`t`.`id`, 3, 'id % 3')) AS `EXPR$9`, sluice_negate(`t`.`id`) AS `EXPR$10`, sluice_negate(sluice_add(`t`.`id`, 1)) AS `EXPR$11`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT (price + 1) * 2 / 3, AVG(price * 2), SUM(price + id) FROM t
---- spark
SELECT (`t`.`price` + 1) * 2 / CAST(3 AS DECIMAL(10,0)) AS `EXPR$0`, CAST(avg(`t`.`price` * 2) AS DECIMAL(38,6)) AS `EXPR$1`, CAST(sum(`t`.`price` + `t`.`id`) AS DECIMAL(38,2)) AS `EXPR$2`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT name || 'x' || id || ok || ts FROM t
---- spark
SELECT concat(concat(concat(concat(`t`.`name`, 'x'), CAST(`t`.`id` AS STRING)), upper(CAST(`t`.`ok` AS STRING))), date_format(`t`.`ts`, 'yyyy-MM-dd HH:mm:ss.SSS')) AS `EXPR$0`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT id = 1 AND NOT ok OR name <> 'x' AND (ok OR x >= 1.5e0) FROM t
---- spark
SELECT `t`.`id` = 1 AND NOT `t`.`ok` OR `t`.`name` <> 'x' AND (`t`.`ok` OR `t`.`x` >= 1.5D) AS `EXPR$0`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT id BETWEEN 1 AND 5, id NOT BETWEEN SYMMETRIC 5 AND 1, id IN (1, 2), id NOT IN (1, NULL), (id, name) IN ((1, 'x'), (2, 'y')) FROM t
---- spark
SELECT `t`.`id` >= 1 AND `t`.`id` <= 5 AS `EXPR$0`, NOT (`t`.`id` >= 5 AND `t`.`id` <= 1 OR `t`.`id` >= 1 AND `t`.`id` <= 5) AS `EXPR$1`, `t`.`id` IN (1, 2) AS `EXPR$2`, NOT (`t`.`id` IN (1, NULL)) AS `EXPR$3`, (`t`.`id`, `t`.`name`) IN ((1, 'x'), (2, 'y')) AS `EXPR$4`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT name LIKE 'a%', name NOT LIKE '%!%' ESCAPE '!', name IS NULL, ok IS NOT TRUE, ok IS UNKNOWN, ok IS FALSE FROM t
---- spark
SELECT `t`.`name` LIKE 'a%' AS `EXPR$0`, `t`.`name` NOT LIKE '%!%' ESCAPE '!' AS `EXPR$1`, `t`.`name` IS NULL AS `EXPR$2`, `t`.`ok` IS NOT TRUE AS `EXPR$3`, `t`.`ok` IS NULL AS `EXPR$4`, `t`.`ok` IS FALSE AS `EXPR$5`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT id IS DISTINCT FROM 2, id IS NOT DISTINCT FROM big FROM t
---- spark
SELECT NOT (`t`.`id` <=> 2) AS `EXPR$0`, `t`.`id` <=> `t`.`big` AS `EXPR$1`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT name SIMILAR TO '[4-5]__|%.com', name NOT SIMILAR TO '(a|b){2}\$' FROM t
---- spark
SELECT sluice_regexp_like(`t`.`name`, '\\A(?s:[4-5]..|.*\\.com)\\z') AS `EXPR$0`, NOT sluice_regexp_like(`t`.`name`, '\\A(?s:(a|b){2}\\\\\\\u0024)\\z') AS `EXPR$1`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT name SIMILAR TO code FROM t
---- error
UNSUPPORTED_EXPRESSION: SIMILAR TO with a pattern that is not written out is not supported (line 1, column 8). Use REGEXP(text, pattern).
--------------------------------------------------------------------------------
SELECT name SIMILAR TO '(a' FROM t
---- error
CANNOT_COMPILE_REGEXP: Cannot compile the regular expression '(a': missing ): (a (line 1, column 8). Patterns use the syntax of RE2: no lookaround, backreferences or possessive quantifiers.
--------------------------------------------------------------------------------
SELECT CASE WHEN ok THEN 1 WHEN id > 1 THEN big ELSE 0 END / 2, CASE id WHEN 1 THEN 'a' END FROM t
---- spark
SELECT sluice_int64(sluice_divide(CASE WHEN `t`.`ok` THEN 1 WHEN (`t`.`id` > 1) THEN `t`.`big` ELSE 0 END, 2, 'CASE WHEN ok THEN 1 WHEN id > 1 THEN big ELSE 0 END / 2')) AS `EXPR$0`, CASE WHEN (`t`.`id` = 1) THEN 'a' END AS `EXPR$1`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT x'C0FFEE', 1.50, .5, 1e3, 99999999999, 12345678901234567890, 'it''s $ {x} \ "', TRUE, NULL FROM t
---- spark
SELECT X'C0FFEE' AS `EXPR$0`, 1.50BD AS `EXPR$1`, 0.5BD AS `EXPR$2`, 1000.0D AS `EXPR$3`, 99999999999 AS `EXPR$4`, 12345678901234567890 AS `EXPR$5`, 'it\'s \u0024 {x} \\ "' AS `EXPR$6`, true AS `EXPR$7`, NULL AS `EXPR$8`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT CAST(ok AS STRING), CAST(ts AS STRING), CAST(`day` AS STRING), CAST(x AS VARCHAR(3)), CAST(name AS CHAR(3)), CAST(id AS BIGINT), CAST(name AS DECIMAL(10, 2)), TRY_CAST(name AS INT), CAST(name AS TIMESTAMP(3)), CAST(ts AS TIMESTAMP_LTZ(6)), CAST(name AS TIME(3)), CAST(ts AS TIME), CAST(name AS BYTES), CAST(r AS ROW<`x:0` INT, y ROW<z STRING>>) FROM t
---- spark
SELECT upper(CAST(`t`.`ok` AS STRING)) AS `EXPR$0`, date_format(`t`.`ts`, 'yyyy-MM-dd HH:mm:ss.SSS') AS `EXPR$1`, CAST(`t`.`day` AS STRING) AS `EXPR$2`, left(CAST(`t`.`x` AS STRING), 3) AS `EXPR$3`, rpad(left(`t`.`name`, 3), 3, ' ') AS `EXPR$4`, CAST(`t`.`id` AS BIGINT) AS `EXPR$5`, CAST(`t`.`name` AS DECIMAL(10,2)) AS `EXPR$6`, sluice_int32(`t`.`name`) AS `EXPR$7`, CAST(date_trunc('MILLISECOND', CAST(`t`.`name` AS TIMESTAMP_NTZ)) AS TIMESTAMP_NTZ) AS `EXPR$8`, CAST(`t`.`ts` AS TIMESTAMP) AS `EXPR$9`, date_format(CAST(concat('1970-01-01 ', `t`.`name`) AS TIMESTAMP_NTZ), 'HH:mm:ss.SSS') AS `EXPR$10`, date_format(`t`.`ts`, 'HH:mm:ss') AS `EXPR$11`, CAST(`t`.`name` AS BINARY) AS `EXPR$12`, CAST(`t`.`r` AS STRUCT<`x:0`: INT, `y`: STRUCT<`z`: STRING>>) AS `EXPR$13`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT CAST(r AS ROW<`${env:HOME}` INT, b ROW<c STRING>>) FROM t
---- error
FORBIDDEN_NAME: The name STRUCT<`${env:HOME}`: INT, `b`: STRUCT<`c`: STRING>> contains ${ or :* (line 1, column 8). Rename it: Spark would interpret these characters as a variable.
--------------------------------------------------------------------------------
SELECT CAST(id AS TIME) FROM t
---- error
UNSUPPORTED_EXPRESSION: This CAST to TIME is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT tod = TIME '12:00:00', tod > TIME '12:00:00.5', TIME '12:00:00' FROM t
---- spark
SELECT `t`.`tod` = concat('12:00:00', '.000') AS `EXPR$0`, `t`.`tod` > concat('12:00:00.5', '00') AS `EXPR$1`, '12:00:00' AS `EXPR$2`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT DATE '2024-01-31', TIMESTAMP '2024-01-31 00:00:00.123', ts + INTERVAL '1' DAY, ts - INTERVAL '1:30' HOUR TO MINUTE, INTERVAL -'1-6' YEAR TO MONTH + ts, `day` + INTERVAL '2' WEEK, ts - INTERVAL '1 02:03:04.5' DAY TO SECOND FROM t
---- spark
SELECT CAST('2024-01-31' AS DATE) AS `EXPR$0`, CAST('2024-01-31 00:00:00.123' AS TIMESTAMP_NTZ) AS `EXPR$1`, `t`.`ts` + INTERVAL '1' DAY AS `EXPR$2`, `t`.`ts` - INTERVAL '1:30' HOUR TO MINUTE AS `EXPR$3`, INTERVAL '-1-6' YEAR TO MONTH + `t`.`ts` AS `EXPR$4`, `t`.`day` + INTERVAL '14' DAY AS `EXPR$5`, `t`.`ts` - INTERVAL '1 02:03:04.5' DAY TO SECOND AS `EXPR$6`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT ts - ltz FROM t
---- error
UNSUPPORTED_EXPRESSION: - with a time and no INTERVAL is not supported (line 1, column 8). Use TIMESTAMPDIFF, or an INTERVAL.
--------------------------------------------------------------------------------
SELECT INTERVAL '1:99:x' HOUR TO SECOND FROM t
---- error
INVALID_LITERAL: '1:99:x' is not a valid INTERVAL HOUR TO SECOND (line 1, column 8).
--------------------------------------------------------------------------------
SELECT id FROM t WHERE ok AND id > 1
---- spark
SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`
WHERE `t`.`ok` AND `t`.`id` > 1
--------------------------------------------------------------------------------
SELECT id FROM t WHERE id
---- error
CONDITION_EXPECTED: A condition is expected here, not INT (line 1, column 24). Write a comparison, such as a = 1.
--------------------------------------------------------------------------------
SELECT DISTINCT name AS n FROM t ORDER BY n DESC, 1 LIMIT 10 OFFSET 2
---- spark
SELECT DISTINCT `t`.`name` AS `n`
FROM `view of t` AS `t`
ORDER BY `n` DESC NULLS LAST, `n` ASC NULLS FIRST
LIMIT 10 OFFSET 2
--------------------------------------------------------------------------------
SELECT id FROM t ORDER BY x + 1 NULLS LAST FETCH FIRST 3 ROWS ONLY
---- spark
SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`
ORDER BY `t`.`x` + 1 ASC NULLS LAST
LIMIT 3
--------------------------------------------------------------------------------
SELECT id, COUNT(*), COUNT(name), COUNT(DISTINCT name), SUM(id), SUM(big), SUM(price), SUM(f), AVG(tiny), AVG(price), AVG(x), MIN(ts), MAX(name) FROM t GROUP BY id HAVING COUNT(*) > 1
---- spark
SELECT `t`.`id` AS `id`, count(1) AS `EXPR$1`, count(`t`.`name`) AS `EXPR$2`, count(DISTINCT `t`.`name`) AS `EXPR$3`, sluice_int32(sluice_sum(`t`.`id`)) AS `EXPR$4`, sluice_int64(sluice_sum(`t`.`big`)) AS `EXPR$5`, CAST(sum(`t`.`price`) AS DECIMAL(38,2)) AS `EXPR$6`, CAST(sum(`t`.`f`) AS FLOAT) AS `EXPR$7`, sluice_int8(avg(CAST(`t`.`tiny` AS DECIMAL(29,10)))) AS `EXPR$8`, CAST(avg(`t`.`price`) AS DECIMAL(38,6)) AS `EXPR$9`, avg(`t`.`x`) AS `EXPR$10`, min(`t`.`ts`) AS `EXPR$11`, max(`t`.`name`) AS `EXPR$12`
FROM `view of t` AS `t`
GROUP BY `t`.`id`
HAVING count(1) > 1
--------------------------------------------------------------------------------
SELECT name, SUM(id) FILTER (WHERE ok) FROM t GROUP BY name
---- spark
SELECT `t`.`name` AS `name`, sluice_int32(sluice_sum(`t`.`id`) FILTER (WHERE `t`.`ok`)) AS `EXPR$1`
FROM `view of t` AS `t`
GROUP BY `t`.`name`
--------------------------------------------------------------------------------
SELECT name, ok, GROUPING(name) FROM t GROUP BY GROUPING SETS ((name, ok), (name), ())
---- spark
SELECT `t`.`name` AS `name`, `t`.`ok` AS `ok`, grouping(`t`.`name`) AS `EXPR$2`
FROM `view of t` AS `t`
GROUP BY GROUPING SETS ((`t`.`name`, `t`.`ok`), `t`.`name`, ())
--------------------------------------------------------------------------------
SELECT name, ok FROM t GROUP BY CUBE (name, ok)
---- spark
SELECT `t`.`name` AS `name`, `t`.`ok` AS `ok`
FROM `view of t` AS `t`
GROUP BY CUBE (`t`.`name`, `t`.`ok`)
--------------------------------------------------------------------------------
SELECT name, ok FROM t GROUP BY ROLLUP (name, ok)
---- spark
SELECT `t`.`name` AS `name`, `t`.`ok` AS `ok`
FROM `view of t` AS `t`
GROUP BY ROLLUP (`t`.`name`, `t`.`ok`)
--------------------------------------------------------------------------------
SELECT name, COUNT(*) FROM t
---- error
NOT_AN_AGGREGATE: name is not under aggregate function and not in GROUP BY keys (line 1, column 8). Add it to GROUP BY, or take one value of it with any(…).
--------------------------------------------------------------------------------
SELECT name AS n, ok, COUNT(*) FROM t GROUP BY ok
---- error
NOT_AN_AGGREGATE: name is not under aggregate function and not in GROUP BY keys (line 1, column 8). Add it to GROUP BY, or take one value of it with any(…).
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM t GROUP BY 1
---- error
UNSUPPORTED_CLAUSE: A constant in GROUP BY is not supported (line 1, column 33). Write the column itself.
--------------------------------------------------------------------------------
SELECT ROW_NUMBER() OVER (PARTITION BY name ORDER BY ts DESC) AS n, SUM(x) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW), COUNT(*) OVER (PARTITION BY id ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), LAG(id, 1) OVER w FROM t WINDOW w AS (PARTITION BY name ORDER BY ts)
---- spark
SELECT row_number() OVER (PARTITION BY `t`.`name`
ORDER BY `t`.`ts` DESC NULLS LAST) AS `n`, sum(`t`.`x`) OVER (ORDER BY `t`.`ts` ASC NULLS FIRST RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) AS `EXPR$1`, count(1) OVER (PARTITION BY `t`.`id`
ORDER BY `t`.`ts` ASC NULLS FIRST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS `EXPR$2`, lag(`t`.`id`, 1) OVER (PARTITION BY `t`.`name`
ORDER BY `t`.`ts` ASC NULLS FIRST) AS `EXPR$3`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT ROW_NUMBER() FROM t
---- error
OVER_REQUIRED: ROW_NUMBER needs an OVER clause (line 1, column 8). It is a window function: write ROW_NUMBER(…) OVER (ORDER BY …).
--------------------------------------------------------------------------------
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY rt) AS n FROM db.u) WHERE n = 1
---- spark
SELECT `_1`.`id` AS `id`, `_1`.`label` AS `label`, `_1`.`rt` AS `rt`, `_1`.`n` AS `n`
FROM (SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`, row_number() OVER (PARTITION BY `u`.`id`
ORDER BY `u`.`rt` ASC NULLS FIRST) AS `n`
FROM `view of db.u` AS `u`) AS `_1`
WHERE `_1`.`n` = 1
--------------------------------------------------------------------------------
SELECT a.id, b.label FROM t AS a LEFT JOIN db.u AS b ON a.id = b.id AND b.rt BETWEEN a.ts AND a.ts + INTERVAL '1' HOUR
---- spark
SELECT `a`.`id` AS `id`, `b`.`label` AS `label`
FROM `view of t` AS `a` LEFT JOIN `view of db.u` AS `b` ON `a`.`id` = `b`.`id` AND (`b`.`rt` >= `a`.`ts` AND `b`.`rt` <= `a`.`ts` + INTERVAL '1' HOUR)
--------------------------------------------------------------------------------
SELECT id, label FROM t RIGHT JOIN db.u USING (id)
---- spark
SELECT `u`.`id` AS `id`, `u`.`label` AS `label`
FROM `view of t` AS `t` RIGHT JOIN `view of db.u` AS `u` ON `t`.`id` = `u`.`id`
--------------------------------------------------------------------------------
SELECT * FROM db.u AS a FULL OUTER JOIN db.u AS b USING (id)
---- spark
SELECT coalesce(`a`.`id`, `b`.`id`) AS `id`, `a`.`label` AS `label`, `a`.`rt` AS `rt`, `b`.`label` AS `label0`, `b`.`rt` AS `rt0`
FROM `view of db.u` AS `a` FULL JOIN `view of db.u` AS `b` ON `a`.`id` = `b`.`id`
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM t x, db.u
---- spark
SELECT count(1) AS `EXPR$0`
FROM `view of t` AS `x` CROSS JOIN `view of db.u` AS `u`
--------------------------------------------------------------------------------
SELECT * FROM db.u NATURAL JOIN t
---- error
UNSUPPORTED_JOIN: NATURAL JOIN is not supported (line 1, column 33). INNER, LEFT, RIGHT, FULL and CROSS JOIN are supported.
--------------------------------------------------------------------------------
SELECT id FROM t JOIN db.u ON t.id = u.id
---- error
AMBIGUOUS_COLUMN: Column id is in more than one table (line 1, column 8). Write t.id or u.id.
--------------------------------------------------------------------------------
SELECT tag FROM t CROSS JOIN UNNEST(tags) AS q(tag)
---- spark
SELECT `q`.`tag` AS `tag`
FROM `view of t` AS `t` CROSS JOIN LATERAL explode(`t`.`tags`) AS `q`(`tag`)
--------------------------------------------------------------------------------
SELECT i.sku, n FROM t LEFT JOIN UNNEST(items) AS i ON TRUE
---- spark
SELECT `i`.`sku` AS `sku`, `i`.`n` AS `n`
FROM `view of t` AS `t` CROSS JOIN LATERAL inline_outer(`t`.`items`) AS `i`(`sku`, `n`)
--------------------------------------------------------------------------------
SELECT k, v FROM t, UNNEST(attrs) AS m(k, v)
---- spark
SELECT `m`.`k` AS `k`, `m`.`v` AS `v`
FROM `view of t` AS `t` CROSS JOIN LATERAL explode(`t`.`attrs`) AS `m`(`k`, `v`)
--------------------------------------------------------------------------------
SELECT * FROM t, LATERAL TABLE(split(name)) AS s(word)
---- error
UNSUPPORTED_CLAUSE: The table function split is not supported (line 1, column 32). Only UNNEST and windows of time can stand there.
--------------------------------------------------------------------------------
-- FL-57
SELECT * FROM db.u FOR SYSTEM_TIME AS OF rt AS x
---- error
UNSUPPORTED_CLAUSE: FOR SYSTEM_TIME AS OF is not supported (line 2, column 15). Join with the table as it is now.
--------------------------------------------------------------------------------
SELECT id FROM db.u /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */ AS x
---- spark
SELECT `x`.`id` AS `id`
FROM `view of db.u` AS `x`
db.u: (('scan.startup.mode', 'latest-offset'),)
--------------------------------------------------------------------------------
WITH a(x1) AS (SELECT id FROM t), b AS (SELECT * FROM a) SELECT x1 FROM b UNION ALL SELECT id FROM db.u ORDER BY 1 LIMIT 2
---- spark
SELECT *
FROM ((SELECT `b`.`x1` AS `x1`
FROM (SELECT `a`.`x1` AS `x1`
FROM (SELECT *
FROM (SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`) AS `_r`(`x1`)) AS `a`) AS `b`) UNION ALL (SELECT `u`.`id` AS `id`
FROM `view of db.u` AS `u`)) AS `_s`
ORDER BY `x1` ASC NULLS FIRST
LIMIT 2
--------------------------------------------------------------------------------
SELECT id FROM t UNION SELECT id FROM db.u EXCEPT SELECT 1
---- spark
(SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`) UNION (SELECT `u`.`id` AS `id`
FROM `view of db.u` AS `u`) EXCEPT (SELECT 1 AS `EXPR$0`)
--------------------------------------------------------------------------------
SELECT id FROM t UNION ALL SELECT id, label FROM db.u
---- error
SET_OPERATION_MISMATCH: The queries of a set operation give 1 and 2 columns (line 1, column 35). Select as many columns in each of them.
--------------------------------------------------------------------------------
SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS v(n, s)
---- spark
SELECT `v`.`n` AS `n`, `v`.`s` AS `s`
FROM (SELECT *
FROM (SELECT *
FROM VALUES (1, 'a'), (2, NULL) AS `_v`(`EXPR$0`, `EXPR$1`)) AS `_r`(`n`, `s`)) AS `v`
--------------------------------------------------------------------------------
VALUES (1, 1.5), (2, 2)
---- spark
SELECT *
FROM VALUES (1, 1.5BD), (2, 2) AS `_v`(`EXPR$0`, `EXPR$1`)
--------------------------------------------------------------------------------
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM db.u WHERE u.id = t.id) AND id IN (SELECT id FROM db.u) AND id > (SELECT MAX(id) FROM db.u)
---- spark
SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`
WHERE EXISTS (SELECT 1 AS `EXPR$0`
FROM `view of db.u` AS `u`
WHERE `u`.`id` = `t`.`id`) AND `t`.`id` IN (SELECT `u`.`id` AS `id`
FROM `view of db.u` AS `u`) AND `t`.`id` > (SELECT max(`u`.`id`) AS `EXPR$0`
FROM `view of db.u` AS `u`)
--------------------------------------------------------------------------------
SELECT id, id, id + 1, CURRENT_DATE FROM t
---- spark
SELECT `t`.`id` AS `id`, `t`.`id` AS `id0`, sluice_add(`t`.`id`, 1) AS `EXPR$2`, current_date() AS `EXPR$3`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT label, TUMBLE_START(rt, INTERVAL '1' HOUR) AS s, TUMBLE_END(rt, INTERVAL '1' HOUR) AS e, TUMBLE_ROWTIME(rt, INTERVAL '1' HOUR) AS r, COUNT(*) AS n FROM db.u GROUP BY label, TUMBLE(rt, INTERVAL '1' HOUR)
---- spark
SELECT `u`.`label` AS `label`, window(`u`.`rt`, '3600000 milliseconds').`start` AS `s`, window(`u`.`rt`, '3600000 milliseconds').`end` AS `e`, (window(`u`.`rt`, '3600000 milliseconds').`end` - INTERVAL '0.001' SECOND) AS `r`, count(1) AS `n`
FROM `view of db.u` AS `u`
GROUP BY `u`.`label`, window(`u`.`rt`, '3600000 milliseconds')
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT HOP_START(rt, INTERVAL '1' MINUTE, INTERVAL '1:00' HOUR TO MINUTE), SUM(id) FROM db.u GROUP BY HOP(rt, INTERVAL '1' MINUTE, INTERVAL '1:00' HOUR TO MINUTE)
---- spark
SELECT window(`u`.`rt`, '3600000 milliseconds', '60000 milliseconds').`start` AS `EXPR$0`, sluice_int32(sluice_sum(`u`.`id`)) AS `EXPR$1`
FROM `view of db.u` AS `u`
GROUP BY window(`u`.`rt`, '3600000 milliseconds', '60000 milliseconds')
TimeWindow(kind='HOP', column='rt')
--------------------------------------------------------------------------------
SELECT SESSION_END(rt, INTERVAL '30' SECOND) FROM db.u GROUP BY SESSION(rt, INTERVAL '30' SECOND)
---- spark
SELECT session_window(`u`.`rt`, '30000 milliseconds').`end` AS `EXPR$0`
FROM `view of db.u` AS `u`
GROUP BY session_window(`u`.`rt`, '30000 milliseconds'), `u`.`rt` IS NULL
TimeWindow(kind='SESSION', column='rt')
--------------------------------------------------------------------------------
SELECT TUMBLE_START(rt, INTERVAL '1' HOUR) FROM db.u
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE_START needs the same TUMBLE in GROUP BY (line 1, column 8).
--------------------------------------------------------------------------------
SELECT TUMBLE(rt, INTERVAL '1' HOUR) FROM db.u
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE stands in GROUP BY alone; use TUMBLE_START or TUMBLE_END (line 1, column 8).
--------------------------------------------------------------------------------
SELECT TUMBLE_PROCTIME(rt, INTERVAL '1' HOUR) FROM db.u GROUP BY TUMBLE(rt, INTERVAL '1' HOUR)
---- spark
SELECT current_timestamp() AS `EXPR$0`
FROM `view of db.u` AS `u`
GROUP BY window(`u`.`rt`, '3600000 milliseconds')
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM db.u GROUP BY TUMBLE(rt, INTERVAL '1' MONTH)
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes an INTERVAL of whole milliseconds, of days at most (line 1, column 47).
--------------------------------------------------------------------------------
SELECT window_start, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE db.u, DESCRIPTOR(rt), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end
---- spark
SELECT `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, count(1) AS `EXPR$2`
FROM (SELECT `id`, `label`, `rt`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time`
FROM (SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`, window(`u`.`rt`, '600000 milliseconds') AS `__w`, `u`.`rt` AS `__t`
FROM `view of db.u` AS `u`)) AS `_2`
GROUP BY `_2`.`window_start`, `_2`.`window_end`
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT w.id, w.window_time FROM TABLE(HOP(DATA => TABLE db.u, TIMECOL => DESCRIPTOR(rt), SIZE => INTERVAL '10' MINUTE, SLIDE => INTERVAL '5' MINUTE)) AS w
---- spark
SELECT `w`.`id` AS `id`, `w`.`window_time` AS `window_time`
FROM (SELECT `id`, `label`, `rt`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time`
FROM (SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`, window(`u`.`rt`, '600000 milliseconds', '300000 milliseconds') AS `__w`, `u`.`rt` AS `__t`
FROM `view of db.u` AS `u`)) AS `w`
TimeWindow(kind='HOP', column='rt')
--------------------------------------------------------------------------------
SELECT * FROM TABLE(CUMULATE(TABLE db.u, DESCRIPTOR(rt), INTERVAL '2' MINUTE, INTERVAL '10' MINUTE))
---- spark
SELECT `_2`.`id` AS `id`, `_2`.`label` AS `label`, `_2`.`rt` AS `rt`, `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`window_time` AS `window_time`
FROM (SELECT `id`, `label`, `rt`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time`
FROM (SELECT `id`, `label`, `rt`, explode(transform(sequence(timestampdiff(MICROSECOND, `__w`.`start`, `__t`) DIV 120000000L + 1L, 5L), `__i` -> named_struct('start', `__w`.`start`, 'end', timestampadd(MILLISECOND, `__i` * 120000L, `__w`.`start`)))) AS `__w`
FROM (SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`, window(`u`.`rt`, '600000 milliseconds') AS `__w`, `u`.`rt` AS `__t`
FROM `view of db.u` AS `u`))) AS `_2`
TimeWindow(kind='CUMULATE', column='rt')
--------------------------------------------------------------------------------
SELECT * FROM TABLE(SESSION(TABLE db.u PARTITION BY id, DESCRIPTOR(rt), INTERVAL '5' MINUTE))
---- error
UNSUPPORTED_ON_STREAM: SESSION in FROM with other groups than its own is not supported (line 1, column 8). Write GROUP BY window_start, window_end, id.
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE db.u, DESCRIPTOR(label), INTERVAL '10' MINUTES))
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes a TIMESTAMP or a TIMESTAMP_LTZ (line 1, column 51).
--------------------------------------------------------------------------------
INSERT INTO t SELECT id FROM db.u
---- spark
SELECT `u`.`id` AS `id`
FROM `view of db.u` AS `u`
--------------------------------------------------------------------------------
INSERT INTO t VALUES (1, -2.5, 'it''s', TRUE, NULL, DATE '2024-01-31', ARRAY[1, 2], CAST('1' AS INT))
---- spark
1, - 2.5BD, 'it\'s', true, NULL, CAST('2024-01-31' AS DATE), array(1, 2), coalesce(sluice_int32('1'), sluice_int32(sluice_refuse('1', 'CAST(\'1\' AS INT)')))
--------------------------------------------------------------------------------
SELECT nosuch FROM t
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 8).
--------------------------------------------------------------------------------
SELECT Name FROM t
---- error
UNKNOWN_COLUMN: Unknown column Name (line 1, column 8). Did you mean name?
--------------------------------------------------------------------------------
SELECT r.nosuch FROM t
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 8).
--------------------------------------------------------------------------------
SELECT UPER(name) FROM t
---- error
UNKNOWN_FUNCTION: Unknown function UPER (line 1, column 8). Did you mean UPPER or POWER?
--------------------------------------------------------------------------------
SELECT COLLECT(id) FROM t
---- error
UNKNOWN_FUNCTION: Unknown function COLLECT (line 1, column 8). COLLECT is known to Flink but not supported: use ARRAY_AGG.
--------------------------------------------------------------------------------
SELECT SUBSTRING(name) FROM t
---- error
WRONG_ARGUMENT_COUNT: Wrong number of arguments for function SUBSTRING: 1 given, 2 to 3 expected (line 1, column 8). The table system.functions describes every function.
--------------------------------------------------------------------------------
SELECT UPPER(name, 1) FROM t
---- error
WRONG_ARGUMENT_COUNT: Wrong number of arguments for function UPPER: 2 given, 1 expected (line 1, column 8). The table system.functions describes every function.
--------------------------------------------------------------------------------
SELECT UPPER(DISTINCT name) FROM t
---- error
NOT_AN_AGGREGATE_FUNCTION: UPPER is not an aggregate function (line 1, column 8). OVER, FILTER, DISTINCT and parameters belong to aggregate functions.
--------------------------------------------------------------------------------
SELECT missing.id FROM t
---- error
UNKNOWN_COLUMN: Unknown column missing.id (line 1, column 8).
--------------------------------------------------------------------------------
SELECT * FROM nosuch
---- error
UNKNOWN_TABLE: Table nosuch does not exist (line 1, column 15).
--------------------------------------------------------------------------------
SELECT id / attrs['x'] / nosuch FROM t
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 26).
--------------------------------------------------------------------------------
SELECT id FROM t UNION ALL SELECT 1 INTERSECT SELECT 2 EXCEPT SELECT 3
---- spark
(SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`) UNION ALL ((SELECT 1 AS `EXPR$0`) INTERSECT (SELECT 2 AS `EXPR$0`)) EXCEPT (SELECT 3 AS `EXPR$0`)
--------------------------------------------------------------------------------
SELECT 1 INTERSECT SELECT 2 UNION SELECT 3
---- spark
((SELECT 1 AS `EXPR$0`) INTERSECT (SELECT 2 AS `EXPR$0`)) UNION (SELECT 3 AS `EXPR$0`)
--------------------------------------------------------------------------------
SELECT t.id, x.n FROM t, LATERAL (SELECT COUNT(*) AS n FROM db.u WHERE u.id = t.id) AS x
---- spark
SELECT `t`.`id` AS `id`, `x`.`n` AS `n`
FROM `view of t` AS `t` CROSS JOIN LATERAL (SELECT count(1) AS `n`
FROM `view of db.u` AS `u`
WHERE `u`.`id` = `t`.`id`) AS `x`
--------------------------------------------------------------------------------
SELECT t.id, x.n FROM t LEFT JOIN LATERAL (SELECT MAX(label) FROM db.u WHERE u.id = t.id) AS x(n) ON TRUE
---- spark
SELECT `t`.`id` AS `id`, `x`.`n` AS `n`
FROM `view of t` AS `t` LEFT JOIN LATERAL (SELECT *
FROM (SELECT max(`u`.`label`) AS `EXPR$0`
FROM `view of db.u` AS `u`
WHERE `u`.`id` = `t`.`id`) AS `_r`(`n`)) AS `x` ON true
--------------------------------------------------------------------------------
SELECT 1 FROM t RIGHT JOIN LATERAL (SELECT 1) AS x ON TRUE
---- error
UNSUPPORTED_CLAUSE: This LATERAL is not supported (line 1, column 44). Supported: CROSS JOIN LATERAL (…), LEFT JOIN LATERAL (…) ON ….
--------------------------------------------------------------------------------
SELECT UPPER(x => name) FROM t
---- error
UNSUPPORTED_EXPRESSION: X => in UPPER is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT UPPER(*) FROM t
---- error
UNSUPPORTED_EXPRESSION: * as an argument of UPPER is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT SUM(id) OVER nosuch FROM t
---- error
UNKNOWN_WINDOW: There is no WINDOW nosuch (line 1, column 21). Define it in the WINDOW clause of the query, or write OVER (…).
--------------------------------------------------------------------------------
SELECT SUM(id) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
---- error
UNSUPPORTED_WINDOW_FRAME: The window frame GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW is not supported (line 1, column 49). Write ROWS or RANGE BETWEEN with constant bounds.
--------------------------------------------------------------------------------
SELECT SUM(id) OVER (ORDER BY id ROWS BETWEEN id PRECEDING AND CURRENT ROW) FROM t
---- error
UNSUPPORTED_WINDOW_FRAME: The window frame ROWS BETWEEN id PRECEDING AND CURRENT ROW is not supported (line 1, column 47). Write ROWS or RANGE BETWEEN with constant bounds.
--------------------------------------------------------------------------------
SELECT SUM(id) OVER (PARTITION BY ok) FROM t
---- spark
SELECT sluice_int32(sluice_sum(`t`.`id`) OVER (PARTITION BY `t`.`ok`)) AS `EXPR$0`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT CAST(tod AS STRING), tod IS NULL FROM t
---- spark
SELECT trim(TRAILING '.'
FROM trim(TRAILING '0'
FROM `t`.`tod`)) AS `EXPR$0`, `t`.`tod` IS NULL AS `EXPR$1`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT CAST(tod AS TIMESTAMP(3)) FROM t
---- error
UNSUPPORTED_EXPRESSION: This CAST is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT CAST(attrs AS MAP<STRING, TIME>) FROM t
---- error
UNSUPPORTED_EXPRESSION: This CAST is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT tod + INTERVAL '1' HOUR FROM t
---- error
UNSUPPORTED_EXPRESSION: + with a TIME is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT INTERVAL '1' HOUR + INTERVAL '2' MINUTE FROM t
---- error
UNSUPPORTED_TYPE: INTERVAL HOUR as the column EXPR$0 of a result is not supported (line 1, column 8). Add it to a TIMESTAMP, or give a number with TIMESTAMPDIFF or EXTRACT.
--------------------------------------------------------------------------------
SELECT MAP_FROM_ARRAYS(tags, tags)['a'] / 2 FROM t
---- error
INVALID_OPERANDS: Cannot apply '/' to arguments of type '<STRING> / <INT>' (line 1, column 8). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT TRY_CAST(MAP_FROM_ARRAYS(tags, tags)['a'] AS DOUBLE) / 2.5 FROM t
---- spark
SELECT sluice_divide_double(try_cast(try_element_at(map_from_arrays(`t`.`tags`, `t`.`tags`), 'a') AS DOUBLE), 2.5BD) AS `EXPR$0`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT id IN UNNEST(tags) FROM t
---- error
UNSUPPORTED_EXPRESSION: IN without a list or a query is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT name LIKE 'a' ESCAPE 'ab' FROM t
---- error
CONSTANT_REQUIRED: ESCAPE must be a one-letter string constant (line 1, column 8). Write the value itself, not an expression or a column.
--------------------------------------------------------------------------------
SELECT t.* + 1 FROM t
---- error
UNSUPPORTED_EXPRESSION: * inside an expression is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT tags[1, 2] FROM t
---- error
SYNTAX_ERROR: Syntax error: one subscript is expected (line 1, column 8).
--------------------------------------------------------------------------------
SELECT r[3] FROM t
---- error
CONSTANT_REQUIRED: The subscript of a ROW must be an INT (1 to 2) constant (line 1, column 8). Write the value itself, not an expression or a column.
--------------------------------------------------------------------------------
SELECT CASE END FROM t
---- error
SYNTAX_ERROR: Syntax error: expected END after CASE, near 'END' (line 1, column 13).
--------------------------------------------------------------------------------
SELECT COALESCE(code, name), COALESCE(NULL, NULL), GREATEST(id) FROM t
---- spark
SELECT coalesce(`t`.`code`, `t`.`name`) AS `EXPR$0`, coalesce(NULL, NULL) AS `EXPR$1`, `t`.`id` AS `EXPR$2`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT price % 3, price * price * price * price, id IS JSON FROM t
---- error
UNSUPPORTED_EXPRESSION: IS with anything but NULL, TRUE, FALSE and UNKNOWN is not supported (line 1, column 50).
--------------------------------------------------------------------------------
SELECT price % 3, price * price * price * price FROM t
---- spark
SELECT `t`.`price` % 3 AS `EXPR$0`, sluice_multiply(`t`.`price` * `t`.`price` * `t`.`price`, `t`.`price`) AS `EXPR$1`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT FLOOR(ts TO DECADE) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: FLOOR TO DECADE is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT JSON_QUERY(name, '$.a' RETURNING INT) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: RETURNING is not supported in JSON_QUERY (line 1, column 8).
--------------------------------------------------------------------------------
SELECT JSON_VALUE(name, code) FROM t
---- error
CONSTANT_REQUIRED: Argument 2 of JSON_VALUE must be a string constant (line 1, column 8). Write the value itself, not an expression or a column.
--------------------------------------------------------------------------------
SELECT RAND(id) FROM t
---- error
CONSTANT_REQUIRED: Argument 1 of RAND must be an integer constant (line 1, column 8). Write the value itself, not an expression or a column.
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM db.u GROUP BY TUMBLE(rt, id)
---- error
CONSTANT_REQUIRED: The length of TUMBLE must be an INTERVAL constant (line 1, column 47). Write the value itself, not an expression or a column.
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM db.u GROUP BY TUMBLE(rt, INTERVAL '2' WEEK)
---- spark
SELECT count(1) AS `EXPR$0`
FROM `view of db.u` AS `u`
GROUP BY window(`u`.`rt`, '1209600000 milliseconds')
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM db.u GROUP BY TUMBLE(rt)
---- error
WRONG_ARGUMENT_COUNT: Wrong number of arguments for function TUMBLE: 1 given, 2 expected (line 1, column 36). The table system.functions describes every function.
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM db.u GROUP BY TUMBLE(label, INTERVAL '2' DAY)
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes a TIMESTAMP or a TIMESTAMP_LTZ (line 1, column 43).
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE db.u, DESCRIPTOR(rt), INTERVAL '1' DAY, INTERVAL '1' HOUR))
---- spark
SELECT `_2`.`id` AS `id`, `_2`.`label` AS `label`, `_2`.`rt` AS `rt`, `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`window_time` AS `window_time`
FROM (SELECT `id`, `label`, `rt`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time`
FROM (SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`, window(`u`.`rt`, '86400000 milliseconds', '86400000 milliseconds', '3600000 milliseconds') AS `__w`, `u`.`rt` AS `__t`
FROM `view of db.u` AS `u`)) AS `_2`
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(db.u, DESCRIPTOR(rt), INTERVAL '1' DAY))
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes TABLE and a table's name first (line 1, column 21).
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE db.u PARTITION BY (id, label), DESCRIPTOR(rt), INTERVAL '1' DAY))
---- error
UNSUPPORTED_CLAUSE: PARTITION BY in TUMBLE is not supported (line 1, column 21).
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE db.u, rt, INTERVAL '1' DAY))
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes DESCRIPTOR(column) after the table (line 1, column 21).
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE db.u, DESCRIPTOR(rt)))
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes DATA, TIMECOL, SIZE and perhaps OFFSET (line 1, column 21).
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE db.u, DESCRIPTOR(nosuch), INTERVAL '1' DAY))
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 51).
--------------------------------------------------------------------------------
SELECT w.id FROM TUMBLE(TABLE db.u, DESCRIPTOR(rt), INTERVAL '1' DAY) AS w
---- spark
SELECT `w`.`id` AS `id`
FROM (SELECT `id`, `label`, `rt`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time`
FROM (SELECT `u`.`id` AS `id`, `u`.`label` AS `label`, `u`.`rt` AS `rt`, window(`u`.`rt`, '86400000 milliseconds') AS `__w`, `u`.`rt` AS `__t`
FROM `view of db.u` AS `u`)) AS `w`
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE (SELECT 1), DESCRIPTOR(rt), INTERVAL '1' DAY))
---- error
SYNTAX_ERROR: Syntax error: expected table name, near '(' (line 1, column 34).
--------------------------------------------------------------------------------
WITH a(x, y) AS (SELECT 1) SELECT * FROM a
---- error
COLUMN_NAMES_MISMATCH: The query has 1 columns, 2 names are given (line 1, column 6).
--------------------------------------------------------------------------------
SELECT * FROM (SELECT 1) AS a(x, y)
---- error
COLUMN_NAMES_MISMATCH: a has 1 columns, 2 names are given (line 1, column 23).
--------------------------------------------------------------------------------
SELECT * FROM db.u AS x(a, b, c)
---- error
UNSUPPORTED_CLAUSE: A list of columns after a table's alias is not supported (line 1, column 15).
--------------------------------------------------------------------------------
SELECT 1 FROM t JOIN db.u
---- error
SYNTAX_ERROR: Syntax error: A JOIN needs ON or USING (line 1, column 22).
--------------------------------------------------------------------------------
SELECT 1 FROM t JOIN db.u USING (nosuch)
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 34).
--------------------------------------------------------------------------------
SELECT 1 FROM t LEFT JOIN LATERAL (SELECT 1) AS x
---- error
SYNTAX_ERROR: Syntax error: A JOIN needs ON (line 1, column 43).
--------------------------------------------------------------------------------
SELECT 1 FROM t RIGHT JOIN UNNEST(tags) AS x(y) ON TRUE
---- error
UNSUPPORTED_CLAUSE: This UNNEST is not supported (line 1, column 35). Supported: CROSS JOIN UNNEST(x) AS t(a), LEFT JOIN UNNEST(x) AS t(a) ON TRUE.
--------------------------------------------------------------------------------
SELECT 1 FROM t CROSS JOIN UNNEST(tags) AS x(y, z)
---- error
COLUMN_NAMES_MISMATCH: UNNEST has 1 columns, 2 names are given (line 1, column 35).
--------------------------------------------------------------------------------
SELECT 1 FROM t CROSS JOIN UNNEST(id) AS x(y)
---- error
ILLEGAL_TYPE_OF_ARGUMENT: UNNEST takes an ARRAY or a MAP, not INT (line 1, column 35).
--------------------------------------------------------------------------------
SELECT 1 FROM t CROSS JOIN UNNEST(tags) WITH ORDINALITY AS x(y, z)
---- error
UNSUPPORTED_CLAUSE: OFFSET in FROM is not supported (line 1, column 35).
--------------------------------------------------------------------------------
SELECT 1 FROM (t JOIN db.u ON TRUE)
---- error
UNSUPPORTED_CLAUSE: TABLE is not supported (line 1, column 16). These queries are supported: SELECT, UNION, INTERSECT, EXCEPT.
--------------------------------------------------------------------------------
SELECT id FROM t FETCH FIRST 3 PERCENT ROWS ONLY
---- error
UNSUPPORTED_CLAUSE: PERCENT or WITH TIES is not supported (line 1, column 30).
--------------------------------------------------------------------------------
SELECT DISTINCT ON (id) id FROM t
---- error
UNSUPPORTED_CLAUSE: DISTINCT ON is not supported (line 1, column 21).
--------------------------------------------------------------------------------
SELECT nosuch
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 8). There is no FROM here that could have it.
--------------------------------------------------------------------------------
SELECT id + 1, name FROM t ORDER BY id + 1
---- spark
SELECT sluice_add(`t`.`id`, 1) AS `EXPR$0`, `t`.`name` AS `name`
FROM `view of t` AS `t`
ORDER BY `EXPR$0` ASC NULLS FIRST
--------------------------------------------------------------------------------
SELECT id FROM t UNION ALL SELECT id FROM db.u ORDER BY id DESC OFFSET 1
---- spark
SELECT *
FROM ((SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`) UNION ALL (SELECT `u`.`id` AS `id`
FROM `view of db.u` AS `u`)) AS `_s`
ORDER BY `_s`.`id` DESC NULLS LAST OFFSET 1
--------------------------------------------------------------------------------
SELECT * FROM (VALUES (1), (2, 3)) AS v(a)
---- error
UNEVEN_VALUES: The rows of VALUES have 1 and 2 values (line 1, column 29).
--------------------------------------------------------------------------------
SELECT * FROM (SELECT id FROM t ORDER BY id LIMIT 1) UNION ALL (SELECT 2 ORDER BY 1)
---- spark
(SELECT `_1`.`id` AS `id`
FROM (SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`
ORDER BY `id` ASC NULLS FIRST
LIMIT 1) AS `_1`) UNION ALL (SELECT 2 AS `EXPR$0`
ORDER BY `EXPR$0` ASC NULLS FIRST)
--------------------------------------------------------------------------------
SELECT 1 FROM t JOIN UNNEST(tags) AS x(y) ON y = name
---- spark
SELECT 1 AS `EXPR$0`
FROM `view of t` AS `t` CROSS JOIN LATERAL explode(`t`.`tags`) AS `x`(`y`)
WHERE `x`.`y` = `t`.`name`
--------------------------------------------------------------------------------
SELECT 1 FROM t LEFT JOIN UNNEST(tags) AS x(y) ON TRUE
---- spark
SELECT 1 AS `EXPR$0`
FROM `view of t` AS `t` CROSS JOIN LATERAL explode_outer(`t`.`tags`) AS `x`(`y`)
--------------------------------------------------------------------------------
SELECT 1 FROM t JOIN UNNEST(tags) AS x(y)
---- error
SYNTAX_ERROR: Syntax error: A JOIN needs ON (line 1, column 29).
--------------------------------------------------------------------------------
SELECT MAP_FROM_ARRAYS(tags, ARRAY[1])['a'] / 2, JSON_VALUE(name, '$.a')[1] FROM t
---- error
ILLEGAL_TYPE_OF_ARGUMENT: A subscript takes an ARRAY, a MAP or a ROW, not STRING (line 1, column 50).
--------------------------------------------------------------------------------
SELECT 1 FROM t JOIN LATERAL (SELECT id FROM db.u) AS x ON x.id = t.id
---- spark
SELECT 1 AS `EXPR$0`
FROM `view of t` AS `t` INNER JOIN LATERAL (SELECT `u`.`id` AS `id`
FROM `view of db.u` AS `u`) AS `x` ON `x`.`id` = `t`.`id`
--------------------------------------------------------------------------------
SELECT COALESCE(name, id) FROM t
---- error
MIXED_TYPES: Illegal mixing of types in COALESCE: <STRING>, <INT> (line 1, column 8). Write CAST(… AS …) around some.
--------------------------------------------------------------------------------
SELECT id + name FROM t
---- error
INVALID_OPERANDS: Cannot apply '+' to arguments of type '<INT> + <STRING>' (line 1, column 8). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT id FROM t WHERE name = 5
---- error
INVALID_OPERANDS: Cannot apply '=' to arguments of type '<STRING> = <INT>' (line 1, column 24). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT id FROM t WHERE id IN (1, 'x')
---- error
INVALID_OPERANDS: Cannot apply 'IN' to arguments of type '<INT> IN <STRING>' (line 1, column 24). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT id FROM t WHERE ts BETWEEN '2024-01-01' AND 5
---- error
INVALID_OPERANDS: Cannot apply 'BETWEEN' to arguments of type '<TIMESTAMP(3)> BETWEEN <INT>' (line 1, column 24). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT t.id FROM t JOIN (VALUES ('1')) AS v(u) ON t.id = v.u
---- error
INVALID_OPERANDS: Cannot apply '=' to arguments of type '<INT> = <STRING>' (line 1, column 51). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT t.id FROM t JOIN (VALUES ('1')) AS v(id) USING (id)
---- error
INVALID_OPERANDS: Cannot apply '=' to arguments of type '<INT> = <STRING>' (line 1, column 56). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT CASE WHEN ok THEN 1 ELSE 'a' END FROM t
---- error
MIXED_TYPES: Illegal mixing of types in CASE: <INT>, <STRING> (line 1, column 18). Write CAST(… AS …) around some.
--------------------------------------------------------------------------------
SELECT IF(ok, ts, 'a') FROM t
---- error
MIXED_TYPES: Illegal mixing of types in IF: <TIMESTAMP(3)>, <STRING> (line 1, column 8). Write CAST(… AS …) around some.
--------------------------------------------------------------------------------
SELECT * FROM (VALUES (1), ('a')) AS v(x)
---- error
MIXED_TYPES: Illegal mixing of types in VALUES: <INT>, <STRING> (line 1, column 8). Write CAST(… AS …) around some.
--------------------------------------------------------------------------------
SELECT ok AND name IS DISTINCT FROM TRUE FROM t
---- error
INVALID_OPERANDS: Cannot apply 'IS DISTINCT FROM' to arguments of type '<STRING> IS DISTINCT FROM <BOOLEAN>' (line 1, column 15). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT ts > '2024-01-01 00:00:00', MOD(id, 'a') FROM t
---- error
INVALID_OPERANDS: Cannot apply '%' to arguments of type '<INT> % <STRING>' (line 1, column 36). Write CAST(… AS …) around one side.
--------------------------------------------------------------------------------
SELECT id, FROM t
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 10).
--------------------------------------------------------------------------------
SELECT COUNT(id,) FROM t
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 16).
--------------------------------------------------------------------------------
SELECT id FROM t WHERE
---- error
SYNTAX_ERROR: Syntax error: an expression is expected after WHERE (line 1, column 18).
--------------------------------------------------------------------------------
SELECT id FROM t GROUP BY
---- error
SYNTAX_ERROR: Syntax error: an expression is expected after GROUP BY (line 1, column 8).
--------------------------------------------------------------------------------
SELECT DATE_FORMAT(ts, 'yyyy-jj') FROM t
---- error
INVALID_FUNCTION_ARGUMENT: DATE_FORMAT has no pattern letter 'j'; text stands in '' … '' (line 1, column 8).
--------------------------------------------------------------------------------
SELECT DATE_FORMAT(ts, 'YYYY-ww'), CAST(x AS INT), CAST(price AS SMALLINT), CAST(big AS TINYINT), CAST(tiny AS INT), TRY_CAST(name AS INT), x / 0, -id, id % 0, MOD(id, big) FROM t
---- spark
SELECT sluice_date_format(CAST(`t`.`ts` AS TIMESTAMP_NTZ), 'YYYY-ww') AS `EXPR$0`, sluice_int32(sluice_int64(`t`.`x`)) AS `EXPR$1`, sluice_int16(`t`.`price`) AS `EXPR$2`, sluice_int8(`t`.`big`) AS `EXPR$3`, CAST(`t`.`tiny` AS INT) AS `EXPR$4`, sluice_int32(`t`.`name`) AS `EXPR$5`, sluice_divide_double(`t`.`x`, 0) AS `EXPR$6`, sluice_negate(`t`.`id`) AS `EXPR$7`, sluice_int32(sluice_modulo(`t`.`id`, 0, 'id % 0')) AS `EXPR$8`, sluice_int64(sluice_modulo(`t`.`id`, `t`.`big`, 'id % big')) AS `EXPR$9`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT CAST(tags AS STRING), CAST(attrs AS STRING), CAST(r AS STRING) FROM t
---- spark
SELECT concat('[', array_join(transform(`t`.`tags`, `_t0` -> coalesce(`_t0`, 'NULL')), ', '), ']') AS `EXPR$0`, concat('{', array_join(transform(map_entries(`t`.`attrs`), `_t0` -> concat(coalesce(`_t0`.`key`, 'NULL'), '=', coalesce(CAST(`_t0`.`value` AS STRING), 'NULL'))), ', '), '}') AS `EXPR$1`, if(`t`.`r` IS NULL, NULL, concat('(', concat_ws(', ', coalesce(CAST(`t`.`r`.`a` AS STRING), 'NULL'), coalesce(if(`t`.`r`.`b` IS NULL, NULL, concat('(', concat_ws(', ', coalesce(`t`.`r`.`b`.`c`, 'NULL')), ')')), 'NULL')), ')')) AS `EXPR$2`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT t.id / 2, COUNT(*) FROM t GROUP BY id / 2
---- spark
SELECT sluice_int32(sluice_divide(`t`.`id`, 2, 'id / 2')) AS `EXPR$0`, count(1) AS `EXPR$1`
FROM `view of t` AS `t`
GROUP BY sluice_int32(sluice_divide(`t`.`id`, 2, 'id / 2'))
--------------------------------------------------------------------------------
SELECT INTERVAL '1' DAY * 2 FROM t
---- error
UNSUPPORTED_TYPE: INTERVAL DAY as the column EXPR$0 of a result is not supported (line 1, column 8). Add it to a TIMESTAMP, or give a number with TIMESTAMPDIFF or EXTRACT.
--------------------------------------------------------------------------------
SELECT window_start FROM TABLE(SESSION(TABLE t PARTITION BY id, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end
---- error
UNSUPPORTED_ON_STREAM: SESSION in FROM with other groups than its own is not supported (line 1, column 110). Write GROUP BY window_start, window_end, id.
--------------------------------------------------------------------------------
SELECT 1,, 2
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 9).
--------------------------------------------------------------------------------
SELECT , 1
---- error
SYNTAX_ERROR: Syntax error: something is missing before the comma (line 1, column 8).
--------------------------------------------------------------------------------
SELECT ABS(,1)
---- error
SYNTAX_ERROR: Syntax error: something is missing before the comma (line 1, column 12).
--------------------------------------------------------------------------------
SELECT 1,
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 9).
