CREATE TABLE t (
    id UInt64,
    ts DateTime,
    local DateTime('Europe/Moscow'),
    day Date,
    name String,
    maybe Nullable(Int32),
    ok Bool,
    price Decimal(10, 2),
    tags Array(String),
    attrs Map(String, Int64),
    point Tuple(x Float64, y Float64),
    upper_name String ALIAS upper(name)
) ENGINE = MergeTree ORDER BY (id, ts) PARTITION BY toYYYYMM(ts)
---- ir
CreateTable
  name: t
  column id: UInt64
  column ts: DateTime
  column local: DateTime('Europe/Moscow')
  column day: Date
  column name: String
  column maybe: Nullable(Int32)
  column ok: Bool
  column price: Decimal(10, 2)
  column tags: Array(String)
  column attrs: Map(String, Int64)
  column point: Tuple(x Float64, y Float64)
  column upper_name: String alias upper(name)
  engine: MergeTree
  order_by: ('id', 'ts')
  partition_by: 'toYYYYMM(ts)'
---- show create
CREATE TABLE default.t
(
    `id` UInt64,
    `ts` DateTime,
    `local` DateTime('Europe/Moscow'),
    `day` Date,
    `name` String,
    `maybe` Nullable(Int32),
    `ok` Bool,
    `price` Decimal(10, 2),
    `tags` Array(String),
    `attrs` Map(String, Int64),
    `point` Tuple(x Float64, y Float64),
    `upper_name` String ALIAS upper(name)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(ts)
ORDER BY (id, ts)
--------------------------------------------------------------------------------
CREATE TABLE u (id UInt64, label String, score Nullable(Float64)) ENGINE = MergeTree ORDER BY id
---- ir
CreateTable
  name: u
  column id: UInt64
  column label: String
  column score: Nullable(Float64)
  engine: MergeTree
  order_by: ('id',)
---- show create
CREATE TABLE default.u
(
    `id` UInt64,
    `label` String,
    `score` Nullable(Float64)
)
ENGINE = MergeTree
ORDER BY id
--------------------------------------------------------------------------------
SELECT toDate(ts) AS ts, count() FROM t GROUP BY ts ORDER BY ts
---- ir
Select
  query: SELECT toDate(ts) AS ts, count() FROM t GROUP BY ts ORDER BY ts
---- spark
SELECT CAST(`t`.`ts` AS DATE) AS `ts`, count(1) AS `count()`
FROM `view of t` AS `t`
GROUP BY CAST(`t`.`ts` AS DATE)
ORDER BY `ts` ASC NULLS LAST
--------------------------------------------------------------------------------
SELECT lower(name) AS name FROM t WHERE name = 'a'
---- ir
Select
  query: SELECT lower(name) AS name FROM t WHERE name = 'a'
---- spark
SELECT sluice_ch_lower(`t`.`name`) AS `name`
FROM `view of t` AS `t`
WHERE sluice_ch_lower(`t`.`name`) = 'a'
--------------------------------------------------------------------------------
SELECT id + 1 AS a, a * 2 AS b FROM t WHERE b > 10 ORDER BY b DESC
---- ir
Select
  query: SELECT id + 1 AS a, a * 2 AS b FROM t WHERE b > 10 ORDER BY b DESC
---- spark
SELECT pmod(CAST(`t`.`id` AS DECIMAL(20,0)) + 1, 18446744073709551616) AS `a`, pmod(CAST(pmod(CAST(`t`.`id` AS DECIMAL(20,0)) + 1, 18446744073709551616) AS DECIMAL(20,0)) * 2, 18446744073709551616) AS `b`
FROM `view of t` AS `t`
WHERE pmod(CAST(pmod(CAST(`t`.`id` AS DECIMAL(20,0)) + 1, 18446744073709551616) AS DECIMAL(20,0)) * 2, 18446744073709551616) > 10
ORDER BY `b` DESC NULLS LAST
--------------------------------------------------------------------------------
SELECT upper_name, * EXCEPT (tags, attrs, point) FROM t
---- ir
Select
  query: SELECT upper_name, * EXCEPT (tags, attrs, point) FROM t
---- spark
SELECT sluice_ch_upper(`t`.`name`) AS `upper_name`, `t`.`id` AS `id`, `t`.`ts` AS `ts`, `t`.`local` AS `local`, `t`.`day` AS `day`, `t`.`name` AS `name`, `t`.`maybe` AS `maybe`, `t`.`ok` AS `ok`, `t`.`price` AS `price`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT t.* FROM t FINAL
---- ir
Select
  query: SELECT t.* FROM t FINAL
---- spark
SELECT `t`.`id` AS `id`, `t`.`ts` AS `ts`, `t`.`local` AS `local`, `t`.`day` AS `day`, `t`.`name` AS `name`, `t`.`maybe` AS `maybe`, `t`.`ok` AS `ok`, `t`.`price` AS `price`, `t`.`tags` AS `tags`, `t`.`attrs` AS `attrs`, `t`.`point` AS `point`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT t.id, u.label, score FROM t LEFT JOIN u ON t.id = u.id
---- ir
Select
  query: SELECT t.id, u.label, score FROM t LEFT JOIN u ON t.id = u.id
---- spark
SELECT `t`.`id` AS `id`, coalesce(`u`.`label`, '') AS `label`, `u`.`score` AS `score`
FROM `view of t` AS `t` LEFT JOIN `view of u` AS `u` ON `t`.`id` = `u`.`id`
--------------------------------------------------------------------------------
SELECT * FROM (SELECT id, name FROM t) AS a FULL JOIN u USING (id)
---- ir
Select
  query: SELECT * FROM (SELECT id, name FROM t) AS a FULL JOIN u USING (id)
---- spark
SELECT coalesce(`a`.`id`, `u`.`id`) AS `id`, coalesce(`a`.`name`, '') AS `name`, coalesce(`u`.`label`, '') AS `label`, `u`.`score` AS `score`
FROM (SELECT `t`.`id` AS `id`, `t`.`name` AS `name`
FROM `view of t` AS `t`) AS `a` FULL JOIN `view of u` AS `u` ON `a`.`id` = `u`.`id`
--------------------------------------------------------------------------------
SELECT a.id FROM t AS a GLOBAL INNER JOIN u AS b ON a.id = b.id CROSS JOIN u AS c
---- ir
Select
  query: SELECT a.id FROM t AS a GLOBAL INNER JOIN u AS b ON a.id = b.id CROSS JOIN u AS c
---- spark
SELECT `a`.`id` AS `id`
FROM `view of t` AS `a` INNER JOIN `view of u` AS `b` ON `a`.`id` = `b`.`id` CROSS JOIN `view of u` AS `c`
--------------------------------------------------------------------------------
SELECT id, tag FROM t ARRAY JOIN tags AS tag
---- ir
Select
  query: SELECT id, tag FROM t ARRAY JOIN tags AS tag
---- spark
SELECT `t`.`id` AS `id`, `_1`.`tag` AS `tag`
FROM `view of t` AS `t` LATERAL VIEW explode(`t`.`tags`) `_1` AS `tag`
--------------------------------------------------------------------------------
SELECT id, tags, n FROM t LEFT ARRAY JOIN tags, arrayEnumerate(tags) AS n
---- ir
Select
  query: SELECT id, tags, n FROM t LEFT ARRAY JOIN tags, arrayEnumerate(tags) AS n
---- spark
SELECT `t`.`id` AS `id`, coalesce(`_1`.`tags`, '') AS `tags`, coalesce(`_1`.`n`, CAST(0 AS BIGINT)) AS `n`
FROM `view of t` AS `t` LATERAL VIEW OUTER inline(arrays_zip(`t`.`tags`, if(size(`t`.`tags`) = 0, array(), sequence(1, size(`t`.`tags`))))) `_1` AS `tags`, `n`
--------------------------------------------------------------------------------
SELECT id, arrayJoin(tags) AS tag FROM t WHERE tag != ''
---- ir
Select
  query: SELECT id, arrayJoin(tags) AS tag FROM t WHERE tag != ''
---- spark
SELECT `t`.`id` AS `id`, `_1`.`item` AS `tag`
FROM `view of t` AS `t` LATERAL VIEW explode(`t`.`tags`) `_1` AS `item`
WHERE `_1`.`item` <> ''
--------------------------------------------------------------------------------
WITH 10 AS big, recent AS (SELECT id FROM t WHERE ts > now() - INTERVAL 1 DAY) SELECT count() FROM recent WHERE id > big
---- ir
Select
  query: WITH 10 AS big, recent AS (SELECT id FROM t WHERE ts > now() - INTERVAL 1 DAY) SELECT count() FROM recent WHERE id > big
---- spark
SELECT count(1) AS `count()`
FROM (SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`
WHERE `t`.`ts` > timestampadd(DAY, -CAST(1 AS INT), date_trunc('SECOND', current_timestamp()))) AS `recent`
WHERE `recent`.`id` > 10
--------------------------------------------------------------------------------
WITH (SELECT max(id) FROM t) AS top SELECT name FROM t WHERE id = top
---- ir
Select
  query: WITH (SELECT max(id) FROM t) AS top SELECT name FROM t WHERE id = top
---- spark
SELECT `t`.`name` AS `name`
FROM `view of t` AS `t`
WHERE `t`.`id` = (SELECT coalesce(max(`t`.`id`), CAST(0 AS DECIMAL(20,0))) AS `max(id)`
FROM `view of t` AS `t`)
--------------------------------------------------------------------------------
SELECT name FROM t WHERE id IN (SELECT id FROM u) AND (id, name) NOT IN ((1, 'a'), (2, 'b'))
---- ir
Select
  query: SELECT name FROM t WHERE id IN (SELECT id FROM u) AND (id, name) NOT IN ((1, 'a'), (2, 'b'))
---- spark
SELECT `t`.`name` AS `name`
FROM `view of t` AS `t`
WHERE `t`.`id` IN (SELECT `u`.`id` AS `id`
FROM `view of u` AS `u`) AND NOT (`t`.`id` = 1 AND `t`.`name` = 'a' OR `t`.`id` = 2 AND `t`.`name` = 'b')
--------------------------------------------------------------------------------
SELECT name, count() AS c FROM t PREWHERE ok WHERE price > 1.5 GROUP BY name HAVING c > 1 ORDER BY c DESC, name LIMIT 10 OFFSET 5
---- ir
Select
  query: SELECT name, count() AS c FROM t PREWHERE ok WHERE price > 1.5 GROUP BY name HAVING c > 1 ORDER BY c DESC, name LIMIT 10 OFFSET 5
---- spark
SELECT `t`.`name` AS `name`, count(1) AS `c`
FROM `view of t` AS `t`
WHERE `t`.`ok` AND `t`.`price` > 1.5D
GROUP BY `t`.`name`
HAVING count(1) > 1
ORDER BY `c` DESC NULLS LAST, `name` ASC NULLS LAST
LIMIT 10 OFFSET 5
--------------------------------------------------------------------------------
SELECT name, count() FROM t GROUP BY 1 WITH ROLLUP
---- ir
Select
  query: SELECT name, count() FROM t GROUP BY 1 WITH ROLLUP
---- spark
SELECT coalesce(`t`.`name`, '') AS `name`, count(1) AS `count()`
FROM `view of t` AS `t`
GROUP BY ROLLUP(`t`.`name`)
--------------------------------------------------------------------------------
SELECT name, id FROM t ORDER BY ts DESC NULLS FIRST LIMIT 2 BY name LIMIT 5
---- ir
Select
  query: SELECT name, id FROM t ORDER BY ts DESC NULLS FIRST LIMIT 2 BY name LIMIT 5
---- spark
SELECT `name`, `id`
FROM (SELECT `t`.`name` AS `name`, `t`.`id` AS `id`, row_number() OVER (PARTITION BY `t`.`name`
ORDER BY `t`.`ts` DESC NULLS FIRST) AS `_n`, `t`.`ts` AS `_o0`
FROM `view of t` AS `t`) AS `_l`
WHERE `_n` > 0 AND `_n` <= 0 + 2
ORDER BY `_o0` DESC NULLS FIRST
LIMIT 5
--------------------------------------------------------------------------------
SELECT DISTINCT name FROM t ORDER BY name LIMIT 1, 2
---- ir
Select
  query: SELECT DISTINCT name FROM t ORDER BY name LIMIT 1, 2
---- spark
SELECT DISTINCT `t`.`name` AS `name`
FROM `view of t` AS `t`
ORDER BY `name` ASC NULLS LAST
LIMIT 2 OFFSET 1
--------------------------------------------------------------------------------
SELECT id FROM t UNION ALL SELECT id FROM u UNION DISTINCT SELECT 1
---- ir
Select
  query: SELECT id FROM t UNION ALL SELECT id FROM u UNION DISTINCT SELECT 1
---- spark
(SELECT `t`.`id` AS `id`
FROM `view of t` AS `t`) UNION ALL (SELECT `u`.`id` AS `id`
FROM `view of u` AS `u`) UNION (SELECT 1 AS `1`)
--------------------------------------------------------------------------------
SELECT row_number() OVER (PARTITION BY name ORDER BY ts) AS n, sum(id) OVER w AS total, lag(id, 1) OVER (ORDER BY ts) FROM t WINDOW w AS (PARTITION BY name ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
---- ir
Select
  query: SELECT row_number() OVER (PARTITION BY name ORDER BY ts) AS n, sum(id) OVER w AS total, lag(id, 1) OVER (ORDER BY ts) FROM t WINDOW w AS (PARTITION BY name ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
---- spark
SELECT row_number() OVER (PARTITION BY `t`.`name`
ORDER BY `t`.`ts` ASC NULLS LAST) AS `n`, coalesce(pmod(sum(`t`.`id`) OVER (PARTITION BY `t`.`name`
ORDER BY `t`.`ts` ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), 18446744073709551616), 0) AS `total`, coalesce(lag(`t`.`id`, 1) OVER (ORDER BY `t`.`ts` ASC NULLS LAST), CAST(0 AS DECIMAL(20,0))) AS `lag(id, 1) OVER (ORDER BY ts)`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT countIf(ok), sumIf(id, name LIKE 'a%'), avg(maybe), uniq(name), quantile(0.9)(price), argMax(name, ts), groupArray(5)(id), sum(maybe) FROM t
---- ir
Select
  query: SELECT countIf(ok), sumIf(id, name LIKE 'a%'), avg(maybe), uniq(name), quantile(0.9)(price), argMax(name, ts), groupArray(5)(id), sum(maybe) FROM t
---- spark
SELECT count(1) FILTER (WHERE `t`.`ok`) AS `countIf(ok)`, coalesce(pmod(sum(`t`.`id`) FILTER (WHERE `t`.`name` LIKE 'a%'), 18446744073709551616), 0) AS `sumIf(id, like(name, 'a%'))`, try_divide(CAST(sum(`t`.`maybe`) AS DOUBLE), count(`t`.`maybe`)) AS `avg(maybe)`, count(DISTINCT `t`.`name`) AS `uniq(name)`, coalesce(CAST((percentile(CAST(rint(CAST(`t`.`price` AS DOUBLE) * 1e2D) AS DOUBLE), 0.9D) - percentile(CAST(rint(CAST(`t`.`price` AS DOUBLE) * 1e2D) AS DOUBLE), 0.9D) % 1) / 1e2D AS DECIMAL(10,2)), CAST(0 AS DECIMAL(10,2))) AS `quantile(0.9)(price)`, coalesce(max_by(`t`.`name`, `t`.`ts`), '') AS `argMax(name, ts)`, slice(collect_list(`t`.`id`), 1, 5) AS `groupArray(5)(id)`, sum(`t`.`maybe`) AS `sum(maybe)`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT toHour(local), toStartOfHour(local), local > '2024-01-01 00:00:00', toDate(local) FROM t
---- ir
Select
  query: SELECT toHour(local), toStartOfHour(local), local > '2024-01-01 00:00:00', toDate(local) FROM t
---- spark
SELECT hour(from_utc_timestamp(`t`.`local`, 'Europe/Moscow')) AS `toHour(local)`, timestamp_seconds(unix_seconds(`t`.`local`) - pmod(unix_seconds(from_utc_timestamp(`t`.`local`, 'Europe/Moscow')), 3600)) AS `toStartOfHour(local)`, CAST((`t`.`local` > to_utc_timestamp(CAST('2024-01-01 00:00:00' AS TIMESTAMP), 'Europe/Moscow')) AS SMALLINT) AS `greater(local, '2024-01-01 00:00:00')`, CAST(from_utc_timestamp(`t`.`local`, 'Europe/Moscow') AS DATE) AS `toDate(local)`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT tags[1], attrs['k'], point.x, point.2, tuple(id, name).1, length(tags), length(name) FROM t
---- ir
Select
  query: SELECT tags[1], attrs['k'], point.x, point.2, tuple(id, name).1, length(tags), length(name) FROM t
---- spark
SELECT coalesce(get(`t`.`tags`, 0), '') AS `arrayElement(tags, 1)`, coalesce(try_element_at(`t`.`attrs`, 'k'), CAST(0 AS BIGINT)) AS `arrayElement(attrs, 'k')`, `t`.`point`.`x` AS `point.x`, `t`.`point`.`y` AS `point.2`, named_struct('1', `t`.`id`, '2', `t`.`name`).`1` AS `tupleElement(tuple(id, name), 1)`, CAST(size(`t`.`tags`) AS BIGINT) AS `length(tags)`, CAST(octet_length(`t`.`name`) AS BIGINT) AS `length(name)`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT arrayMap(tag -> concat(tag, name), tags), arrayFilter((x) -> x > 1, [1, 2]) FROM t
---- ir
Select
  query: SELECT arrayMap(tag -> concat(tag, name), tags), arrayFilter((x) -> x > 1, [1, 2]) FROM t
---- spark
SELECT transform(`t`.`tags`, `tag` -> concat(`tag`, `t`.`name`)) AS `arrayMap(tag -> concat(tag, name), tags)`, filter(array(1, 2), `x` -> `x` > 1) AS `arrayFilter(x -> greater(x, 1), [1, 2])`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT ok = 1, ok AND maybe, NOT maybe, id / 2, id % 2, -id, price * 2, ts - 60, day - 1, maybe IS NULL FROM t
---- ir
Select
  query: SELECT ok = 1, ok AND maybe, NOT maybe, id / 2, id % 2, -id, price * 2, ts - 60, day - 1, maybe IS NULL FROM t
---- spark
SELECT CAST((CAST(`t`.`ok` AS SMALLINT) = 1) AS SMALLINT) AS `equals(ok, 1)`, `t`.`ok` AND CAST(`t`.`maybe` AS BOOLEAN) AS `and(ok, maybe)`, CAST((NOT CAST(`t`.`maybe` AS BOOLEAN)) AS SMALLINT) AS `not(maybe)`, CAST(`t`.`id` AS DOUBLE) / CAST(2 AS DOUBLE) AS `divide(id, 2)`, `t`.`id` % 2 AS `modulo(id, 2)`, CAST(pmod(CAST((-CAST(`t`.`id` AS DECIMAL(20,0))) AS DECIMAL(20,0)) + 9223372036854775808, 18446744073709551616) - 9223372036854775808 AS BIGINT) AS `negate(id)`, `t`.`price` * 2 AS `multiply(price, 2)`, timestampadd(SECOND, CAST((-60) AS INT), `t`.`ts`) AS `minus(ts, 60)`, date_add(`t`.`day`, CAST((-1) AS INT)) AS `minus(day, 1)`, CAST((`t`.`maybe` IS NULL) AS SMALLINT) AS `isNull(maybe)`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT CASE name WHEN 'a' THEN 1 ELSE 2 END, ok ? 'yes' : 'no', name || '!', name NOT LIKE 'a_%' FROM t
---- ir
Select
  query: SELECT CASE name WHEN 'a' THEN 1 ELSE 2 END, ok ? 'yes' : 'no', name || '!', name NOT LIKE 'a_%' FROM t
---- spark
SELECT if(`t`.`name` = 'a', 1, 2) AS `caseWithExpression(name, 'a', 1, 2)`, if(`t`.`ok`, 'yes', 'no') AS `if(ok, 'yes', 'no')`, concat(`t`.`name`, '!') AS `concat(name, '!')`, CAST((`t`.`name` NOT LIKE 'a_%') AS SMALLINT) AS `notLike(name, 'a_%')`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT id::UInt8, CAST(name AS Date), CAST(maybe, 'String'), toInt32OrNull(name) FROM t
---- ir
Select
  query: SELECT id::UInt8, CAST(name AS Date), CAST(maybe, 'String'), toInt32OrNull(name) FROM t
---- spark
SELECT CAST(CAST(CAST(pmod(`t`.`id` + 9223372036854775808, 18446744073709551616) - 9223372036854775808 AS BIGINT) AS BIGINT) & 255L AS SMALLINT) AS `CAST(id, 'UInt8')`, CASE WHEN `t`.`name` IS NOT NULL THEN coalesce(date_from_unix_date(sluice_ch_parseday(`t`.`name`)), raise_error(concat('SLUICE_RAISED', to_json(named_struct('condition', 'CANNOT_PARSE_DATE', 'value', concat('\'', CAST(`t`.`name` AS STRING), '\''), 'type', 'Date'))))) END AS `CAST(name, 'Date')`, CAST(`t`.`maybe` AS STRING) AS `CAST(maybe, 'String')`, if(`t`.`name` RLIKE '^[+-]?[0-9]{1,38}$' AND try_cast(`t`.`name` AS DECIMAL(38,0)) BETWEEN -2147483648 AND 2147483647, try_cast(`t`.`name` AS INT), NULL) AS `toInt32OrNull(name)`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT number FROM numbers(10, 5) SETTINGS max_threads = 1 FORMAT JSONEachRow
---- ir
Select
  format: 'JSONEachRow'
  query: SELECT number FROM numbers(10, 5) SETTINGS max_threads = 1
  setting max_threads = 1
---- spark
SELECT `_1`.`number` AS `number`
FROM (SELECT id AS `number`
FROM range(10, 15)) AS `_1`
--------------------------------------------------------------------------------
SELECT * FROM t AS x JOIN t AS y ON x.id = y.id
---- ir
Select
  query: SELECT * FROM t AS x JOIN t AS y ON x.id = y.id
---- spark
SELECT `x`.`id` AS `id`, `x`.`ts` AS `ts`, `x`.`local` AS `local`, `x`.`day` AS `day`, `x`.`name` AS `name`, `x`.`maybe` AS `maybe`, `x`.`ok` AS `ok`, `x`.`price` AS `price`, `x`.`tags` AS `tags`, `x`.`attrs` AS `attrs`, `x`.`point` AS `point`, `y`.`id` AS `id`, `y`.`ts` AS `ts`, `y`.`local` AS `local`, `y`.`day` AS `day`, `y`.`name` AS `name`, `y`.`maybe` AS `maybe`, `y`.`ok` AS `ok`, `y`.`price` AS `price`, `y`.`tags` AS `tags`, `y`.`attrs` AS `attrs`, `y`.`point` AS `point`
FROM `view of t` AS `x` INNER JOIN `view of t` AS `y` ON `x`.`id` = `y`.`id`
--------------------------------------------------------------------------------
SELECT id FROM t JOIN u ON t.id = u.id
---- error
AMBIGUOUS_COLUMN: Column id is in more than one table (line 1, column 8). Write t.id or u.id.
--------------------------------------------------------------------------------
SELECT missing FROM t
---- error
UNKNOWN_COLUMN: Unknown column missing (line 1, column 8).
--------------------------------------------------------------------------------
SELECT nam FROM t
---- error
UNKNOWN_COLUMN: Unknown column nam (line 1, column 8). Did you mean name?
--------------------------------------------------------------------------------
SELECT 1,, 2
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 9).
--------------------------------------------------------------------------------
SELECT , 1
---- error
SYNTAX_ERROR: Syntax error: something is missing before the comma (line 1, column 8).
--------------------------------------------------------------------------------
SELECT id FROM t
GROUP BY id,, id
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 2, column 12).
--------------------------------------------------------------------------------
SELECT [id,]  FROM t
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 11).
--------------------------------------------------------------------------------
SELECT plus(1,, 2)
---- error
SYNTAX_ERROR: Syntax error: something is missing after the comma (line 1, column 14).
--------------------------------------------------------------------------------
SELECT (1, 2,), id, FROM t
---- ir
Select
  query: SELECT (1, 2,), id, FROM t
---- spark
SELECT named_struct('1', 1, '2', 2) AS `tuple(1, 2)`, `t`.`id` AS `id`
FROM `view of t` AS `t`
