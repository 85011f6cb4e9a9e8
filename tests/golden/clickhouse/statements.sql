CREATE DATABASE IF NOT EXISTS shop ON CLUSTER default ENGINE = Atomic
---- ir
CreateDatabase
  name: 'shop'
  if_not_exists: True
--------------------------------------------------------------------------------
CREATE DATABASE shop COMMENT 'all of it'
---- ir
CreateDatabase
  name: 'shop'
  comment: 'all of it'
--------------------------------------------------------------------------------
ALTER DATABASE shop MODIFY COMMENT ''
---- ir
AlterDatabase
  name: 'shop'
--------------------------------------------------------------------------------
DROP DATABASE IF EXISTS shop
---- ir
DropDatabase
  name: 'shop'
  if_exists: True
--------------------------------------------------------------------------------
CREATE TABLE `имя с пробелом`.`a.b` (`x``y` String, "emoji 😀" UInt8) ENGINE = MergeTree ORDER BY tuple() COMMENT 'it\'s'
---- ir
CreateTable
  name: имя с пробелом.a.b
  column x`y: String
  column emoji 😀: UInt8
  engine: MergeTree
  comment: "it's"
---- show create
CREATE TABLE `имя с пробелом`.`a.b`
(
    `x\`y` String,
    `emoji 😀` UInt8
)
ENGINE = MergeTree
ORDER BY tuple()
COMMENT 'it\'s'
--------------------------------------------------------------------------------
CREATE TABLE c (a String CODEC(ZSTD(3)) TTL now() + INTERVAL 1 DAY COMMENT 'text', b LowCardinality(Nullable(String)), n.x Array(Int8)) ENGINE = ReplacingMergeTree(b) ORDER BY a TTL now() + INTERVAL 1 MONTH
---- ir
CreateTable
  name: c
  column a: String comment 'text' codec ZSTD(3) ttl now() + INTERVAL 1 DAY
  column b: LowCardinality(Nullable(String))
  column n.x: Array(Int8)
  engine: ReplacingMergeTree('b',)
  order_by: ('a',)
  ttl: 'now() + INTERVAL 1 MONTH'
---- show create
CREATE TABLE default.c
(
    `a` String COMMENT 'text' CODEC(ZSTD(3)) TTL now() + INTERVAL 1 DAY,
    `b` LowCardinality(Nullable(String)),
    `n.x` Array(Int8)
)
ENGINE = ReplacingMergeTree(b)
ORDER BY a
TTL now() + INTERVAL 1 MONTH
--------------------------------------------------------------------------------
INSERT INTO t (a, b) VALUES (1, 'x'), (-2.5, concat('it''s', '\\')), (NULL, [1, 2])
---- ir
Insert
  name: t
  columns: ('a', 'b')
  rows: 3 of 2 values
---- spark
1, 'x'
-2.5D, concat('it\'s', '\\')
NULL, array(1, 2)
--------------------------------------------------------------------------------
INSERT INTO TABLE db.t FORMAT JSONEachRow {"a": 1}
---- ir
Insert
  name: db.t
  format: 'JSONEachRow'
  data: '{"a": 1}\n'
--------------------------------------------------------------------------------
INSERT INTO t FORMAT CSV 1,"a;b"
---- ir
Insert
  name: t
  format: 'CSV'
  data: '1,"a;b"\n'
--------------------------------------------------------------------------------
WITH x AS (SELECT 1 AS a) INSERT INTO db.t (a) SETTINGS async_insert = 1 SELECT a FROM x
---- ir
Insert
  name: db.t
  columns: ('a',)
  query: WITH x AS (SELECT 1 AS a) SELECT a FROM x
  setting async_insert = 1
---- spark
SELECT `x`.`a` AS `a`
FROM (SELECT 1 AS `a`) AS `x`
--------------------------------------------------------------------------------
WITH x AS (SELECT 1) INSERT INTO t VALUES (1)
---- error
SYNTAX_ERROR: Syntax error: expected SELECT, found 'VALUES' (line 1, column 36).
--------------------------------------------------------------------------------
INSERT INTO t (* EXCEPT(a, b) EXCEPT STRICT c) VALUES (1)
---- ir
Insert
  name: t
  rows: 1 of 1 values
  listed: (ColumnMatcher(pattern=None, names=(), excepted=(Excepted(names=('a', 'b'), pattern=None, strict=False), Excepted(names=('c',), pattern=None, strict=True))),)
---- spark
1
--------------------------------------------------------------------------------
INSERT INTO db.t (t.a, COLUMNS('^x') EXCEPT('y$'), db.t.COLUMNS(d, n.e)) FORMAT CSV 1
---- ir
Insert
  name: db.t
  format: 'CSV'
  data: '1\n'
  listed: ('t.a', ColumnMatcher(pattern='^x', names=(), excepted=(Excepted(names=(), pattern='y$', strict=False),)), ColumnMatcher(pattern=None, names=('d', 'n.e'), excepted=()))
--------------------------------------------------------------------------------
INSERT INTO t (* REPLACE(1 AS a)) VALUES (1)
---- error
UNSUPPORTED_CLAUSE: REPLACE in the columns of an INSERT is not supported (line 1, column 18). Write expressions in the SELECT.
--------------------------------------------------------------------------------
INSERT INTO t (COLUMNS('[')) SELECT 1
---- error
CANNOT_COMPILE_REGEXP: Cannot compile the regular expression '[': missing ]: [ (line 1, column 24). Patterns use the syntax of RE2: no lookaround, backreferences or possessive quantifiers.
--------------------------------------------------------------------------------
INSERT INTO t SETTINGS async_insert = 1 SELECT 1
---- ir
Insert
  name: t
  query: SELECT 1
  setting async_insert = 1
---- spark
SELECT 1 AS `1`
--------------------------------------------------------------------------------
DROP TABLE IF EXISTS db.t ON CLUSTER default SYNC
---- ir
Drop
  kind: 'TABLE'
  name: db.t
  if_exists: True
--------------------------------------------------------------------------------
DROP VIEW v NO DELAY
---- ir
Drop
  kind: 'VIEW'
  name: v
--------------------------------------------------------------------------------
DETACH TABLE IF EXISTS t PERMANENTLY
---- ir
Detach
  kind: 'TABLE'
  name: t
  if_exists: True
--------------------------------------------------------------------------------
DETACH MATERIALIZED VIEW v
---- ir
Detach
  kind: 'VIEW'
  name: v
--------------------------------------------------------------------------------
ATTACH TABLE IF NOT EXISTS t
---- ir
Attach
  kind: 'TABLE'
  name: t
  if_not_exists: True
--------------------------------------------------------------------------------
USE shop
---- ir
Use
  database: 'shop'
--------------------------------------------------------------------------------
SHOW DATABASES LIKE 's%'
---- ir
ShowDatabases
  like: 's%'
--------------------------------------------------------------------------------
SHOW TABLES IN shop LIKE '%a' FORMAT JSON
---- ir
ShowTables
  format: 'JSON'
  database: 'shop'
  like: '%a'
--------------------------------------------------------------------------------
SHOW CREATE TABLE t
---- ir
ShowCreate
  kind: 'TABLE'
  name: t
--------------------------------------------------------------------------------
SHOW CREATE VIEW v FORMAT Vertical
---- ir
ShowCreate
  format: 'Vertical'
  kind: 'VIEW'
  name: v
--------------------------------------------------------------------------------
DESC t
---- ir
Describe
  name: t
--------------------------------------------------------------------------------
DESCRIBE TABLE t FORMAT TSV
---- ir
Describe
  format: 'TSV'
  name: t
--------------------------------------------------------------------------------
EXISTS TABLE t
---- ir
Exists
  kind: 'TABLE'
  name: t
--------------------------------------------------------------------------------
EXISTS v FORMAT JSON
---- ir
Exists
  format: 'JSON'
  kind: 'TABLE'
  name: v
--------------------------------------------------------------------------------
SET max_threads = 4, format = 'CSV'
---- ir
Set
  setting max_threads = 4
  setting format = 'CSV'
--------------------------------------------------------------------------------
SYSTEM RESET OFFSETS q TO EARLIEST
---- ir
ResetOffsets
  name: q
  to: 'EARLIEST'
--------------------------------------------------------------------------------
SYSTEM RESET OFFSETS q TO SOMEWHERE
---- error
SYNTAX_ERROR: Syntax error: expected EARLIEST, LATEST, GROUP, TIMESTAMP or OFFSETS, found 'SOMEWHERE' (line 1, column 27).
--------------------------------------------------------------------------------
SYSTEM PAUSE q
---- ir
Consume
  action: 'PAUSE'
  name: q
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t (a UInt8) AS SELECT 1 AS a COMMENT 'why'
---- ir
CreateMaterializedView
  name: v
  target: t
  query: SELECT 1 AS a
  if_not_exists: True
  comment: 'why'
---- spark
SELECT 1 AS `a`
---- show create
CREATE MATERIALIZED VIEW default.v TO default.t
AS SELECT 1 AS a
COMMENT 'why'
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v AS SELECT 1
---- error
UNSUPPORTED_CLAUSE: A materialized view without TO or ENGINE is not supported (line 1, column 28). Write CREATE MATERIALIZED VIEW v TO target AS …, or … ENGINE = … AS ….
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v TO t POPULATE AS SELECT 1
---- ir
CreateMaterializedView
  name: v
  target: t
  query: SELECT 1
  populate: True
---- spark
SELECT 1 AS `1`
---- show create
CREATE MATERIALIZED VIEW default.v TO default.t
AS SELECT 1
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v REFRESH EVERY 1 HOUR TO t AS SELECT 1
---- error
UNSUPPORTED_CLAUSE: REFRESH of a materialized view is not supported (line 1, column 28). A view runs with every batch of the table it reads.
--------------------------------------------------------------------------------
CREATE TABLE made ENGINE = MergeTree ORDER BY b COMMENT 'why' AS SELECT 1 AS b, 'x' AS s SETTINGS max_threads = 1
---- ir
CreateTable
  name: made
  engine: MergeTree
  order_by: ('b',)
  comment: 'why'
  query: SELECT 1 AS b, 'x' AS s SETTINGS max_threads = 1
---- spark
SELECT 1 AS `b`, 'x' AS `s`
---- show create
CREATE TABLE default.made
(
    `b` UInt8,
    `s` String
)
ENGINE = MergeTree
ORDER BY b
COMMENT 'why'
--------------------------------------------------------------------------------
CREATE TABLE IF NOT EXISTS made2 (b UInt64, s String DEFAULT '') ENGINE = MergeTree ORDER BY b EMPTY AS (SELECT 1 AS b, 'x' AS s)
---- ir
CreateTable
  name: made2
  column b: UInt64
  column s: String default ''
  engine: MergeTree
  order_by: ('b',)
  if_not_exists: True
  query: (SELECT 1 AS b, 'x' AS s)
  empty: True
---- spark
SELECT 1 AS `b`, 'x' AS `s`
---- show create
CREATE TABLE default.made2
(
    `b` UInt64,
    `s` String DEFAULT ''
)
ENGINE = MergeTree
ORDER BY b
--------------------------------------------------------------------------------
CREATE TEMPORARY TABLE made3 AS SELECT 1 AS b
---- ir
CreateTable
  name: made3
  engine: Memory
  temporary: True
  query: SELECT 1 AS b
---- spark
SELECT 1 AS `b`
---- show create
CREATE TEMPORARY TABLE `made3`
(
    `b` UInt8
)
ENGINE = Memory
--------------------------------------------------------------------------------
CREATE TABLE made4 AS WITH 1 AS x SELECT x COMMENT 'last'
---- ir
CreateTable
  name: made4
  engine: MergeTree
  comment: 'last'
  query: WITH 1 AS x SELECT x
---- spark
SELECT 1 AS `x`
---- show create
CREATE TABLE default.made4
(
    `x` UInt8
)
ENGINE = MergeTree
ORDER BY tuple()
COMMENT 'last'
--------------------------------------------------------------------------------
CREATE TABLE made5 CLONE AS made2
---- ir
CreateTable
  name: made5
  engine: 
  like: made2
  query: SELECT * FROM "made2"
---- spark
SELECT `made2`.`b` AS `b`, `made2`.`s` AS `s`
FROM `view of made2` AS `made2`
---- show create
CREATE TABLE default.made5
(
    `b` UInt64,
    `s` String DEFAULT ''
)
ENGINE = MergeTree
ORDER BY b
--------------------------------------------------------------------------------
CREATE OR REPLACE TABLE made2 (a Int8) ENGINE = MergeTree ORDER BY a
---- ir
CreateTable
  name: made2
  column a: Int8
  engine: MergeTree
  order_by: ('a',)
  mode: 'CREATE OR REPLACE'
---- show create
CREATE TABLE default.made2
(
    `a` Int8
)
ENGINE = MergeTree
ORDER BY a
--------------------------------------------------------------------------------
REPLACE TABLE made2 ENGINE = Memory AS SELECT 1 AS a
---- ir
CreateTable
  name: made2
  engine: Memory
  query: SELECT 1 AS a
  mode: 'REPLACE'
---- spark
SELECT 1 AS `a`
---- show create
CREATE TABLE default.made2
(
    `a` UInt8
)
ENGINE = Memory
--------------------------------------------------------------------------------
CREATE TABLE made6 AS numbers(5)
---- error
UNSUPPORTED_CLAUSE: A table that is a table function is not supported (line 1, column 23). Write ENGINE = … AS SELECT, with numbers(…) in its FROM, or use CREATE VIEW.
--------------------------------------------------------------------------------
CREATE TABLE made6 ENGINE = MergeTree EMPTY SELECT 1
---- error
SYNTAX_ERROR: Syntax error: expected AS, found 'SELECT' (line 1, column 45).
--------------------------------------------------------------------------------
CREATE OR REPLACE DATABASE d
---- error
UNSUPPORTED_STATEMENT: CREATE OR REPLACE DATABASE is not supported (line 1, column 1). Supported: CREATE OR REPLACE TABLE, CREATE OR REPLACE VIEW.
--------------------------------------------------------------------------------
CREATE OR REPLACE MATERIALIZED VIEW v TO t AS SELECT 1 AS a
---- error
UNSUPPORTED_STATEMENT: CREATE OR REPLACE MATERIALIZED VIEW is not supported (line 1, column 1). Supported: CREATE OR REPLACE TABLE, CREATE OR REPLACE VIEW.
--------------------------------------------------------------------------------
REPLACE VIEW v AS SELECT 1
---- error
UNSUPPORTED_STATEMENT: REPLACE VIEW is not supported (line 1, column 1). Supported: REPLACE TABLE.
--------------------------------------------------------------------------------
CREATE VIEW IF NOT EXISTS shop.v ON CLUSTER default (a COMMENT 'A', b Nullable(String)) DEFINER = bob SQL SECURITY DEFINER COMMENT 'c' AS SELECT 1 AS a, 'x' AS b
---- ir
CreateView
  name: shop.v
  query: SELECT 1 AS a, 'x' AS b
  comment: 'c'
  if_not_exists: True
  column a: Inferred comment 'A'
  column b: Nullable(String)
  security: 'DEFINER = bob SQL SECURITY DEFINER'
---- spark
SELECT 1 AS `a`, 'x' AS `b`
--------------------------------------------------------------------------------
CREATE OR REPLACE VIEW v SQL SECURITY INVOKER AS SELECT 1 AS a COMMENT 'c'
---- ir
CreateView
  name: v
  query: SELECT 1 AS a
  comment: 'c'
  security: 'SQL SECURITY INVOKER'
  mode: 'CREATE OR REPLACE'
---- spark
SELECT 1 AS `a`
--------------------------------------------------------------------------------
CREATE VIEW v SQL SECURITY NOBODY AS SELECT 1
---- error
SYNTAX_ERROR: Syntax error: expected DEFINER, INVOKER or NONE, found 'NOBODY' (line 1, column 28).
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v TO t DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT 1 AS a
---- ir
CreateMaterializedView
  name: v
  target: t
  query: SELECT 1 AS a
---- spark
SELECT 1 AS `a`
---- show create
CREATE MATERIALIZED VIEW default.v TO default.t
AS SELECT 1 AS a
--------------------------------------------------------------------------------
CREATE VIEW v AS SELECT 1
---- ir
CreateView
  name: v
  query: SELECT 1
---- spark
SELECT 1 AS `1`
--------------------------------------------------------------------------------
CREATE OR REPLACE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a
---- ir
CreateTable
  name: t
  column a: Int8
  engine: MergeTree
  order_by: ('a',)
  mode: 'CREATE OR REPLACE'
---- show create
CREATE TABLE default.t
(
    `a` Int8
)
ENGINE = MergeTree
ORDER BY a
--------------------------------------------------------------------------------
CREATE TABLE t ENGINE = MergeTree AS SELECT 1
---- ir
CreateTable
  name: t
  engine: MergeTree
  query: SELECT 1
---- refused
ENGINE_NEEDS_ORDER_BY: MergeTree needs an ORDER BY or a PRIMARY KEY (line 1, column 25). Write ORDER BY tuple() for a table without a key.
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8)
---- error
ENGINE_REQUIRED: CREATE TABLE needs an ENGINE (line 1, column 14). Write, for example, ENGINE = MergeTree ORDER BY tuple().
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8, A Int8) ENGINE = MergeTree ORDER BY a
---- error
DUPLICATE_COLUMN: Column A is given twice (line 1, column 25). Names that differ only in case count as the same: they share one file column.
--------------------------------------------------------------------------------
CREATE TABLE t (a Strin) ENGINE = MergeTree ORDER BY a
---- error
UNKNOWN_TYPE: Unknown data type Strin (line 1, column 19). Did you mean String or Ring or LineString?
--------------------------------------------------------------------------------
CREATE TABLE kept (a Int8, b Nullable(Int8), CONSTRAINT c CHECK a > 1 AND b < 2, PROJECTION p (SELECT a, count() GROUP BY a), index UInt8, INDEX i lower(toString(a)) TYPE bloom_filter(0.01) GRANULARITY 4, CONSTRAINT d ASSUME b > 0) ENGINE = MergeTree ORDER BY a
---- ir
CreateTable
  name: kept
  column a: Int8
  column b: Nullable(Int8)
  column index: UInt8
  engine: MergeTree
  order_by: ('a',)
  INDEX i: lower(toString(a)) TYPE bloom_filter(0.01) GRANULARITY 4
  CONSTRAINT c: CHECK a > 1 AND b < 2
  CONSTRAINT d: ASSUME b > 0
  PROJECTION p: (SELECT a, count() GROUP BY a)
---- show create
CREATE TABLE default.kept
(
    `a` Int8,
    `b` Nullable(Int8),
    `index` UInt8,
    INDEX i lower(toString(a)) TYPE bloom_filter(0.01) GRANULARITY 4,
    CONSTRAINT c CHECK a > 1 AND b < 2,
    CONSTRAINT d ASSUME b > 0,
    PROJECTION p (SELECT a, count() GROUP BY a)
)
ENGINE = MergeTree
ORDER BY a
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8, CONSTRAINT c UNIQUE (a)) ENGINE = MergeTree ORDER BY a
---- error
UNSUPPORTED_CLAUSE: CONSTRAINT c UNIQUE is not supported (line 1, column 36). Supported: CONSTRAINT name CHECK condition.
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8, CONSTRAINT c CHECK) ENGINE = MergeTree ORDER BY a
---- error
SYNTAX_ERROR: Syntax error: expected CHECK condition or ASSUME condition, found ')' (line 1, column 43).
--------------------------------------------------------------------------------
ALTER TABLE t ADD INDEX IF NOT EXISTS i (a, b) TYPE minmax FIRST, ADD CONSTRAINT c CHECK a IN (1, 2), DROP PROJECTION IF EXISTS p, CLEAR INDEX j IN PARTITION 202401, MATERIALIZE PROJECTION q
---- ir
AlterTable
  name: t
  AddElement: element INDEX i: (a, b) TYPE minmax, if_not_exists True, after ''
  AddElement: element CONSTRAINT c: CHECK a IN (1, 2)
  DropElement: kind 'PROJECTION', element 'p', if_exists True, verb 'DROP'
  DropElement: kind 'INDEX', element 'j', verb 'CLEAR'
  DropElement: kind 'PROJECTION', element 'q', verb 'MATERIALIZE'
--------------------------------------------------------------------------------
ALTER TABLE t ADD INDEX i a
---- error
SYNTAX_ERROR: Syntax error: expected expression TYPE type [GRANULARITY number], found the end (line 1, column 28).
--------------------------------------------------------------------------------
ALTER TABLE t ADD COLUMN b Int8
---- ir
AlterTable
  name: t
  AddColumn: column b: Int8
--------------------------------------------------------------------------------
TRUNCATE TABLE t
---- ir
Truncate
  name: t
--------------------------------------------------------------------------------
SELEC 1
---- error
UNSUPPORTED_STATEMENT: The statement SELEC is not supported (line 1, column 1). Did you mean SELECT?
--------------------------------------------------------------------------------
SELECT 1; SELECT 2
---- error
SYNTAX_ERROR: Syntax error: one statement at a time is expected, and more follows this ; (line 1, column 9).
--------------------------------------------------------------------------------
SELECT (1
---- error
SYNTAX_ERROR: Syntax error: expecting ), near '1' (line 1, column 9).
--------------------------------------------------------------------------------
SELECT 'abc
---- error
SYNTAX_ERROR: Syntax error: the ' is not closed (line 1, column 8).
--------------------------------------------------------------------------------
SELECT a FROM
---- error
SYNTAX_ERROR: Syntax error: expected table name, near 'FROM' (line 1, column 10).
--------------------------------------------------------------------------------
CREATE TABLE IF NOT EXISTS db.every_setting ON CLUSTER default
(
    name1 UInt64,
    name2 String ALIAS toString(name1),
    name3 ALIAS name1 + 1
) ENGINE = Kafka()
SETTINGS
    kafka_broker_list = 'host:port',
    kafka_topic_list = 'topic1,topic2',
    kafka_group_name = 'group_name',
    kafka_format = 'JSONEachRow',
    kafka_commit_on_select = false,
    kafka_max_rows_per_message = 1,
    kafka_compression_level = -1;
---- ir
CreateTable
  name: db.every_setting
  column name1: UInt64
  column name2: String alias toString(name1)
  column name3: UInt64 alias name1 + 1
  engine: Kafka
  setting kafka_broker_list = 'host:port'
  setting kafka_topic_list = 'topic1,topic2'
  setting kafka_group_name = 'group_name'
  setting kafka_format = 'JSONEachRow'
  setting kafka_commit_on_select = False
  setting kafka_max_rows_per_message = 1
  setting kafka_compression_level = -1
  if_not_exists: True
---- show create
CREATE TABLE db.every_setting
(
    `name1` UInt64,
    `name2` String ALIAS toString(name1),
    `name3` UInt64 ALIAS name1 + 1
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'host:port', kafka_topic_list = 'topic1,topic2', kafka_group_name = 'group_name', kafka_format = 'JSONEachRow', kafka_commit_on_select = false, kafka_max_rows_per_message = 1, kafka_compression_level = -1
--------------------------------------------------------------------------------
CREATE TABLE d (a UInt8 DEFAULT 5) ENGINE = Kafka('h:1', 't', 'g', 'CSV')
---- error
KAFKA_COLUMN_DEFAULT: KafkaEngine doesn't support DEFAULT/MATERIALIZED/EPHEMERAL expressions for columns (line 1, column 25). Compute the column in the SELECT of a materialized view.
--------------------------------------------------------------------------------
CREATE TABLE every_clause (
    id UInt64 CODEC(Delta(8), ZSTD(3)),
    day Date DEFAULT toDate(at) COMMENT 'of `at`',
    at DateTime TTL at + INTERVAL 1 DAY,
    version UInt32 MATERIALIZED 1,
    hint String EPHEMERAL,
    text String ALIAS concat('it''s ', toString(id)) COMMENT 'computed',
    guess DEFAULT id + 1,
    PRIMARY KEY (id)
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/{database}/{table}', '{replica}', version)
PARTITION BY toYYYYMM(day) ORDER BY (id, cityHash64(text)) SAMPLE BY id
TTL at + INTERVAL 1 MONTH DELETE WHERE id > 5, at + INTERVAL 1 YEAR TO DISK 'cold'
SETTINGS index_granularity = 8192 SETTINGS storage_policy = 'hot' COMMENT 'all of it'
---- ir
CreateTable
  name: every_clause
  column id: UInt64 codec Delta(8), ZSTD(3)
  column day: Date default toDate(at) comment 'of `at`'
  column at: DateTime ttl at + INTERVAL 1 DAY
  column version: UInt32 materialized 1
  column hint: String ephemeral
  column text: String alias concat('it''s ', toString(id)) comment 'computed'
  column guess: UInt64 default id + 1
  engine: ReplicatedReplacingMergeTree('/clickhouse/{database}/{table}', '{replica}', 'version')
  order_by: ('id', 'cityHash64(text)')
  partition_by: 'toYYYYMM(day)'
  setting index_granularity = 8192
  setting storage_policy = 'hot'
  comment: 'all of it'
  primary_key: ('id',)
  sample_by: 'id'
  ttl: "at + INTERVAL 1 MONTH DELETE WHERE id > 5, at + INTERVAL 1 YEAR TO DISK 'cold'"
---- show create
CREATE TABLE default.every_clause
(
    `id` UInt64 CODEC(Delta(8), ZSTD(3)),
    `day` Date DEFAULT toDate(at) COMMENT 'of `at`',
    `at` DateTime TTL at + INTERVAL 1 DAY,
    `version` UInt32 MATERIALIZED 1,
    `hint` String EPHEMERAL,
    `text` String ALIAS concat('it''s ', toString(id)) COMMENT 'computed',
    `guess` UInt64 DEFAULT id + 1
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/{database}/{table}', '{replica}', version)
PARTITION BY toYYYYMM(day)
PRIMARY KEY id
ORDER BY (id, cityHash64(text))
SAMPLE BY id
TTL at + INTERVAL 1 MONTH DELETE WHERE id > 5, at + INTERVAL 1 YEAR TO DISK 'cold'
SETTINGS index_granularity = 8192, storage_policy = 'hot'
COMMENT 'all of it'
--------------------------------------------------------------------------------
CREATE TABLE old_form (day Date, k UInt8, h UInt64, n UInt64) ENGINE = ReplicatedSummingMergeTree('/p', 'r', day, h, (day, k), 8192, (n))
---- ir
CreateTable
  name: old_form
  column day: Date
  column k: UInt8
  column h: UInt64
  column n: UInt64
  engine: ReplicatedSummingMergeTree('/p', 'r', '(n)')
  order_by: ('day', 'k')
  partition_by: 'toYYYYMM(day)'
  setting index_granularity = 8192
  sample_by: 'h'
---- show create
CREATE TABLE default.old_form
(
    `day` Date,
    `k` UInt8,
    `h` UInt64,
    `n` UInt64
)
ENGINE = ReplicatedSummingMergeTree('/p', 'r', (n))
PARTITION BY toYYYYMM(day)
ORDER BY (day, k)
SAMPLE BY h
SETTINGS index_granularity = 8192
--------------------------------------------------------------------------------
CREATE TABLE kept_sums (k UInt8, a UInt64, b UInt64) ENGINE = SummingMergeTree((a, b)) ORDER BY k
---- ir
CreateTable
  name: kept_sums
  column k: UInt8
  column a: UInt64
  column b: UInt64
  engine: SummingMergeTree('(a, b)',)
  order_by: ('k',)
---- show create
CREATE TABLE default.kept_sums
(
    `k` UInt8,
    `a` UInt64,
    `b` UInt64
)
ENGINE = SummingMergeTree((a, b))
ORDER BY k
--------------------------------------------------------------------------------
CREATE TABLE in_memory (k UInt8) ENGINE = Memory
---- ir
CreateTable
  name: in_memory
  column k: UInt8
  engine: Memory
---- show create
CREATE TABLE default.in_memory
(
    `k` UInt8
)
ENGINE = Memory
--------------------------------------------------------------------------------
CREATE TABLE copied AS in_memory
---- ir
CreateTable
  name: copied
  engine: 
  like: in_memory
---- show create
CREATE TABLE default.copied
(
    `k` UInt8
)
ENGINE = Memory
--------------------------------------------------------------------------------
CREATE TABLE like_other ON CLUSTER '{cluster}' AS db.every_setting ENGINE = Null COMMENT 'x'
---- ir
CreateTable
  name: like_other
  engine: Null
  like: db.every_setting
  comment: 'x'
---- show create
CREATE TABLE default.like_other
(
    `name1` UInt64,
    `name2` String ALIAS toString(name1),
    `name3` UInt64 ALIAS name1 + 1
)
ENGINE = Null
COMMENT 'x'
--------------------------------------------------------------------------------
CREATE TABLE by_name (a Int8) ENGINE = Kafka('b:9092', 't', my_group, JSONEachRow)
---- ir
CreateTable
  name: by_name
  column a: Int8
  engine: Kafka('b:9092', 't', 'my_group', 'JSONEachRow')
---- show create
CREATE TABLE default.by_name
(
    `a` Int8
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'b:9092', kafka_topic_list = 't', kafka_group_name = 'my_group', kafka_format = 'JSONEachRow'
--------------------------------------------------------------------------------
CREATE TABLE by_collection (a Int8) ENGINE = Kafka(`my kafka`, kafka_topic_list = 't', kafka_num_consumers = 2, kafka_sasl_password = 'secret') SETTINGS kafka_format = 'JSONEachRow'
---- ir
CreateTable
  name: by_collection
  column a: Int8
  engine: Kafka of my kafka {'kafka_topic_list': 't', 'kafka_num_consumers': 2, 'kafka_sasl_password': 'secret'}
  setting kafka_format = 'JSONEachRow'
---- show create
CREATE TABLE default.by_collection
(
    `a` Int8
)
ENGINE = Kafka(`my kafka`, kafka_topic_list = 't', kafka_num_consumers = 2, kafka_sasl_password = '[HIDDEN]')
SETTINGS kafka_format = 'JSONEachRow'
--------------------------------------------------------------------------------
CREATE TABLE wrong (a Int8) ENGINE = Kafka(c, 't')
---- error
INVALID_ENGINE_ARGUMENT: Expected key = value after the name of a named collection (line 1, column 47).
--------------------------------------------------------------------------------
CREATE TABLE wrong (a Int8) ENGINE = Kafka(kafka_topic_list = 't')
---- error
INVALID_ENGINE_ARGUMENT: kafka_topic_list = … can stand in Kafka(…) after the name of a named collection only; else write it in SETTINGS (line 1, column 44).
--------------------------------------------------------------------------------
CREATE TABLE collapsing (a Int8, sign Int8) ENGINE = CollapsingMergeTree(sign) ORDER BY a
---- ir
CreateTable
  name: collapsing
  column a: Int8
  column sign: Int8
  engine: CollapsingMergeTree('sign',)
  order_by: ('a',)
---- show create
CREATE TABLE default.collapsing
(
    `a` Int8,
    `sign` Int8
)
ENGINE = CollapsingMergeTree(sign)
ORDER BY a
--------------------------------------------------------------------------------
CREATE TABLE wrong (a Int8) ENGINE = VersionedCollapsingMergeTree(a) ORDER BY a
---- ir
CreateTable
  name: wrong
  column a: Int8
  engine: VersionedCollapsingMergeTree('a',)
  order_by: ('a',)
---- refused
INVALID_ENGINE_ARGUMENT: VersionedCollapsingMergeTree(sign, version) needs the names of these columns (line 1, column 38).
--------------------------------------------------------------------------------
CREATE TABLE wrong (a Int8) ENGINE = ReplacingMergeTree(version) ORDER BY a
---- ir
CreateTable
  name: wrong
  column a: Int8
  engine: ReplacingMergeTree('version',)
  order_by: ('a',)
---- refused
UNKNOWN_COLUMN: Unknown column version (line 1, column 38).
--------------------------------------------------------------------------------
CREATE TABLE wrong (a Int8) ENGINE = MergeTree ORDER BY a ORDER BY a
---- error
SYNTAX_ERROR: Syntax error: ORDER BY is written twice (line 1, column 59).
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW own ENGINE = MergeTree ORDER BY k AS SELECT k, k + 1 AS n, [k] AS list FROM in_memory
---- ir
CreateMaterializedView
  name: own
  query: SELECT k, k + 1 AS n, [k] AS list FROM in_memory
  CreateTable
    name: own
    engine: MergeTree
    order_by: ('k',)
---- spark
SELECT `in_memory`.`k` AS `k`, CAST(`in_memory`.`k` AS BIGINT) + 1 AS `n`, array(`in_memory`.`k`) AS `list`
FROM `view of in_memory` AS `in_memory`
---- show create
CREATE MATERIALIZED VIEW default.own
(
    `k` UInt8,
    `n` UInt16,
    `list` Array(UInt8)
)
ENGINE = MergeTree
ORDER BY k
AS SELECT k, k + 1 AS n, [k] AS list FROM in_memory
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW IF NOT EXISTS own2 (k UInt8 CODEC(NONE)) ENGINE = Memory COMMENT 'mine' AS SELECT k FROM in_memory
---- ir
CreateMaterializedView
  name: own2
  query: SELECT k FROM in_memory
  if_not_exists: True
  comment: 'mine'
  CreateTable
    name: own2
    column k: UInt8 codec NONE
    engine: Memory
---- spark
SELECT `in_memory`.`k` AS `k`
FROM `view of in_memory` AS `in_memory`
---- show create
CREATE MATERIALIZED VIEW default.own2
(
    `k` UInt8 CODEC(NONE)
)
ENGINE = Memory
AS SELECT k FROM in_memory
COMMENT 'mine'
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW own3 ENGINE = MergeTree ORDER BY k POPULATE AS SELECT 1 AS k
---- ir
CreateMaterializedView
  name: own3
  query: SELECT 1 AS k
  CreateTable
    name: own3
    engine: MergeTree
    order_by: ('k',)
  populate: True
---- spark
SELECT 1 AS `k`
---- show create
CREATE MATERIALIZED VIEW default.own3
(
    `k` UInt8
)
ENGINE = MergeTree
ORDER BY k
AS SELECT 1 AS k
--------------------------------------------------------------------------------
CREATE NAMED COLLECTION IF NOT EXISTS `my kafka` ON CLUSTER default AS kafka_broker_list = 'b:9092' NOT OVERRIDABLE, kafka_num_consumers = 2 OVERRIDABLE, kafka_sasl_password = 'secret', secret_of_others = 'x'
---- ir
CreateNamedCollection
  name: 'my kafka'
  value kafka_broker_list = 'b:9092' not overridable
  value kafka_num_consumers = 2 overridable
  value kafka_sasl_password = 'secret'
  value secret_of_others = 'x'
  if_not_exists: True
---- show create
CREATE NAMED COLLECTION `my kafka` AS kafka_broker_list = 'b:9092' NOT OVERRIDABLE, kafka_num_consumers = 2 OVERRIDABLE, kafka_sasl_password = '[HIDDEN]', secret_of_others = '[HIDDEN]'
--------------------------------------------------------------------------------
CREATE NAMED COLLECTION c AS a = 1, a = 2
---- error
SYNTAX_ERROR: Syntax error: The key a is written twice (line 1, column 37).
--------------------------------------------------------------------------------
ALTER NAMED COLLECTION IF EXISTS c SET a = 'x' OVERRIDABLE, b = -1 DELETE d, e
---- ir
AlterNamedCollection
  name: 'c'
  value a = 'x' overridable
  value b = -1
  delete: ('d', 'e')
  if_exists: True
--------------------------------------------------------------------------------
ALTER NAMED COLLECTION c
---- error
SYNTAX_ERROR: Syntax error: expected SET or DELETE, found the end (line 1, column 25).
--------------------------------------------------------------------------------
DROP NAMED COLLECTION IF EXISTS c ON CLUSTER default
---- ir
DropNamedCollection
  name: 'c'
  if_exists: True
--------------------------------------------------------------------------------
SHOW NAMED COLLECTIONS LIKE 'a%' FORMAT JSON
---- ir
ShowNamedCollections
  format: 'JSON'
  like: 'a%'
--------------------------------------------------------------------------------
SHOW CREATE NAMED COLLECTION c
---- ir
ShowCreate
  kind: 'NAMED COLLECTION'
  name: c
--------------------------------------------------------------------------------
ALTER TABLE db.t ON CLUSTER default ADD COLUMN IF NOT EXISTS a.b Nullable(String) DEFAULT first COMMENT 'x' AFTER c, ADD COLUMN d UInt8 FIRST, DROP COLUMN IF EXISTS e
---- ir
AlterTable
  name: db.t
  AddColumn: column a.b: Nullable(String) default first comment 'x', if_not_exists True, after 'c'
  AddColumn: column d: UInt8, after ''
  DropColumn: name 'e', if_exists True
--------------------------------------------------------------------------------
ALTER TABLE t MODIFY COLUMN a String CODEC(ZSTD), MODIFY COLUMN IF EXISTS b COMMENT 'x', MODIFY COLUMN c REMOVE TTL, ALTER COLUMN d TYPE UInt8 AFTER a
---- ir
AlterTable
  name: t
  ModifyColumn: name 'a', changes type = String, codec = 'ZSTD'
  ModifyColumn: name 'b', changes comment = 'x', if_exists True
  ModifyColumn: name 'c', changes ttl = ''
  ModifyColumn: name 'd', changes type = UInt8, after 'a'
--------------------------------------------------------------------------------
ALTER TABLE t RENAME COLUMN a TO b, COMMENT COLUMN IF EXISTS c 'why', MODIFY COMMENT 'all'
---- ir
AlterTable
  name: t
  RenameColumn: name 'a', to 'b'
  ModifyColumn: name 'c', changes comment = 'why', if_exists True
  ModifyComment: comment 'all'
--------------------------------------------------------------------------------
ALTER TABLE q MODIFY SETTING kafka_max_block_size = 100, kafka_format = 'CSV', RESET SETTING kafka_client_id, kafka_schema
---- ir
AlterTable
  name: q
  ModifySetting: settings kafka_max_block_size = 100, kafka_format = 'CSV'
  ModifySetting: reset ('kafka_client_id', 'kafka_schema')
--------------------------------------------------------------------------------
ALTER TABLE v MODIFY QUERY SELECT a FROM q
---- ir
AlterTable
  name: v
  ModifyQuery: query SELECT a FROM q
--------------------------------------------------------------------------------
ALTER TABLE t DELETE WHERE a = 1
---- ir
Mutation
  name: t
  verb: 'DELETE'
  condition: 'a = 1'
  command: 'DELETE WHERE a = 1'
--------------------------------------------------------------------------------
ALTER TABLE t ADD COLUMN a
---- error
SYNTAX_ERROR: Syntax error: expected the type of column a, found the end (line 1, column 27).
--------------------------------------------------------------------------------
ALTER TABLE t MODIFY COLUMN a
---- error
SYNTAX_ERROR: Syntax error: expected what is to change in column a, found the end (line 1, column 30).
--------------------------------------------------------------------------------
ALTER TABLE t
---- error
SYNTAX_ERROR: Syntax error: expected a change, found the end (line 1, column 14).
--------------------------------------------------------------------------------
RENAME TABLE a TO b, db.c TO other.d ON CLUSTER default
---- ir
RenameTables
  pairs: a to b, db.c to other.d
--------------------------------------------------------------------------------
RENAME DATABASE a TO b
---- ir
RenameDatabase
  name: 'a'
  to: 'b'
--------------------------------------------------------------------------------
EXCHANGE TABLES a AND db.b
---- ir
ExchangeTables
  first: a
  second: db.b
--------------------------------------------------------------------------------
EXCHANGE DICTIONARIES a AND b
---- error
UNSUPPORTED_STATEMENT: EXCHANGE DICTIONARIES is not supported (line 1, column 10). Use EXCHANGE TABLES.
--------------------------------------------------------------------------------
TRUNCATE TABLE IF EXISTS t ON CLUSTER default SYNC
---- ir
Truncate
  name: t
  if_exists: True
--------------------------------------------------------------------------------
OPTIMIZE TABLE t FINAL
---- ir
Optimize
  name: t
  final: True
--------------------------------------------------------------------------------
OPTIMIZE TABLE t PARTITION 1
---- ir
Optimize
  name: t
  partition: Partition(values=('1',), id=None, all=False)
--------------------------------------------------------------------------------
OPTIMIZE TABLE db.t ON CLUSTER default PARTITION (toYYYYMM(today()), 'x') FINAL
---- ir
Optimize
  name: db.t
  final: True
  partition: Partition(values=('toYYYYMM(today())', "'x'"), id=None, all=False)
--------------------------------------------------------------------------------
OPTIMIZE TABLE t PARTITION ID 'all' FINAL
---- ir
Optimize
  name: t
  final: True
  partition: Partition(values=(), id='all', all=False)
--------------------------------------------------------------------------------
OPTIMIZE TABLE t FINAL DEDUPLICATE
---- error
UNSUPPORTED_STATEMENT: OPTIMIZE … DEDUPLICATE is not supported (line 1, column 24). DELETE FROM deletes rows; ReplacingMergeTree keeps one of each key.
--------------------------------------------------------------------------------
SYSTEM RELOAD CONFIG
---- ir
System
  action: 'RELOAD CONFIG'
--------------------------------------------------------------------------------
SYSTEM STOP MERGES db.t
---- ir
System
  action: 'STOP MERGES'
  name: db.t
--------------------------------------------------------------------------------
SYSTEM RELOAD CONFI
---- error
UNSUPPORTED_STATEMENT: SYSTEM RELOAD CONFI is not supported (line 1, column 8). Did you mean SYSTEM RELOAD CONFIG or RELOAD FUNCTIONS or RELOAD DICTIONARIES?
--------------------------------------------------------------------------------
EXPLAIN MIGRATION CREATE TABLE q (a Int8) ENGINE = Kafka('b', 't', 'g', 'CSV') FORMAT JSON
---- ir
ExplainMigration
  format: 'JSON'
  CreateTable
    name: q
    column a: Int8
    engine: Kafka('b', 't', 'g', 'CSV')
--------------------------------------------------------------------------------
EXPLAIN MIGRATION DROP TABLE q
---- ir
ExplainMigration
  Drop
    kind: 'TABLE'
    name: q
--------------------------------------------------------------------------------
EXPLAIN MIGRATION
---- error
SYNTAX_ERROR: Syntax error: expected a statement, found the end (line 1, column 18).
--------------------------------------------------------------------------------
CREATE TEMPORARY TABLE IF NOT EXISTS t (a Int8)
---- ir
CreateTable
  name: t
  column a: Int8
  engine: Memory
  if_not_exists: True
  temporary: True
---- show create
CREATE TEMPORARY TABLE `t`
(
    `a` Int8
)
ENGINE = Memory
--------------------------------------------------------------------------------
DROP TEMPORARY TABLE IF EXISTS t
---- ir
Drop
  kind: 'TABLE'
  name: t
  if_exists: True
  temporary: True
--------------------------------------------------------------------------------
CREATE TEMPORARY TABLE db.t (a Int8)
---- error
BAD_DATABASE_FOR_TEMPORARY_TABLE: The temporary table db.t cannot be in a database (line 1, column 24). Write the name without a database: a temporary table belongs to the session.
--------------------------------------------------------------------------------
CREATE FUNCTION IF NOT EXISTS f ON CLUSTER default AS (x, k) -> k * x + 1 -- a line
---- ir
CreateFunction
  name: 'f'
  text: '(x, k) -> k * x + 1'
  if_not_exists: True
--------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION `my f` AS x -> upper(x)
---- ir
CreateFunction
  name: 'my f'
  text: 'x -> upper(x)'
--------------------------------------------------------------------------------
CREATE FUNCTION f AS 5
---- error
SYNTAX_ERROR: Syntax error: expected a lambda, such as (x) -> x + 1, found '5' (line 1, column 22).
--------------------------------------------------------------------------------
DROP FUNCTION IF EXISTS f
---- ir
DropFunction
  name: 'f'
  if_exists: True
--------------------------------------------------------------------------------
TRUNCATE DATABASE IF EXISTS d
---- ir
TruncateDatabase
  name: 'd'
  if_exists: True
--------------------------------------------------------------------------------
TRUNCATE ALL TABLES FROM d NOT ILIKE 'T%'
---- ir
TruncateTables
  database: 'd'
  like: 'T%'
  negated: True
  any_case: True
--------------------------------------------------------------------------------
TRUNCATE TABLES FROM IF EXISTS d
---- ir
TruncateTables
  database: 'd'
  if_exists: True
--------------------------------------------------------------------------------
RENAME DATABASE IF EXISTS a TO b
---- ir
RenameDatabase
  name: 'a'
  to: 'b'
  if_exists: True
--------------------------------------------------------------------------------
RENAME DICTIONARY a TO b
---- ir
RenameTables
  pairs: a to b
--------------------------------------------------------------------------------
ALTER TABLE t MODIFY TTL a + INTERVAL 1 DAY DELETE, b TO DISK 'x', MODIFY COMMENT 'c'
---- ir
AlterTable
  name: t
  ModifyTtl: ttl "a + INTERVAL 1 DAY DELETE, b TO DISK 'x'"
  ModifyComment: comment 'c'
--------------------------------------------------------------------------------
ALTER TABLE t REMOVE TTL, ADD COLUMN x UInt8
---- ir
AlterTable
  name: t
  ModifyTtl: ttl ''
  AddColumn: column x: UInt8
--------------------------------------------------------------------------------
ALTER TABLE t MODIFY ORDER BY (a, b)
---- error
UNSUPPORTED_STATEMENT: ALTER TABLE … MODIFY ORDER BY is not supported (line 1, column 15). Create a table with the other key, fill it with INSERT INTO … SELECT, and EXCHANGE the two.
--------------------------------------------------------------------------------
ALTER TABLE t ADD STATISTICS a TYPE tdigest
---- error
UNSUPPORTED_STATEMENT: ALTER TABLE … ADD STATISTICS is not supported (line 1, column 15). Delta Lake keeps the least and the greatest value of each column.
--------------------------------------------------------------------------------
CHECK TABLE db.t
---- ir
CheckTable
  name: db.t
--------------------------------------------------------------------------------
CHECK TABLE t PARTITION (1, 'a') FORMAT JSON SETTINGS check_query_single_value_result = 1
---- ir
CheckTable
  format: 'JSON'
  name: t
  partition: Partition(values=('1', "'a'"), id=None, all=False)
  setting check_query_single_value_result = 1
--------------------------------------------------------------------------------
CHECK TABLE t PART 'x.parquet'
---- ir
CheckTable
  name: t
  part: 'x.parquet'
--------------------------------------------------------------------------------
CHECK ALL TABLES FORMAT TSV
---- ir
CheckTable
  format: 'TSV'
--------------------------------------------------------------------------------
CHECK TABLE t PARTITION
---- error
SYNTAX_ERROR: Syntax error: expected the value of a partition, found the end (line 1, column 24).
--------------------------------------------------------------------------------
CREATE INDEX IF NOT EXISTS i ON db.t (lower(b), c) TYPE bloom_filter(0.01) GRANULARITY 4
---- ir
AlterTable
  name: db.t
  AddElement: element INDEX i: (lower(b), c) TYPE bloom_filter(0.01) GRANULARITY 4, if_not_exists True
--------------------------------------------------------------------------------
CREATE INDEX i ON t b
---- error
SYNTAX_ERROR: Syntax error: expected expression TYPE type [GRANULARITY number], found the end (line 1, column 22).
--------------------------------------------------------------------------------
DROP INDEX IF EXISTS i ON db.t
---- ir
AlterTable
  name: db.t
  DropElement: kind 'INDEX', element 'i', if_exists True, verb 'DROP'
--------------------------------------------------------------------------------
CREATE DATABASE d ENGINE = MySQL('h:3306', 'd', 'u', 'p')
---- error
UNKNOWN_DATABASE_ENGINE: The database engine MySQL is not supported (line 1, column 28). Leave ENGINE out: a database has the tables that are created in it, and none of another server.
--------------------------------------------------------------------------------
EXISTS TEMPORARY TABLE t
---- ir
Exists
  kind: 'TABLE'
  name: t
  temporary: True
