CREATE TABLE orders (id INT, item STRING, price DECIMAL(10, 2), ts TIMESTAMP(3),
  cents AS CAST(price * 100 AS BIGINT), part BIGINT METADATA FROM 'partition' VIRTUAL,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE totals (item STRING, n BIGINT, PRIMARY KEY (item) NOT ENFORCED);
CREATE TABLE items (item STRING, n BIGINT);
CREATE TABLE out (item STRING, n BIGINT)
WITH ('connector' = 'kafka', 'topic' = 'out', 'properties.bootstrap.servers' = 'b:9092',
  'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'p');
INSERT INTO items SELECT item, cents FROM orders WHERE part = 0;
---- specs
query job
  input orders as sluice_<orders>: orders
    computed cents: sluice_int64(`price` * 100)
    watermark ('ts', 5000)
  output default.items -> items of ('item', 'n')
    sql SELECT `orders`.`item` AS `item`, `orders`.`cents` AS `cents` FROM `sluice_<orders>` AS `orders` WHERE `orders`.`part` = 0
    uses sluice_<orders>: cents, item, part
====
INSERT INTO totals SELECT item, COUNT(*) FROM orders GROUP BY item;
---- specs
query job stateful
  input orders as sluice_<orders>: orders
    computed cents: sluice_int64(`price` * 100)
    watermark ('ts', 5000)
  output default.totals -> totals of ('item', 'n')
    sql SELECT `orders`.`item` AS `item`, count(1) AS `EXPR$1` FROM `sluice_<orders>` AS `orders` GROUP BY `orders`.`item`
    uses sluice_<orders>: item
    updating, key ('item',)
  state the rows of GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS EXPR$1])
====
EXECUTE STATEMENT SET BEGIN
INSERT INTO items SELECT item, id FROM orders;
INSERT INTO out SELECT UPPER(item), id FROM orders;
END;
---- specs
query job
  input orders as sluice_<orders>: orders
    computed cents: sluice_int64(`price` * 100)
    watermark ('ts', 5000)
  output default.items -> items of ('item', 'n')
    sql SELECT `orders`.`item` AS `item`, `orders`.`id` AS `id` FROM `sluice_<orders>` AS `orders`
    uses sluice_<orders>: id, item
  output default.out -> out of ('item', 'n')
    sql SELECT upper(`orders`.`item`) AS `EXPR$0`, `orders`.`id` AS `id` FROM `sluice_<orders>` AS `orders`
    uses sluice_<orders>: id, item
    sink out: json, exactly-once
====
INSERT INTO items SELECT item, nosuch FROM orders;
---- error
UNKNOWN_COLUMN: Unknown column nosuch (line 1, column 32).
