CREATE TABLE q (id UInt64, name String, price Decimal(10, 2))
ENGINE = Kafka('b:9092', 'topic', 'group', 'DebeziumJSON');
CREATE TABLE live (id UInt64, name String, version UInt64, is_deleted UInt8)
ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY id;
CREATE MATERIALIZED VIEW to_live TO live AS
SELECT id, name, _version AS version, _is_deleted AS is_deleted FROM q;
---- specs
query <q>
  input q as sluice_source: topic
  output default.to_live -> live
    sql SELECT `q`.`id` AS `id`, `q`.`name` AS `name`, `q`.`_version` AS `version`, `q`.`_is_deleted` AS `is_deleted` FROM `sluice_source` AS `q`
    uses sluice_source: _is_deleted, _version, id, name
====
DROP TABLE to_live;
CREATE TABLE plain (id UInt64, name String) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW to_plain TO plain AS SELECT id, name FROM q WHERE price > 1;
---- error
CHANGES_NOT_APPLIED: The messages of default.q are changes of rows, and the view would insert updated and deleted rows into default.plain as well (line 1, column 38). Create default.plain with PRIMARY KEY and SETTINGS kept_by_key = 1, or select _version and _is_deleted into a ReplacingMergeTree(version, is_deleted), or _sign into a CollapsingMergeTree(sign).
====
CREATE TABLE states (id UInt64, name String, sign Int8, kind String)
ENGINE = CollapsingMergeTree(sign) ORDER BY id;
CREATE MATERIALIZED VIEW to_states TO states AS
SELECT id, name, _sign AS sign, _row_kind AS kind FROM q;
---- specs
query <q>
  input q as sluice_source: topic
  output default.to_states -> states
    sql SELECT `q`.`id` AS `id`, `q`.`name` AS `name`, `q`.`_sign` AS `sign`, `q`.`_row_kind` AS `kind` FROM `sluice_source` AS `q`
    uses sluice_source: _row_kind, _sign, id, name
====
DROP TABLE to_states;
CREATE TABLE totals (name String, total Decimal(38, 2), n Int64) ENGINE = SummingMergeTree ORDER BY name;
CREATE MATERIALIZED VIEW to_totals TO totals AS
SELECT name, sum(price * _sign) AS total, sum(_sign) AS n FROM q GROUP BY name;
---- specs
query <q>
  input q as sluice_source: topic
  output default.to_totals -> totals
    sql SELECT `q`.`name` AS `name`, coalesce(sum(`q`.`price` * `q`.`_sign`), 0) AS `total`, coalesce(sum(`q`.`_sign`), 0) AS `n` FROM `sluice_source` AS `q` GROUP BY `q`.`name`
    uses sluice_source: _sign, name, price
====
DROP TABLE to_totals;
CREATE TABLE kept (id UInt64, title String, made DateTime DEFAULT now())
ENGINE = MergeTree PRIMARY KEY id SETTINGS kept_by_key = 1;
CREATE MATERIALIZED VIEW to_kept TO kept AS SELECT id, upper(name) AS title FROM q WHERE price > 1;
---- specs
query <q>
  input q as sluice_source: topic
  output default.to_kept -> kept
    sql SELECT `_1`.`id` AS `id`, `_1`.`title` AS `title`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`, date_trunc('SECOND', current_timestamp()) AS `made` FROM (SELECT `q`.`id` AS `id`, sluice_ch_upper(`q`.`name`) AS `title`, `q`.`__row_kind` AS `__row_kind`, `q`.`__at` AS `__at` FROM `sluice_source` AS `q` WHERE `q`.`price` > 1) AS `_1`
    uses sluice_source: __at, __row_kind, id, name, price
====
DROP TABLE to_kept;
CREATE TABLE names (id UInt64, title String) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW to_kept TO kept AS
SELECT * FROM (SELECT q.id AS id, title FROM q LEFT JOIN names ON q.id = names.id)
UNION ALL SELECT id + 1000, name FROM q;
---- specs
query <q>
  input q as sluice_source: topic
  output default.to_kept -> kept
    sql SELECT `_2`.`id` AS `id`, `_2`.`title` AS `title`, `_2`.`__row_kind` AS `__row_kind`, `_2`.`__at` AS `__at`, date_trunc('SECOND', current_timestamp()) AS `made` FROM ((SELECT `_1`.`id` AS `id`, `_1`.`title` AS `title`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM (SELECT `q`.`id` AS `id`, coalesce(`names`.`title`, '') AS `title`, `q`.`__row_kind` AS `__row_kind`, `q`.`__at` AS `__at` FROM `sluice_source` AS `q` LEFT JOIN `sluice_<names>` AS `names` ON `q`.`id` = `names`.`id`) AS `_1`) UNION ALL (SELECT pmod(CAST(`q`.`id` AS DECIMAL(20,0)) + 1000, 18446744073709551616) AS `plus(id, 1000)`, `q`.`name` AS `name`, `q`.`__row_kind` AS `__row_kind`, `q`.`__at` AS `__at` FROM `sluice_source` AS `q`)) AS `_2`
    uses sluice_<names>: id, title
    uses sluice_source: __at, __row_kind, id, name
    reads names as sluice_<names>
====
DROP TABLE to_kept;
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT id, max(name) AS title FROM q GROUP BY id;
---- error
CHANGES_NOT_ROW_BY_ROW: GROUP BY in a view that applies changes to a table that is kept by key is not supported: each row of the view must be made of one change (line 1, column 35). Aggregate with signs into a SummingMergeTree: sum(x * _sign), sum(_sign).
====
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT DISTINCT id, name AS title FROM q;
---- error
CHANGES_NOT_ROW_BY_ROW: DISTINCT in a view that applies changes to a table that is kept by key is not supported: each row of the view must be made of one change (line 1, column 35). Aggregate with signs into a SummingMergeTree: sum(x * _sign), sum(_sign).
====
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT any(id) AS id FROM q;
---- error
CHANGES_NOT_ROW_BY_ROW: An aggregate or window function in a view that applies changes to a table that is kept by key is not supported: each row of the view must be made of one change (line 1, column 35). Aggregate with signs into a SummingMergeTree: sum(x * _sign), sum(_sign).
====
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT name AS title FROM q;
---- error
VIEW_WITHOUT_KEY: The view does not select id, which is in the primary key of default.kept (line 1, column 35). The rows of default.kept are kept by its key: select its columns, with AS if they have other names.
====
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT names.id AS id FROM names RIGHT JOIN q ON q.id = names.id;
---- error
CHANGES_NOT_ROW_BY_ROW: A join in which default.q is not the first table in a view that applies changes to a table that is kept by key is not supported: each row of the view must be made of one change (line 1, column 35). Aggregate with signs into a SummingMergeTree: sum(x * _sign), sum(_sign).
====
CREATE MATERIALIZED VIEW wrong ENGINE = MergeTree ORDER BY id AS SELECT * FROM kept;
---- error
VIEW_SOURCE_UNSUPPORTED: A materialized view that reads default.kept, whose rows are kept by key, is not supported (line 1, column 26). Its rows are replaced and deleted: read the table that they come from.
====
CREATE TABLE by_key (id UInt64, name String, price Decimal(10, 2))
ENGINE = Kafka('b:9092', 'topic', 'group', 'DebeziumJSON') PRIMARY KEY id;
CREATE MATERIALIZED VIEW to_kept TO kept AS SELECT id, name AS title FROM by_key WHERE id > 5 AND _partition = 0;
---- specs
query <by_key>
  input by_key as sluice_source: topic
  output default.to_kept -> kept
    sql SELECT `_1`.`id` AS `id`, `_1`.`title` AS `title`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`, `_1`.`__unchanged` AS `__unchanged`, date_trunc('SECOND', current_timestamp()) AS `made` FROM (SELECT `by_key`.`id` AS `id`, `by_key`.`name` AS `title`, `by_key`.`__row_kind` AS `__row_kind`, `by_key`.`__at` AS `__at`, concat(filter(`by_key`.`__unchanged`, `name` -> NOT coalesce(array_contains(array('title'), `name`), false)), filter(array('title'), `name` -> `name` = 'title' AND (size(array_intersect(`by_key`.`__unchanged`, array('name'))) > 0))) AS `__unchanged` FROM `sluice_source` AS `by_key` WHERE `by_key`.`id` > 5 AND `by_key`.`_partition` = 0) AS `_1`
    uses sluice_source: __at, __row_kind, __unchanged, _partition, id, name
query <q>
  input q as sluice_source: topic
====
DROP TABLE to_kept;
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT id, name AS title FROM by_key WHERE price > 1;
---- error
CHANGES_WITHOUT_OLD_ROWS: The changes of default.by_key are by its PRIMARY KEY and have no old rows: a row that no longer fits the condition on price would stay (line 1, column 35). Filter when the target is read, or leave out PRIMARY KEY if messages have the whole old row.
====
CREATE MATERIALIZED VIEW wrong TO kept AS SELECT id + 1 AS id, name AS title FROM by_key;
---- error
CHANGES_WITHOUT_OLD_ROWS: The changes of default.by_key are by its PRIMARY KEY and have no old rows: the target's key (id) must be its key (id) (line 1, column 35). Select the columns of the key, under any name.
====
CREATE MATERIALIZED VIEW wrong TO states AS SELECT id, name, _sign AS sign FROM by_key;
---- error
UNKNOWN_COLUMN: Unknown column _sign (line 1, column 62). Did you mean sign or _version?
