CREATE TABLE orders (id INT, item STRING, n BIGINT)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE keyless (item STRING, n BIGINT)
WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092',
  'key.format' = 'json', 'value.format' = 'json');
---- error
UPSERT_PRIMARY_KEY_MISSING: 'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies which columns should be read from or write to the Kafka message key. The PRIMARY KEY also defines records in the 'upsert-kafka' table should update or delete on which keys. Add PRIMARY KEY (columns) NOT ENFORCED.
====
CREATE TABLE formatless (item STRING, n BIGINT)
WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092');
---- error
MISSING_FORMAT: Could not find required scan or sink format 'value.format'. Set 'format', such as 'json'.
====
CREATE TABLE by_item (item STRING, n BIGINT, PRIMARY KEY (item) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092',
  'key.format' = 'json', 'value.format' = 'json', 'sink.parallelism' = '4');
INSERT INTO by_item VALUES ('a', 1), ('a', 2);
---- specs
query job
  output default.by_item -> by_item of ('item', 'n')
    sql SELECT * FROM VALUES ('a', 1), ('a', 2) AS `_v`(`EXPR$0`, `EXPR$1`)
    sink t: json, at-least-once
====
INSERT INTO by_item SELECT item, n FROM orders;
---- specs
query job
  input orders as sluice_<orders>: orders
  output default.by_item -> by_item of ('item', 'n')
    sql SELECT `orders`.`item` AS `item`, `orders`.`n` AS `n` FROM `sluice_<orders>` AS `orders`
    uses sluice_<orders>: item, n
    sink t: json, at-least-once
====
INSERT INTO by_item SELECT item, n + 1 FROM by_item;
---- error
JOB_FEEDS_ITSELF: The job would read what it writes: default.by_item reads the topic t, which default.by_item writes to (line 1, column 13). Write to a topic that default.by_item does not read, or read default.by_item up to the end that it has now: 'scan.bounded.mode' = 'latest-offset'.
====
INSERT INTO by_item SELECT item, COUNT(*) FROM orders GROUP BY item;
---- specs
query job stateful
  input orders as sluice_<orders>: orders
  output default.by_item -> by_item of ('item', 'n')
    sql SELECT `orders`.`item` AS `item`, count(1) AS `EXPR$1` FROM `sluice_<orders>` AS `orders` GROUP BY `orders`.`item`
    uses sluice_<orders>: item
    updating, key ('item',)
    sink t: json, at-least-once
  state the rows of GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS EXPR$1])
====
INSERT INTO by_item SELECT MAX(item), n FROM orders GROUP BY n;
---- error
SINK_KEY_MISMATCH: The rows of the query have the key (n), but 'default_catalog.default.by_item' has the primary key (item) (line 1, column 13). Both must have the same columns: change the query's GROUP BY or the table's PRIMARY KEY.
====
INSERT INTO by_item SELECT MAX(item), COUNT(*) FROM orders GROUP BY n;
---- error
QUERY_KEY_NOT_SELECTED: The query updates its rows but does not select all columns of their key; 'default_catalog.default.by_item' has the primary key (item) (line 1, column 13). Select every column that the query groups by.
====
INSERT INTO by_item /*+ OPTIONS('sink.buffer-flush.max-rows' = '0', 'sink.buffer-flush.interval' = '1s') */
SELECT item, n FROM orders;
---- error
SINK_BUFFER_INCOMPLETE: 'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than zero together to enable sink buffer flushing.
====
INSERT INTO by_item /*+ OPTIONS('sink.partitioner' = 'round-robin') */ SELECT item, n FROM orders;
---- error
UNSUPPORTED_OPTIONS: Unsupported options found for 'upsert-kafka'.

Unsupported options:

sink.partitioner. The key of a message decides its partition.
====
CREATE TABLE cars (car_id STRING, car_speed INT, primary key (car_id) not enforced)
WITH ('connector.type' = 'upsert-kafka', 'connector.version' = '0.11', 'connector.topic' = 'c',
  'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'csv');
INSERT INTO cars SELECT item, COUNT(*) FROM orders GROUP BY item;
---- error
SINK_SCHEMA_MISMATCH: Column types of query result and sink for 'default_catalog.default.cars' do not match.
Cause: Incompatible types for sink column 'car_speed' at position 1.

Query schema: [item: STRING, EXPR$1: BIGINT]
Sink schema:  [car_id: STRING, car_speed: INT] (line 1, column 13).
====
INSERT INTO cars SELECT item, CAST(COUNT(*) AS INT) FROM orders GROUP BY item;
---- specs
query job stateful
  input orders as sluice_<orders>: orders
  output default.cars -> cars of ('car_id', 'car_speed')
    sql SELECT `orders`.`item` AS `item`, sluice_int32(count(1)) AS `EXPR$1` FROM `sluice_<orders>` AS `orders` GROUP BY `orders`.`item`
    uses sluice_<orders>: item
    updating, key ('car_id',)
    sink c: csv, at-least-once
  state the rows of GroupAggregate(groupBy=[item], select=[item, CAST(COUNT(*) AS INT) AS EXPR$1])
====
INSERT INTO cars /*+ OPTIONS('update-mode' = 'append') */
SELECT item, CAST(COUNT(*) AS INT) FROM orders GROUP BY item;
---- error
SINK_WITHOUT_UPDATES: Table sink 'default_catalog.default.cars' doesn't support consuming update changes which is produced by node GroupAggregate(groupBy=[item], select=[item, CAST(COUNT(*) AS INT) AS EXPR$1]). Write to a table with a PRIMARY KEY, stored or upsert-kafka, to a topic in a change-data format such as debezium-json, or to a stored table with a changelog.column. Rows of windows are final and can be appended.
====
CREATE TABLE changes (item STRING, n BIGINT, PRIMARY KEY (item) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = 'd', 'properties.bootstrap.servers' = 'b:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json');
-- a topic has no row to complete a partial one from
INSERT INTO by_item SELECT item, n FROM changes;
---- specs
query job stateful
  input changes as sluice_<changes>: d
  output default.by_item -> by_item of ('item', 'n')
    step sluice_step_1_d79ed5af: SELECT `item`, `n`, `__row_kind`, `__at`, `__unchanged` FROM `sluice_<changes>`
    step sluice_step_2_90af4d22: Normalize(source='sluice_step_1_d79ed5af', key=('item',))
    sql SELECT `changes`.`item` AS `item`, `changes`.`n` AS `n`, `changes`.`__row_kind` AS `__row_kind`, `changes`.`__at` AS `__at` FROM `sluice_step_2_90af4d22` AS `changes`
    uses sluice_<changes>: item, n
    updating, key ('item',), full
    sink t: json, at-least-once
  state the rows of ChangelogNormalize(key=[item])
====
-- as they are
INSERT INTO by_item /*+ OPTIONS('topic' = 'copy') */ SELECT item, n FROM by_item;
---- specs
query job
  input by_item as sluice_<by_item>: t
  output default.by_item -> by_item of ('item', 'n')
    sql SELECT `by_item`.`item` AS `item`, `by_item`.`n` AS `n`, `by_item`.`__row_kind` AS `__row_kind`, `by_item`.`__at` AS `__at` FROM `sluice_<by_item>` AS `by_item`
    uses sluice_<by_item>: item, n
    updating, key ('item',), upsert
    sink copy: json, at-least-once
====
-- every change, with the row before
INSERT INTO cars /*+ OPTIONS('update-mode' = 'retract') */
SELECT item, CAST(n AS INT) FROM by_item;
---- specs
query job stateful
  input by_item as sluice_<by_item>: t
  output default.cars -> cars of ('car_id', 'car_speed')
    step sluice_step_1_49b90e10: SELECT `item`, `n`, `__row_kind`, `__at` FROM `sluice_<by_item>`
    step sluice_step_2_59c0b1f0: Normalize(source='sluice_step_1_49b90e10', key=('item',))
    sql SELECT `by_item`.`item` AS `item`, sluice_int32(`by_item`.`n`) AS `EXPR$1`, `by_item`.`__row_kind` AS `__row_kind`, `by_item`.`__at` AS `__at` FROM `sluice_step_2_59c0b1f0` AS `by_item`
    uses sluice_<by_item>: item, n
    updating, key ('car_id',), full
    sink c: csv, at-least-once
  state the rows of ChangelogNormalize(key=[item])
====
INSERT INTO changes SELECT item, COUNT(*) FROM orders GROUP BY item;
---- specs
query job stateful
  input orders as sluice_<orders>: orders
  output default.changes -> changes of ('item', 'n')
    step sluice_step_1_dfbedc88: SELECT `orders`.`item` AS `__k0`, sum(1L) AS `__n` FROM `sluice_<orders>` AS `orders` GROUP BY `orders`.`item`
    step sluice_step_2_475776ed: Accumulate(source='sluice_step_1_dfbedc88', key=('__k0',), sums=(('__n', 'sum'),))
    sql SELECT `_1`.`__k0` AS `item`, `_1`.`__n` AS `EXPR$1`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_2_475776ed` AS `_1`
    uses sluice_<orders>: item
    updating, key ('item',), full
    sink d: debezium-json, at-least-once
  state the sums of GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS EXPR$1])
