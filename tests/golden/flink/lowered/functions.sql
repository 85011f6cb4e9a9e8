CREATE TABLE t (
  id INT, big BIGINT, tiny TINYINT, price DECIMAL(10, 2), x DOUBLE, f FLOAT, name STRING, code CHAR(3), ok BOOLEAN,
  ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), `day` DATE, tod TIME(3), raw BYTES, tags ARRAY<STRING>, attrs MAP<STRING, INT>,
  r ROW<a INT, b ROW<c STRING>>, items ARRAY<ROW<sku STRING, n INT>>, twice AS id * 2, `w:0 $` STRING
)
---- ir
CreateTable
--------------------------------------------------------------------------------
SELECT UPPER(name), LOWER(name), LCASE(name), UCASE(name), CONCAT(name, id, ok), CONCAT_WS(',', name, id), CHAR_LENGTH(name), CHARACTER_LENGTH(name), REVERSE(name), ASCII(name) FROM t
---- spark
SELECT upper(`t`.`name`) AS `EXPR$0`, lower(`t`.`name`) AS `EXPR$1`, lower(`t`.`name`) AS `EXPR$2`, upper(`t`.`name`) AS `EXPR$3`, concat(`t`.`name`, CAST(`t`.`id` AS STRING), upper(CAST(`t`.`ok` AS STRING))) AS `EXPR$4`, concat_ws(',', `t`.`name`, CAST(`t`.`id` AS STRING)) AS `EXPR$5`, length(`t`.`name`) AS `EXPR$6`, length(`t`.`name`) AS `EXPR$7`, reverse(`t`.`name`) AS `EXPR$8`, ascii(`t`.`name`) AS `EXPR$9`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT POSITION('a' IN name), LOCATE('a', name), LOCATE('a', name, 2), INSTR(name, 'a'), LEFT(name, 2), RIGHT(name, big), STARTSWITH(name, 'a'), ENDSWITH(name, 'a') FROM t
---- spark
SELECT position('a', `t`.`name`) AS `EXPR$0`, locate('a', `t`.`name`) AS `EXPR$1`, locate('a', `t`.`name`, CAST(2 AS INT)) AS `EXPR$2`, instr(`t`.`name`, 'a') AS `EXPR$3`, left(`t`.`name`, CAST(2 AS INT)) AS `EXPR$4`, right(`t`.`name`, CAST(`t`.`big` AS INT)) AS `EXPR$5`, startswith(`t`.`name`, 'a') AS `EXPR$6`, endswith(`t`.`name`, 'a') AS `EXPR$7`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT TRIM(name), TRIM(BOTH FROM name), TRIM(LEADING 'x' FROM name), LTRIM(name), LTRIM(name, 'x'), RTRIM(name, 'x'), BTRIM(name) FROM t
---- spark
SELECT trim(BOTH ' '
FROM `t`.`name`) AS `EXPR$0`, trim(BOTH ' '
FROM `t`.`name`) AS `EXPR$1`, trim(LEADING 'x'
FROM `t`.`name`) AS `EXPR$2`, trim(LEADING ' '
FROM `t`.`name`) AS `EXPR$3`, trim(LEADING 'x'
FROM `t`.`name`) AS `EXPR$4`, trim(TRAILING 'x'
FROM `t`.`name`) AS `EXPR$5`, trim(BOTH ' '
FROM `t`.`name`) AS `EXPR$6`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT REPEAT(name, 3), REPEAT(name, id), LPAD(name, 5, 'x'), RPAD(name, id, 'x') FROM t
---- spark
SELECT repeat(`t`.`name`, 3) AS `EXPR$0`, repeat(`t`.`name`, if(`t`.`id` > 1000000, CAST(raise_error('REPEAT takes at most 1000000') AS INT), CAST(`t`.`id` AS INT))) AS `EXPR$1`, if(5 < 0 OR 'x' = '', NULL, lpad(`t`.`name`, 5, 'x')) AS `EXPR$2`, if(if(`t`.`id` > 1000000, CAST(raise_error('RPAD takes at most 1000000') AS INT), CAST(`t`.`id` AS INT)) < 0 OR 'x' = '', NULL, rpad(`t`.`name`, if(`t`.`id` > 1000000, CAST(raise_error('RPAD takes at most 1000000') AS INT), CAST(`t`.`id` AS INT)), 'x')) AS `EXPR$3`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT REPEAT(name, 2000000) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: REPEAT takes at most 1000000, 2000000 given (line 1, column 8).
--------------------------------------------------------------------------------
SELECT SUBSTRING(name, 2), SUBSTRING(name FROM 2 FOR 3), SUBSTR(name, -3), SUBSTRING(name, id, big), OVERLAY(name PLACING 'xx' FROM 2), OVERLAY(name PLACING 'xx' FROM 2 FOR 1) FROM t
---- spark
SELECT substring(`t`.`name`, 2) AS `EXPR$0`, substring(`t`.`name`, 2, 3) AS `EXPR$1`, if((- 3) < -length(`t`.`name`), '', substring(`t`.`name`, - 3)) AS `EXPR$2`, if(CAST(`t`.`big` AS INT) < 0, NULL, if(`t`.`id` < -length(`t`.`name`), '', substring(`t`.`name`, `t`.`id`, CAST(`t`.`big` AS INT)))) AS `EXPR$3`, if(2 <= 0 OR 2 > length(`t`.`name`), `t`.`name`, overlay(`t`.`name`, 'xx', 2)) AS `EXPR$4`, if(2 <= 0 OR 2 > length(`t`.`name`), `t`.`name`, overlay(`t`.`name`, 'xx', 2, 1)) AS `EXPR$5`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT REGEXP(name, '^a'), REGEXP_EXTRACT(name, '(a)(b)'), REGEXP_EXTRACT(name, '(a)(b)', 2), REGEXP_REPLACE(name, 'a', '$1\'), REGEXP_REPLACE(name, 'a', code), REPLACE(name, 'a', 'b'), TRANSLATE(name, 'ab', 'cd'), INITCAP(name) FROM t
---- spark
SELECT sluice_regexp_like(`t`.`name`, '^a') AS `EXPR$0`, sluice_regexp_extract(`t`.`name`, '(a)(b)', 0) AS `EXPR$1`, sluice_regexp_extract(`t`.`name`, '(a)(b)', 2) AS `EXPR$2`, sluice_regexp_replace(`t`.`name`, 'a', '\\\u00241\\\\') AS `EXPR$3`, sluice_regexp_replace(`t`.`name`, 'a', replace(replace(`t`.`code`, '\\', '\\\\'), '\u0024', '\\\u0024')) AS `EXPR$4`, replace(`t`.`name`, 'a', 'b') AS `EXPR$5`, translate(`t`.`name`, 'ab', 'cd') AS `EXPR$6`, array_join(transform(regexp_extract_all(`t`.`name`, '[\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+', 0), `_w` -> concat(upper(left(`_w`, 1)), lower(substring(`_w`, 2)))), '') AS `EXPR$7`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT SPLIT_INDEX(name, ',', 1), SPLIT(name, ','), STR_TO_MAP(name), STR_TO_MAP(name, ';', ':'), PARSE_URL(name, 'HOST'), PARSE_URL(name, 'QUERY', 'q') FROM t
---- spark
SELECT if(`t`.`name` = '', NULL, get(split(`t`.`name`, concat('\\Q', ',', '\\E')), CAST(1 AS INT))) AS `EXPR$0`, split(`t`.`name`, concat('\\Q', ',', '\\E')) AS `EXPR$1`, str_to_map(`t`.`name`, ',', '=') AS `EXPR$2`, str_to_map(`t`.`name`, ';', ':') AS `EXPR$3`, try_parse_url(`t`.`name`, 'HOST') AS `EXPR$4`, try_parse_url(`t`.`name`, 'QUERY', 'q') AS `EXPR$5`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT TO_BASE64(name), FROM_BASE64(name), MD5(name), SHA1(name), SHA224(name), SHA256(name), SHA384(name), SHA512(name), SHA2(name, 256), HEX(id), HEX(name), UNHEX(name), BIN(id), ENCODE(name, 'UTF-8'), DECODE(raw, 'UTF-8'), UUID() FROM t
---- spark
SELECT base64(CAST(`t`.`name` AS BINARY)) AS `EXPR$0`, CAST(unbase64(`t`.`name`) AS STRING) AS `EXPR$1`, md5(CAST(`t`.`name` AS BINARY)) AS `EXPR$2`, sha1(CAST(`t`.`name` AS BINARY)) AS `EXPR$3`, sha2(CAST(`t`.`name` AS BINARY), 224) AS `EXPR$4`, sha2(CAST(`t`.`name` AS BINARY), 256) AS `EXPR$5`, sha2(CAST(`t`.`name` AS BINARY), 384) AS `EXPR$6`, sha2(CAST(`t`.`name` AS BINARY), 512) AS `EXPR$7`, sha2(CAST(`t`.`name` AS BINARY), CAST(256 AS INT)) AS `EXPR$8`, hex(`t`.`id`) AS `EXPR$9`, hex(`t`.`name`) AS `EXPR$10`, unhex(`t`.`name`) AS `EXPR$11`, bin(CAST(`t`.`id` AS BIGINT)) AS `EXPR$12`, encode(`t`.`name`, 'UTF-8') AS `EXPR$13`, decode(`t`.`raw`, 'UTF-8') AS `EXPR$14`, uuid() AS `EXPR$15`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT JSON_VALUE(name, '$.a.b[0]'), JSON_VALUE(name, 'lax $.a' RETURNING INT NULL ON EMPTY NULL ON ERROR), JSON_QUERY(name, '$.a') FROM t
---- spark
SELECT if(get_json_object(`t`.`name`, '\u0024.a.b[0]') RLIKE '^[\\[{]', NULL, get_json_object(`t`.`name`, '\u0024.a.b[0]')) AS `EXPR$0`, try_cast(if(get_json_object(`t`.`name`, '\u0024.a') RLIKE '^[\\[{]', NULL, get_json_object(`t`.`name`, '\u0024.a')) AS INT) AS `EXPR$1`, if(get_json_object(`t`.`name`, '\u0024.a') RLIKE '^[\\[{]', get_json_object(`t`.`name`, '\u0024.a'), NULL) AS `EXPR$2`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT JSON_VALUE(name, '$.a' DEFAULT 1 ON EMPTY) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: DEFAULT ON EMPTY is not supported in JSON_VALUE; use COALESCE (line 1, column 8).
--------------------------------------------------------------------------------
SELECT JSON_VALUE(name, '$..a') FROM t
---- error
INVALID_FUNCTION_ARGUMENT: JSON_VALUE takes paths such as '$.a.b[0]' (line 1, column 8).
--------------------------------------------------------------------------------
SELECT ABS(id), SIGN(x), SIGN(id), POWER(x, 2), POW(x, 2), SQRT(x), LN(x), LOG10(x), LOG2(x), LOG(x), LOG(2, x), EXP(x), MOD(id, 3), ROUND(x), ROUND(price, 1), FLOOR(x), CEIL(price), CEILING(id), PI(), E(), RAND(), RAND(1), RAND_INTEGER(10), RAND_INTEGER(1, 10) FROM t
---- spark
SELECT abs(`t`.`id`) AS `EXPR$0`, sign(`t`.`x`) AS `EXPR$1`, CAST(sign(`t`.`id`) AS INT) AS `EXPR$2`, power(`t`.`x`, 2) AS `EXPR$3`, power(`t`.`x`, 2) AS `EXPR$4`, sqrt(`t`.`x`) AS `EXPR$5`, ln(`t`.`x`) AS `EXPR$6`, log10(`t`.`x`) AS `EXPR$7`, log2(`t`.`x`) AS `EXPR$8`, ln(`t`.`x`) AS `EXPR$9`, log(2, `t`.`x`) AS `EXPR$10`, exp(`t`.`x`) AS `EXPR$11`, sluice_int32(sluice_modulo(`t`.`id`, 3, 'id % 3')) AS `EXPR$12`, round(`t`.`x`, 0) AS `EXPR$13`, round(`t`.`price`, 1) AS `EXPR$14`, CAST(floor(`t`.`x`) AS DOUBLE) AS `EXPR$15`, ceil(`t`.`price`) AS `EXPR$16`, `t`.`id` AS `EXPR$17`, pi() AS `EXPR$18`, e() AS `EXPR$19`, rand() AS `EXPR$20`, rand(1) AS `EXPR$21`, CAST(floor(rand() * 10) AS INT) AS `EXPR$22`, CAST(floor(rand(1) * 10) AS INT) AS `EXPR$23`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT SIN(x), COS(x), TAN(x), COT(x), ASIN(x), ACOS(x), ATAN(x), ATAN2(x, x), SINH(x), COSH(x), TANH(x), DEGREES(x), RADIANS(x) FROM t
---- spark
SELECT sin(`t`.`x`) AS `EXPR$0`, cos(`t`.`x`) AS `EXPR$1`, tan(`t`.`x`) AS `EXPR$2`, cot(`t`.`x`) AS `EXPR$3`, asin(`t`.`x`) AS `EXPR$4`, acos(`t`.`x`) AS `EXPR$5`, atan(`t`.`x`) AS `EXPR$6`, atan2(`t`.`x`, `t`.`x`) AS `EXPR$7`, sinh(`t`.`x`) AS `EXPR$8`, cosh(`t`.`x`) AS `EXPR$9`, tanh(`t`.`x`) AS `EXPR$10`, degrees(`t`.`x`) AS `EXPR$11`, radians(`t`.`x`) AS `EXPR$12`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT GREATEST(id, big), LEAST(id, 1, 2), COALESCE(id, big, 0), IFNULL(name, 'x'), NULLIF(id, 1), IF(ok, id, big) FROM t
---- spark
SELECT if(`t`.`id` IS NULL OR `t`.`big` IS NULL, NULL, greatest(`t`.`id`, `t`.`big`)) AS `EXPR$0`, if(`t`.`id` IS NULL OR 1 IS NULL OR 2 IS NULL, NULL, least(`t`.`id`, 1, 2)) AS `EXPR$1`, coalesce(`t`.`id`, `t`.`big`, 0) AS `EXPR$2`, coalesce(`t`.`name`, 'x') AS `EXPR$3`, nullif(`t`.`id`, 1) AS `EXPR$4`, if(`t`.`ok`, `t`.`id`, `t`.`big`) AS `EXPR$5`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT ARRAY[1, 2], ARRAY[], MAP['a', 1], ROW(1, 'x'), (ROW(1, 'x')).f1, CARDINALITY(tags), ELEMENT(tags), ARRAY_CONTAINS(tags, 'a'), ARRAY_DISTINCT(tags), ARRAY_POSITION(tags, 'a'), ARRAY_REVERSE(tags), ARRAY_UNION(tags, tags), ARRAY_CONCAT(tags, tags), ARRAY_JOIN(tags, ','), ARRAY_JOIN(tags, ',', '?'), ARRAY_MAX(tags), ARRAY_MIN(tags), MAP_KEYS(attrs), MAP_VALUES(attrs), MAP_FROM_ARRAYS(tags, tags) FROM t
---- spark
SELECT array(1, 2) AS `EXPR$0`, array() AS `EXPR$1`, map('a', 1) AS `EXPR$2`, named_struct('f0', 1, 'f1', 'x') AS `EXPR$3`, named_struct('f0', 1, 'f1', 'x').`f1` AS `EXPR$4`, size(`t`.`tags`) AS `EXPR$5`, get(`t`.`tags`, 0) AS `EXPR$6`, array_contains(`t`.`tags`, 'a') AS `EXPR$7`, array_distinct(`t`.`tags`) AS `EXPR$8`, CAST(array_position(`t`.`tags`, 'a') AS INT) AS `EXPR$9`, reverse(`t`.`tags`) AS `EXPR$10`, array_union(`t`.`tags`, `t`.`tags`) AS `EXPR$11`, concat(`t`.`tags`, `t`.`tags`) AS `EXPR$12`, array_join(`t`.`tags`, ',') AS `EXPR$13`, array_join(`t`.`tags`, ',', '?') AS `EXPR$14`, array_max(`t`.`tags`) AS `EXPR$15`, array_min(`t`.`tags`) AS `EXPR$16`, map_keys(`t`.`attrs`) AS `EXPR$17`, map_values(`t`.`attrs`) AS `EXPR$18`, map_from_arrays(`t`.`tags`, `t`.`tags`) AS `EXPR$19`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT MAP['a', 1, 'b'] FROM t
---- error
INVALID_FUNCTION_ARGUMENT: MAP[…] takes keys and values in pairs (line 1, column 8).
--------------------------------------------------------------------------------
SELECT EXTRACT(YEAR FROM ts), EXTRACT(DOW FROM `day`), EXTRACT(SECOND FROM name), EXTRACT(EPOCH FROM ts), YEAR(ts), QUARTER(ts), MONTH(ts), WEEK(ts), DAYOFYEAR(ts), DAYOFMONTH(ts), DAYOFWEEK(ts), HOUR(ts), MINUTE(ts), SECOND(ts) FROM t
---- spark
SELECT CAST(year(`t`.`ts`) AS BIGINT) AS `EXPR$0`, CAST(dayofweek(`t`.`day`) AS BIGINT) AS `EXPR$1`, CAST(second(try_cast(`t`.`name` AS TIMESTAMP_NTZ)) AS BIGINT) AS `EXPR$2`, CAST(unix_timestamp(`t`.`ts`) AS BIGINT) AS `EXPR$3`, CAST(year(`t`.`ts`) AS BIGINT) AS `EXPR$4`, CAST(quarter(`t`.`ts`) AS BIGINT) AS `EXPR$5`, CAST(month(`t`.`ts`) AS BIGINT) AS `EXPR$6`, CAST(weekofyear(`t`.`ts`) AS BIGINT) AS `EXPR$7`, CAST(dayofyear(`t`.`ts`) AS BIGINT) AS `EXPR$8`, CAST(day(`t`.`ts`) AS BIGINT) AS `EXPR$9`, CAST(dayofweek(`t`.`ts`) AS BIGINT) AS `EXPR$10`, CAST(hour(`t`.`ts`) AS BIGINT) AS `EXPR$11`, CAST(minute(`t`.`ts`) AS BIGINT) AS `EXPR$12`, CAST(second(`t`.`ts`) AS BIGINT) AS `EXPR$13`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT EXTRACT(NANOSECOND FROM ts) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: EXTRACT of NANOSECOND is not supported (line 1, column 8).
--------------------------------------------------------------------------------
SELECT FLOOR(ts TO HOUR), CEIL(ts TO DAY), FLOOR(`day` TO MONTH), CEILING(ltz TO MINUTE) FROM t
---- spark
SELECT CAST(date_trunc('HOUR', `t`.`ts`) AS TIMESTAMP_NTZ) AS `EXPR$0`, if(`t`.`ts` = CAST(date_trunc('DAY', `t`.`ts`) AS TIMESTAMP_NTZ), `t`.`ts`, CAST(timestampadd(DAY, 1, CAST(date_trunc('DAY', `t`.`ts`) AS TIMESTAMP_NTZ)) AS TIMESTAMP_NTZ)) AS `EXPR$1`, CAST(date_trunc('MONTH', `t`.`day`) AS DATE) AS `EXPR$2`, if(`t`.`ltz` = CAST(date_trunc('MINUTE', `t`.`ltz`) AS TIMESTAMP), `t`.`ltz`, CAST(timestampadd(MINUTE, 1, CAST(date_trunc('MINUTE', `t`.`ltz`) AS TIMESTAMP)) AS TIMESTAMP)) AS `EXPR$3`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT FLOOR(name TO DAY) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: FLOOR … TO DAY takes a DATE or a TIMESTAMP; use CAST (line 1, column 8).
--------------------------------------------------------------------------------
SELECT TIMESTAMPADD(MINUTE, 5, ts), TIMESTAMPADD(DAY, id, `day`), TIMESTAMPADD(SQL_TSI_HOUR, 1, ltz), TIMESTAMPDIFF(DAY, ts, ltz) FROM t
---- spark
SELECT timestampadd(MINUTE, 5, `t`.`ts`) AS `EXPR$0`, CAST(timestampadd(DAY, `t`.`id`, `t`.`day`) AS DATE) AS `EXPR$1`, timestampadd(HOUR, 1, `t`.`ltz`) AS `EXPR$2`, CAST(timestampdiff(DAY, `t`.`ts`, `t`.`ltz`) AS INT) AS `EXPR$3`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT TIMESTAMPADD(FORTNIGHT, 5, ts) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: TIMESTAMPADD takes one of YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND as its unit (line 1, column 8).
--------------------------------------------------------------------------------
SELECT TO_DATE(name), TO_DATE(name, 'yyyyMMdd'), TO_TIMESTAMP(name), TO_TIMESTAMP(name, 'yyyyMMdd'), TO_TIMESTAMP_LTZ(big, 0), TO_TIMESTAMP_LTZ(big, 3), TO_TIMESTAMP_LTZ(big), TO_TIMESTAMP_LTZ(name), TO_TIMESTAMP_LTZ(name, 'yyyy') FROM t
---- spark
SELECT try_cast(`t`.`name` AS DATE) AS `EXPR$0`, CAST(try_to_timestamp(`t`.`name`, 'yyyyMMdd') AS DATE) AS `EXPR$1`, try_cast(`t`.`name` AS TIMESTAMP_NTZ) AS `EXPR$2`, CAST(try_to_timestamp(`t`.`name`, 'yyyyMMdd') AS TIMESTAMP_NTZ) AS `EXPR$3`, timestamp_seconds(`t`.`big`) AS `EXPR$4`, timestamp_millis(`t`.`big`) AS `EXPR$5`, timestamp_millis(`t`.`big`) AS `EXPR$6`, try_to_timestamp(`t`.`name`, 'yyyy-MM-dd HH:mm:ss') AS `EXPR$7`, try_to_timestamp(`t`.`name`, 'yyyy') AS `EXPR$8`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT TO_TIMESTAMP_LTZ(big, 6) FROM t
---- error
INVALID_FUNCTION_ARGUMENT: The precision of TO_TIMESTAMP_LTZ is 0 (seconds) or 3 (line 1, column 8).
--------------------------------------------------------------------------------
SELECT DATE_FORMAT(ts, 'yyyy-MM'), DATE_FORMAT(name, 'HH'), UNIX_TIMESTAMP(), UNIX_TIMESTAMP(name), UNIX_TIMESTAMP(name, 'yyyy'), FROM_UNIXTIME(big), FROM_UNIXTIME(big, 'HH'), CONVERT_TZ(name, 'UTC', 'Europe/Berlin') FROM t
---- spark
SELECT sluice_date_format(CAST(`t`.`ts` AS TIMESTAMP_NTZ), 'yyyy-MM') AS `EXPR$0`, sluice_date_format(CAST(try_cast(`t`.`name` AS TIMESTAMP_NTZ) AS TIMESTAMP_NTZ), 'HH') AS `EXPR$1`, unix_timestamp() AS `EXPR$2`, if(`t`.`name` IS NULL, NULL, coalesce(unix_timestamp(try_to_timestamp(`t`.`name`, 'yyyy-MM-dd HH:mm:ss')), -9223372036854775808L)) AS `EXPR$3`, if(`t`.`name` IS NULL, NULL, coalesce(unix_timestamp(try_to_timestamp(`t`.`name`, 'yyyy')), -9223372036854775808L)) AS `EXPR$4`, from_unixtime(`t`.`big`) AS `EXPR$5`, from_unixtime(`t`.`big`, 'HH') AS `EXPR$6`, date_format(convert_timezone('UTC', 'Europe/Berlin', try_cast(`t`.`name` AS TIMESTAMP_NTZ)), 'yyyy-MM-dd HH:mm:ss') AS `EXPR$7`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT NOW(), CURRENT_TIMESTAMP, CURRENT_ROW_TIMESTAMP(), PROCTIME(), LOCALTIMESTAMP, CURRENT_DATE, CURRENT_TIME, LOCALTIME FROM t
---- spark
SELECT current_timestamp() AS `EXPR$0`, current_timestamp() AS `EXPR$1`, current_timestamp() AS `EXPR$2`, current_timestamp() AS `EXPR$3`, localtimestamp() AS `EXPR$4`, current_date() AS `EXPR$5`, date_format(current_timestamp(), 'HH:mm:ss') AS `EXPR$6`, date_format(current_timestamp(), 'HH:mm:ss') AS `EXPR$7`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT STDDEV_POP(x), STDDEV_SAMP(x), STDDEV(x), VAR_POP(x), VAR_SAMP(x), VARIANCE(x), FIRST_VALUE(name), LAST_VALUE(name), LISTAGG(name), LISTAGG(DISTINCT name), LISTAGG(name, ';'), ARRAY_AGG(id), APPROX_COUNT_DISTINCT(id) FROM t
---- spark
SELECT stddev_pop(`t`.`x`) AS `EXPR$0`, stddev_samp(`t`.`x`) AS `EXPR$1`, stddev_samp(`t`.`x`) AS `EXPR$2`, var_pop(`t`.`x`) AS `EXPR$3`, var_samp(`t`.`x`) AS `EXPR$4`, var_samp(`t`.`x`) AS `EXPR$5`, first(`t`.`name`, true) AS `EXPR$6`, last(`t`.`name`, true) AS `EXPR$7`, if(size(collect_list(CAST(`t`.`name` AS STRING))) = 0, NULL, array_join(collect_list(CAST(`t`.`name` AS STRING)), ',')) AS `EXPR$8`, if(size(collect_list(DISTINCT CAST(`t`.`name` AS STRING))) = 0, NULL, array_join(collect_list(DISTINCT CAST(`t`.`name` AS STRING)), ',')) AS `EXPR$9`, if(size(collect_list(CAST(`t`.`name` AS STRING))) = 0, NULL, array_join(collect_list(CAST(`t`.`name` AS STRING)), ';')) AS `EXPR$10`, transform(collect_list(struct(`t`.`id` AS v)), `_e` -> `_e`.`v`) AS `EXPR$11`, approx_count_distinct(`t`.`id`) AS `EXPR$12`
FROM `view of t` AS `t`
--------------------------------------------------------------------------------
SELECT RANK() OVER (ORDER BY id), DENSE_RANK() OVER (ORDER BY id), PERCENT_RANK() OVER (ORDER BY id), CUME_DIST() OVER (ORDER BY id), NTILE(4) OVER (ORDER BY id), LEAD(id) OVER (ORDER BY id), LAG(id, 1, 0) OVER (ORDER BY id) FROM t
---- spark
SELECT rank() OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$0`, dense_rank() OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$1`, percent_rank() OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$2`, cume_dist() OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$3`, ntile(4) OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$4`, lead(`t`.`id`) OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$5`, lag(`t`.`id`, 1, 0) OVER (ORDER BY `t`.`id` ASC NULLS FIRST) AS `EXPR$6`
FROM `view of t` AS `t`
