-- flink_connector_kafka:60
CREATE TABLE kafkaTable (
 user_id BIGINT,
 item_id BIGINT,
 category_id BIGINT,
 behavior STRING,
 ts TIMESTAMP(3)
) WITH (
 'connector' = 'kafka',
 'topic' = 'user_behavior',
 'properties.bootstrap.servers' = 'localhost:9092',
 'properties.group.id' = 'testGroup',
 'format' = 'csv',
 'scan.startup.mode' = 'earliest-offset'
)
---- ir
CreateTable
  name: kafkaTable
  column user_id: Nullable(Int64)
  column item_id: Nullable(Int64)
  column category_id: Nullable(Int64)
  column behavior: Nullable(String)
  column ts: Nullable(LocalDateTime(3))
  engine: kafka
  setting connector = kafka
  setting topic = user_behavior
  setting properties.bootstrap.servers = localhost:9092
  setting properties.group.id = testGroup
  setting format = csv
  setting scan.startup.mode = earliest-offset
  dialect: flink
---- show create
CREATE TABLE `kafkaTable` (
  `user_id` BIGINT,
  `item_id` BIGINT,
  `category_id` BIGINT,
  `behavior` STRING,
  `ts` TIMESTAMP(3)
)
WITH (
  'connector' = 'kafka',
  'topic' = 'user_behavior',
  'properties.bootstrap.servers' = 'localhost:9092',
  'properties.group.id' = 'testGroup',
  'format' = 'csv',
  'scan.startup.mode' = 'earliest-offset'
)
--------------------------------------------------------------------------------
-- dli_kafka_result_table:30
create table kafkaSource(
  attr_name attr_type
  (',' attr_name attr_type)*
  (','PRIMARY KEY (attr_name, ...) NOT ENFORCED)
)
with (
  'connector.type' = 'kafka',
  'connector.version' = '',
  'connector.topic' = '',
  'connector.properties.bootstrap.servers' = '',
  'format.type' = ''
);
---- error
UNKNOWN_TYPE: Unknown data type attr_type (line 3, column 13).
--------------------------------------------------------------------------------
-- dli_kafka_result_table:79
create table kafkaSink(
  car_id STRING,
  car_owner STRING,
  car_brand STRING,
  car_speed INT)
with (
  'connector.type' = 'kafka',
  'connector.version' = '0.10',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'connector.sink-partitioner' = 'round-robin',
  'format.type' = 'csv'
);
---- ir
CreateTable
  name: kafkaSink
  column car_id: Nullable(String)
  column car_owner: Nullable(String)
  column car_brand: Nullable(String)
  column car_speed: Nullable(Int32)
  engine: kafka
  setting connector.type = kafka
  setting connector.version = 0.10
  setting connector.topic = test-topic
  setting connector.properties.bootstrap.servers = xx.xx.xx.xx:9092
  setting connector.sink-partitioner = round-robin
  setting format.type = csv
  dialect: flink
---- show create
CREATE TABLE `kafkaSink` (
  `car_id` STRING,
  `car_owner` STRING,
  `car_brand` STRING,
  `car_speed` INT
)
WITH (
  'connector.type' = 'kafka',
  'connector.version' = '0.10',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'connector.sink-partitioner' = 'round-robin',
  'format.type' = 'csv'
)
--------------------------------------------------------------------------------
-- dli_upsert_kafka_result_table:30
create table kafkaSource(
  attr_name attr_type
  (',' attr_name attr_type)*
  (','PRIMARY KEY (attr_name, ...) NOT ENFORCED)
)
with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '',
  'connector.topic' = '',
  'connector.properties.bootstrap.servers' = '',
   'format.type' = ''
);
---- error
UNKNOWN_TYPE: Unknown data type attr_type (line 3, column 13).
--------------------------------------------------------------------------------
-- dli_upsert_kafka_result_table:77
create table upsertKafkaSink(
  car_id STRING,
  car_owner STRING,
  car_brand STRING,
  car_speed INT,
  primary key (car_id) not enforced
)
with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'format.type' = 'csv'
);
---- ir
CreateTable
  name: upsertKafkaSink
  column car_id: String
  column car_owner: Nullable(String)
  column car_brand: Nullable(String)
  column car_speed: Nullable(Int32)
  engine: upsert-kafka
  setting connector.type = upsert-kafka
  setting connector.version = 0.11
  setting connector.topic = test-topic
  setting connector.properties.bootstrap.servers = xx.xx.xx.xx:9092
  setting format.type = csv
  dialect: flink
  primary_key: ('car_id',)
---- show create
CREATE TABLE `upsertKafkaSink` (
  `car_id` STRING NOT NULL,
  `car_owner` STRING,
  `car_brand` STRING,
  `car_speed` INT,
  PRIMARY KEY (`car_id`) NOT ENFORCED
)
WITH (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'format.type' = 'csv'
)
