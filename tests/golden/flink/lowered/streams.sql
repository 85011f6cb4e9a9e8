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
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT what FROM cheap WHERE no > 1
---- spark
SELECT `cheap`.`what` AS `what`
FROM (SELECT *
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`at` AS `at`
FROM `view of orders` AS `orders`
WHERE `orders`.`price` < 5) AS `_r`(`no`, `what`, `at`)) AS `cheap`
WHERE `cheap`.`no` > 1
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT item, COUNT(*) FROM orders GROUP BY item
---- spark
SELECT `orders`.`item` AS `item`, count(1) AS `EXPR$1`
FROM `view of orders` AS `orders`
GROUP BY `orders`.`item`
Shape(stream=True, stateful=True, updating=True, key=('item',), bounded_state=False, why='GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS EXPR$1])', closes=False)
--------------------------------------------------------------------------------
SELECT COUNT(*) AS n FROM orders
---- spark
SELECT count(1) AS `n`
FROM `view of orders` AS `orders`
Shape(stream=True, stateful=True, updating=True, key=(), bounded_state=False, why='GroupAggregate(select=[COUNT(*) AS n])', closes=False)
--------------------------------------------------------------------------------
SELECT item, COUNT(*) FROM orders GROUP BY item, id
---- spark
SELECT `orders`.`item` AS `item`, count(1) AS `EXPR$1`
FROM `view of orders` AS `orders`
GROUP BY `orders`.`item`, `orders`.`id`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='GroupAggregate(groupBy=[item, id], select=[item, COUNT(*) AS EXPR$1])', closes=False)
--------------------------------------------------------------------------------
SELECT TUMBLE_END(at, INTERVAL '5' SECOND), item, COUNT(*) FROM orders GROUP BY TUMBLE(at, INTERVAL '5' SECOND), item
---- spark
SELECT window(`orders`.`at`, '5000 milliseconds').`end` AS `EXPR$0`, `orders`.`item` AS `item`, count(1) AS `EXPR$2`
FROM `view of orders` AS `orders`
GROUP BY window(`orders`.`at`, '5000 milliseconds'), `orders`.`item`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
SELECT DISTINCT item FROM orders
---- spark
Step(view='sluice_step_1_c30e9f72', sql='SELECT `orders`.`item` AS `item` FROM `view of orders` AS `orders`', distinct=('item',), times=())
SELECT *
FROM `sluice_step_1_c30e9f72`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT o.item, n.label FROM orders o JOIN names n ON o.id = n.id
---- spark
SELECT `o`.`item` AS `item`, `n`.`label` AS `label`
FROM `view of orders` AS `o` INNER JOIN `view of names` AS `n` ON `o`.`id` = `n`.`id`
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT o.item, p.item AS other FROM orders o JOIN plain p ON o.id = p.id
---- spark
SELECT `o`.`item` AS `item`, `p`.`item` AS `other`
FROM `view of orders` AS `o` INNER JOIN `view of plain` AS `p` ON `o`.`id` = `p`.`id`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT id FROM orders UNION ALL SELECT id FROM plain
---- spark
(SELECT `orders`.`id` AS `id`
FROM `view of orders` AS `orders`) UNION ALL (SELECT `plain`.`id` AS `id`
FROM `view of plain` AS `plain`)
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT label, COUNT(*) FROM names GROUP BY label
---- spark
SELECT `names`.`label` AS `label`, count(1) AS `EXPR$1`
FROM `view of names` AS `names`
GROUP BY `names`.`label`
--------------------------------------------------------------------------------
SELECT window_start, window_end, item, SUM(price) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end, item
---- spark
Step(view='sluice_step_1_a2752319', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '600000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
SELECT `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`item` AS `item`, CAST(sum(`_2`.`price`) AS DECIMAL(38,2)) AS `EXPR$3`
FROM (SELECT *
FROM `sluice_step_1_a2752319`) AS `_2`
GROUP BY `_2`.`window_start`, `_2`.`window_end`, `_2`.`item`, `_2`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
SELECT window_start, COUNT(DISTINCT item) AS n FROM HOP(DATA => TABLE orders, TIMECOL => DESCRIPTOR(at), SLIDE => INTERVAL '5' MINUTES, SIZE => INTERVAL '10' MINUTES, OFFSET => INTERVAL -'1' MINUTE) GROUP BY window_start, window_end
---- spark
Step(view='sluice_step_1_f739f525', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '600000 milliseconds', '300000 milliseconds', '240000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
SELECT `_2`.`window_start` AS `window_start`, CAST(size(collect_set(`_2`.`item`)) AS BIGINT) AS `n`
FROM (SELECT *
FROM `sluice_step_1_f739f525`) AS `_2`
GROUP BY `_2`.`window_start`, `_2`.`window_end`, `_2`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='HOP', column='at')
--------------------------------------------------------------------------------
SELECT window_start, window_end, window_time, SUM(price) FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(at), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end, window_time
---- spark
Step(view='sluice_step_1_8b0d735f', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `id`, `item`, `price`, `at`, explode(transform(sequence(timestampdiff(MICROSECOND, `__w`.`start`, `__t`) DIV 120000000L + 1L, 5L), `__i` -> named_struct('start', `__w`.`start`, 'end', timestampadd(MILLISECOND, `__i` * 120000L, `__w`.`start`)))) AS `__w` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '600000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`))", distinct=(), times=(('at', None), ('window_time', 5000)))
SELECT `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`window_time` AS `window_time`, CAST(sum(`_2`.`price`) AS DECIMAL(38,2)) AS `EXPR$3`
FROM (SELECT *
FROM `sluice_step_1_8b0d735f`) AS `_2`
GROUP BY `_2`.`window_start`, `_2`.`window_end`, `_2`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='CUMULATE', column='at')
--------------------------------------------------------------------------------
SELECT * FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(at), INTERVAL '3' MINUTES, INTERVAL '10' MINUTES))
---- error
INVALID_FUNCTION_ARGUMENT: CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, but got maxSize 600000 ms and step 180000 ms (line 1, column 21).
--------------------------------------------------------------------------------
SELECT window_start, window_end, item, COUNT(*) FROM TABLE(SESSION(TABLE orders PARTITION BY item, DESCRIPTOR(at), INTERVAL '5' MINUTES)) GROUP BY item, window_start, window_end
---- spark
SELECT session_window(`_1`.`at`, '300000 milliseconds').`start` AS `window_start`, session_window(`_1`.`at`, '300000 milliseconds').`end` AS `window_end`, `_1`.`item` AS `item`, count(1) AS `EXPR$3`
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`
FROM `view of orders` AS `orders`) AS `_1`
GROUP BY session_window(`_1`.`at`, '300000 milliseconds'), `_1`.`item`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='SESSION', column='at')
--------------------------------------------------------------------------------
SELECT window_start, window_end, COUNT(*) FROM TABLE(SESSION(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end
---- spark
SELECT session_window(`_1`.`at`, '300000 milliseconds').`start` AS `window_start`, session_window(`_1`.`at`, '300000 milliseconds').`end` AS `window_end`, count(1) AS `EXPR$2`
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`
FROM `view of orders` AS `orders`) AS `_1`
GROUP BY session_window(`_1`.`at`, '300000 milliseconds'), `_1`.`at` IS NULL
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='SESSION', column='at')
--------------------------------------------------------------------------------
SELECT window_start, window_end, item, COUNT(*) FROM TABLE(SESSION(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, item
---- error
UNSUPPORTED_ON_STREAM: SESSION in FROM with other groups than its own is not supported (line 1, column 130). Write GROUP BY window_start, window_end.
--------------------------------------------------------------------------------
SELECT SESSION_START(at, INTERVAL '5' MINUTE), COUNT(*) FROM orders GROUP BY SESSION(at, INTERVAL '5' MINUTE)
---- spark
SELECT session_window(`orders`.`at`, '300000 milliseconds').`start` AS `EXPR$0`, count(1) AS `EXPR$1`
FROM `view of orders` AS `orders`
GROUP BY session_window(`orders`.`at`, '300000 milliseconds'), `orders`.`at` IS NULL
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='SESSION', column='at')
--------------------------------------------------------------------------------
SELECT COUNT(*) FROM plain GROUP BY TUMBLE(PROCTIME(), INTERVAL '5' MINUTE)
---- error
UNSUPPORTED_ON_STREAM: A window over processing time is not supported (line 1, column 44). Give the table a WATERMARK, for instance over METADATA FROM 'timestamp'.
--------------------------------------------------------------------------------
SELECT * FROM TABLE(TUMBLE(TABLE cheap, DESCRIPTOR(what), INTERVAL '10' MINUTES))
---- error
INVALID_FUNCTION_ARGUMENT: TUMBLE takes a TIMESTAMP or a TIMESTAMP_LTZ (line 1, column 52).
--------------------------------------------------------------------------------
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE cheap, DESCRIPTOR(at), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end
---- spark
Step(view='sluice_step_1_4f19f34a', sql="SELECT `no`, `what`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `cheap`.`no` AS `no`, `cheap`.`what` AS `what`, `cheap`.`at` AS `at`, window(`cheap`.`at`, '600000 milliseconds') AS `__w`, `cheap`.`at` AS `__t` FROM (SELECT * FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`at` AS `at` FROM `view of orders` AS `orders` WHERE `orders`.`price` < 5) AS `_r`(`no`, `what`, `at`)) AS `cheap`)", distinct=(), times=(('at', None), ('window_time', 5000)))
SELECT `_2`.`window_start` AS `window_start`, count(1) AS `EXPR$1`
FROM (SELECT *
FROM `sluice_step_1_4f19f34a`) AS `_2`
GROUP BY `_2`.`window_start`, `_2`.`window_end`, `_2`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
WITH five AS (
  SELECT window_time AS rowtime, item, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))
  GROUP BY window_start, window_end, window_time, item
)
SELECT window_start, window_end, SUM(total) FROM TABLE(TUMBLE(TABLE five, DESCRIPTOR(rowtime), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end
---- spark
Step(view='sluice_step_1_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
Step(view='sluice_step_2_48efb2e3', sql="SELECT `rowtime`, `item`, `total`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `five`.`rowtime` AS `rowtime`, `five`.`item` AS `item`, `five`.`total` AS `total`, window(`five`.`rowtime`, '600000 milliseconds') AS `__w`, `five`.`rowtime` AS `__t` FROM (SELECT `_2`.`window_time` AS `rowtime`, `_2`.`item` AS `item`, CAST(sum(`_2`.`price`) AS DECIMAL(38,2)) AS `total` FROM (SELECT * FROM `sluice_step_1_8dc9fef0`) AS `_2` GROUP BY `_2`.`window_start`, `_2`.`window_end`, `_2`.`window_time`, `_2`.`item`) AS `five`)", distinct=(), times=(('rowtime', None), ('window_time', 5000)))
SELECT `_4`.`window_start` AS `window_start`, `_4`.`window_end` AS `window_end`, try_cast(sluice_sum(`_4`.`total`) AS DECIMAL(38,2)) AS `EXPR$2`
FROM (SELECT *
FROM `sluice_step_2_48efb2e3`) AS `_4`
GROUP BY `_4`.`window_start`, `_4`.`window_end`, `_4`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
TimeWindow(kind='TUMBLE', column='rowtime')
--------------------------------------------------------------------------------
SELECT TUMBLE_END(rt, INTERVAL '1' HOUR), SUM(n) FROM (
  SELECT TUMBLE_ROWTIME(at, INTERVAL '5' MINUTE) AS rt, COUNT(*) AS n FROM orders GROUP BY TUMBLE(at, INTERVAL '5' MINUTE)
) GROUP BY TUMBLE(rt, INTERVAL '1' HOUR)
---- spark
Step(view='sluice_step_1_026bf095', sql="SELECT (window(`orders`.`at`, '300000 milliseconds').`end` - INTERVAL '0.001' SECOND) AS `rt`, count(1) AS `n` FROM `view of orders` AS `orders` GROUP BY window(`orders`.`at`, '300000 milliseconds')", distinct=(), times=(('rt', 5000),))
SELECT window(`_1`.`rt`, '3600000 milliseconds').`end` AS `EXPR$0`, sluice_int64(sluice_sum(`_1`.`n`)) AS `EXPR$1`
FROM `sluice_step_1_026bf095` AS `_1`
GROUP BY window(`_1`.`rt`, '3600000 milliseconds')
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
TimeWindow(kind='TUMBLE', column='rt')
--------------------------------------------------------------------------------
SELECT item, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC, item) AS rn FROM (
    SELECT window_start, window_end, item, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))
    GROUP BY window_start, window_end, item
  )
) WHERE rn <= 3
---- spark
Step(view='sluice_step_1_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
Step(view='sluice_step_2_e939effc', sql='SELECT `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`item` AS `item`, count(1) AS `n` FROM (SELECT * FROM `sluice_step_1_8dc9fef0`) AS `_2` GROUP BY `_2`.`window_start`, `_2`.`window_end`, `_2`.`item`, `_2`.`window_time`', distinct=(), times=(('window_end', 5000),))
Step(view='sluice_step_3_260a437c', sql="SELECT `_r`.`window_start` AS `window_start`, `_r`.`window_end` AS `window_end`, `_r`.`item` AS `item`, `_r`.`n` AS `n`, CAST(`_n` + 1 AS BIGINT) AS `rn` FROM (SELECT posexplode(max_by(struct(`_t`.`window_start`, `_t`.`window_end`, `_t`.`item`, `_t`.`n`), struct(`_t`.`__o2`, `_t`.`__o3` IS NULL, concat(translate(hex(`_t`.`__o3`), '0123456789ABCDEF', 'FEDCBA9876543210'), 'G')), 3)) AS (`_n`, `_r`) FROM (SELECT `_3`.`window_start` AS `window_start`, `_3`.`window_end` AS `window_end`, `_3`.`item` AS `item`, `_3`.`n` AS `n`, `_3`.`window_start` AS `__p0`, `_3`.`window_end` AS `__p1`, `_3`.`n` AS `__o2`, `_3`.`item` AS `__o3` FROM `sluice_step_2_e939effc` AS `_3`) AS `_t` GROUP BY `_t`.`__p0`, `_t`.`__p1`)", distinct=(), times=(('window_end', 5000),))
SELECT `_4`.`item` AS `item`, `_4`.`n` AS `n`
FROM `sluice_step_3_260a437c` AS `_4`
WHERE `_4`.`rn` <= 3
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
SELECT id, item FROM (SELECT id, item, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS rn FROM orders) WHERE rn = 1
---- spark
Step(view='sluice_step_1_ed67c8ad', sql='SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`id` AS `__p0`, `orders`.`at` AS `__o1` FROM `view of orders` AS `orders`', distinct=('__p0',), times=(('__o1', None),))
SELECT `_1`.`id` AS `id`, `_1`.`item` AS `item`
FROM (SELECT `id`, `item`, 1L AS `rn`
FROM `sluice_step_1_ed67c8ad`) AS `_1`
WHERE `_1`.`rn` = 1
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT id, item FROM (SELECT id, item, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) AS rn FROM orders) WHERE rn = 1
---- spark
SELECT `_1`.`id` AS `id`, `_1`.`item` AS `item`
FROM (SELECT `_r`.`id` AS `id`, `_r`.`item` AS `item`, CAST(`_n` + 1 AS BIGINT) AS `rn`
FROM (SELECT max_by(struct(`_t`.`id`, `_t`.`item`), struct(`_t`.`__o1`)) AS `_r`, 0 AS `_n`
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`id` AS `__p0`, `orders`.`at` AS `__o1`
FROM `view of orders` AS `orders`) AS `_t`
GROUP BY `_t`.`__p0`)) AS `_1`
WHERE `_1`.`rn` = 1
Shape(stream=True, stateful=True, updating=True, key=('id',), bounded_state=False, why='Deduplicate(keep=[LastRow], partitionBy=[id], orderBy=[at DESC])', closes=False)
--------------------------------------------------------------------------------
SELECT item, id, price, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC, id ASC) AS rn FROM orders) AS t WHERE t.rn <= 2
---- spark
SELECT `t`.`item` AS `item`, `t`.`id` AS `id`, `t`.`price` AS `price`, `t`.`rn` AS `rn`
FROM (SELECT `_r`.`id` AS `id`, `_r`.`item` AS `item`, `_r`.`price` AS `price`, `_r`.`at` AS `at`, CAST(`_n` + 1 AS BIGINT) AS `rn`
FROM (SELECT posexplode(max_by(struct(`_t`.`id`, `_t`.`item`, `_t`.`price`, `_t`.`at`), struct(`_t`.`__o1`, `_t`.`__o2` IS NULL, - `_t`.`__o2`), 2)) AS (`_n`, `_r`)
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, `orders`.`item` AS `__p0`, `orders`.`price` AS `__o1`, `orders`.`id` AS `__o2`
FROM `view of orders` AS `orders`) AS `_t`
GROUP BY `_t`.`__p0`)) AS `t`
WHERE `t`.`rn` <= 2
Shape(stream=True, stateful=True, updating=True, key=('item', 'rn'), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=2], partitionBy=[item], orderBy=[price DESC, id ASC])', closes=False)
--------------------------------------------------------------------------------
SELECT item, id, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC) AS rn FROM orders) WHERE 3 > rn
---- spark
SELECT `_1`.`item` AS `item`, `_1`.`id` AS `id`, `_1`.`price` AS `price`
FROM (SELECT `_r`.`id` AS `id`, `_r`.`item` AS `item`, `_r`.`price` AS `price`, `_r`.`at` AS `at`, CAST(`_n` + 1 AS BIGINT) AS `rn`
FROM (SELECT posexplode(max_by(struct(`_t`.`id`, `_t`.`item`, `_t`.`price`, `_t`.`at`), struct(`_t`.`__o1`), 2)) AS (`_n`, `_r`)
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, `orders`.`item` AS `__p0`, `orders`.`price` AS `__o1`
FROM `view of orders` AS `orders`) AS `_t`
GROUP BY `_t`.`__p0`)) AS `_1`
WHERE 3 > `_1`.`rn`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=2], partitionBy=[item], orderBy=[price DESC])', closes=False)
--------------------------------------------------------------------------------
SELECT id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS rn FROM orders
---- error
UNSUPPORTED_ON_STREAM: ROW_NUMBER over a stream without a limit around it is not supported (line 1, column 12). Put it in a subquery, and WHERE rn = 1 or WHERE rn <= 10 around that.
--------------------------------------------------------------------------------
SELECT id, SUM(price) OVER (PARTITION BY id ORDER BY at) FROM orders
---- error
UNSUPPORTED_ON_STREAM: SUM … OVER on an unbounded stream is not supported (line 1, column 12). Supported: ROW_NUMBER in a Top-N query, and windowing table-valued functions.
--------------------------------------------------------------------------------
SELECT item FROM (SELECT item, COUNT(*) AS n FROM orders GROUP BY item) WHERE n > 1
---- spark
Step(view='sluice_step_1_502f4760', sql='SELECT `orders`.`item` AS `__k0`, sum(1L) AS `__n` FROM `view of orders` AS `orders` GROUP BY `orders`.`item`', distinct=(), times=())
Step(view='sluice_step_2_d08f3267', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_1_502f4760', key=('__k0',), sums=(('__n', 'sum'),)))
SELECT `_2`.`item` AS `item`, `_2`.`__row_kind` AS `__row_kind`, `_2`.`__at` AS `__at`
FROM (SELECT `_1`.`__k0` AS `item`, `_1`.`__n` AS `n`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_2_d08f3267` AS `_1`) AS `_2`
WHERE `_2`.`n` > 1
Shape(stream=True, stateful=True, updating=True, key=('item',), bounded_state=False, why='GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS n])', closes=False)
full changelog, keys (('item',),)
--------------------------------------------------------------------------------
SELECT n, COUNT(*) FROM (SELECT item, COUNT(*) AS n FROM orders GROUP BY item) GROUP BY n
---- spark
Step(view='sluice_step_1_502f4760', sql='SELECT `orders`.`item` AS `__k0`, sum(1L) AS `__n` FROM `view of orders` AS `orders` GROUP BY `orders`.`item`', distinct=(), times=())
Step(view='sluice_step_2_d08f3267', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_1_502f4760', key=('__k0',), sums=(('__n', 'sum'),)))
Step(view='sluice_step_3_2d008664', sql="SELECT `_2`.`n` AS `__k0`, sum(if(`_2`.`__row_kind` IN ('+I', '+U'), 1L, -1L)) AS `__n` FROM (SELECT `_1`.`__k0` AS `item`, `_1`.`__n` AS `n`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at` FROM `sluice_step_2_d08f3267` AS `_1`) AS `_2` GROUP BY `_2`.`n`", distinct=(), times=())
Step(view='sluice_step_4_feaedb0b', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_3_2d008664', key=('__k0',), sums=(('__n', 'sum'),)))
SELECT `_3`.`__k0` AS `n`, `_3`.`__n` AS `EXPR$1`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_4_feaedb0b` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=('n',), bounded_state=False, why='GroupAggregate(groupBy=[n], select=[n, COUNT(*) AS EXPR$1])', closes=False)
full changelog, keys (('n',),)
--------------------------------------------------------------------------------
SELECT n AS many, item AS what FROM (SELECT item, COUNT(*) AS n FROM orders GROUP BY item HAVING COUNT(*) > 1 AND item <> 'x')
---- spark
SELECT `_1`.`n` AS `many`, `_1`.`item` AS `what`
FROM (SELECT `orders`.`item` AS `item`, count(1) AS `n`
FROM `view of orders` AS `orders`
GROUP BY `orders`.`item`
HAVING count(1) > 1 AND `orders`.`item` <> 'x') AS `_1`
Shape(stream=True, stateful=True, updating=True, key=('what',), bounded_state=False, why='GroupAggregate(groupBy=[item], select=[item, COUNT(*) AS n])', closes=False)
--------------------------------------------------------------------------------
SELECT item, SUM(price) FROM orders GROUP BY item HAVING SUM(price) > 1
---- spark
Step(view='sluice_step_1_0167face', sql='SELECT `orders`.`item` AS `__k0`, sum(1L) AS `__n`, sum(if(`orders`.`price` IS NOT NULL, 1L, 0L)) AS `__s1`, CAST(sum(`orders`.`price`) AS DECIMAL(38,2)) AS `__s2` FROM `view of orders` AS `orders` GROUP BY `orders`.`item`', distinct=(), times=())
Step(view='sluice_step_2_2e6377b8', sql='', distinct=(), times=(), state=Accumulate(source='sluice_step_1_0167face', key=('__k0',), sums=(('__n', 'sum'), ('__s1', 'sum'), ('__s2', 'sum'))))
SELECT `_1`.`__k0` AS `item`, CAST(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`) AS DECIMAL(38,2)) AS `EXPR$1`, `_1`.`__row_kind` AS `__row_kind`, `_1`.`__at` AS `__at`
FROM `sluice_step_2_2e6377b8` AS `_1`
WHERE CAST(if(`_1`.`__s1` = 0, NULL, `_1`.`__s2`) AS DECIMAL(38,2)) > 1
Shape(stream=True, stateful=True, updating=True, key=('item',), bounded_state=False, why='GroupAggregate(groupBy=[item], select=[item, SUM(price) AS EXPR$1])', closes=False)
full changelog, keys (('item',),)
--------------------------------------------------------------------------------
SELECT at, COUNT(*) FROM orders GROUP BY at
---- spark
SELECT `orders`.`at` + INTERVAL '0' SECOND AS `at`, count(1) AS `EXPR$1`
FROM `view of orders` AS `orders`
GROUP BY `orders`.`at` + INTERVAL '0' SECOND
Shape(stream=True, stateful=True, updating=True, key=('at',), bounded_state=False, why='GroupAggregate(groupBy=[at], select=[at, COUNT(*) AS EXPR$1])', closes=False)
--------------------------------------------------------------------------------
SELECT DISTINCT at, item FROM orders
---- spark
Step(view='sluice_step_1_099caeab', sql='SELECT `orders`.`at` AS `at`, `orders`.`item` AS `item` FROM `view of orders` AS `orders`', distinct=('at', 'item'), times=(('at', None),))
SELECT *
FROM `sluice_step_1_099caeab`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT DISTINCT window_start, window_end, window_time, item FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))
---- spark
Step(view='sluice_step_1_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
Step(view='sluice_step_2_90464a57', sql='SELECT `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`window_time` AS `window_time`, `_2`.`item` AS `item` FROM (SELECT * FROM `sluice_step_1_8dc9fef0`) AS `_2`', distinct=('window_start', 'window_end', 'window_time', 'item'), times=(('window_start', None), ('window_end', None)))
SELECT *
FROM `sluice_step_2_90464a57`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=False)
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
SELECT id FROM orders UNION SELECT id FROM plain
---- spark
Step(view='sluice_step_1_02937494', sql='(SELECT `orders`.`id` AS `id` FROM `view of orders` AS `orders`) UNION ALL (SELECT `plain`.`id` AS `id` FROM `view of plain` AS `plain`)', distinct=('id',), times=())
SELECT *
FROM `sluice_step_1_02937494`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT id FROM orders UNION ALL SELECT id FROM names
---- error
UNSUPPORTED_ON_STREAM: UNION of a stream with rows that end is not supported (line 1, column 8). Write the stored rows to the sink by an INSERT of their own.
--------------------------------------------------------------------------------
SELECT id FROM orders EXCEPT SELECT id FROM plain
---- error
UNSUPPORTED_ON_STREAM: EXCEPT on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT id FROM orders ORDER BY id
---- error
UNSUPPORTED_ON_STREAM: ORDER BY on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT id FROM orders LIMIT 3
---- error
UNSUPPORTED_ON_STREAM: LIMIT on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT id FROM orders WHERE id IN (SELECT id FROM names) AND id NOT IN (SELECT id FROM plain)
---- error
UNSUPPORTED_ON_STREAM: A query inside an expression on an unbounded stream is not supported (line 1, column 80). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT id FROM orders WHERE id IN (SELECT id FROM names)
---- spark
SELECT `orders`.`id` AS `id`
FROM `view of orders` AS `orders`
WHERE `orders`.`id` IN (SELECT `names`.`id` AS `id`
FROM `view of names` AS `names`)
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT item, COUNT(*) FROM orders GROUP BY ROLLUP (item)
---- error
UNSUPPORTED_ON_STREAM: GROUPING SETS, CUBE or ROLLUP on an unbounded stream is not supported (line 1, column 8). A stream has no end; use a window, or set 'scan.bounded.mode' on the table.
--------------------------------------------------------------------------------
SELECT a.id, b.item FROM orders a LEFT JOIN orders b ON a.id = b.id
---- spark
Step(view='sluice_step_1_a4f4bcd7', sql="SELECT `a`.`id` AS `__l0`, `a`.`item` AS `__l1`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of orders` AS `a`", distinct=(), times=())
Step(view='sluice_step_2_07625324', sql="SELECT `b`.`id` AS `__r0`, `b`.`item` AS `__r1`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of orders` AS `b` WHERE `b`.`id` IS NOT NULL", distinct=(), times=())
Step(view='sluice_step_3_f02c0333', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_2`.`__r0`, `_2`.`__r1` FROM `sluice_step_1_a4f4bcd7` AS `_1` LEFT JOIN `sluice_step_2_07625324` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=Arrange(sources=(('sluice_step_1_a4f4bcd7', ('__l0',)), ('sluice_step_2_07625324', ('__r0',))), key=None, ordered=False))
SELECT `_3`.`__l0` AS `id`, `_3`.`__r1` AS `item`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_3_f02c0333` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[LeftOuterJoin], where=[a.id = b.id])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT a.id, b.item FROM orders a LEFT JOIN orders b ON a.id = b.id AND b.at BETWEEN a.at - INTERVAL '1' HOUR AND a.at
---- spark
SELECT `a`.`id` AS `id`, `b`.`item` AS `item`
FROM `view of orders` AS `a` LEFT JOIN `view of orders` AS `b` ON `a`.`id` = `b`.`id` AND (CAST(`b`.`at` AS TIMESTAMP) >= CAST(`a`.`at` AS TIMESTAMP) - INTERVAL '1' HOUR AND CAST(`b`.`at` AS TIMESTAMP) <= CAST(`a`.`at` AS TIMESTAMP))
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
--------------------------------------------------------------------------------
SELECT a.id, b.item FROM orders a, orders b WHERE a.id = b.id AND a.at >= b.at AND a.at < b.at + INTERVAL '1' HOUR
---- spark
SELECT `a`.`id` AS `id`, `b`.`item` AS `item`
FROM `view of orders` AS `a` INNER JOIN `view of orders` AS `b` ON true
WHERE `a`.`id` = `b`.`id` AND CAST(`a`.`at` AS TIMESTAMP) >= CAST(`b`.`at` AS TIMESTAMP) AND CAST(`a`.`at` AS TIMESTAMP) < CAST(`b`.`at` AS TIMESTAMP) + INTERVAL '1' HOUR
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT a.id, b.item FROM orders a, orders b WHERE a.id > b.id
---- error
UNSUPPORTED_ON_STREAM: A join of streams without an equality between them is not supported (line 1, column 36). Add one to ON, such as a.id = b.id, or write USING (id).
--------------------------------------------------------------------------------
SELECT n.label, o.item FROM names n LEFT JOIN orders o ON o.id = n.id
---- error
UNSUPPORTED_ON_STREAM: LEFT JOIN that keeps the rows of a stored table beside a stream is not supported (line 1, column 47). Turn it round: the stream is the side whose rows are all kept.
--------------------------------------------------------------------------------
SELECT n.label, o.item FROM names n RIGHT JOIN orders o ON o.id = n.id
---- spark
SELECT `n`.`label` AS `label`, `o`.`item` AS `item`
FROM `view of names` AS `n` RIGHT JOIN `view of orders` AS `o` ON `o`.`id` = `n`.`id`
Shape(stream=True, stateful=False, updating=False, key=None, bounded_state=True, why='', closes=False)
--------------------------------------------------------------------------------
SELECT l.item, l.window_end FROM
  (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))) l
  FULL JOIN (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))) r
  ON l.item = r.item AND l.window_start = r.window_start AND l.window_end = r.window_end
---- spark
Step(view='sluice_step_1_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
Step(view='sluice_step_2_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
SELECT `l`.`item` AS `item`, `l`.`window_end` AS `window_end`
FROM (SELECT `_2`.`id` AS `id`, `_2`.`item` AS `item`, `_2`.`price` AS `price`, `_2`.`at` AS `at`, `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`window_time` AS `window_time`
FROM (SELECT *
FROM `sluice_step_1_8dc9fef0`) AS `_2`) AS `l` FULL JOIN (SELECT `_4`.`id` AS `id`, `_4`.`item` AS `item`, `_4`.`price` AS `price`, `_4`.`at` AS `at`, `_4`.`window_start` AS `window_start`, `_4`.`window_end` AS `window_end`, `_4`.`window_time` AS `window_time`
FROM (SELECT *
FROM `sluice_step_2_8dc9fef0`) AS `_4`) AS `r` ON (`l`.`item` = `r`.`item` AND `l`.`window_start` = `r`.`window_start` AND `l`.`window_end` = `r`.`window_end`) AND `l`.`window_time` = `r`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
SELECT id, item, later FROM orders JOIN (SELECT id, at AS later FROM orders) x USING (id) WHERE id > 5
---- spark
SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `x`.`later` AS `later`
FROM `view of orders` AS `orders` INNER JOIN (SELECT `orders`.`id` AS `id`, `orders`.`at` AS `later`
FROM `view of orders` AS `orders`) AS `x` ON `orders`.`id` = `x`.`id`
WHERE `orders`.`id` > 5
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT * FROM orders a LEFT JOIN orders b USING (id)
---- spark
Step(view='sluice_step_1_af821faf', sql="SELECT `a`.`id` AS `__l0`, `a`.`item` AS `__l1`, `a`.`price` AS `__l2`, `a`.`at` AS `__l3`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of orders` AS `a`", distinct=(), times=())
Step(view='sluice_step_2_f79307f4', sql="SELECT `b`.`id` AS `__r0`, `b`.`item` AS `__r1`, `b`.`price` AS `__r2`, `b`.`at` AS `__r3`, '+I' AS `__row_kind`, CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>) AS `__at` FROM `view of orders` AS `b` WHERE `b`.`id` IS NOT NULL", distinct=(), times=())
Step(view='sluice_step_3_8b8e48d3', sql='SELECT `_1`.`__l0`, `_1`.`__l1`, `_1`.`__l2`, `_1`.`__l3`, `_2`.`__r0`, `_2`.`__r1`, `_2`.`__r2`, `_2`.`__r3` FROM `sluice_step_1_af821faf` AS `_1` LEFT JOIN `sluice_step_2_f79307f4` AS `_2` ON `_1`.`__l0` = `_2`.`__r0`', distinct=(), times=(), state=Arrange(sources=(('sluice_step_1_af821faf', ('__l0',)), ('sluice_step_2_f79307f4', ('__r0',))), key=None, ordered=False))
SELECT `_3`.`__l0` AS `id`, `_3`.`__l1` AS `item`, `_3`.`__l2` AS `price`, `_3`.`__l3` AS `at`, `_3`.`__r1` AS `item0`, `_3`.`__r2` AS `price0`, `_3`.`__r3` AS `at0`, `_3`.`__row_kind` AS `__row_kind`, `_3`.`__at` AS `__at`
FROM `sluice_step_3_8b8e48d3` AS `_3`
Shape(stream=True, stateful=True, updating=True, key=None, bounded_state=False, why='Join(joinType=[LeftOuterJoin], where=[id = id])', closes=False)
full changelog, unkeyed
--------------------------------------------------------------------------------
SELECT id, a.item FROM orders a LEFT JOIN orders b USING (id, at)
---- spark
SELECT `a`.`id` AS `id`, `a`.`item` AS `item`
FROM `view of orders` AS `a` LEFT JOIN `view of orders` AS `b` ON `a`.`id` = `b`.`id` AND `a`.`at` = `b`.`at`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
--------------------------------------------------------------------------------
SELECT item, window_end FROM
  (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))) l
  FULL JOIN (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES))) r
  USING (item, window_start, window_end)
---- spark
Step(view='sluice_step_1_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
Step(view='sluice_step_2_8dc9fef0', sql="SELECT `id`, `item`, `price`, `at`, `__w`.`start` AS `window_start`, `__w`.`end` AS `window_end`, (`__w`.`end` - INTERVAL '0.001' SECOND) AS `window_time` FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, window(`orders`.`at`, '300000 milliseconds') AS `__w`, `orders`.`at` AS `__t` FROM `view of orders` AS `orders`)", distinct=(), times=(('at', None), ('window_time', 5000)))
SELECT coalesce(`l`.`item`, `r`.`item`) AS `item`, coalesce(`l`.`window_end`, `r`.`window_end`) AS `window_end`
FROM (SELECT `_2`.`id` AS `id`, `_2`.`item` AS `item`, `_2`.`price` AS `price`, `_2`.`at` AS `at`, `_2`.`window_start` AS `window_start`, `_2`.`window_end` AS `window_end`, `_2`.`window_time` AS `window_time`
FROM (SELECT *
FROM `sluice_step_1_8dc9fef0`) AS `_2`) AS `l` FULL JOIN (SELECT `_4`.`id` AS `id`, `_4`.`item` AS `item`, `_4`.`price` AS `price`, `_4`.`at` AS `at`, `_4`.`window_start` AS `window_start`, `_4`.`window_end` AS `window_end`, `_4`.`window_time` AS `window_time`
FROM (SELECT *
FROM `sluice_step_2_8dc9fef0`) AS `_4`) AS `r` ON (`l`.`item` = `r`.`item` AND `l`.`window_start` = `r`.`window_start` AND `l`.`window_end` = `r`.`window_end`) AND `l`.`window_time` = `r`.`window_time`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=True, why='', closes=True)
TimeWindow(kind='TUMBLE', column='at')
TimeWindow(kind='TUMBLE', column='at')
--------------------------------------------------------------------------------
SELECT id, a.at, b.at AS later, c.item FROM orders a JOIN orders b USING (id) JOIN plain c USING (id)
---- spark
Step(view='sluice_step_1_06d48783', sql='SELECT `a`.`id` AS `__c0`, `a`.`item` AS `__c1`, `a`.`price` AS `__c2`, `a`.`at` AS `__c3`, `b`.`id` AS `__c4`, `b`.`item` AS `__c5`, `b`.`price` AS `__c6`, `b`.`at` AS `__c7` FROM `view of orders` AS `a` INNER JOIN `view of orders` AS `b` ON `a`.`id` = `b`.`id`', distinct=(), times=(('__c7', None),))
SELECT `_1`.`__c0` AS `id`, `_1`.`__c3` AS `at`, `_1`.`__c7` AS `later`, `c`.`item` AS `item`
FROM `sluice_step_1_06d48783` AS `_1` INNER JOIN `view of plain` AS `c` ON `_1`.`__c0` = `c`.`id`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT id FROM names a RIGHT JOIN orders b USING (id) JOIN plain c USING (id)
---- spark
SELECT `b`.`id` AS `id`
FROM `view of names` AS `a` RIGHT JOIN `view of orders` AS `b` ON `a`.`id` = `b`.`id` INNER JOIN `view of plain` AS `c` ON `b`.`id` = `c`.`id`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT 1 FROM orders a JOIN orders b ON a.item = b.item JOIN plain c USING (id)
---- error
AMBIGUOUS_COLUMN: Column id is in more than one table (line 1, column 77). Write a.id or b.id.
--------------------------------------------------------------------------------
SELECT 1 FROM orders a JOIN plain b USING (label)
---- error
UNKNOWN_COLUMN: Unknown column label (line 1, column 44).
--------------------------------------------------------------------------------
SELECT o.item, p.item AS other, COUNT(*) AS n FROM orders o JOIN plain p ON o.id = p.id GROUP BY o.item, p.item
---- spark
SELECT `o`.`item` AS `item`, `p`.`item` AS `other`, count(1) AS `n`
FROM `view of orders` AS `o` INNER JOIN `view of plain` AS `p` ON `o`.`id` = `p`.`id`
GROUP BY `o`.`item`, `p`.`item`
Shape(stream=True, stateful=True, updating=True, key=('item', 'other'), bounded_state=False, why='GroupAggregate(groupBy=[item, item], select=[item, p.item AS other, COUNT(*) AS n])', closes=False)
--------------------------------------------------------------------------------
SELECT item, COUNT(*) FROM (SELECT window_start, item FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, item) GROUP BY item
---- error
UNSUPPORTED_ON_STREAM: GroupAggregate without a window, over rows that a window or join emits at its end is not supported (line 1, column 8). After a window or an outer join every row is final; also group by window_start and window_end, or write to a table first.
--------------------------------------------------------------------------------
-- FL-57
SELECT * FROM orders o JOIN names FOR SYSTEM_TIME AS OF o.at AS n ON o.id = n.id
---- error
UNSUPPORTED_CLAUSE: FOR SYSTEM_TIME AS OF is not supported (line 2, column 29). Join with the table as it is now.
--------------------------------------------------------------------------------
SELECT SUM(DISTINCT id), MIN(DISTINCT id), LISTAGG(DISTINCT item), AVG(price) FROM orders
---- spark
SELECT if(size(collect_set(`orders`.`id`)) = 0, NULL, aggregate(collect_set(`orders`.`id`), CAST(0 AS INT), (`_a`, `_b`) -> sluice_add(`_a`, `_b`))) AS `EXPR$0`, min(`orders`.`id`) AS `EXPR$1`, if(size(collect_set(CAST(`orders`.`item` AS STRING))) = 0, NULL, array_join(collect_set(CAST(`orders`.`item` AS STRING)), ',')) AS `EXPR$2`, CAST(avg(`orders`.`price`) AS DECIMAL(38,6)) AS `EXPR$3`
FROM `view of orders` AS `orders`
Shape(stream=True, stateful=True, updating=True, key=(), bounded_state=False, why='GroupAggregate(select=[SUM(DISTINCT id) AS EXPR$0, MIN(DISTINCT id) AS EXPR$1, LISTAGG(DISTINCT item) AS EXPR$2, AVG(price) AS EXPR$3])', closes=False)
--------------------------------------------------------------------------------
SELECT AVG(DISTINCT id) FROM orders
---- error
UNSUPPORTED_ON_STREAM: AVG(DISTINCT …) on an unbounded stream is not supported (line 1, column 8).
--------------------------------------------------------------------------------
CREATE TABLE clicks (who STRING, url STRING, seen AS PROCTIME()) WITH ('connector' = 'kafka')
---- ir
CreateTable
--------------------------------------------------------------------------------
SELECT who, url FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY who ORDER BY seen) AS rn FROM clicks) WHERE rn = 1
---- spark
Step(view='sluice_step_1_614f3050', sql='SELECT `clicks`.`who` AS `who`, `clicks`.`url` AS `url`, current_timestamp() AS `seen`, `clicks`.`who` AS `__p0`, current_timestamp() AS `__o1` FROM `view of clicks` AS `clicks`', distinct=('__p0',), times=(('seen', None), ('__o1', None)))
SELECT `_1`.`who` AS `who`, `_1`.`url` AS `url`
FROM (SELECT `who`, `url`, `seen`, 1L AS `rn`
FROM `sluice_step_1_614f3050`) AS `_1`
WHERE `_1`.`rn` = 1
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
--------------------------------------------------------------------------------
SELECT who, url FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY who ORDER BY PROCTIME() DESC) AS rn FROM clicks) WHERE rn = 1
---- spark
SELECT `_1`.`who` AS `who`, `_1`.`url` AS `url`
FROM (SELECT `_r`.`who` AS `who`, `_r`.`url` AS `url`, `_r`.`seen` AS `seen`, CAST(`_n` + 1 AS BIGINT) AS `rn`
FROM (SELECT max_by(struct(`_t`.`who`, `_t`.`url`, `_t`.`seen`), struct(`_t`.`__o1`)) AS `_r`, 0 AS `_n`
FROM (SELECT `clicks`.`who` AS `who`, `clicks`.`url` AS `url`, current_timestamp() AS `seen`, `clicks`.`who` AS `__p0`, current_timestamp() AS `__o1`
FROM `view of clicks` AS `clicks`) AS `_t`
GROUP BY `_t`.`__p0`)) AS `_1`
WHERE `_1`.`rn` = 1
Shape(stream=True, stateful=True, updating=True, key=('who',), bounded_state=False, why='Deduplicate(keep=[LastRow], partitionBy=[who], orderBy=[PROCTIME() DESC])', closes=False)
--------------------------------------------------------------------------------
SELECT who, COUNT(*) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(seen), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, who
---- error
UNSUPPORTED_ON_STREAM: A window over processing time is not supported (line 1, column 65). Give the table a WATERMARK, for instance over METADATA FROM 'timestamp'.
--------------------------------------------------------------------------------
CREATE VIEW numbered AS SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC) AS rn FROM orders
---- ir
CreateView
--------------------------------------------------------------------------------
SELECT item, price, rn FROM numbered WHERE rn <= 2
---- spark
SELECT `numbered`.`item` AS `item`, `numbered`.`price` AS `price`, `numbered`.`rn` AS `rn`
FROM (SELECT `_r`.`id` AS `id`, `_r`.`item` AS `item`, `_r`.`price` AS `price`, `_r`.`at` AS `at`, CAST(`_n` + 1 AS BIGINT) AS `rn`
FROM (SELECT posexplode(max_by(struct(`_t`.`id`, `_t`.`item`, `_t`.`price`, `_t`.`at`), struct(`_t`.`__o1`), 2)) AS (`_n`, `_r`)
FROM (SELECT `orders`.`id` AS `id`, `orders`.`item` AS `item`, `orders`.`price` AS `price`, `orders`.`at` AS `at`, `orders`.`item` AS `__p0`, `orders`.`price` AS `__o1`
FROM `view of orders` AS `orders`) AS `_t`
GROUP BY `_t`.`__p0`)) AS `numbered`
WHERE `numbered`.`rn` <= 2
Shape(stream=True, stateful=True, updating=True, key=('item', 'rn'), bounded_state=False, why='Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=2], partitionBy=[item], orderBy=[price DESC])', closes=False)
--------------------------------------------------------------------------------
SELECT a.at, b.at AS later, c.item FROM orders a JOIN orders b ON a.id = b.id AND b.at BETWEEN a.at AND a.at + INTERVAL '1' HOUR JOIN plain c ON c.id = b.id
---- spark
Step(view='sluice_step_1_93a02019', sql="SELECT `a`.`id` AS `__c0`, `a`.`item` AS `__c1`, `a`.`price` AS `__c2`, `a`.`at` AS `__c3`, `b`.`id` AS `__c4`, `b`.`item` AS `__c5`, `b`.`price` AS `__c6`, `b`.`at` AS `__c7` FROM `view of orders` AS `a` INNER JOIN `view of orders` AS `b` ON `a`.`id` = `b`.`id` AND (CAST(`b`.`at` AS TIMESTAMP) >= CAST(`a`.`at` AS TIMESTAMP) AND CAST(`b`.`at` AS TIMESTAMP) <= CAST(`a`.`at` AS TIMESTAMP) + INTERVAL '1' HOUR)", distinct=(), times=(('__c7', None),))
SELECT `_1`.`__c3` AS `at`, `_1`.`__c7` AS `later`, `c`.`item` AS `item`
FROM `sluice_step_1_93a02019` AS `_1` INNER JOIN `view of plain` AS `c` ON `c`.`id` = `_1`.`__c4`
Shape(stream=True, stateful=True, updating=False, key=None, bounded_state=False, why='', closes=False)
