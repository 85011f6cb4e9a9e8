CREATE TABLE products (id INT, name STRING, weight DECIMAL(10, 3)) WITH ('connector' = 'kafka', 'topic' = 'products', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json');
CREATE TABLE cars (id INT, model STRING, owner INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = 'cars', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json');
CREATE TABLE clicks (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE by_id (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED);
CREATE TABLE by_name (name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED);
CREATE TABLE by_both (id INT, name STRING, PRIMARY KEY (id, name) NOT ENFORCED);
CREATE TABLE plain (id INT, name STRING);
CREATE TABLE out (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = 'out', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
-- no key is known: that of the table is taken
INSERT INTO by_id SELECT id, name FROM products;
---- specs
query job
  input products as sluice_<products>: products
  output default.by_id -> by_id of ('id', 'name')
    sql SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at` FROM `sluice_<products>` AS `products`
    uses sluice_<products>: id, name
    updating, key None, full
====
-- the same key: changes as they come
INSERT INTO by_id SELECT id, model FROM cars;
---- specs
query job
  input cars as sluice_<cars>: cars
  output default.by_id -> by_id of ('id', 'name')
    sql SELECT `id`, `model`, `__row_kind`, `__at`, filter(transform(`__unchanged`, `_n` -> try_element_at(map('id', 'id', 'model', 'name'), `_n`)), `_n` -> `_n` IS NOT NULL) AS `__unchanged` FROM (SELECT `cars`.`id` AS `id`, `cars`.`model` AS `model`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at`, `cars`.`__unchanged` AS `__unchanged` FROM `sluice_<cars>` AS `cars`)
    uses sluice_<cars>: id, model
    updating, key ('id',), upsert
====
-- a key that is a part of the table's: with the rows that are replaced
INSERT INTO by_both SELECT id, model FROM cars;
---- specs
query job stateful
  input cars as sluice_<cars>: cars
  output default.by_both -> by_both of ('id', 'name')
    step sluice_step_1_d707c7e5: SELECT `id`, `model`, `__row_kind`, `__at`, `__unchanged` FROM `sluice_<cars>`
    step sluice_step_2_59cd6bd8: Normalize(source='sluice_step_1_d707c7e5', key=('id',))
    sql SELECT `cars`.`id` AS `id`, `cars`.`model` AS `model`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at` FROM `sluice_step_2_59cd6bd8` AS `cars`
    uses sluice_<cars>: id, model
    updating, key ('id',), full
  state the rows of ChangelogNormalize(key=[id])
====
INSERT INTO by_id SELECT id, model FROM cars WHERE owner > 1;
---- specs
query job stateful
  input cars as sluice_<cars>: cars
  output default.by_id -> by_id of ('id', 'name')
    step sluice_step_1_acc61c41: SELECT `id`, `model`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `sluice_<cars>`
    step sluice_step_2_f07e6d41: Normalize(source='sluice_step_1_acc61c41', key=('id',))
    sql SELECT `cars`.`id` AS `id`, `cars`.`model` AS `model`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at` FROM `sluice_step_2_f07e6d41` AS `cars` WHERE `cars`.`owner` > 1
    uses sluice_<cars>: id, model, owner
    updating, key ('id',), full
  state the rows of ChangelogNormalize(key=[id])
====
-- another key
INSERT INTO by_name SELECT model, id FROM cars;
---- error
SINK_KEY_MISMATCH: The rows of the query have the key (n), but 'default_catalog.default.by_name' has the primary key (name) (line 2, column 13). Both must have the same columns: change the query's GROUP BY or the table's PRIMARY KEY.
====
-- not selected
INSERT INTO by_name SELECT model, 1 FROM cars;
---- error
QUERY_KEY_NOT_SELECTED: The query updates its rows but does not select all columns of their key; 'default_catalog.default.by_name' has the primary key (name) (line 2, column 13). Select every column that the query groups by.
====
INSERT INTO by_name SELECT name, COUNT(*) FROM products GROUP BY name HAVING SUM(weight) > 3;
---- specs
query job stateful
  input products as sluice_<products>: products
  output default.by_name -> by_name of ('name', 'n')
    step sluice_step_1_2b98983e: SELECT `products`.`name` AS `__k0`, sum(if(`products`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`products`.`weight` IS NOT NULL, if(`products`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, CAST(sum(if(`products`.`__row_kind` IN ('+I', '+U'), `products`.`weight`, - `products`.`weight`)) AS DECIMAL(38,3)) AS `__s2` FROM `sluice_<products>` AS `products` GROUP BY `products`.`name`
    step sluice_step_2_a1f4d1c2: Accumulate(source='sluice_step_1_2b98983e', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum')))
    sql SELECT `_1`.`__k0` AS `name`, `_1`.`__n` AS `EXPR$1`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_2_a1f4d1c2` AS `_1` WHERE CAST(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`) AS DECIMAL(38,3)) > 3
    uses sluice_<products>: name, weight
    updating, key ('name',), full
  state the sums of GroupAggregate(groupBy=[name], select=[name, COUNT(*) AS EXPR$1])
====
-- a watermark has no effect
INSERT INTO by_id SELECT k.id, c.model FROM clicks k LEFT JOIN cars c ON k.id < c.id;
---- specs
query job stateful
  input clicks as sluice_<clicks>: clicks
  input cars as sluice_<cars>: cars
  output default.by_id -> by_id of ('id', 'name')
    step sluice_step_1_d707c7e5: SELECT `id`, `model`, `__row_kind`, `__at`, `__unchanged` FROM `sluice_<cars>`
    step sluice_step_2_59cd6bd8: Normalize(source='sluice_step_1_d707c7e5', key=('id',))
    step sluice_step_3_7aebd9f2: SELECT `k`.`id` AS `__l0`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `sluice_<clicks>` AS `k`
    step sluice_step_4_7d100be3: SELECT `c`.`id` AS `__r0`, `c`.`model` AS `__r1`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_2_59cd6bd8` AS `c`
    step sluice_step_5_33940f66: SELECT `_1`.`__l0`, `_2`.`__r0`, `_2`.`__r1` FROM `sluice_step_3_7aebd9f2` AS `_1` LEFT JOIN `sluice_step_4_7d100be3` AS `_2` ON `_1`.`__l0` < `_2`.`__r0`
    sql SELECT `_3`.`__l0` AS `id`, `_3`.`__r1` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at` FROM `sluice_step_5_33940f66` AS `_3`
    uses sluice_<cars>: id, model
    uses sluice_<clicks>: id
    updating, key None, full
  state the rows of ChangelogNormalize(key=[id])
  state the rows of Join(joinType=[LeftOuterJoin], where=[k.id < c.id]), all in one task
====
-- sinks that only append
INSERT INTO plain SELECT id, name FROM products;
---- error
SINK_WITHOUT_UPDATES: Table sink 'default_catalog.default.plain' doesn't support consuming update and delete changes which is produced by node TableSourceScan(table=[[products]]) (line 2, column 13). Write to a table with a PRIMARY KEY, stored or upsert-kafka, to a topic in a change-data format such as debezium-json, or to a stored table with a changelog.column. Rows of windows are final and can be appended.
====
INSERT INTO out SELECT id, name FROM products;
---- error
SINK_WITHOUT_UPDATES: Table sink 'default_catalog.default.out' doesn't support consuming update and delete changes which is produced by node TableSourceScan(table=[[products]]). Write to a table with a PRIMARY KEY, stored or upsert-kafka, to a topic in a change-data format such as debezium-json, or to a stored table with a changelog.column. Rows of windows are final and can be appended.
====
INSERT INTO plain SELECT id, CAST(COUNT(*) AS STRING) FROM clicks GROUP BY id;
---- error
SINK_WITHOUT_UPDATES: Table sink 'default_catalog.default.plain' doesn't support consuming update changes which is produced by node GroupAggregate(groupBy=[id], select=[id, CAST(COUNT(*) AS STRING) AS EXPR$1]) (line 1, column 13). Write to a table with a PRIMARY KEY, stored or upsert-kafka, to a topic in a change-data format such as debezium-json, or to a stored table with a changelog.column. Rows of windows are final and can be appended.
====
EXECUTE STATEMENT SET BEGIN
INSERT INTO by_id SELECT id, name FROM products;
INSERT INTO by_both SELECT id, name FROM products WHERE id > 1;
END;
---- specs
query job
  input products as sluice_<products>: products
  output default.by_id -> by_id of ('id', 'name')
    sql SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at` FROM `sluice_<products>` AS `products`
    uses sluice_<products>: id, name
    updating, key None, full
  output default.by_both -> by_both of ('id', 'name')
    sql SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at` FROM `sluice_<products>` AS `products` WHERE `products`.`id` > 1
    uses sluice_<products>: id, name
    updating, key None, full
====
-- columns that changes add are the last of each side, NULL where there are none
CREATE TABLE evolving (id INT) WITH ('connector' = 'kafka', 'topic' = 'evolving', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json', 'schema.drift' = 'evolve');
CREATE TABLE also (id INT, label STRING) WITH ('connector' = 'kafka', 'topic' = 'also', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json', 'schema.drift' = 'evolve');
INSERT INTO by_id SELECT *, 'n' FROM evolving UNION ALL SELECT * FROM also UNION ALL SELECT id, name FROM products;
---- specs
query job
  input evolving as sluice_<evolving>: evolving
  input also as sluice_<also>: also
  input products as sluice_<products>: products
  output default.by_id -> by_id of ('id', 'name', '__evolved')
    sql (SELECT `evolving`.`id` AS `id`, 'n' AS `EXPR$1`, `evolving`.`__evolved` AS `__evolved`, `evolving`.`__row_kind` AS `__row_kind`, `evolving`.`__at` AS `__at` FROM `sluice_<evolving>` AS `evolving`) UNION ALL (SELECT `also`.`id` AS `id`, `also`.`label` AS `label`, `also`.`__evolved` AS `__evolved`, `also`.`__row_kind` AS `__row_kind`, `also`.`__at` AS `__at` FROM `sluice_<also>` AS `also`) UNION ALL (SELECT `id`, `name`, NULL AS `__evolved`, `__row_kind`, `__at` FROM (SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at` FROM `sluice_<products>` AS `products`))
    uses sluice_<products>: id, name
    uses sluice_<evolving>: __evolved, id
    uses sluice_<also>: __evolved, id, label
    updating, key None, full
