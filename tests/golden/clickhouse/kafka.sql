-- kafka:31
CREATE TABLE [IF NOT EXISTS] [db.]table_name [ON CLUSTER cluster]
(
    name1 [type1] [ALIAS expr1],
    name2 [type2] [ALIAS expr2],
    ...
) ENGINE = Kafka()
SETTINGS
    kafka_broker_list = 'host:port',
    kafka_topic_list = 'topic1,topic2,...',
    kafka_group_name = 'group_name',
    kafka_format = 'data_format'[,]
    [kafka_security_protocol = '',]
    [kafka_sasl_mechanism = '',]
    [kafka_sasl_username = '',]
    [kafka_sasl_password = '',]
    [kafka_schema = '',]
    [kafka_num_consumers = N,]
    [kafka_max_block_size = 0,]
    [kafka_skip_broken_messages = N,]
    [kafka_commit_every_batch = 0,]
    [kafka_client_id = '',]
    [kafka_poll_timeout_ms = 0,]
    [kafka_poll_max_batch_size = 0,]
    [kafka_flush_interval_ms = 0,]
    [kafka_thread_per_consumer = 0,]
    [kafka_handle_error_mode = 'default',]
    [kafka_commit_on_select = false,]
    [kafka_max_rows_per_message = 1,]
    [kafka_compression_codec = '',]
    [kafka_compression_level = -1];
---- error
SYNTAX_ERROR: Syntax error: expected a table's name, found '[' (line 2, column 14).
--------------------------------------------------------------------------------
-- kafka:97
CREATE TABLE queue (
    timestamp UInt64,
    level String,
    message String
  ) ENGINE = Kafka('localhost:9092', 'topic', 'group1', 'JSONEachRow');
---- ir
CreateTable
  name: queue
  column timestamp: UInt64
  column level: String
  column message: String
  engine: Kafka('localhost:9092', 'topic', 'group1', 'JSONEachRow')
---- show create
CREATE TABLE default.queue
(
    `timestamp` UInt64,
    `level` String,
    `message` String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'localhost:9092', kafka_topic_list = 'topic', kafka_group_name = 'group1', kafka_format = 'JSONEachRow'
--------------------------------------------------------------------------------
-- kafka:103
SELECT * FROM queue LIMIT 5;
---- ir
Select
  query: SELECT * FROM queue LIMIT 5
---- spark
SELECT `queue`.`timestamp` AS `timestamp`, `queue`.`level` AS `level`, `queue`.`message` AS `message`
FROM `view of queue` AS `queue`
LIMIT 5
--------------------------------------------------------------------------------
-- kafka:107
CREATE TABLE queue2 (
timestamp UInt64,
level String,
message String
) ENGINE = Kafka SETTINGS kafka_broker_list = 'localhost:9092',
kafka_topic_list = 'topic',
kafka_group_name = 'group1',
kafka_format = 'JSONEachRow',
kafka_num_consumers = 4;
---- ir
CreateTable
  name: queue2
  column timestamp: UInt64
  column level: String
  column message: String
  engine: Kafka
  setting kafka_broker_list = 'localhost:9092'
  setting kafka_topic_list = 'topic'
  setting kafka_group_name = 'group1'
  setting kafka_format = 'JSONEachRow'
  setting kafka_num_consumers = 4
---- show create
CREATE TABLE default.queue2
(
    `timestamp` UInt64,
    `level` String,
    `message` String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'localhost:9092', kafka_topic_list = 'topic', kafka_group_name = 'group1', kafka_format = 'JSONEachRow', kafka_num_consumers = 4
--------------------------------------------------------------------------------
-- kafka:117
CREATE TABLE queue3 (
timestamp UInt64,
level String,
message String
) ENGINE = Kafka('localhost:9092', 'topic', 'group1')
SETTINGS kafka_format = 'JSONEachRow',
kafka_num_consumers = 4;
---- ir
CreateTable
  name: queue3
  column timestamp: UInt64
  column level: String
  column message: String
  engine: Kafka('localhost:9092', 'topic', 'group1')
  setting kafka_format = 'JSONEachRow'
  setting kafka_num_consumers = 4
---- show create
CREATE TABLE default.queue3
(
    `timestamp` UInt64,
    `level` String,
    `message` String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'localhost:9092', kafka_topic_list = 'topic', kafka_group_name = 'group1', kafka_format = 'JSONEachRow', kafka_num_consumers = 4
--------------------------------------------------------------------------------
-- kafka:136
Kafka(kafka_broker_list, kafka_topic_list, kafka_group_name, kafka_format
      [, kafka_row_delimiter, kafka_schema, kafka_num_consumers, kafka_max_block_size,  kafka_skip_broken_messages, kafka_commit_every_batch, kafka_client_id, kafka_poll_timeout_ms, kafka_poll_max_batch_size, kafka_flush_interval_ms, kafka_thread_per_consumer, kafka_handle_error_mode, kafka_commit_on_select, kafka_max_rows_per_message]);
---- error
UNSUPPORTED_STATEMENT: The statement KAFKA is not supported (line 2, column 1). Statements begin with SELECT, WITH, INSERT, CREATE, REPLACE, DROP, ALTER, RENAME, EXCHANGE, TRUNCATE, OPTIMIZE, DELETE, UPDATE, DETACH, ATTACH, USE, SHOW, DESCRIBE, DESC, EXISTS, CHECK, SET, SYSTEM, KILL, EXPLAIN, REDRIVE.
--------------------------------------------------------------------------------
-- kafka:167
CREATE TABLE очередь (
    timestamp UInt64,
    level String,
    message String
  ) ENGINE = Kafka('localhost:9092', 'topic', 'group1', 'JSONEachRow');
---- ir
CreateTable
  name: очередь
  column timestamp: UInt64
  column level: String
  column message: String
  engine: Kafka('localhost:9092', 'topic', 'group1', 'JSONEachRow')
---- show create
CREATE TABLE default.`очередь`
(
    `timestamp` UInt64,
    `level` String,
    `message` String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'localhost:9092', kafka_topic_list = 'topic', kafka_group_name = 'group1', kafka_format = 'JSONEachRow'
--------------------------------------------------------------------------------
-- kafka:173
CREATE TABLE ежедневно (
    day Date,
    level String,
    total UInt64
  ) ENGINE = SummingMergeTree(day, (day, level), 8192);
---- ir
CreateTable
  name: ежедневно
  column day: Date
  column level: String
  column total: UInt64
  engine: SummingMergeTree
  order_by: ('day', 'level')
  partition_by: 'toYYYYMM(day)'
  setting index_granularity = 8192
---- show create
CREATE TABLE default.`ежедневно`
(
    `day` Date,
    `level` String,
    `total` UInt64
)
ENGINE = SummingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, level)
SETTINGS index_granularity = 8192
--------------------------------------------------------------------------------
-- kafka:179
CREATE MATERIALIZED VIEW потребитель TO ежедневно
    AS SELECT toDate(toDateTime(timestamp)) AS day, level, count() AS total
    FROM очередь GROUP BY day, level;
---- ir
CreateMaterializedView
  name: потребитель
  target: ежедневно
  query: SELECT toDate(toDateTime(timestamp)) AS day, level, count() AS total FROM очередь GROUP BY day, level
---- spark
SELECT CAST(timestamp_seconds(CAST((CASE WHEN `очередь`.`timestamp` > 4294967295 THEN 4294967295 ELSE `очередь`.`timestamp` END) AS BIGINT)) AS DATE) AS `day`, `очередь`.`level` AS `level`, count(1) AS `total`
FROM `view of очередь` AS `очередь`
GROUP BY CAST(timestamp_seconds(CAST((CASE WHEN `очередь`.`timestamp` > 4294967295 THEN 4294967295 ELSE `очередь`.`timestamp` END) AS BIGINT)) AS DATE), `очередь`.`level`
---- show create
CREATE MATERIALIZED VIEW default.`потребитель` TO default.`ежедневно`
AS SELECT toDate(toDateTime(timestamp)) AS day, level, count() AS total
    FROM очередь GROUP BY day, level
--------------------------------------------------------------------------------
-- kafka:183
SELECT level, sum(total) FROM ежедневно GROUP BY level;
---- ir
Select
  query: SELECT level, sum(total) FROM ежедневно GROUP BY level
---- spark
SELECT `ежедневно`.`level` AS `level`, coalesce(pmod(sum(`ежедневно`.`total`), 18446744073709551616), 0) AS `sum(total)`
FROM `view of ежедневно` AS `ежедневно`
GROUP BY `ежедневно`.`level`
--------------------------------------------------------------------------------
-- kafka:191
DETACH TABLE consumer;
---- ir
Detach
  kind: 'TABLE'
  name: consumer
--------------------------------------------------------------------------------
-- kafka:192
ATTACH TABLE consumer;
---- ir
Attach
  kind: 'TABLE'
  name: consumer
--------------------------------------------------------------------------------
-- kafka:305
CREATE TABLE experimental_kafka (key UInt64, value UInt64)
ENGINE = Kafka('localhost:19092', 'my-topic', 'my-consumer', 'JSONEachRow')
SETTINGS
  kafka_keeper_path = '/clickhouse/{database}/{uuid}',
  kafka_replica_name = '{replica}'
SETTINGS allow_experimental_kafka_offsets_storage_in_keeper=1;
---- ir
CreateTable
  name: experimental_kafka
  column key: UInt64
  column value: UInt64
  engine: Kafka('localhost:19092', 'my-topic', 'my-consumer', 'JSONEachRow')
  setting kafka_keeper_path = '/clickhouse/{database}/{uuid}'
  setting kafka_replica_name = '{replica}'
  setting allow_experimental_kafka_offsets_storage_in_keeper = 1
---- show create
CREATE TABLE default.experimental_kafka
(
    `key` UInt64,
    `value` UInt64
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'localhost:19092', kafka_topic_list = 'my-topic', kafka_group_name = 'my-consumer', kafka_format = 'JSONEachRow', kafka_keeper_path = '/clickhouse/{database}/{uuid}', kafka_replica_name = '{replica}', allow_experimental_kafka_offsets_storage_in_keeper = 1
