INSERT INTO t SELECT a, b FROM s WHERE a > 1
---- ir
Insert
  name: t
  query: SELECT a, b FROM s WHERE a > 1
  dialect: flink
--------------------------------------------------------------------------------
insert into db.t (a, `b c`) select * from s;
---- ir
Insert
  name: db.t
  columns: ('a', 'b c')
  query: select * from s
  dialect: flink
--------------------------------------------------------------------------------
INSERT OVERWRITE t VALUES (1, 'x'), (2, 'it''s')
---- ir
Insert
  name: t
  rows: 1, 'x'; 2, 'it''s'
  overwrite: True
  dialect: flink
--------------------------------------------------------------------------------
INSERT INTO t VALUES (1), (2) UNION ALL SELECT 3
---- ir
Insert
  name: t
  query: VALUES (1), (2) UNION ALL SELECT 3
  dialect: flink
--------------------------------------------------------------------------------
INSERT INTO t /*+ OPTIONS('sink.parallelism' = '2', 'topic'='x') */ (SELECT a FROM s)
---- ir
Insert
  name: t, 'sink.parallelism' = '2', 'topic' = 'x'
  query: (SELECT a FROM s)
  dialect: flink
--------------------------------------------------------------------------------
INSERT INTO t PARTITION (day = '2024-01-01') SELECT 1
---- error
UNSUPPORTED_CLAUSE: PARTITION in INSERT is not supported (line 1, column 15). Select the partition's columns with the others.
--------------------------------------------------------------------------------
BEGIN STATEMENT SET;
INSERT INTO a SELECT * FROM s;
-- and
INSERT INTO b SELECT CASE WHEN x THEN 1 ELSE 2 END FROM s;
END;
---- ir
StatementSet
  inserts:
    Insert
      name: a
      query: SELECT * FROM s
      dialect: flink
    Insert
      name: b
      query: SELECT CASE WHEN x THEN 1 ELSE 2 END FROM s
      dialect: flink
--------------------------------------------------------------------------------
EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b VALUES (2); END
---- ir
StatementSet
  inserts:
    Insert
      name: a
      query: SELECT 1
      dialect: flink
    Insert
      name: b
      rows: 2
      dialect: flink
--------------------------------------------------------------------------------
SELECT * FROM t
---- ir
Select
  query: SELECT * FROM t
--------------------------------------------------------------------------------
WITH x AS (SELECT 1 AS a) SELECT a FROM x
---- ir
Select
  query: WITH x AS (SELECT 1 AS a) SELECT a FROM x
--------------------------------------------------------------------------------
(SELECT 1) UNION ALL (SELECT 2)
---- ir
Select
  query: (SELECT 1) UNION ALL (SELECT 2)
--------------------------------------------------------------------------------
VALUES (1, 'a'), (2, 'b')
---- ir
Select
  query: VALUES (1, 'a'), (2, 'b')
--------------------------------------------------------------------------------
SELECT window_start, window_end, SUM(price) FROM TABLE(
  TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end
---- ir
Select
  query: SELECT window_start, window_end, SUM(price) FROM TABLE( TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end
--------------------------------------------------------------------------------
SELECT window_start, window_end, SUM(price) AS total
FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTE))
GROUP BY window_start, window_end
---- ir
Select
  query: SELECT window_start, window_end, SUM(price) AS total FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end
--------------------------------------------------------------------------------
SELECT * FROM TABLE(HOP(DATA => TABLE bid, TIMECOL => DESCRIPTOR(bidtime), SLIDE => INTERVAL '5' MINUTE, SIZE => INTERVAL '10' MINUTE))
---- ir
Select
  query: SELECT * FROM TABLE(HOP(DATA => TABLE bid, TIMECOL => DESCRIPTOR(bidtime), SLIDE => INTERVAL '5' MINUTE, SIZE => INTERVAL '10' MINUTE))
--------------------------------------------------------------------------------
SELECT * FROM TABLE(CUMULATE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTE, INTERVAL '10' MINUTE))
---- ir
Select
  query: SELECT * FROM TABLE(CUMULATE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTE, INTERVAL '10' MINUTE))
--------------------------------------------------------------------------------
SELECT * FROM TABLE(SESSION(TABLE bid PARTITION BY item, DESCRIPTOR(bidtime), INTERVAL '5' MINUTE))
---- ir
Select
  query: SELECT * FROM TABLE(SESSION(TABLE bid PARTITION BY item, DESCRIPTOR(bidtime), INTERVAL '5' MINUTE))
--------------------------------------------------------------------------------
SELECT user, TUMBLE_START(ts, INTERVAL '1' HOUR) AS s, TUMBLE_END(ts, INTERVAL '1' HOUR) AS e, TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) AS r, COUNT(*) AS n
FROM clicks GROUP BY user, TUMBLE(ts, INTERVAL '1' HOUR)
---- ir
Select
  query: SELECT user, TUMBLE_START(ts, INTERVAL '1' HOUR) AS s, TUMBLE_END(ts, INTERVAL '1' HOUR) AS e, TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) AS r, COUNT(*) AS n FROM clicks GROUP BY user, TUMBLE(ts, INTERVAL '1' HOUR)
--------------------------------------------------------------------------------
SELECT HOP_START(ts, INTERVAL '1' MINUTE, INTERVAL '1:00' HOUR TO MINUTE), SESSION_END(ts, INTERVAL '30' SECOND), HOP_PROCTIME(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR) FROM t GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1:00' HOUR TO MINUTE), SESSION(ts, INTERVAL '30' SECOND)
---- ir
Select
  query: SELECT HOP_START(ts, INTERVAL '1' MINUTE, INTERVAL '1:00' HOUR TO MINUTE), SESSION_END(ts, INTERVAL '30' SECOND), HOP_PROCTIME(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR) FROM t GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1:00' HOUR TO MINUTE), SESSION(ts, INTERVAL '30' SECOND)
--------------------------------------------------------------------------------
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency
---- ir
Select
  query: SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency
--------------------------------------------------------------------------------
SELECT * FROM t /*+ OPTIONS('scan.startup.mode' = 'earliest-offset') */ AS x, LATERAL TABLE(split(x.a)) AS s(word)
---- ir
Select
  query: SELECT * FROM t /*+ OPTIONS('scan.startup.mode' = 'earliest-offset') */ AS x, LATERAL TABLE(split(x.a)) AS s(word)
--------------------------------------------------------------------------------
SELECT ts + INTERVAL '1-6' YEAR TO MONTH, ts - INTERVAL '10 04:05:06.789' DAY TO SECOND(3), INTERVAL -'1' DAY, INTERVAL '1' DAY(3) FROM t
---- ir
Select
  query: SELECT ts + INTERVAL '1-6' YEAR TO MONTH, ts - INTERVAL '10 04:05:06.789' DAY TO SECOND(3), INTERVAL -'1' DAY, INTERVAL '1' DAY(3) FROM t
--------------------------------------------------------------------------------
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts MEASURES A.b AS c PATTERN (A B) DEFINE A AS A.b > 1)
---- error
UNSUPPORTED_CLAUSE: MATCH_RECOGNIZE is not supported (line 1, column 17).
--------------------------------------------------------------------------------
SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC) AS n FROM t WHERE `timestamp` > TIMESTAMP '2024-01-01 00:00:00' ORDER BY a LIMIT 3
---- ir
Select
  query: SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC) AS n FROM t WHERE `timestamp` > TIMESTAMP '2024-01-01 00:00:00' ORDER BY a LIMIT 3
--------------------------------------------------------------------------------
DROP TABLE IF EXISTS db.t
---- ir
Drop
  kind: TABLE
  name: db.t
  if_exists: True
--------------------------------------------------------------------------------
DROP TEMPORARY VIEW v
---- ir
Drop
  kind: VIEW
  name: v
  temporary: True
--------------------------------------------------------------------------------
DROP DATABASE IF EXISTS d
---- ir
DropDatabase
  name: d
  if_exists: True
  cascade: False
--------------------------------------------------------------------------------
DROP DATABASE d CASCADE
---- ir
DropDatabase
  name: d
--------------------------------------------------------------------------------
DROP CATALOG c
---- ir
DropCatalog
  name: c
--------------------------------------------------------------------------------
DROP FUNCTION f
---- error
UNSUPPORTED_STATEMENT: This DROP is not supported (line 1, column 6). Supported: DROP TABLE, DROP VIEW, DROP DATABASE.
--------------------------------------------------------------------------------
ALTER TABLE t RENAME TO db.u
---- ir
RenameTables
  pairs: t, db.u
--------------------------------------------------------------------------------
ALTER TABLE IF EXISTS t SET ('topic' = 'x', 'format' = 'json')
---- ir
AlterTable
  name: t
  ModifySetting
    setting topic = x
    setting format = json
  if_exists: True
--------------------------------------------------------------------------------
ALTER TABLE t RESET ('topic')
---- ir
AlterTable
  name: t
  ModifySetting
    reset: ('topic',)
--------------------------------------------------------------------------------
ALTER TABLE t ADD (a INT NOT NULL COMMENT 'c' FIRST, b AS a + 1 AFTER a, PRIMARY KEY (a) NOT ENFORCED, WATERMARK FOR ts AS ts)
---- ir
AlterTable
  name: t
  AddColumn
    column: a: Int32 comment 'c'
    after: 
  AddColumn
    column: b: Inferred as a + 1
    after: a
  ModifyKey
    columns: ('a',)
    add: True
  ModifyWatermark
    watermark: ts as ts
    add: True
--------------------------------------------------------------------------------
ALTER TABLE t ADD c STRING METADATA FROM 'topic' VIRTUAL
---- ir
AlterTable
  name: t
  AddColumn
    column: c: Nullable(String) metadata 'topic' virtual
--------------------------------------------------------------------------------
ALTER TABLE t MODIFY (a BIGINT, b STRING COMMENT 'x' AFTER a, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
---- ir
AlterTable
  name: t
  ModifyColumn
    name: a
    change type = Nullable(Int64)
    change alias = None
    change metadata = None
    change virtual = False
  ModifyColumn
    name: b
    change type = Nullable(String)
    change alias = None
    change metadata = None
    change virtual = False
    change comment = x
    after: a
  ModifyWatermark
    watermark: ts as ts - INTERVAL '1' SECOND
--------------------------------------------------------------------------------
ALTER TABLE t DROP a
---- ir
AlterTable
  name: t
  DropColumn
    name: a
--------------------------------------------------------------------------------
ALTER TABLE t DROP (a, `b c`)
---- ir
AlterTable
  name: t
  DropColumn
    name: a
  DropColumn
    name: b c
--------------------------------------------------------------------------------
ALTER TABLE t DROP PRIMARY KEY
---- ir
AlterTable
  name: t
  ModifyKey
--------------------------------------------------------------------------------
ALTER TABLE t DROP CONSTRAINT pk
---- ir
AlterTable
  name: t
  ModifyKey
--------------------------------------------------------------------------------
ALTER TABLE t DROP WATERMARK
---- ir
AlterTable
  name: t
  ModifyWatermark
--------------------------------------------------------------------------------
ALTER TABLE t RENAME a TO b
---- ir
AlterTable
  name: t
  RenameColumn
    name: a
    to: b
--------------------------------------------------------------------------------
ALTER TABLE t ADD PARTITION (a = '1')
---- error
UNSUPPORTED_CLAUSE: PARTITION in ALTER TABLE is not supported (line 1, column 19). A partition exists as long as it has rows.
--------------------------------------------------------------------------------
ALTER VIEW v RENAME TO w
---- ir
RenameTables
  pairs: v, w
--------------------------------------------------------------------------------
TRUNCATE TABLE t
---- ir
Truncate
  name: t
--------------------------------------------------------------------------------
USE db
---- ir
Use
  database: db
--------------------------------------------------------------------------------
USE CATALOG c
---- ir
UseCatalog
  name: c
--------------------------------------------------------------------------------
USE MODULES hive
---- error
UNSUPPORTED_STATEMENT: USE MODULES is not supported (line 1, column 5).
--------------------------------------------------------------------------------
SHOW TABLES
---- ir
ShowTables
--------------------------------------------------------------------------------
SHOW TABLES FROM db LIKE 'a%'
---- ir
ShowTables
  database: db
  like: a%
--------------------------------------------------------------------------------
SHOW TABLES NOT LIKE 'a%'
---- error
UNSUPPORTED_CLAUSE: NOT LIKE in SHOW is not supported (line 1, column 13). Use LIKE.
--------------------------------------------------------------------------------
SHOW DATABASES
---- ir
ShowDatabases
--------------------------------------------------------------------------------
SHOW CATALOGS
---- ir
Show
  what: CATALOGS
--------------------------------------------------------------------------------
SHOW JOBS
---- ir
ShowJobs
--------------------------------------------------------------------------------
SHOW VIEWS
---- ir
Show
  what: VIEWS
--------------------------------------------------------------------------------
SHOW FUNCTIONS LIKE 'to%'
---- ir
Show
  what: FUNCTIONS
  like: to%
--------------------------------------------------------------------------------
SHOW USER FUNCTIONS
---- ir
Show
  what: USER FUNCTIONS
--------------------------------------------------------------------------------
SHOW CURRENT DATABASE
---- ir
Show
  what: CURRENT DATABASE
--------------------------------------------------------------------------------
SHOW CURRENT CATALOG
---- ir
Show
  what: CURRENT CATALOG
--------------------------------------------------------------------------------
SHOW CREATE TABLE db.t
---- ir
ShowCreate
  kind: TABLE
  name: db.t
--------------------------------------------------------------------------------
SHOW CREATE VIEW v
---- ir
ShowCreate
  kind: VIEW
  name: v
--------------------------------------------------------------------------------
SHOW COLUMNS FROM t LIKE 'a%'
---- ir
ShowColumns
  name: t
  like: a%
--------------------------------------------------------------------------------
SHOW MODULES
---- error
UNSUPPORTED_STATEMENT: The statement SHOW MODULES is not supported (line 1, column 1). Supported: SHOW TABLES, SHOW DATABASES, SHOW CREATE, SHOW COLUMNS, SHOW JOBS, SHOW VIEWS, SHOW CATALOGS, SHOW FUNCTIONS, SHOW USER FUNCTIONS, SHOW CURRENT CATALOG, SHOW CURRENT DATABASE.
--------------------------------------------------------------------------------
DESCRIBE t
---- ir
Describe
  name: t
--------------------------------------------------------------------------------
DESC db.t
---- ir
Describe
  name: db.t
--------------------------------------------------------------------------------
DESCRIBE JOB '228d70913eab60dda85c5e7f78b5782c'
---- ir
DescribeJob
  job: 228d70913eab60dda85c5e7f78b5782c
--------------------------------------------------------------------------------
EXPLAIN SELECT * FROM t
---- ir
Explain
  statement:
    Select
      query: SELECT * FROM t
--------------------------------------------------------------------------------
EXPLAIN PLAN FOR INSERT INTO t SELECT 1
---- ir
Explain
  statement:
    Insert
      name: t
      query: SELECT 1
      dialect: flink
--------------------------------------------------------------------------------
EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT * FROM t
---- ir
Explain
  statement:
    Select
      query: SELECT * FROM t
  details: ('ESTIMATED_COST', 'CHANGELOG_MODE')
--------------------------------------------------------------------------------
EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END
---- ir
Explain
  statement:
    StatementSet
      inserts:
        Insert
          name: a
          query: SELECT 1
          dialect: flink
--------------------------------------------------------------------------------
EXPLAIN EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END
---- ir
Explain
  statement:
    StatementSet
      inserts:
        Insert
          name: a
          query: SELECT 1
          dialect: flink
--------------------------------------------------------------------------------
EXPLAIN DROP TABLE t
---- error
UNSUPPORTED_STATEMENT: EXPLAIN of anything but a query or an INSERT is not supported (line 1, column 9).
--------------------------------------------------------------------------------
STOP JOB '228d70913eab60dda85c5e7f78b5782c'
---- ir
StopJob
  job: 228d70913eab60dda85c5e7f78b5782c
--------------------------------------------------------------------------------
STOP JOB 'x' WITH SAVEPOINT WITH DRAIN
---- ir
StopJob
  job: x
  savepoint: True
  drain: True
--------------------------------------------------------------------------------
SET 'table.local-time-zone' = 'Europe/Berlin'
---- ir
Set
  setting table.local-time-zone = Europe/Berlin
--------------------------------------------------------------------------------
SET execution.checkpointing.interval = 3min
---- ir
Set
  setting execution.checkpointing.interval = 3min
--------------------------------------------------------------------------------
SET
---- ir
ShowSettings
--------------------------------------------------------------------------------
RESET 'table.local-time-zone'
---- ir
Reset
  name: table.local-time-zone
--------------------------------------------------------------------------------
RESET
---- ir
Reset
--------------------------------------------------------------------------------
ADD JAR '/tmp/x.jar'
---- error
UNSUPPORTED_STATEMENT: The statement ADD is not supported (line 1, column 1). Nothing is loaded into the JVM.
--------------------------------------------------------------------------------
UPDATE t SET a = 1
---- error
UNSUPPORTED_STATEMENT: The statement UPDATE is not supported (line 1, column 1). Tables change through INSERT.
--------------------------------------------------------------------------------
CALL sys.f()
---- error
UNSUPPORTED_STATEMENT: The statement CALL is not supported (line 1, column 1). There are no procedures.
--------------------------------------------------------------------------------
DESCRIBE TABLE t
---- ir
Describe
  name: t
--------------------------------------------------------------------------------
DESCRIBE CATALOG c
---- error
UNSUPPORTED_STATEMENT: DESCRIBE CATALOG is not supported (line 1, column 10).
--------------------------------------------------------------------------------
SET a.b = 'quoted'
---- ir
Set
  setting a.b = quoted
--------------------------------------------------------------------------------
RESET a.b-c
---- ir
Reset
  name: a.b-c
--------------------------------------------------------------------------------
EXPLAIN MIGRATION
---- error
SYNTAX_ERROR: Syntax error: expected a statement to explain, found the end (line 1, column 18).
--------------------------------------------------------------------------------
BEGIN STATEMENT SET; ; INSERT INTO t SELECT 1; END
---- ir
StatementSet
  inserts:
    Insert
      name: t
      query: SELECT 1
      dialect: flink
--------------------------------------------------------------------------------
INSERT INTO FUNCTION f SELECT 1
---- error
SYNTAX_ERROR: Syntax error: expected a table's name, found 'FUNCTION' (line 1, column 13).
--------------------------------------------------------------------------------
INSERT INTO t (SELECT 1)
---- ir
Insert
  name: t
  query: (SELECT 1)
  dialect: flink
--------------------------------------------------------------------------------
INSERT INTO t ROW (1)
---- error
SYNTAX_ERROR: Syntax error: expected SELECT or VALUES, found 'ROW' (line 1, column 15).
--------------------------------------------------------------------------------
INSERT INTO t VALUES ROW(1, 2), (3, 4)
---- ir
Insert
  name: t
  rows: 1, 2; 3, 4
  dialect: flink
--------------------------------------------------------------------------------
ALTER TABLE t ADD a INT PRIMARY KEY NOT ENFORCED
---- ir
AlterTable
  name: t
  AddColumn
    column: a: Nullable(Int32)
  ModifyKey
    columns: ('a',)
    add: True
--------------------------------------------------------------------------------
ALTER TABLE t ADD b AS a + 1 FIRST
---- ir
AlterTable
  name: t
  AddColumn
    column: b: Inferred as a + 1
    after: 
--------------------------------------------------------------------------------
SELECT date, time, timestamp, interval, value, `count` FROM t
---- ir
Select
  query: SELECT date, time, timestamp, interval, value, `count` FROM t
--------------------------------------------------------------------------------
SELECT EXTRACT(DAY, ts) FROM t
---- error
SYNTAX_ERROR: Syntax error: expected FROM in EXTRACT, near ',' (line 1, column 19).
--------------------------------------------------------------------------------
SELECT EXTRACT(FORTNIGHT FROM ts) FROM t
---- error
SYNTAX_ERROR: Syntax error: expected a unit such as DAY, near 'FORTNIGHT' (line 1, column 16).
--------------------------------------------------------------------------------
SELECT POSITION('a', name) FROM t
---- error
SYNTAX_ERROR: Syntax error: expected IN in POSITION, near ',' (line 1, column 20).
--------------------------------------------------------------------------------
SELECT ARRAY[1, 2 FROM t
---- error
SYNTAX_ERROR: Syntax error: expected ], near 'FROM' (line 1, column 19).
--------------------------------------------------------------------------------
CREATE TABLE t (PRIMARY KEY (b) NOT ENFORCED) LIKE base
---- ir
CreateTable
  name: t
  engine: (none)
  like: base
  dialect: flink
  primary_key: ('b',)
---- show create
CREATE TABLE `t` (
  PRIMARY KEY (`b`) NOT ENFORCED
)
LIKE `base`
--------------------------------------------------------------------------------
CREATE TABLE t (a INT, PRIMARY KEY () NOT ENFORCED)
---- error
SYNTAX_ERROR: Syntax error: expected the columns of the primary key, found 'NOT' (line 1, column 39).
--------------------------------------------------------------------------------
CREATE TABLE t (r ROW<a INT>, WATERMARK FOR r.b AS r.b)
---- error
INVALID_WATERMARK: The rowtime attribute field 'r.b' is not defined in the table schema (line 1, column 45). Write WATERMARK FOR column AS column - INTERVAL '5' SECOND once, over a TIMESTAMP(3) or TIMESTAMP_LTZ(3).
--------------------------------------------------------------------------------
CREATE TABLE t LIKE base (ALL)
---- error
SYNTAX_ERROR: Syntax error: expected INCLUDING, EXCLUDING or OVERWRITING, found 'ALL' (line 1, column 27).
--------------------------------------------------------------------------------
CREATE TABLE t (a 'x')
---- error
SYNTAX_ERROR: Syntax error: expected a type, found a string (line 1, column 19).
--------------------------------------------------------------------------------
CREATE TABLE t (a <)
---- error
SYNTAX_ERROR: Syntax error: expected a type, found '<' (line 1, column 19).
--------------------------------------------------------------------------------
CREATE TABLE t (a DECIMAL(x))
---- error
SYNTAX_ERROR: Syntax error: expected the precision of DECIMAL, found 'x' (line 1, column 27).
--------------------------------------------------------------------------------
CREATE TABLE t (a INTERVAL FORTNIGHT)
---- error
SYNTAX_ERROR: Syntax error: expected a unit such as DAY, found 'FORTNIGHT' (line 1, column 28).
