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
--------------------------------------------------------------------------------
SELECT * FROM queue LIMIT 5;
---- ir
Select
  query: SELECT * FROM queue LIMIT 5
---- spark
SELECT `queue`.`timestamp` AS `timestamp`, `queue`.`level` AS `level`, `queue`.`message` AS `message`
FROM `view of queue` AS `queue`
LIMIT 5
--------------------------------------------------------------------------------
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
--------------------------------------------------------------------------------
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
--------------------------------------------------------------------------------
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
--------------------------------------------------------------------------------
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
  engine: SummingMergeTree('day', '(day, level)', 8192)
--------------------------------------------------------------------------------
CREATE MATERIALIZED VIEW потребитель TO ежедневно
    AS SELECT toDate(toDateTime(timestamp)) AS day, level, count() AS total
    FROM очередь GROUP BY day, level;
---- ir
CreateMaterializedView
  name: потребитель
  target: ежедневно
  query: SELECT toDate(toDateTime(timestamp)) AS day, level, count() AS total FROM очередь GROUP BY day, level
---- spark
SELECT CAST(CAST(`очередь`.`timestamp` AS TIMESTAMP) AS DATE) AS `day`, `очередь`.`level` AS `level`, count(1) AS `total`
FROM `view of очередь` AS `очередь`
GROUP BY CAST(CAST(`очередь`.`timestamp` AS TIMESTAMP) AS DATE), `очередь`.`level`
--------------------------------------------------------------------------------
SELECT level, sum(total) FROM ежедневно GROUP BY level;
---- ir
Select
  query: SELECT level, sum(total) FROM ежедневно GROUP BY level
---- spark
SELECT `ежедневно`.`level` AS `level`, coalesce(sum(`ежедневно`.`total`), 0) AS `sum(total)`
FROM `view of ежедневно` AS `ежедневно`
GROUP BY `ежедневно`.`level`
--------------------------------------------------------------------------------
DETACH TABLE consumer;
---- ir
Detach
  kind: 'TABLE'
  name: consumer
--------------------------------------------------------------------------------
ATTACH TABLE consumer;
---- ir
Attach
  kind: 'TABLE'
  name: consumer
--------------------------------------------------------------------------------
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
--------------------------------------------------------------------------------
CREATE TABLE IF NOT EXISTS db.every_setting ON CLUSTER cluster
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
--------------------------------------------------------------------------------
CREATE TABLE d (a UInt8 DEFAULT 5) ENGINE = Kafka('h:1', 't', 'g', 'CSV')
---- error
BAD_ARGUMENTS: KafkaEngine doesn't support DEFAULT/MATERIALIZED/EPHEMERAL expressions for columns. (line 1, column 25).
