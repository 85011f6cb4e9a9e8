CREATE DATABASE IF NOT EXISTS shop ON CLUSTER c ENGINE = Atomic
---- ir
CreateDatabase
  name: 'shop'
  if_not_exists: True
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
--------------------------------------------------------------------------------
CREATE TABLE c (a String CODEC(ZSTD(3)) TTL now() + INTERVAL 1 DAY COMMENT 'text', b LowCardinality(Nullable(String)), n.x Array(Int8)) ENGINE = ReplacingMergeTree(b) ORDER BY a TTL now() + INTERVAL 1 MONTH
---- ir
CreateTable
  name: c
  column a: String comment 'text'
  column b: LowCardinality(Nullable(String))
  column n.x: Array(Int8)
  engine: ReplacingMergeTree('b',)
  order_by: ('a',)
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
INSERT INTO t SETTINGS async_insert = 1 SELECT 1
---- ir
Insert
  name: t
  query: SELECT 1
---- spark
SELECT 1 AS `1`
--------------------------------------------------------------------------------
DROP TABLE IF EXISTS db.t ON CLUSTER c SYNC
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
  permanently: True
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
  database: 'shop'
  like: '%a'
  format: 'JSON'
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
  kind: 'VIEW'
  name: v
  format: 'Vertical'
--------------------------------------------------------------------------------
DESC t
---- ir
Describe
  name: t
--------------------------------------------------------------------------------
DESCRIBE TABLE t FORMAT TSV
---- ir
Describe
  name: t
  format: 'TSV'
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
  kind: 'TABLE'
  name: v
  format: 'JSON'
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
SYNTAX_ERROR: Syntax error: expected EARLIEST, LATEST or GROUP, found 'SOMEWHERE' (line 1, column 27).
--------------------------------------------------------------------------------
SYSTEM PAUSE q
---- error
UNSUPPORTED_STATEMENT: The statement SYSTEM PAUSE is not supported (line 1, column 1). There is SYSTEM RESET OFFSETS.
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
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v AS SELECT 1
---- error
UNSUPPORTED_STATEMENT: A materialized view without TO is not supported (line 1, column 28). Create the target table and write CREATE MATERIALIZED VIEW v TO target AS ….
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v TO t POPULATE AS SELECT 1
---- error
UNSUPPORTED_STATEMENT: POPULATE is not supported (line 1, column 33). Use INSERT INTO target SELECT … for the rows that are there already.
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW v REFRESH EVERY 1 HOUR TO t AS SELECT 1
---- error
UNSUPPORTED_STATEMENT: REFRESH of a materialized view is not supported (line 1, column 28). A view runs with every batch of the table it reads.
--------------------------------------------------------------------------------
CREATE VIEW v AS SELECT 1
---- error
UNSUPPORTED_STATEMENT: CREATE VIEW is not supported (line 1, column 1). Use CREATE MATERIALIZED VIEW … TO table AS SELECT ….
--------------------------------------------------------------------------------
CREATE OR REPLACE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a
---- error
UNSUPPORTED_STATEMENT: CREATE OR REPLACE is not supported (line 1, column 1). DROP the table first.
--------------------------------------------------------------------------------
CREATE TABLE t ENGINE = MergeTree AS SELECT 1
---- error
SYNTAX_ERROR: Syntax error: expected the columns in parentheses, or AS and another table, found 'ENGINE' (line 1, column 16).
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8)
---- error
BAD_ARGUMENTS: CREATE TABLE needs an ENGINE, such as ENGINE = MergeTree ORDER BY tuple() (line 1, column 14).
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8, A Int8) ENGINE = MergeTree ORDER BY a
---- error
DUPLICATE_COLUMN: Column A is given twice (line 1, column 25). Names that differ only in case count as the same: they share one file column.
--------------------------------------------------------------------------------
CREATE TABLE t (a Strin) ENGINE = MergeTree ORDER BY a
---- error
UNKNOWN_TYPE: Unknown data type Strin (line 1, column 19). Did you mean String or FixedString?
--------------------------------------------------------------------------------
CREATE TABLE t (a Int8, CONSTRAINT c CHECK a > 1) ENGINE = MergeTree ORDER BY a
---- error
UNSUPPORTED_STATEMENT: CONSTRAINT in CREATE TABLE is not supported (line 1, column 25). Filter the rows in the SELECT of the view that fills the table.
--------------------------------------------------------------------------------
ALTER TABLE t ADD COLUMN b Int8
---- error
UNSUPPORTED_STATEMENT: The statement ALTER is not supported (line 1, column 1). Statements begin with SELECT, WITH, INSERT, CREATE, DROP, DETACH, ATTACH, USE, SHOW DATABASES, SHOW TABLES, SHOW CREATE, DESCRIBE, DESC, EXISTS, SET, SYSTEM RESET OFFSETS.
--------------------------------------------------------------------------------
TRUNCATE TABLE t
---- error
UNSUPPORTED_STATEMENT: The statement TRUNCATE is not supported (line 1, column 1). Statements begin with SELECT, WITH, INSERT, CREATE, DROP, DETACH, ATTACH, USE, SHOW DATABASES, SHOW TABLES, SHOW CREATE, DESCRIBE, DESC, EXISTS, SET, SYSTEM RESET OFFSETS.
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
