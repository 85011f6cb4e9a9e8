CREATE TABLE orders (
  id INT, item STRING, price DECIMAL(10, 2), at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka')
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE plain (id INT, item STRING) WITH ('connector' = 'kafka')
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE TABLE names (id INT, label STRING)
---- ir
CreateTable
--------------------------------------------------------------------------------
CREATE VIEW cheap (no, what, at) AS SELECT id, item, at FROM orders WHERE price < 5
---- ir
CreateView
--------------------------------------------------------------------------------
SELECT id, item FROM orders WHERE price > 1
---- spark
SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`
FROM `view of orders` AS `orders`
WHERE `orders`.`price` > 1
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='')
--------------------------------------------------------------------------------
SELECT what FROM cheap WHERE no > 1
---- spark
SELECT `cheap`.`what` AS `what`
FROM (SELECT *
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`at` AS `at`
FROM `view of orders` AS `orders`
WHERE `orders`.`price` < 5) AS `_v`(`no`, `what`, `at`)) AS `cheap`
WHERE `cheap`.`no` > 1
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='')
--------------------------------------------------------------------------------
SELECT item, COUNT(*) FROM orders GROUP BY item
---- spark
SELECT `orders`.`item` AS `item`, count(1) AS `EXPR$1`
FROM `view of orders` AS `orders`
GROUP BY `orders`.`item`
Shape(stream=True, stateful=True, updating=True, key=('item',), bounded_state=False, why='GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS EXPR$1])')
--------------------------------------------------------------------------------
SELECT COUNT(*) AS n FROM orders
---- spark
SELECT count(1) AS `n`
FROM `view of orders` AS `orders`
Shape(stream=True, stateful=True, updating=True, key=(), bounded_state=False, why='GroupAggregate(select=[COUNT(*) AS n])')
--------------------------------------------------------------------------------
SELECT item, COUNT(*) FROM orders GROUP BY item, id
---- spark
SELECT `orders`.`item` AS `item`, count(1) AS `EXPR$1`
FROM `view of orders` AS `orders`
GROUP BY `orders`.`item`, `orders`.`id`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='GroupAggregate(groupBy=[item, id], select=[item, COUNT(*) AS EXPR$1])')
--------------------------------------------------------------------------------
SELECT TUMBLE_END(at, INTERVAL '5' SECOND), item, COUNT(*) FROM orders GROUP BY TUMBLE(at, INTERVAL '5' SECOND), item
---- spark
SELECT window(`orders`.`at`, '5000 milliseconds').`end` AS `EXPR$0`, `orders`.`item` AS `item`, count(1) AS `EXPR$2`
FROM `view of orders` AS `orders`
GROUP BY window(`orders`.`at`, '5000 milliseconds'), `orders`.`item`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='')
TimeWindow(kind='TUMBLE', column='at', size=5000, slide=None, table=False)
--------------------------------------------------------------------------------
SELECT DISTINCT item FROM orders
---- spark
SELECT DISTINCT `orders`.`item` AS `item`
FROM `view of orders` AS `orders`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='')
--------------------------------------------------------------------------------
SELECT o.item, n.label FROM orders o JOIN names n ON o.id = n.id
---- spark
SELECT `o`.`item` AS `item`, `n`.`label` AS `label`
FROM `view of orders` AS `o` INNER JOIN `view of names` AS `n` ON `o`.`id` = `n`.`id`
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='')
--------------------------------------------------------------------------------
SELECT o.item, p.item AS other FROM orders o JOIN plain p ON o.id = p.id
---- spark
SELECT `o`.`item` AS `item`, `p`.`item` AS `other`
FROM `view of orders` AS `o` INNER JOIN `view of plain` AS `p` ON `o`.`id` = `p`.`id`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='')
--------------------------------------------------------------------------------
SELECT id FROM orders UNION ALL SELECT id FROM plain
---- spark
(SELECT `orders`.`id` AS `id`
FROM `view of orders` AS `orders`) UNION ALL (SELECT `plain`.`id` AS `id`
FROM `view of plain` AS `plain`)
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='')
--------------------------------------------------------------------------------
SELECT label, COUNT(*) FROM names GROUP BY label
---- spark
SELECT `names`.`label` AS `label`, count(1) AS `EXPR$1`
FROM `view of names` AS `names`
GROUP BY `names`.`label`
