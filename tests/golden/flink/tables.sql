CREATE TABLE IF NOT EXISTS shop.orders (
  id BIGINT NOT NULL COMMENT 'the order''s number',
  `user` STRING,
  price DECIMAL(38, 18),
  ts TIMESTAMP(3),
  PRIMARY KEY (id) NOT ENFORCED,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) COMMENT 'orders' PARTITIONED BY (`user`, ts) WITH ('connector' = 'upsert-kafka', 'topic' = 'orders');
---- ir
CreateTable
  name: shop.orders
  column id: Int64 comment "the order's number"
  column user: Nullable(String)
  column price: Nullable(Decimal(38, 18))
  column ts: Nullable(LocalDateTime(3))
  engine: upsert-kafka
  partition_by: `user`, `ts`
  setting connector = upsert-kafka
  setting topic = orders
  comment: orders
  if_not_exists: True
  dialect: flink
  primary_key: ('id',)
  watermark: ts as ts - INTERVAL '5' SECOND
---- show create
CREATE TABLE IF NOT EXISTS `shop`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'the order''s number',
  `user` STRING,
  `price` DECIMAL(38, 18),
  `ts` TIMESTAMP(3),
  WATERMARK FOR `ts` AS ts - INTERVAL '5' SECOND,
  PRIMARY KEY (`id`) NOT ENFORCED
)
COMMENT 'orders'
PARTITIONED BY (`user`, `ts`)
WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'orders'
)
--------------------------------------------------------------------------------
create temporary table t (a int) with ('connector'='kafka')
---- ir
CreateTable
  name: t
  column a: Nullable(Int32)
  engine: kafka
  setting connector = kafka
  dialect: flink
  temporary: True
---- show create
CREATE TEMPORARY TABLE `t` (
  `a` INT
)
WITH (
  'connector' = 'kafka'
)
--------------------------------------------------------------------------------
CREATE TABLE default_catalog.default_database.t (a INT)
---- ir
CreateTable
  name: default_database.t
  column a: Nullable(Int32)
  engine: (none)
  dialect: flink
---- show create
CREATE TABLE `default_database`.`t` (
  `a` INT
)
--------------------------------------------------------------------------------
CREATE TABLE hive.db.t (a INT)
---- ir
CreateTable
  name: hive.db.t
  column a: Nullable(Int32)
  engine: (none)
  dialect: flink
---- show create
CREATE TABLE `hive`.`db`.`t` (
  `a` INT
)
--------------------------------------------------------------------------------
CREATE TABLE `имя с пробелом`.`a.b` (`x``y` STRING, `emoji 😀` TINYINT, столбец INT)
---- ir
CreateTable
  name: имя с пробелом.a.b
  column x`y: Nullable(String)
  column emoji 😀: Nullable(Int8)
  column столбец: Nullable(Int32)
  engine: (none)
  dialect: flink
---- show create
CREATE TABLE `имя с пробелом`.`a.b` (
  `x``y` STRING,
  `emoji 😀` TINYINT,
  `столбец` INT
)
--------------------------------------------------------------------------------
-- FL-45
CREATE TABLE kafka_meta (
  `physical_1` STRING,
  `physical_2` INT,
  `timestamp-type` STRING METADATA VIRTUAL,
  `timestamp` TIMESTAMP(3) METADATA,
  `leader-epoch` INT METADATA VIRTUAL,
  `headers` MAP<STRING, BYTES> METADATA,
  `partition` INT METADATA VIRTUAL,
  `topic` STRING METADATA VIRTUAL,
  `physical_3` BOOLEAN,
  event_time TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' COMMENT 'when',
  key_of STRING NOT NULL METADATA FROM 'value.source.table' VIRTUAL
) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json')
---- ir
CreateTable
  name: kafka_meta
  column physical_1: Nullable(String)
  column physical_2: Nullable(Int32)
  column timestamp-type: Nullable(String) metadata 'timestamp-type' virtual
  column timestamp: Nullable(LocalDateTime(3)) metadata 'timestamp'
  column leader-epoch: Nullable(Int32) metadata 'leader-epoch' virtual
  column headers: Optional(Map(String, Nullable(Bytes))) metadata 'headers'
  column partition: Nullable(Int32) metadata 'partition' virtual
  column topic: Nullable(String) metadata 'topic' virtual
  column physical_3: Nullable(Bool)
  column event_time: Nullable(DateTime64(3)) metadata 'timestamp' comment 'when'
  column key_of: String metadata 'value.source.table' virtual
  engine: kafka
  setting connector = kafka
  setting topic = t
  setting format = json
  dialect: flink
---- show create
CREATE TABLE `kafka_meta` (
  `physical_1` STRING,
  `physical_2` INT,
  `timestamp-type` STRING METADATA VIRTUAL,
  `timestamp` TIMESTAMP(3) METADATA,
  `leader-epoch` INT METADATA VIRTUAL,
  `headers` MAP<STRING, BYTES> METADATA,
  `partition` INT METADATA VIRTUAL,
  `topic` STRING METADATA VIRTUAL,
  `physical_3` BOOLEAN,
  `event_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' COMMENT 'when',
  `key_of` STRING NOT NULL METADATA FROM 'value.source.table' VIRTUAL
)
WITH (
  'connector' = 'kafka',
  'topic' = 't',
  'format' = 'json'
)
--------------------------------------------------------------------------------
-- FL-40
CREATE TABLE computed (
  `computed-price` as price + 1.0,
  price decimal(38, 18),
  cost AS price * /* in euro */ quantity COMMENT 'total',
  quantity INT,
  log_date date,
  log_time time(3),
  log_ts timestamp(3),
  proc AS PROCTIME(),
  ts as log_ts + INTERVAL '1' SECOND,
  watermark for ts as ts
) with ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'csv')
---- ir
CreateTable
  name: computed
  column computed-price: Inferred as price + 1.0
  column price: Nullable(Decimal(38, 18))
  column cost: Inferred as price * quantity comment 'total'
  column quantity: Nullable(Int32)
  column log_date: Nullable(Date32)
  column log_time: Nullable(TimeOfDay(3))
  column log_ts: Nullable(LocalDateTime(3))
  column proc: Inferred as PROCTIME()
  column ts: Inferred as log_ts + INTERVAL '1' SECOND
  engine: kafka
  setting connector = kafka
  setting topic = x
  setting properties.bootstrap.servers = b:9092
  setting format = csv
  dialect: flink
  watermark: ts as ts
---- show create
CREATE TABLE `computed` (
  `computed-price` AS price + 1.0,
  `price` DECIMAL(38, 18),
  `cost` AS price * quantity COMMENT 'total',
  `quantity` INT,
  `log_date` DATE,
  `log_time` TIME(3),
  `log_ts` TIMESTAMP(3),
  `proc` AS PROCTIME(),
  `ts` AS log_ts + INTERVAL '1' SECOND,
  WATERMARK FOR `ts` AS ts
)
WITH (
  'connector' = 'kafka',
  'topic' = 'x',
  'properties.bootstrap.servers' = 'b:9092',
  'format' = 'csv'
)
--------------------------------------------------------------------------------
CREATE TABLE inline_key (id INT PRIMARY KEY NOT ENFORCED COMMENT 'key', b STRING CONSTRAINT c NOT NULL)
---- error
SYNTAX_ERROR: Syntax error: expected PRIMARY KEY, found 'NOT' (line 1, column 95).
--------------------------------------------------------------------------------
CREATE TABLE inline_key (id INT PRIMARY KEY NOT ENFORCED COMMENT 'key', b STRING)
---- ir
CreateTable
  name: inline_key
  column id: Int32 comment 'key'
  column b: Nullable(String)
  engine: (none)
  dialect: flink
  primary_key: ('id',)
---- show create
CREATE TABLE `inline_key` (
  `id` INT NOT NULL COMMENT 'key',
  `b` STRING,
  PRIMARY KEY (`id`) NOT ENFORCED
)
--------------------------------------------------------------------------------
CREATE TABLE named_key (id INT, b STRING, CONSTRAINT pk PRIMARY KEY (id, b) NOT ENFORCED)
---- ir
CreateTable
  name: named_key
  column id: Int32
  column b: String
  engine: (none)
  dialect: flink
  primary_key: ('id', 'b')
---- show create
CREATE TABLE `named_key` (
  `id` INT NOT NULL,
  `b` STRING NOT NULL,
  PRIMARY KEY (`id`, `b`) NOT ENFORCED
)
--------------------------------------------------------------------------------
CREATE TABLE nested_time (r ROW<a ROW<b TIMESTAMP(3)>>, WATERMARK FOR r.a.b AS r.a.b - INTERVAL '1' MINUTE)
---- ir
CreateTable
  name: nested_time
  column r: Optional(Tuple(a Optional(Tuple(b Nullable(LocalDateTime(3))))))
  engine: (none)
  dialect: flink
  watermark: r.a.b as r.a.b - INTERVAL '1' MINUTE
---- show create
CREATE TABLE `nested_time` (
  `r` ROW<`a` ROW<`b` TIMESTAMP(3)>>,
  WATERMARK FOR `r`.`a`.`b` AS r.a.b - INTERVAL '1' MINUTE
)
--------------------------------------------------------------------------------
CREATE TABLE derived LIKE base
---- ir
CreateTable
  name: derived
  engine: (none)
  like: base
  dialect: flink
---- show create
CREATE TABLE `derived`
LIKE `base`
--------------------------------------------------------------------------------
CREATE TABLE derived (
  WATERMARK FOR tstmp AS tstmp - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka') LIKE db.base (EXCLUDING ALL INCLUDING GENERATED, OVERWRITING OPTIONS EXCLUDING CONSTRAINTS)
---- ir
CreateTable
  name: derived
  engine: kafka
  like: db.base
  setting connector = kafka
  dialect: flink
  watermark: tstmp as tstmp - INTERVAL '5' SECOND
  like_options: ('EXCLUDING ALL', 'INCLUDING GENERATED', 'OVERWRITING OPTIONS', 'EXCLUDING CONSTRAINTS')
---- show create
CREATE TABLE `derived` (
  WATERMARK FOR `tstmp` AS tstmp - INTERVAL '5' SECOND
)
WITH (
  'connector' = 'kafka'
)
LIKE `db`.`base` (EXCLUDING ALL INCLUDING GENERATED OVERWRITING OPTIONS EXCLUDING CONSTRAINTS)
--------------------------------------------------------------------------------
CREATE TABLE t (a INT) WITH ('connector' = 'kafka') AS SELECT 1
---- error
UNSUPPORTED_CLAUSE: CREATE TABLE … AS SELECT is not supported (line 1, column 53). Create the table with its columns, then INSERT INTO … SELECT ….
--------------------------------------------------------------------------------
CREATE TABLE t WITH ('connector' = 'kafka') AS SELECT 1
---- error
UNSUPPORTED_CLAUSE: CREATE TABLE … AS SELECT is not supported (line 1, column 45). Create the table with its columns, then INSERT INTO … SELECT ….
--------------------------------------------------------------------------------
CREATE OR REPLACE TABLE t (a INT)
---- error
UNSUPPORTED_STATEMENT: CREATE OR REPLACE is not supported (line 1, column 1). DROP the table first.
--------------------------------------------------------------------------------
CREATE TABLE t (a INT) DISTRIBUTED BY HASH (a) INTO 4 BUCKETS
---- error
UNSUPPORTED_CLAUSE: DISTRIBUTED BY is not supported (line 1, column 24). Leave it out.
--------------------------------------------------------------------------------
CREATE TABLE t (a INT, UNIQUE (a))
---- error
UNSUPPORTED_CLAUSE: A UNIQUE constraint is not supported (line 1, column 24). Supported: PRIMARY KEY (…) NOT ENFORCED.
--------------------------------------------------------------------------------
CREATE TABLE t (a INT UNIQUE)
---- error
UNSUPPORTED_CLAUSE: A UNIQUE constraint is not supported (line 1, column 23). Supported: PRIMARY KEY NOT ENFORCED.
--------------------------------------------------------------------------------
CREATE TABLE secret (a INT) WITH ('connector' = 'kafka', 'properties.sasl.jaas.config' = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="it''s \ me";', 'csv.escape-character' = '\')
---- ir
CreateTable
  name: secret
  column a: Nullable(Int32)
  engine: kafka
  setting connector = kafka
  setting properties.sasl.jaas.config = org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="it's \ me";
  setting csv.escape-character = \
  dialect: flink
---- show create
CREATE TABLE `secret` (
  `a` INT
)
WITH (
  'connector' = 'kafka',
  'properties.sasl.jaas.config' = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="it''s \ me";',
  'csv.escape-character' = '\'
)
--------------------------------------------------------------------------------
create table kafkaSource(
  car_id STRING,
  PRIMARY KEY (car_id) NOT ENFORCED
)
with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'connector.startup-mode' = 'specific-offsets',
  'connector.specific-offsets' = 'partition:0,offset:42;partition:1,offset:300',
  'connector.sink.ignore-retraction' = 'true',
  'update-mode' = 'upsert',
  'format.type' = 'csv',
  'format.field-delimiter' = ';'
);
---- ir
CreateTable
  name: kafkaSource
  column car_id: String
  engine: upsert-kafka
  setting connector.type = upsert-kafka
  setting connector.version = 0.11
  setting connector.topic = test-topic
  setting connector.properties.bootstrap.servers = xx.xx.xx.xx:9092
  setting connector.startup-mode = specific-offsets
  setting connector.specific-offsets = partition:0,offset:42;partition:1,offset:300
  setting connector.sink.ignore-retraction = true
  setting update-mode = upsert
  setting format.type = csv
  setting format.field-delimiter = ;
  dialect: flink
  primary_key: ('car_id',)
---- show create
CREATE TABLE `kafkaSource` (
  `car_id` STRING NOT NULL,
  PRIMARY KEY (`car_id`) NOT ENFORCED
)
WITH (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'connector.startup-mode' = 'specific-offsets',
  'connector.specific-offsets' = 'partition:0,offset:42;partition:1,offset:300',
  'connector.sink.ignore-retraction' = 'true',
  'update-mode' = 'upsert',
  'format.type' = 'csv',
  'format.field-delimiter' = ';'
)
--------------------------------------------------------------------------------
CREATE SINK STREAM cars (car_id STRING) WITH (type = 'kafka')
---- error
UNSUPPORTED_STATEMENT: CREATE SINK STREAM is not supported (line 1, column 1). Use CREATE TABLE … WITH ('connector.type' = …).
--------------------------------------------------------------------------------
CREATE VIEW v AS SELECT a, b FROM t WHERE a > 1 -- why
---- ir
CreateView
  name: v
  query: SELECT a, b FROM t WHERE a > 1
---- show create
CREATE VIEW `v`
AS SELECT a, b FROM t WHERE a > 1
--------------------------------------------------------------------------------
CREATE TEMPORARY VIEW IF NOT EXISTS db.v (`a b` COMMENT 'first', c) COMMENT 'it''s' AS
  SELECT a, /* not this */ c FROM t
  UNION ALL SELECT 1, 2
---- ir
CreateView
  name: db.v
  query: SELECT a, /* not this */ c FROM t UNION ALL SELECT 1, 2
  columns: a b, first; c, 
  comment: it's
  if_not_exists: True
  temporary: True
---- show create
CREATE TEMPORARY VIEW IF NOT EXISTS `db`.`v` (`a b` COMMENT 'first', `c`)
COMMENT 'it''s'
AS SELECT a, /* not this */ c FROM t
  UNION ALL SELECT 1, 2
--------------------------------------------------------------------------------
CREATE CATALOG c COMMENT 'memory' WITH ('type' = 'generic_in_memory')
---- ir
CreateCatalog
  name: c
  setting type = generic_in_memory
  comment: memory
--------------------------------------------------------------------------------
CREATE DATABASE IF NOT EXISTS default_catalog.shop COMMENT 'x'
---- ir
CreateDatabase
  name: shop
  if_not_exists: True
  comment: x
--------------------------------------------------------------------------------
CREATE DATABASE shop WITH ('a' = 'b')
---- error
UNSUPPORTED_CLAUSE: WITH for a database is not supported (line 1, column 22). Leave it out; options belong to tables.
--------------------------------------------------------------------------------
CREATE DATABASE hive.shop
---- error
UNKNOWN_CATALOG: Catalog hive does not exist (line 1, column 17). The only catalog is default_catalog.
--------------------------------------------------------------------------------
CREATE FUNCTION f AS 'com.example.F' LANGUAGE JAVA
---- error
UNSUPPORTED_STATEMENT: CREATE FUNCTION is not supported (line 1, column 1). Python functions: sluice serve --functions.
--------------------------------------------------------------------------------
CREATE TEMPORARY SYSTEM FUNCTION f AS 'com.example.F'
---- error
UNSUPPORTED_STATEMENT: CREATE FUNCTION is not supported (line 1, column 1). Python functions: sluice serve --functions.
--------------------------------------------------------------------------------
EXPLAIN MIGRATION CREATE TABLE t (a INT) WITH ('connector' = 'kafka')
---- ir
ExplainMigration
  statement:
    CreateTable
      name: t
      column a: Nullable(Int32)
      engine: kafka
      setting connector = kafka
      dialect: flink
  dialect: flink
