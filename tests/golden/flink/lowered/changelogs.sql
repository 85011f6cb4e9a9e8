CREATE TABLE products (id INT, name STRING, weight DECIMAL(10, 3), tags MAP<STRING, STRING>) WITH ('connector' = 'kafka', 'format' = 'debezium-json')
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE users (uid BIGINT, name STRING, city STRING, score INT, PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'upsert-kafka')
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE cars (id INT, model STRING, price DOUBLE, owner INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'format' = 'debezium-json')
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE clicks (uid INT, url STRING, at TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR at AS at) WITH ('connector' = 'kafka')
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE cities (city STRING, land STRING, PRIMARY KEY (city) NOT ENFORCED)
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE VIEW heavy (no, what) AS SELECT id, name FROM products WHERE weight > 5
---- ir
CreateView
--------------------------------------------------------------------------------
-- rows one by one: kinds are passed on
SELECT id, UPPER(name) AS name FROM products
---- spark
SELECT `products`.`id` AS `id`, upper(`products`.`name`) AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at`
FROM `view of products` AS `products`
Shape(stream=True, stateful=False, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[products]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT id FROM products WHERE weight > 1 AND name LIKE 'a%'
---- spark
SELECT `products`.`id` AS `id`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at`
FROM `view of products` AS `products`
WHERE `products`.`weight` > 1 AND `products`.`name` LIKE 'a%'
Shape(stream=True, stateful=False, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[products]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT what FROM heavy WHERE no > 7
---- spark
SELECT `heavy`.`what` AS `what`, `heavy`.`__row_kind` AS `__row_kind`, `heavy`.`__at` AS `__at`
FROM (SELECT *
FROM (SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at`
FROM `view of products` AS `products`
WHERE `products`.`weight` > 5) AS `_r`(`no`, `what`, `__row_kind`, `__at`)) AS `heavy`
WHERE `heavy`.`no` > 7
Shape(stream=True, stateful=False, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[products]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
WITH h AS (SELECT * FROM heavy) SELECT no AS n, 1 AS one FROM h
---- spark
SELECT `h`.`no` AS `n`, 1 AS `one`, `h`.`__row_kind` AS `__row_kind`, `h`.`__at` AS `__at`
FROM (SELECT `heavy`.`no` AS `no`, `heavy`.`what` AS `what`, `heavy`.`__row_kind` AS `__row_kind`, `heavy`.`__at` AS `__at`
FROM (SELECT *
FROM (SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at`
FROM `view of products` AS `products`
WHERE `products`.`weight` > 5) AS `_r`(`no`, `what`, `__row_kind`, `__at`)) AS `heavy`) AS `h`
Shape(stream=True, stateful=False, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[products]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT id, name FROM products UNION ALL SELECT owner, model FROM cars UNION ALL SELECT uid, url FROM clicks
---- spark
Step(view='sluice_step_1_3bb59eab', sql='SELECT `id`, `model`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_2_66fe46d3', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_3bb59eab', key=('id',)))
(SELECT `products`.`id` AS `id`, `products`.`name` AS `name`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at`
FROM `view of products` AS `products`) UNION ALL (SELECT `cars`.`owner` AS `owner`, `cars`.`model` AS `model`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at`
FROM `sluice_step_2_66fe46d3` AS `cars`) UNION ALL (SELECT `clicks`.`uid` AS `uid`, `clicks`.`url` AS `url`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at`
FROM `view of clicks` AS `clicks`)
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[products]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT u.uid, c.land FROM users u JOIN cities c ON u.city = c.city
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
SELECT `u`.`uid` AS `uid`, `c`.`land` AS `land`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at`
FROM `sluice_step_2_f16df0cf` AS `u` INNER JOIN `view of cities` AS `c` ON `u`.`city` = `c`.`city`
Shape(stream=True, stateful=True, updating=True, key=('uid',), bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
full changelog, keys (('uid',),)
--------------------------------------------------------------------------------
SELECT u.uid, c.land FROM users u LEFT JOIN cities c ON u.name = c.land
---- spark
Step(view='sluice_step_1_4b3acfd4', sql='SELECT `uid`, `name`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_9da4ee8b', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_4b3acfd4', key=('uid',)))
SELECT `u`.`uid` AS `uid`, `c`.`land` AS `land`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at`
FROM `sluice_step_2_9da4ee8b` AS `u` LEFT JOIN `view of cities` AS `c` ON `u`.`name` = `c`.`land`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT uid, w FROM users CROSS JOIN UNNEST(ARRAY[name, city]) AS t(w)
---- spark
Step(view='sluice_step_1_b1e9bcb6', sql='SELECT `uid`, `name`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_0c6160c1', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_b1e9bcb6', key=('uid',)))
SELECT `users`.`uid` AS `uid`, `t`.`w` AS `w`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at`
FROM `sluice_step_2_0c6160c1` AS `users` CROSS JOIN LATERAL explode(array(`users`.`name`, `users`.`city`)) AS `t`(`w`)
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT id, k FROM products CROSS JOIN UNNEST(tags) AS t(k, v)
---- spark
SELECT `products`.`id` AS `id`, `t`.`k` AS `k`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at`
FROM `view of products` AS `products` CROSS JOIN LATERAL explode(`products`.`tags`) AS `t`(`k`, `v`)
Shape(stream=True, stateful=False, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[products]])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
-- a changelog by key: as it is where only columns are chosen, else with the rows that are replaced
SELECT uid, city FROM users
---- spark
SELECT `users`.`uid` AS `uid`, `users`.`city` AS `city`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at`
FROM `view of users` AS `users`
Shape(stream=True, stateful=False, updating=True, key=('uid',), bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
upsert changelog, keys (('uid',),)
--------------------------------------------------------------------------------
SELECT uid AS u, UPPER(city) AS city FROM (SELECT * FROM users)
---- spark
SELECT `_1`.`uid` AS `u`, upper(`_1`.`city`) AS `city`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM (SELECT `users`.`uid` AS `uid`, `users`.`name` AS `name`, `users`.`city` AS `city`, `users`.`score` AS `score`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at`
FROM `view of users` AS `users`) AS `_1`
Shape(stream=True, stateful=False, updating=True, key=('u',), bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
upsert changelog, keys (('u',),)
--------------------------------------------------------------------------------
SELECT city FROM users
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
SELECT `users`.`city` AS `city`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at`
FROM `sluice_step_2_f16df0cf` AS `users`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT uid FROM users WHERE score > 1
---- spark
Step(view='sluice_step_1_63c4566f', sql='SELECT `uid`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_8a4d8ce3', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_63c4566f', key=('uid',)))
SELECT `users`.`uid` AS `uid`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at`
FROM `sluice_step_2_8a4d8ce3` AS `users`
WHERE `users`.`score` > 1
Shape(stream=True, stateful=True, updating=True, key=('uid',), bounded_state=True, why='TableSourceScan(table=[[users]])', closes=False)
full changelog, keys (('uid',),)
--------------------------------------------------------------------------------
SELECT id AS no, model FROM cars
---- spark
SELECT `cars`.`id` AS `no`, `cars`.`model` AS `model`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at`, filter(transform(`cars`.`__unchanged`, `_n` -> try_element_at(map('id', 'no', 'model', 'model'), `_n`)), `_n` -> `_n` IS NOT NULL) AS `__unchanged`
FROM `view of cars` AS `cars`
Shape(stream=True, stateful=False, updating=True, key=('no',), bounded_state=True, why='TableSourceScan(table=[[cars]])', closes=False)
upsert changelog, keys (('no',),)
--------------------------------------------------------------------------------
SELECT id, UPPER(model) FROM cars
---- spark
Step(view='sluice_step_1_54aeb159', sql='SELECT `id`, `model`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_2_f4fa0190', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_54aeb159', key=('id',)))
SELECT `cars`.`id` AS `id`, upper(`cars`.`model`) AS `EXPR$1`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at`
FROM `sluice_step_2_f4fa0190` AS `cars`
Shape(stream=True, stateful=True, updating=True, key=('id',), bounded_state=True, why='TableSourceScan(table=[[cars]])', closes=False)
full changelog, keys (('id',),)
--------------------------------------------------------------------------------
-- sums
SELECT name, SUM(weight) FROM products GROUP BY name
---- spark
Step(view='sluice_step_1_b080acac', sql="SELECT `products`.`name` AS `__k0`, sum(if(`products`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`products`.`weight` IS NOT NULL, if(`products`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, CAST(sum(if(`products`.`__row_kind` IN ('+I', '+U'), `products`.`weight`, - `products`.`weight`)) AS DECIMAL(38,3)) AS `__s2` FROM `view of products` AS `products` GROUP BY `products`.`name`", distinct=(), times=())
Step(view='sluice_step_2_4d87132a', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_1_b080acac', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum'))))
SELECT `_1`.`__k0` AS `name`, CAST(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`) AS DECIMAL(38,3)) AS `EXPR$1`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_2_4d87132a` AS `_1`
Shape(stream=True, stateful=True, updating=True, key=('name',), bounded_state=False, why='GroupAggregate(groupBy=[name], select=[name, SUM(weight) AS EXPR$1])', closes=False)
full changelog, keys (('name',),)
--------------------------------------------------------------------------------
SELECT city, COUNT(*) AS n, COUNT(score) AS s, SUM(score) AS t, AVG(score) AS a, SUM(uid) FILTER (WHERE score > 1) AS f FROM users GROUP BY city
---- spark
Step(view='sluice_step_1_263b0cc4', sql='SELECT `uid`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f750c1f0', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_263b0cc4', key=('uid',)))
Step(view='sluice_step_3_e57c2104', sql="SELECT `users`.`city` AS `__k0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`users`.`score` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, sluice_sum(if(`users`.`__row_kind` IN ('+I', '+U'), CAST(`users`.`score` AS BIGINT), sluice_negate(CAST(`users`.`score` AS BIGINT)))) AS `__s2`, CAST(sum(if(`users`.`__row_kind` IN ('+I', '+U'), CAST(`users`.`score` AS DECIMAL(19)), - CAST(`users`.`score` AS DECIMAL(19)))) AS DECIMAL(38,0)) AS `__s3`, sum(if((`users`.`score` > 1) AND `users`.`uid` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s4`, sluice_sum(if((`users`.`score` > 1), if(`users`.`__row_kind` IN ('+I', '+U'), CAST(`users`.`uid` AS BIGINT), sluice_negate(CAST(`users`.`uid` AS BIGINT))), NULL)) AS `__s5` FROM `sluice_step_2_f750c1f0` AS `users` GROUP BY `users`.`city`", distinct=(), times=())
Step(view='sluice_step_4_cb72600c', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_e57c2104', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum'), ('__s3', 'sum'), ('__s4', 'sum'), ('__s5', 'sum'))))
SELECT `_1`.`__k0` AS `city`, `_1`.`__n` AS `n`, `_1`.`__s1` AS `s`, sluice_int32(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`)) AS `t`, sluice_int32(`_1`.`__s3` DIV nullif(`_1`.`__s1`, 0L)) AS `a`, sluice_int64(if(`_1`.`__s4` = 0, NULL, `_1`.`__s5`)) AS `f`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_4_cb72600c` AS `_1`
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why='GroupAggregate(groupBy=[city], select=[city, COUNT(*) AS n, COUNT(score) AS s, SUM(score) AS t, AVG(score) AS a, SUM(uid) FILTER(WHERE score > 1) AS f])', closes=False)
full changelog, keys (('city',),)
--------------------------------------------------------------------------------
SELECT COUNT(*) AS n, AVG(weight) AS w, AVG(price) AS p FROM products, cars WHERE products.id = cars.id
---- spark
Step(view='sluice_step_1_3873d889', sql='SELECT `id`, `price`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_2_9396ba3b', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_3873d889', key=('id',)))
Step(view='sluice_step_3_84beca46', sql='SELECT `products`.`id` AS `__l0`, `products`.`weight` AS `__l1`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at` FROM `view of products` AS `products` WHERE `products`.`id` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_4_1187f88e', sql='SELECT `cars`.`id` AS `__r0`, `cars`.`price` AS `__r1`, `cars`.`__row_kind` AS `__row_kind`, `cars`.`__at` AS `__at` FROM `sluice_step_2_9396ba3b` AS `cars` WHERE `cars`.`id` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_5_0ca291f1', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_3_84beca46` AS `_1` INNER JOIN `sluice_step_4_1187f88e` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_3_84beca46', ('__l0',)), ('sluice_step_4_1187f88e', ('__r0',)))))
Step(view='sluice_step_6_1c6cd318', sql="SELECT sum(if(`_3`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`_3`.`__l1` IS NOT NULL, if(`_3`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, CAST(sum(if(`_3`.`__row_kind` IN ('+I', '+U'), `_3`.`__l1`, - `_3`.`__l1`)) AS DECIMAL(38,3)) AS `__s2`, sum(if(`_3`.`__r1` IS NOT NULL, if(`_3`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s3`, sum(if(`_3`.`__row_kind` IN ('+I', '+U'), CAST(`_3`.`__r1` AS DOUBLE), - CAST(`_3`.`__r1` AS DOUBLE))) AS `__s4` FROM `sluice_step_5_0ca291f1` AS `_3` WHERE `_3`.`__l0` = `_3`.`__r0`", distinct=(), times=())
Step(view='sluice_step_7_7d932577', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_6_1c6cd318', key=(), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum'), ('__s3', 'sum'), ('__s4', 'sum'))))
SELECT `_4`.`__n` AS `n`, CAST(CAST((CAST(`_4`.`__s2` AS DECIMAL(20,3)) / nullif(CAST(`_4`.`__s1` AS DECIMAL(20,0)), 0)) AS DECIMAL(14,7)) AS DECIMAL(38,6)) AS `w`, `_4`.`__s4` / nullif(`_4`.`__s3`, 0) AS `p`, `_4`.`__row_kind` AS `__row_kind`, `_4`.`__at` AS `__at`
FROM `sluice_step_7_7d932577` AS `_4`
Shape(stream=True, stateful=True, updating=True, key=(), bounded_state=False, why='GroupAggregate(select=[COUNT(*) AS n, AVG(weight) AS w, AVG(price) AS p])', closes=False)
full changelog, keys ((),)
--------------------------------------------------------------------------------
SELECT UPPER(city) || '!' AS c, SUM(score) * 2 AS s FROM users WHERE score > 0 GROUP BY UPPER(city) HAVING SUM(score) > 10 OR COUNT(*) = 1
---- spark
Step(view='sluice_step_1_263b0cc4', sql='SELECT `uid`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f750c1f0', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_263b0cc4', key=('uid',)))
Step(view='sluice_step_3_4d75d30d', sql="SELECT upper(`users`.`city`) AS `__k0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`users`.`score` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, sluice_sum(if(`users`.`__row_kind` IN ('+I', '+U'), CAST(`users`.`score` AS BIGINT), sluice_negate(CAST(`users`.`score` AS BIGINT)))) AS `__s2` FROM `sluice_step_2_f750c1f0` AS `users` WHERE `users`.`score` > 0 GROUP BY upper(`users`.`city`)", distinct=(), times=())
Step(view='sluice_step_4_f3742627', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_4d75d30d', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum'))))
SELECT concat(`_1`.`__k0`, '!') AS `c`, sluice_multiply(sluice_int32(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`)), 2) AS `s`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_4_f3742627` AS `_1`
WHERE sluice_int32(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`)) > 10 OR `_1`.`__n` = 1
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why="GroupAggregate(groupBy=[UPPER], select=[UPPER(city) || '!' AS c, SUM(score) * 2 AS s])", closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT n, COUNT(*) AS many FROM (SELECT city, COUNT(*) AS n FROM users GROUP BY city) GROUP BY n
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_3674424a', sql="SELECT `users`.`city` AS `__k0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM `sluice_step_2_f16df0cf` AS `users` GROUP BY `users`.`city`", distinct=(), times=())
Step(view='sluice_step_4_24ab16b5', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_3674424a', key=('__k0',), sums=(('__n', 'sum'),)))
Step(view='sluice_step_5_b72d0b87', sql="SELECT `_2`.`n` AS `__k0`, sum(if(`_2`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM (SELECT `_1`.`__k0` AS `city`, `_1`.`__n` AS `n`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_4_24ab16b5` AS `_1`) AS `_2` GROUP BY `_2`.`n`", distinct=(), times=())
Step(view='sluice_step_6_6501f996', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_5_b72d0b87', key=('__k0',), sums=(('__n', 'sum'),)))
SELECT `_3`.`__k0` AS `n`, `_3`.`__n` AS `many`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_6_6501f996` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=('n',), bounded_state=False, why='GroupAggregate(groupBy=[n], select=[n, COUNT(*) AS many])', closes=False)
full changelog, keys (('n',),)
--------------------------------------------------------------------------------
SELECT city, name, COUNT(*) FROM users GROUP BY city
---- error
NOT_AN_AGGREGATE: name is not under aggregate function and not in GROUP BY keys (line 1, column 8). Add it to GROUP BY, or take one value of it with any(…).
--------------------------------------------------------------------------------
SELECT city, score + 1, COUNT(*) FROM users GROUP BY city
---- error
NOT_AN_AGGREGATE: score is not under aggregate function and not in GROUP BY keys (line 1, column 8). Add it to GROUP BY, or take one value of it with any(…).
--------------------------------------------------------------------------------
SELECT DISTINCT city FROM users
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_7e2dce02', sql="SELECT `city`, sum(if(`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM (SELECT `users`.`city` AS `city`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_f16df0cf` AS `users`) GROUP BY `city`", distinct=(), times=())
Step(view='sluice_step_4_90d9f1a1', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_7e2dce02', key=('city',), sums=(('__n', 'sum'),)))
SELECT `city`, `__row_kind`, `__at`
FROM `sluice_step_4_90d9f1a1`
WHERE `__row_kind` IN ('+I', '-D')
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why='GroupAggregate(groupBy=[city], select=[city])', closes=False)
full changelog, keys (('city',),)
--------------------------------------------------------------------------------
SELECT DISTINCT COUNT(*) AS n FROM users GROUP BY city
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_3674424a', sql="SELECT `users`.`city` AS `__k0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM `sluice_step_2_f16df0cf` AS `users` GROUP BY `users`.`city`", distinct=(), times=())
Step(view='sluice_step_4_24ab16b5', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_3674424a', key=('__k0',), sums=(('__n', 'sum'),)))
Step(view='sluice_step_5_c457cd41', sql="SELECT `n`, sum(if(`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM (SELECT `_1`.`__n` AS `n`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_4_24ab16b5` AS `_1`) GROUP BY `n`", distinct=(), times=())
Step(view='sluice_step_6_ebb5bf7f', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_5_c457cd41', key=('n',), sums=(('__n', 'sum'),)))
SELECT `n`, `__row_kind`, `__at`
FROM `sluice_step_6_ebb5bf7f`
WHERE `__row_kind` IN ('+I', '-D')
Shape(stream=True, stateful=True, updating=True, key=('n',), bounded_state=False, why='GroupAggregate(groupBy=[n], select=[n])', closes=False)
full changelog, keys (('n',),)
--------------------------------------------------------------------------------
SELECT id FROM products UNION SELECT uid FROM clicks
---- spark
Step(view='sluice_step_1_f3265409', sql="SELECT `id`, sum(if(`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM ((SELECT `products`.`id` AS `id`, `products`.`__row_kind` AS `__row_kind`, `products`.`__at` AS `__at` FROM `view of products` AS `products`) UNION ALL (SELECT `clicks`.`uid` AS `uid`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of clicks` AS `clicks`)) GROUP BY `id`", distinct=(), times=())
Step(view='sluice_step_2_2b452336', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_1_f3265409', key=('id',), sums=(('__n', 'sum'),)))
SELECT `id`, `__row_kind`, `__at`
FROM `sluice_step_2_2b452336`
WHERE `__row_kind` IN ('+I', '-D')
Shape(stream=True, stateful=True, updating=True, key=('id',), bounded_state=False, why='GroupAggregate(groupBy=[id], select=[id])', closes=False)
full changelog, keys (('id',),)
--------------------------------------------------------------------------------
-- rows of groups
SELECT city, MIN(score) AS low, MAX(score) AS high, COUNT(DISTINCT name) AS names FROM users GROUP BY city
---- spark
Step(view='sluice_step_1_be8ae044', sql='SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_51374721', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_be8ae044', key=('uid',)))
Step(view='sluice_step_3_7fe35260', sql="SELECT `users`.`city` AS `__k0`, `_2`.`__of` AS `__of`, if(`_2`.`__of` = 0, `users`.`score`, NULL) AS `__v0`, if(`_2`.`__of` = 1, `users`.`name`, NULL) AS `__v1`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`users`.`score` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, sum(if(`users`.`name` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s2` FROM `sluice_step_2_51374721` AS `users` LATERAL VIEW explode(array(0, 1)) `_2` AS `__of` GROUP BY `users`.`city`, `_2`.`__of`, if(`_2`.`__of` = 0, `users`.`score`, NULL), if(`_2`.`__of` = 1, `users`.`name`, NULL)", distinct=(), times=())
Step(view='sluice_step_4_7de96e39', sql='', distinct=(), times=(), state=AccumulateValues(source='sluice_step_3_7fe35260', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum')), shown=(), values=(('__a0', '__v0', '__s1', 'min'), ('__a1', '__v0', '__s1', 'max'), ('__a2', '__v1', '__s2', 'count'))))
SELECT `_1`.`__k0` AS `city`, `_1`.`__a0` AS `low`, `_1`.`__a1` AS `high`, `_1`.`__a2` AS `names`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_4_7de96e39` AS `_1`
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why='GroupAggregate(groupBy=[city], select=[city, MIN(score) AS low, MAX(score) AS high, COUNT(DISTINCT name) AS names])', closes=False)
full changelog, keys (('city',),)
--------------------------------------------------------------------------------
SELECT MAX(score) AS high FROM users HAVING MAX(score) > 3
---- spark
Step(view='sluice_step_1_63c4566f', sql='SELECT `uid`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_8a4d8ce3', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_63c4566f', key=('uid',)))
Step(view='sluice_step_3_55276859', sql="SELECT 0 AS `__of`, `users`.`score` AS `__v0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`users`.`score` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1` FROM `sluice_step_2_8a4d8ce3` AS `users` GROUP BY `users`.`score`", distinct=(), times=())
Step(view='sluice_step_4_0a815b94', sql='', distinct=(), times=(), state=AccumulateValues(source='sluice_step_3_55276859', key=(), sums=(('__n', 'sum'), ('__s1', 'sum')), shown=(), values=(('__a0', '__v0', '__s1', 'max'),)))
SELECT `_1`.`__a0` AS `high`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_4_0a815b94` AS `_1`
WHERE `_1`.`__a0` > 3
Shape(stream=True, stateful=True, updating=True, key=(), bounded_state=False, why='GroupAggregate(select=[MAX(score) AS high])', closes=False)
full changelog, keys ((),)
--------------------------------------------------------------------------------
SELECT city, LISTAGG(name) AS names, FIRST_VALUE(name) AS f, LAST_VALUE(name) AS l, LISTAGG(DISTINCT name, ';') AS d, ARRAY_AGG(score) FILTER (WHERE score > 0) AS s FROM users GROUP BY city
---- spark
Step(view='sluice_step_1_be8ae044', sql='SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_51374721', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_be8ae044', key=('uid',)))
Step(view='sluice_step_3_d6c09ed2', sql='SELECT `users`.`name` AS `__c0`, `users`.`city` AS `__c1`, `users`.`score` AS `__c2`, `users`.`uid` AS `__u0`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_51374721` AS `users`', distinct=(), times=())
Step(view='sluice_step_4_87cdae53', sql="SELECT `_1`.`__c1` AS `city`, if(size(collect_list(if(`_1`.`__c0` IS NULL, NULL, struct(`_1`.`__seq` AS s, CAST(`_1`.`__c0` AS STRING) AS v)))) = 0, NULL, array_join(transform(array_sort(collect_list(if(`_1`.`__c0` IS NULL, NULL, struct(`_1`.`__seq` AS s, CAST(`_1`.`__c0` AS STRING) AS v)))), `_e` -> `_e`.`v`), ',')) AS `names`, min_by(`_1`.`__c0`, if(`_1`.`__c0` IS NULL, NULL, struct(`_1`.`__seq`, `_1`.`__c0`))) AS `f`, max_by(`_1`.`__c0`, if(`_1`.`__c0` IS NULL, NULL, struct(`_1`.`__seq`, `_1`.`__c0`))) AS `l`, if(size(collect_list(DISTINCT CAST(`_1`.`__c0` AS STRING))) = 0, NULL, array_join(array_sort(collect_list(DISTINCT CAST(`_1`.`__c0` AS STRING))), ';')) AS `d`, transform(array_sort(collect_list(struct(`_1`.`__seq` AS s, `_1`.`__c2` AS v)) FILTER (WHERE `_1`.`__c2` > 0)), `_e` -> `_e`.`v`) AS `s` FROM `sluice_step_3_d6c09ed2` AS `_1` GROUP BY `_1`.`__c1`", distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_d6c09ed2', ('__c1',)),), key=('city',), ordered=True))
SELECT `city`, `names`, `f`, `l`, `d`, `s`, `__row_kind`, `__at`
FROM `sluice_step_4_87cdae53`
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why="GroupAggregate(groupBy=[city], select=[city, LISTAGG(name) AS names, FIRST_VALUE(name) AS f, LAST_VALUE(name) AS l, LISTAGG(DISTINCT name, ';') AS d, ARRAY_AGG(score) FILTER(WHERE score > 0) AS s])", closes=False)
full changelog, keys (('city',),)
--------------------------------------------------------------------------------
SELECT CHAR_LENGTH(city) AS n, AVG(DISTINCT score) AS a FROM users GROUP BY CHAR_LENGTH(city)
---- spark
Step(view='sluice_step_1_263b0cc4', sql='SELECT `uid`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f750c1f0', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_263b0cc4', key=('uid',)))
Step(view='sluice_step_3_e6c9842a', sql='SELECT `users`.`city` AS `__c0`, `users`.`score` AS `__c1`, length(`users`.`city`) AS `__k0`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_f750c1f0` AS `users`', distinct=(), times=())
Step(view='sluice_step_4_437af9e0', sql='SELECT length(`_1`.`__c0`) AS `n`, sluice_int32(avg(DISTINCT CAST(`_1`.`__c1` AS DECIMAL(29,10)))) AS `a` FROM `sluice_step_3_e6c9842a` AS `_1` GROUP BY length(`_1`.`__c0`)', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_e6c9842a', ('__k0',)),), key=('n',), ordered=False))
SELECT `n`, `a`, `__row_kind`, `__at`
FROM `sluice_step_4_437af9e0`
Shape(stream=True, stateful=True, updating=True, key=('n',), bounded_state=False, why='GroupAggregate(groupBy=[CHAR_LENGTH], select=[CHAR_LENGTH(city) AS n, AVG(DISTINCT score) AS a])', closes=False)
full changelog, keys (('n',),)
--------------------------------------------------------------------------------
SELECT SUM(high) FROM (SELECT city, MAX(score) AS high FROM users GROUP BY city)
---- spark
Step(view='sluice_step_1_263b0cc4', sql='SELECT `uid`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f750c1f0', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_263b0cc4', key=('uid',)))
Step(view='sluice_step_3_d51651f3', sql="SELECT `users`.`city` AS `__k0`, 0 AS `__of`, `users`.`score` AS `__v0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`users`.`score` IS NOT NULL, if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1` FROM `sluice_step_2_f750c1f0` AS `users` GROUP BY `users`.`city`, `users`.`score`", distinct=(), times=())
Step(view='sluice_step_4_1143b67e', sql='', distinct=(), times=(), state=AccumulateValues(source='sluice_step_3_d51651f3', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum')), shown=(), values=(('__a0', '__v0', '__s1', 'max'),)))
Step(view='sluice_step_5_dca9f9a6', sql="SELECT sum(if(`_2`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n`, sum(if(`_2`.`high` IS NOT NULL, if(`_2`.`__row_kind` IN ('+I', '+U'), 1L, -1L), 0L)) AS `__s1`, sluice_sum(if(`_2`.`__row_kind` IN ('+I', '+U'), CAST(`_2`.`high` AS BIGINT), sluice_negate(CAST(`_2`.`high` AS BIGINT)))) AS `__s2` FROM (SELECT `_1`.`__k0` AS `city`, `_1`.`__a0` AS `high`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_4_1143b67e` AS `_1`) AS `_2`", distinct=(), times=())
Step(view='sluice_step_6_5bb1a119', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_5_dca9f9a6', key=(), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum'))))
SELECT sluice_int32(if(`_3`.`__s1` = 0, NULL, `_3`.`__s2`)) AS `EXPR$0`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_6_5bb1a119` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=(), bounded_state=False, why='GroupAggregate(select=[SUM(high) AS EXPR$0])', closes=False)
full changelog, keys ((),)
--------------------------------------------------------------------------------
-- Top-N
SELECT uid, city, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY score DESC, name) AS rn FROM users) WHERE rn <= 3
---- spark
Step(view='sluice_step_1_be8ae044', sql='SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_51374721', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_be8ae044', key=('uid',)))
Step(view='sluice_step_3_dcbdb0e8', sql='SELECT `users`.`uid` AS `uid`, `users`.`name` AS `name`, `users`.`city` AS `city`, `users`.`score` AS `score`, `users`.`city` AS `__p0`, `users`.`score` AS `__o1`, `users`.`name` AS `__o2`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_51374721` AS `users`', distinct=(), times=())
Step(view='sluice_step_4_7ebe7671', sql='SELECT `uid`, `name`, `city`, `score`, `rn` FROM (SELECT `uid`, `name`, `city`, `score`, CAST(row_number() OVER (PARTITION BY `__p0` ORDER BY `__o1` DESC, `__o2` ASC, `__seq`, `uid`, `name`, `city`, `score`) AS BIGINT) AS `rn` FROM `sluice_step_3_dcbdb0e8`) WHERE `rn` <= 3', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_dcbdb0e8', ('__p0',)),), key=None, ordered=True))
SELECT `_1`.`uid` AS `uid`, `_1`.`city` AS `city`, `_1`.`rn` AS `rn`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM (SELECT `uid`, `name`, `city`, `score`, `rn`, `__row_kind`, `__at`
FROM `sluice_step_4_7ebe7671`) AS `_1`
WHERE `_1`.`rn` <= 3
Shape(stream=True, stateful=True, updating=True, key=('city', 'rn'), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=3], partitionBy=[city], orderBy=[score DESC, name ASC])', closes=False)
full changelog, keys (('city', 'rn'), ('uid',))
--------------------------------------------------------------------------------
SELECT uid, city FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY score DESC) AS rn FROM users) WHERE rn = 1
---- spark
Step(view='sluice_step_1_be8ae044', sql='SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_51374721', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_be8ae044', key=('uid',)))
Step(view='sluice_step_3_a095ef12', sql='SELECT `users`.`uid` AS `uid`, `users`.`name` AS `name`, `users`.`city` AS `city`, `users`.`score` AS `score`, `users`.`city` AS `__p0`, `users`.`score` AS `__o1`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_51374721` AS `users`', distinct=(), times=())
Step(view='sluice_step_4_3659619c', sql='SELECT `uid`, `name`, `city`, `score` FROM (SELECT `uid`, `name`, `city`, `score`, CAST(row_number() OVER (PARTITION BY `__p0` ORDER BY `__o1` DESC, `__seq`, `uid`, `name`, `city`, `score`) AS BIGINT) AS `rn` FROM `sluice_step_3_a095ef12`) WHERE `rn` <= 1', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_a095ef12', ('__p0',)),), key=('city',), ordered=True))
SELECT `_1`.`uid` AS `uid`, `_1`.`city` AS `city`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM (SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at`
FROM `sluice_step_4_3659619c`) AS `_1`
WHERE 1L = 1
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=1], partitionBy=[city], orderBy=[score DESC])', closes=False)
full changelog, keys (('city',), ('uid',))
--------------------------------------------------------------------------------
SELECT uid, city FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY score DESC) AS rn FROM users) WHERE rn <= 2 AND uid > 1
---- spark
Step(view='sluice_step_1_be8ae044', sql='SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_51374721', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_be8ae044', key=('uid',)))
Step(view='sluice_step_3_a095ef12', sql='SELECT `users`.`uid` AS `uid`, `users`.`name` AS `name`, `users`.`city` AS `city`, `users`.`score` AS `score`, `users`.`city` AS `__p0`, `users`.`score` AS `__o1`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_51374721` AS `users`', distinct=(), times=())
Step(view='sluice_step_4_af503026', sql='SELECT `uid`, `name`, `city`, `score` FROM (SELECT `uid`, `name`, `city`, `score`, CAST(row_number() OVER (PARTITION BY `__p0` ORDER BY `__o1` DESC, `__seq`, `uid`, `name`, `city`, `score`) AS BIGINT) AS `rn` FROM `sluice_step_3_a095ef12`) WHERE `rn` <= 2', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_a095ef12', ('__p0',)),), key=None, ordered=True))
SELECT `_1`.`uid` AS `uid`, `_1`.`city` AS `city`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM (SELECT `uid`, `name`, `city`, `score`, `__row_kind`, `__at`
FROM `sluice_step_4_af503026`) AS `_1`
WHERE 1L <= 2 AND `_1`.`uid` > 1
Shape(stream=True, stateful=True, updating=True, key=('uid',), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=2], partitionBy=[city], orderBy=[score DESC])', closes=False)
full changelog, keys (('uid',),)
--------------------------------------------------------------------------------
SELECT * FROM (SELECT uid, score, ROW_NUMBER() OVER (ORDER BY score) AS rn FROM users) WHERE rn <= 10
---- spark
Step(view='sluice_step_1_63c4566f', sql='SELECT `uid`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_8a4d8ce3', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_63c4566f', key=('uid',)))
Step(view='sluice_step_3_c60dc99d', sql='SELECT `users`.`uid` AS `uid`, `users`.`score` AS `score`, `users`.`score` AS `__o0`, `users`.`__row_kind` AS `__row_kind`, `users`.`__at` AS `__at` FROM `sluice_step_2_8a4d8ce3` AS `users`', distinct=(), times=())
Step(view='sluice_step_4_78b97d54', sql='SELECT `uid`, `score`, `rn` FROM (SELECT `uid`, `score`, CAST(row_number() OVER (ORDER BY `__o0` ASC, `__seq`, `uid`, `score`) AS BIGINT) AS `rn` FROM `sluice_step_3_c60dc99d`) WHERE `rn` <= 10', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_c60dc99d', ()),), key=None, ordered=True))
SELECT `_1`.`uid` AS `uid`, `_1`.`score` AS `score`, `_1`.`rn` AS `rn`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM (SELECT `uid`, `score`, `rn`, `__row_kind`, `__at`
FROM `sluice_step_4_78b97d54`) AS `_1`
WHERE `_1`.`rn` <= 10
Shape(stream=True, stateful=True, updating=True, key=('rn',), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=10], partitionBy=[], orderBy=[score ASC])', closes=False)
full changelog, keys (('rn',), ('uid',))
--------------------------------------------------------------------------------
SELECT city, n FROM (SELECT city, n, ROW_NUMBER() OVER (ORDER BY n DESC) AS rn FROM (SELECT city, COUNT(*) AS n FROM users GROUP BY city)) WHERE rn <= 10
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_3674424a', sql="SELECT `users`.`city` AS `__k0`, sum(if(`users`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM `sluice_step_2_f16df0cf` AS `users` GROUP BY `users`.`city`", distinct=(), times=())
Step(view='sluice_step_4_24ab16b5', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_3674424a', key=('__k0',), sums=(('__n', 'sum'),)))
Step(view='sluice_step_5_46c3537d', sql='SELECT `_2`.`city` AS `city`, `_2`.`n` AS `n`, `_2`.`n` AS `__o0`, `_2`.`__row_kind` AS `__row_kind`, `_2`.`__at` AS `__at` FROM (SELECT `_1`.`__k0` AS `city`, `_1`.`__n` AS `n`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_4_24ab16b5` AS `_1`) AS `_2`', distinct=(), times=())
Step(view='sluice_step_6_317aad4c', sql='SELECT `city`, `n` FROM (SELECT `city`, `n`, CAST(row_number() OVER (ORDER BY `__o0` DESC, `__seq`, `city`, `n`) AS BIGINT) AS `rn` FROM `sluice_step_5_46c3537d`) WHERE `rn` <= 10', distinct=(), times=(), state=Arrange(sources=(('sluice_step_5_46c3537d', ()),), key=None, ordered=True))
SELECT `_3`.`city` AS `city`, `_3`.`n` AS `n`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM (SELECT `city`, `n`, `__row_kind`, `__at`
FROM `sluice_step_6_317aad4c`) AS `_3`
WHERE 1L <= 10
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=10], partitionBy=[], orderBy=[n DESC])', closes=False)
full changelog, keys (('city',),)
--------------------------------------------------------------------------------
SELECT uid, url FROM (SELECT c.uid, c.url, ROW_NUMBER() OVER (PARTITION BY c.uid ORDER BY c.p DESC) AS rn FROM clicks c JOIN users u ON c.uid = u.uid) WHERE rn = 1
---- spark
Step(view='sluice_step_1_f18f7e03', sql='SELECT `uid`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_0138eda3', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_f18f7e03', key=('uid',)))
Step(view='sluice_step_3_98b74202', sql="SELECT CAST(`c`.`uid` AS BIGINT) AS `__k0`, `c`.`uid` AS `__l0`, `c`.`url` AS `__l1`, current_timestamp() AS `__l2`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of clicks` AS `c` WHERE CAST(`c`.`uid` AS BIGINT) IS NOT NULL", distinct=(), times=())
Step(view='sluice_step_4_a9e58f3c', sql='SELECT `u`.`uid` AS `__r0`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_0138eda3` AS `u` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_5_916a2278', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_1`.`__l2`, `_2`.`__r0`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_3_98b74202` AS `_1` INNER JOIN `sluice_step_4_a9e58f3c` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_3_98b74202', ('__k0',)), ('sluice_step_4_a9e58f3c', ('__r0',)))))
Step(view='sluice_step_6_e676bf7d', sql='SELECT `_3`.`__l0` AS `uid`, `_3`.`__l1` AS `url`, `_3`.`__l0` AS `__p0`, `_3`.`__l2` AS `__o1`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at` FROM `sluice_step_5_916a2278` AS `_3`', distinct=(), times=())
Step(view='sluice_step_7_8a42e345', sql='SELECT `uid`, `url` FROM (SELECT `uid`, `url`, CAST(row_number() OVER (PARTITION BY `__p0` ORDER BY `__seq` DESC, `__seq`, `uid`, `url`) AS BIGINT) AS `rn` FROM `sluice_step_6_e676bf7d`) WHERE `rn` <= 1', distinct=(), times=(), state=Arrange(sources=(('sluice_step_6_e676bf7d', ('__p0',)),), key=('uid',), ordered=True))
SELECT `_4`.`uid` AS `uid`, `_4`.`url` AS `url`, `_4`.`__row_kind` AS `__row_kind`, `_4`.`__at` AS `__at`
FROM (SELECT `uid`, `url`, `__row_kind`, `__at`
FROM `sluice_step_7_8a42e345`) AS `_4`
WHERE 1L = 1
Shape(stream=True, stateful=True, updating=True, key=('uid',), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=1], partitionBy=[c.uid], orderBy=[c.p DESC])', closes=False)
full changelog, keys (('uid',),)
--------------------------------------------------------------------------------
-- joins
SELECT u.uid, u.name, c.model FROM users u JOIN cars c ON u.uid = c.owner
---- spark
Step(view='sluice_step_1_4b3acfd4', sql='SELECT `uid`, `name`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_9da4ee8b', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_4b3acfd4', key=('uid',)))
Step(view='sluice_step_3_3bb59eab', sql='SELECT `id`, `model`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_4_f698608e', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_3bb59eab', key=('id',)))
Step(view='sluice_step_5_5731100b', sql='SELECT `u`.`uid` AS `__l0`, `u`.`name` AS `__l1`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_9da4ee8b` AS `u` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_6_d9d7bdac', sql='SELECT CAST(`c`.`owner` AS BIGINT) AS `__k0`, `c`.`model` AS `__r0`, `c`.`owner` AS `__r1`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_4_f698608e` AS `c` WHERE CAST(`c`.`owner` AS BIGINT) IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_7_6927a129', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_5_5731100b` AS `_1` INNER JOIN `sluice_step_6_d9d7bdac` AS `_2` ON `_1`.`__l0` = `_2`.`__r1`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_5_5731100b', ('__l0',)), ('sluice_step_6_d9d7bdac', ('__k0',)))))
SELECT `_3`.`__l0` AS `uid`, `_3`.`__l1` AS `name`, `_3`.`__r0` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_7_6927a129` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[InnerJoin], where=[u.uid = c.owner])', closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT u.name, c.model FROM users u LEFT JOIN cars c ON u.uid = c.owner AND c.price > 1 WHERE u.score > 1
---- spark
Step(view='sluice_step_1_c0e2fcb2', sql='SELECT `uid`, `name`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_753ea831', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_c0e2fcb2', key=('uid',)))
Step(view='sluice_step_3_940201aa', sql='SELECT `id`, `model`, `price`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_4_d877e9e5', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_940201aa', key=('id',)))
Step(view='sluice_step_5_296deeb3', sql='SELECT `u`.`uid` AS `__l0`, `u`.`name` AS `__l1`, `u`.`score` AS `__l2`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_753ea831` AS `u` WHERE (`u`.`score` > 1)', distinct=(), times=())
Step(view='sluice_step_6_f4c7858c', sql='SELECT CAST(`c`.`owner` AS BIGINT) AS `__k0`, `c`.`model` AS `__r0`, `c`.`price` AS `__r1`, `c`.`owner` AS `__r2`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_4_d877e9e5` AS `c` WHERE CAST(`c`.`owner` AS BIGINT) IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_7_839466e9', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_1`.`__l2`, `_2`.`__r0`, `_2`.`__r1`, `_2`.`__r2` FROM `sluice_step_5_296deeb3` AS `_1` LEFT JOIN `sluice_step_6_f4c7858c` AS `_2` ON `_1`.`__l0` = `_2`.`__r2` AND `_2`.`__r1` > 1', distinct=(), times=(), state=Arrange(sources=(('sluice_step_5_296deeb3', ('__l0',)), ('sluice_step_6_f4c7858c', ('__k0',))), key=None, ordered=False))
SELECT `_3`.`__l1` AS `name`, `_3`.`__r0` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_7_839466e9` AS `_3`
WHERE `_3`.`__l2` > 1
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[LeftOuterJoin], where=[u.uid = c.owner AND c.price > 1])', closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT u.uid, c.id, c.model FROM users u FULL JOIN cars c ON u.uid = c.id
---- spark
Step(view='sluice_step_1_f18f7e03', sql='SELECT `uid`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_0138eda3', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_f18f7e03', key=('uid',)))
Step(view='sluice_step_3_54aeb159', sql='SELECT `id`, `model`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_4_649c27cd', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_54aeb159', key=('id',)))
Step(view='sluice_step_5_7d73b3d7', sql='SELECT `u`.`uid` AS `__l0`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_0138eda3` AS `u`', distinct=(), times=())
Step(view='sluice_step_6_2d01e37e', sql='SELECT CAST(`c`.`id` AS BIGINT) AS `__k0`, `c`.`id` AS `__r0`, `c`.`model` AS `__r1`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_4_649c27cd` AS `c`', distinct=(), times=())
Step(view='sluice_step_7_9643f539', sql='SELECT `_1`.`__l0`, `_2`.`__r0`, `_2`.`__r1` FROM `sluice_step_5_7d73b3d7` AS `_1` FULL JOIN `sluice_step_6_2d01e37e` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=Arrange(sources=(('sluice_step_5_7d73b3d7', ('__l0',)), ('sluice_step_6_2d01e37e', ('__k0',))), key=None, ordered=False))
SELECT `_3`.`__l0` AS `uid`, `_3`.`__r0` AS `id`, `_3`.`__r1` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_7_9643f539` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=('uid', 'id'), bounded_state=False, why='Join(joinType=[FullOuterJoin], where=[u.uid = c.id])', closes=False)
full changelog, keys (('uid', 'id'),)
--------------------------------------------------------------------------------
SELECT id, p.name, c.model FROM products p FULL JOIN cars c USING (id)
---- spark
Step(view='sluice_step_1_54aeb159', sql='SELECT `id`, `model`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_2_f4fa0190', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_54aeb159', key=('id',)))
Step(view='sluice_step_3_463843bf', sql='SELECT `p`.`id` AS `__l0`, `p`.`name` AS `__l1`, `p`.`__row_kind` AS `__row_kind`, `p`.`__at` AS `__at` FROM `view of products` AS `p`', distinct=(), times=())
Step(view='sluice_step_4_00506922', sql='SELECT `c`.`id` AS `__r0`, `c`.`model` AS `__r1`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_2_f4fa0190` AS `c`', distinct=(), times=())
Step(view='sluice_step_5_a31de256', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1` FROM `sluice_step_3_463843bf` AS `_1` FULL JOIN `sluice_step_4_00506922` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_463843bf', ('__l0',)), ('sluice_step_4_00506922', ('__r0',))), key=None, ordered=False))
SELECT coalesce(`_3`.`__l0`, `_3`.`__r0`) AS `id`, `_3`.`__l1` AS `name`, `_3`.`__r1` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_5_a31de256` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[FullOuterJoin], where=[id = id])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT c.id, u.name, p.weight FROM cars c JOIN users u ON c.owner = u.uid LEFT JOIN products p ON p.id = c.id
---- spark
Step(view='sluice_step_1_2e1dd455', sql='SELECT `id`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_2_f2b4491f', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2e1dd455', key=('id',)))
Step(view='sluice_step_3_4b3acfd4', sql='SELECT `uid`, `name`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_4_88eea5e4', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_4b3acfd4', key=('uid',)))
Step(view='sluice_step_5_dacaab5b', sql='SELECT CAST(`c`.`owner` AS BIGINT) AS `__k0`, `c`.`id` AS `__l0`, `c`.`owner` AS `__l1`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_2_f2b4491f` AS `c` WHERE CAST(`c`.`owner` AS BIGINT) IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_6_10ee8b7d', sql='SELECT `u`.`uid` AS `__r0`, `u`.`name` AS `__r1`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_4_88eea5e4` AS `u` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_7_89ac06a7', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_5_dacaab5b` AS `_1` INNER JOIN `sluice_step_6_10ee8b7d` AS `_2` ON `_1`.`__l1` = `_2`.`__r0`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_5_dacaab5b', ('__k0',)), ('sluice_step_6_10ee8b7d', ('__r0',)))))
Step(view='sluice_step_8_86076944', sql='SELECT `_3`.`__l0` AS `__l0`, `_3`.`__l1` AS `__l1`, `_3`.`__r0` AS `__l2`, `_3`.`__r1` AS `__l3`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at` FROM `sluice_step_7_89ac06a7` AS `_3`', distinct=(), times=())
Step(view='sluice_step_9_3c042064', sql='SELECT `p`.`id` AS `__r0`, `p`.`name` AS `__r1`, `p`.`weight` AS `__r2`, `p`.`__row_kind` AS `__row_kind`, `p`.`__at` AS `__at` FROM `view of products` AS `p` WHERE `p`.`id` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_10_6447f751', sql='SELECT `_4`.`__l0`, `_4`.`__l1`, `_4`.`__l2`, `_4`.`__l3`, `_5`.`__r0`, `_5`.`__r1`, `_5`.`__r2` FROM `sluice_step_8_86076944` AS `_4` LEFT JOIN `sluice_step_9_3c042064` AS `_5` ON `_5`.`__r0` = `_4`.`__l0`', distinct=(), times=(), state=Arrange(sources=(('sluice_step_8_86076944', ('__l0',)), ('sluice_step_9_3c042064', ('__r0',))), key=None, ordered=False))
SELECT `_6`.`__l0` AS `id`, `_6`.`__l3` AS `name`, `_6`.`__r2` AS `weight`, `_6`.`__row_kind` AS `__row_kind`, `_6`.`__at` AS `__at`
FROM `sluice_step_10_6447f751` AS `_6`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[LeftOuterJoin], where=[p.id = c.id])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT u.name, k.url FROM clicks k LEFT JOIN users u ON k.uid = u.uid
---- spark
Step(view='sluice_step_1_4b3acfd4', sql='SELECT `uid`, `name`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_9da4ee8b', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_4b3acfd4', key=('uid',)))
Step(view='sluice_step_3_aca0b7b4', sql="SELECT CAST(`k`.`uid` AS BIGINT) AS `__k0`, `k`.`uid` AS `__l0`, `k`.`url` AS `__l1`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of clicks` AS `k`", distinct=(), times=())
Step(view='sluice_step_4_30d98b30', sql='SELECT `u`.`uid` AS `__r0`, `u`.`name` AS `__r1`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_9da4ee8b` AS `u` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_5_4bbf9344', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1` FROM `sluice_step_3_aca0b7b4` AS `_1` LEFT JOIN `sluice_step_4_30d98b30` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=Arrange(sources=(('sluice_step_3_aca0b7b4', ('__k0',)), ('sluice_step_4_30d98b30', ('__r0',))), key=None, ordered=False))
SELECT `_3`.`__r1` AS `name`, `_3`.`__l1` AS `url`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_5_4bbf9344` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[LeftOuterJoin], where=[k.uid = u.uid])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT u.name, c.model FROM users u, cars c WHERE u.uid = c.owner AND c.price > 10 AND u.score > c.id
---- spark
Step(view='sluice_step_1_c0e2fcb2', sql='SELECT `uid`, `name`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_753ea831', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_c0e2fcb2', key=('uid',)))
Step(view='sluice_step_3_940201aa', sql='SELECT `id`, `model`, `price`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_4_d877e9e5', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_940201aa', key=('id',)))
Step(view='sluice_step_5_037a39bd', sql='SELECT `u`.`uid` AS `__l0`, `u`.`name` AS `__l1`, `u`.`score` AS `__l2`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_753ea831` AS `u` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_6_fec0f581', sql='SELECT CAST(`c`.`owner` AS BIGINT) AS `__k0`, `c`.`id` AS `__r0`, `c`.`model` AS `__r1`, `c`.`price` AS `__r2`, `c`.`owner` AS `__r3`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_4_d877e9e5` AS `c` WHERE (`c`.`price` > 10) AND CAST(`c`.`owner` AS BIGINT) IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_7_53546e3c', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_1`.`__l2`, `_2`.`__r0`, `_2`.`__r1`, `_2`.`__r2`, `_2`.`__r3`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_5_037a39bd` AS `_1` INNER JOIN `sluice_step_6_fec0f581` AS `_2` ON `_1`.`__l0` = `_2`.`__k0`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_5_037a39bd', ('__l0',)), ('sluice_step_6_fec0f581', ('__k0',)))))
SELECT `_3`.`__l1` AS `name`, `_3`.`__r1` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_7_53546e3c` AS `_3`
WHERE `_3`.`__l0` = `_3`.`__r3` AND `_3`.`__r2` > 10 AND `_3`.`__l2` > `_3`.`__r0`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[InnerJoin], where=[u.uid = c.owner AND c.price > 10 AND u.score > c.id])', closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT u.name, c.model FROM users u JOIN cars c ON u.score < c.price
---- spark
Step(view='sluice_step_1_c0e2fcb2', sql='SELECT `uid`, `name`, `score`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_753ea831', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_c0e2fcb2', key=('uid',)))
Step(view='sluice_step_3_2ddb9277', sql='SELECT `id`, `model`, `price`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_4_f77e0053', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_2ddb9277', key=('id',)))
Step(view='sluice_step_5_5e4a9f00', sql='SELECT `u`.`name` AS `__l0`, `u`.`score` AS `__l1`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_753ea831` AS `u`', distinct=(), times=())
Step(view='sluice_step_6_62578165', sql='SELECT `c`.`model` AS `__r0`, `c`.`price` AS `__r1`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_4_f77e0053` AS `c`', distinct=(), times=())
Step(view='sluice_step_7_3ac8966e', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_5_5e4a9f00` AS `_1` INNER JOIN `sluice_step_6_62578165` AS `_2` ON `_1`.`__l1` < `_2`.`__r1`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_5_5e4a9f00', ()), ('sluice_step_6_62578165', ()))))
SELECT `_3`.`__l0` AS `name`, `_3`.`__r0` AS `model`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_7_3ac8966e` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[InnerJoin], where=[u.score < c.price])', closes=False)
full changelog, keys ()
--------------------------------------------------------------------------------
SELECT u.city, COUNT(*) AS n FROM users u JOIN cars c ON u.uid = c.owner GROUP BY u.city
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_2e1dd455', sql='SELECT `id`, `owner`, `__row_kind`, `__at`, `__unchanged` FROM `view of cars`', distinct=(), times=())
Step(view='sluice_step_4_62d26f42', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_3_2e1dd455', key=('id',)))
Step(view='sluice_step_5_70c5344e', sql='SELECT `u`.`uid` AS `__l0`, `u`.`city` AS `__l1`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `sluice_step_2_f16df0cf` AS `u` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_6_ad3fbdaa', sql='SELECT CAST(`c`.`owner` AS BIGINT) AS `__k0`, `c`.`owner` AS `__r0`, `c`.`__row_kind` AS `__row_kind`, `c`.`__at` AS `__at` FROM `sluice_step_4_62d26f42` AS `c` WHERE CAST(`c`.`owner` AS BIGINT) IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_7_b18bec89', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_5_70c5344e` AS `_1` INNER JOIN `sluice_step_6_ad3fbdaa` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_5_70c5344e', ('__l0',)), ('sluice_step_6_ad3fbdaa', ('__k0',)))))
Step(view='sluice_step_8_ebd6a616', sql="SELECT `_3`.`__l1` AS `__k0`, sum(if(`_3`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM `sluice_step_7_b18bec89` AS `_3` GROUP BY `_3`.`__l1`", distinct=(), times=())
Step(view='sluice_step_9_6aa7a144', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_8_ebd6a616', key=('__k0',), sums=(('__n', 'sum'),)))
SELECT `_4`.`__k0` AS `city`, `_4`.`__n` AS `n`, `_4`.`__row_kind` AS `__row_kind`, `_4`.`__at` AS `__at`
FROM `sluice_step_9_6aa7a144` AS `_4`
Shape(stream=True, stateful=True, updating=True, key=('city',), bounded_state=False, why='GroupAggregate(groupBy=[city], select=[city, COUNT(*) AS n])', closes=False)
full changelog, keys (('city',),)
--------------------------------------------------------------------------------
SELECT a.uid, b.uid AS other FROM users a JOIN users b ON a.city = b.city
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_a91431c9', sql='SELECT `a`.`uid` AS `__l0`, `a`.`city` AS `__l1`, `a`.`__row_kind` AS `__row_kind`, `a`.`__at` AS `__at` FROM `sluice_step_2_f16df0cf` AS `a` WHERE `a`.`city` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_4_e373c88f', sql='SELECT `b`.`uid` AS `__r0`, `b`.`city` AS `__r1`, `b`.`__row_kind` AS `__row_kind`, `b`.`__at` AS `__at` FROM `sluice_step_2_f16df0cf` AS `b` WHERE `b`.`city` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_5_1d0d68bc', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_3_a91431c9` AS `_1` INNER JOIN `sluice_step_4_e373c88f` AS `_2` ON `_1`.`__l1` = `_2`.`__r1`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_3_a91431c9', ('__l1',)), ('sluice_step_4_e373c88f', ('__r1',)))))
SELECT `_3`.`__l0` AS `uid`, `_3`.`__r0` AS `other`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_5_1d0d68bc` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=('uid', 'other'), bounded_state=False, why='Join(joinType=[InnerJoin], where=[a.city = b.city])', closes=False)
full changelog, keys (('uid', 'other'),)
--------------------------------------------------------------------------------
SELECT u.uid, c.land, k.url FROM cities c JOIN users u ON u.city = c.city JOIN clicks k ON k.uid = u.uid
---- spark
Step(view='sluice_step_1_2b4315d4', sql='SELECT `uid`, `city`, `__row_kind`, `__at` FROM `view of users`', distinct=(), times=())
Step(view='sluice_step_2_f16df0cf', sql='', distinct=(), times=(), state=Normalize(source='sluice_step_1_2b4315d4', key=('uid',)))
Step(view='sluice_step_3_402f4151', sql='SELECT `c`.`city` AS `__l0`, `c`.`land` AS `__l1`, `u`.`uid` AS `__l2`, `u`.`city` AS `__l3`, `u`.`__row_kind` AS `__row_kind`, `u`.`__at` AS `__at` FROM `view of cities` AS `c` INNER JOIN `sluice_step_2_f16df0cf` AS `u` ON `u`.`city` = `c`.`city` WHERE `u`.`uid` IS NOT NULL', distinct=(), times=())
Step(view='sluice_step_4_2d7ae0bd', sql="SELECT CAST(`k`.`uid` AS BIGINT) AS `__k0`, `k`.`uid` AS `__r0`, `k`.`url` AS `__r1`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of clicks` AS `k` WHERE CAST(`k`.`uid` AS BIGINT) IS NOT NULL", distinct=(), times=())
Step(view='sluice_step_5_bc1493e8', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_1`.`__l2`, `_1`.`__l3`, `_2`.`__r0`, `_2`.`__r1`, `_1`.`__w` * `_2`.`__w` AS `__w` FROM `sluice_step_3_402f4151` AS `_1` INNER JOIN `sluice_step_4_2d7ae0bd` AS `_2` ON `_2`.`__r0` = `_1`.`__l2`', distinct=(), times=(), state=InnerJoin(sources=(('sluice_step_3_402f4151', ('__l2',)), ('sluice_step_4_2d7ae0bd', ('__k0',)))))
SELECT `_3`.`__l2` AS `uid`, `_3`.`__l1` AS `land`, `_3`.`__r1` AS `url`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_5_bc1493e8` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[InnerJoin], where=[k.uid = u.uid])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
-- what cannot be done
SELECT COUNT(*) FROM clicks k LEFT JOIN users u ON k.uid = u.uid GROUP BY TUMBLE(k.at, INTERVAL '1' HOUR)
---- error
UNSUPPORTED_ON_STREAM: TUMBLE over update and delete changes is not supported (line 2, column 75). A window's rows are final, and these change later. Group by a column that has the time without its last digits, such as FLOOR(ts TO HOUR).
--------------------------------------------------------------------------------
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE products, DESCRIPTOR(name), INTERVAL '1' HOUR)) GROUP BY window_start, window_end
---- error
UNSUPPORTED_ON_STREAM: TUMBLE over update and delete changes is not supported (line 1, column 42). A window's rows are final, and these change later. Group by a column that has the time without its last digits, such as FLOOR(ts TO HOUR).
--------------------------------------------------------------------------------
SELECT SUM(score) OVER (PARTITION BY city ORDER BY uid) FROM users
---- error
UNSUPPORTED_ON_STREAM: SUM … OVER on an unbounded stream is not supported (line 1, column 8). Supported: ROW_NUMBER in a Top-N query, and GROUP BY.
--------------------------------------------------------------------------------
SELECT id FROM products ORDER BY id
---- error
UNSUPPORTED_ON_STREAM: ORDER BY on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT id FROM products EXCEPT SELECT id FROM cars
---- error
UNSUPPORTED_ON_STREAM: EXCEPT on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT id FROM products UNION ALL SELECT 1
---- error
UNSUPPORTED_ON_STREAM: UNION of a stream with rows that end is not supported (line 1, column 8). Write the stored rows to the sink by an INSERT of their own.
--------------------------------------------------------------------------------
SELECT id FROM products WHERE id IN (SELECT id FROM cars)
---- error
UNSUPPORTED_ON_STREAM: A query inside an expression on an unbounded stream is not supported (line 1, column 45). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT city, COUNT(*) FROM users GROUP BY CUBE(city)
---- error
UNSUPPORTED_ON_STREAM: GROUPING SETS, CUBE or ROLLUP on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT city, ROW_NUMBER() OVER (ORDER BY score) FROM users
---- error
UNSUPPORTED_ON_STREAM: ROW_NUMBER over a stream without a limit around it is not supported (line 1, column 14). Put it in a subquery, and WHERE rn = 1 or WHERE rn <= 10 around that.
--------------------------------------------------------------------------------
SELECT u.uid FROM cities c LEFT JOIN users u ON u.city = c.city
---- error
UNSUPPORTED_ON_STREAM: LEFT JOIN that keeps the rows of a stored table beside a stream is not supported (line 1, column 38). Turn it round: the stream is the side whose rows are all kept.
