CREATE TABLE queue (level String, message String, n UInt64, twice UInt64 ALIAS n * 2)
ENGINE = Kafka('b:9092', 'topic', 'group', 'JSONEachRow');
---- specs
query <queue>
  input queue as sluice_source: topic
====
CREATE TABLE daily (day Date, level String, total UInt64, made DateTime DEFAULT now())
ENGINE = SummingMergeTree ORDER BY (day, level);
CREATE MATERIALIZED VIEW consumer TO daily AS
SELECT toDate(_timestamp) AS day, level, twice AS total FROM queue WHERE message != '';
---- specs
query <queue>
  input queue as sluice_source: topic
  output default.consumer -> daily
    sql SELECT `_1`.`day` AS `day`, `_1`.`level` AS `level`, `_1`.`total` AS `total`, date_trunc('SECOND', current_timestamp()) AS `made` FROM (SELECT CAST(`queue`.`_timestamp` AS DATE) AS `day`, `queue`.`level` AS `level`, CAST(pmod(CAST(`queue`.`n` AS DECIMAL(20,0)) * 2, 18446744073709551616) AS DECIMAL(20,0)) AS `total` FROM `sluice_source` AS `queue` WHERE `queue`.`message` <> '') AS `_1`
    uses sluice_source: _timestamp, level, message, n
====
CREATE TABLE out (level String, _key String) ENGINE = Kafka('b:9092', 'out', 'g', 'CSV');
CREATE MATERIALIZED VIEW alerts TO out AS
SELECT level, toString(total) AS _key FROM daily WHERE total > 10;
---- specs
query <queue>
  input queue as sluice_source: topic
  output default.consumer -> daily
    sql SELECT `_1`.`day` AS `day`, `_1`.`level` AS `level`, `_1`.`total` AS `total`, date_trunc('SECOND', current_timestamp()) AS `made` FROM (SELECT CAST(`queue`.`_timestamp` AS DATE) AS `day`, `queue`.`level` AS `level`, CAST(pmod(CAST(`queue`.`n` AS DECIMAL(20,0)) * 2, 18446744073709551616) AS DECIMAL(20,0)) AS `total` FROM `sluice_source` AS `queue` WHERE `queue`.`message` <> '') AS `_1`
    uses sluice_source: _timestamp, level, message, n
    output default.alerts -> out
      sql SELECT `daily`.`level` AS `level`, CAST(`daily`.`total` AS STRING) AS `_key` FROM `sluice_source_<consumer>` AS `daily` WHERE `daily`.`total` > 10
      uses sluice_source_<consumer>: level, total
      sink out: CSV, at-least-once
query <out>
  input out as sluice_source: out
====
CREATE TABLE names (level String, title String) ENGINE = MergeTree ORDER BY level;
CREATE MATERIALIZED VIEW titled ENGINE = MergeTree ORDER BY title AS
SELECT title, _headers.name AS headers FROM queue JOIN names ON queue.level = names.level;
---- specs
query <queue>
  input queue as sluice_source: topic
  output default.consumer -> daily
    sql SELECT `_1`.`day` AS `day`, `_1`.`level` AS `level`, `_1`.`total` AS `total`, date_trunc('SECOND', current_timestamp()) AS `made` FROM (SELECT CAST(`queue`.`_timestamp` AS DATE) AS `day`, `queue`.`level` AS `level`, CAST(pmod(CAST(`queue`.`n` AS DECIMAL(20,0)) * 2, 18446744073709551616) AS DECIMAL(20,0)) AS `total` FROM `sluice_source` AS `queue` WHERE `queue`.`message` <> '') AS `_1`
    uses sluice_source: _timestamp, level, message, n
    output default.alerts -> out
      sql SELECT `daily`.`level` AS `level`, CAST(`daily`.`total` AS STRING) AS `_key` FROM `sluice_source_<consumer>` AS `daily` WHERE `daily`.`total` > 10
      uses sluice_source_<consumer>: level, total
      sink out: CSV, at-least-once
  output default.titled -> .inner_id.<titled>
    sql SELECT `names`.`title` AS `title`, `queue`.`_headers.name` AS `headers` FROM `sluice_source` AS `queue` INNER JOIN `sluice_<names>` AS `names` ON `queue`.`level` = `names`.`level`
    uses sluice_<names>: level, title
    uses sluice_source: _headers.name, level
    reads names as sluice_<names>
query <out>
  input out as sluice_source: out
====
DROP TABLE names;
---- specs
query <queue>
  input queue as sluice_source: topic
  output default.consumer -> daily
    sql SELECT `_1`.`day` AS `day`, `_1`.`level` AS `level`, `_1`.`total` AS `total`, date_trunc('SECOND', current_timestamp()) AS `made` FROM (SELECT CAST(`queue`.`_timestamp` AS DATE) AS `day`, `queue`.`level` AS `level`, CAST(pmod(CAST(`queue`.`n` AS DECIMAL(20,0)) * 2, 18446744073709551616) AS DECIMAL(20,0)) AS `total` FROM `sluice_source` AS `queue` WHERE `queue`.`message` <> '') AS `_1`
    uses sluice_source: _timestamp, level, message, n
    output default.alerts -> out
      sql SELECT `daily`.`level` AS `level`, CAST(`daily`.`total` AS STRING) AS `_key` FROM `sluice_source_<consumer>` AS `daily` WHERE `daily`.`total` > 10
      uses sluice_source_<consumer>: level, total
      sink out: CSV, at-least-once
  output default.titled -> .inner_id.<titled>
    fault UNKNOWN_TABLE: Table default.names does not exist
query <out>
  input out as sluice_source: out
====
CREATE MATERIALIZED VIEW wrong TO daily AS SELECT nosuch FROM queue;
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 51).
====
CREATE MATERIALIZED VIEW wrong TO daily AS SELECT day, level, total FROM daily;
---- error
VIEW_CYCLE: The view default.wrong would feed itself: default.daily -> default.daily (line 1, column 26). Write to another table, or to a topic that does not feed the view.
====
CREATE TABLE same (level String) ENGINE = Kafka('b:9092', 'topic', 'other', 'CSV');
CREATE MATERIALIZED VIEW wrong TO same AS SELECT level FROM daily;
---- error
VIEW_CYCLE: The view default.wrong would feed itself: default.daily -> default.same -> topic topic -> default.queue -> default.daily (line 1, column 26). Write to another table, or to a topic that does not feed the view.
