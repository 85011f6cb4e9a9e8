CREATE TABLE types (
  c1 CHAR, c2 CHAR(3), c3 VARCHAR, c4 VARCHAR(10), c5 VARCHAR(2147483647), c6 STRING, c7 CHARACTER VARYING(7),
  c8 BOOLEAN, c9 BINARY, c10 BINARY(3), c11 VARBINARY(10), c12 VARBINARY(2147483647), c13 BYTES,
  c14 DECIMAL, c15 DECIMAL(5), c16 DEC(5, 2), c17 NUMERIC(38, 38), c18 TINYINT, c19 SMALLINT, c20 INT, c21 INTEGER, c22 BIGINT,
  c23 FLOAT, c24 DOUBLE, c25 DOUBLE PRECISION, c26 DATE, c27 TIME, c28 TIME(3), c29 TIME(0) WITHOUT TIME ZONE,
  c30 TIMESTAMP, c31 TIMESTAMP(3), c32 TIMESTAMP(0) WITHOUT TIME ZONE, c33 TIMESTAMP(3) WITH LOCAL TIME ZONE, c34 TIMESTAMP_LTZ, c35 TIMESTAMP_LTZ(3) NOT NULL,
  c36 INTERVAL YEAR TO MONTH, c37 INTERVAL DAY(3) TO SECOND(6), c38 INTERVAL HOUR,
  c39 ARRAY<INT>, c40 ARRAY<INT NOT NULL> NOT NULL, c41 ARRAY<ARRAY<STRING>>, c42 INT ARRAY, c43 INT NOT NULL ARRAY NOT NULL,
  c44 MAP<STRING, ROW<a INT>>, c45 MULTISET<STRING>, c46 STRING MULTISET,
  c47 ROW<a INT, `b c` STRING NOT NULL, r ROW<x DOUBLE>>, c48 ROW(a INT 'the first', b STRING), c49 NULL, c50 INT NULL
)
---- ir
CreateTable
  name: types
  column c1: Nullable(FixedText(1))
  column c2: Nullable(FixedText(3))
  column c3: Nullable(String)
  column c4: Nullable(BoundedText(10))
  column c5: Nullable(String)
  column c6: Nullable(String)
  column c7: Nullable(BoundedText(7))
  column c8: Nullable(Bool)
  column c9: Nullable(FixedBytes(1))
  column c10: Nullable(FixedBytes(3))
  column c11: Nullable(BoundedBytes(10))
  column c12: Nullable(Bytes)
  column c13: Nullable(Bytes)
  column c14: Nullable(Decimal(10, 0))
  column c15: Nullable(Decimal(5, 0))
  column c16: Nullable(Decimal(5, 2))
  column c17: Nullable(Decimal(38, 38))
  column c18: Nullable(Int8)
  column c19: Nullable(Int16)
  column c20: Nullable(Int32)
  column c21: Nullable(Int32)
  column c22: Nullable(Int64)
  column c23: Nullable(Float32)
  column c24: Nullable(Float64)
  column c25: Nullable(Float64)
  column c26: Nullable(Date32)
  column c27: Nullable(TimeOfDay(0))
  column c28: Nullable(TimeOfDay(3))
  column c29: Nullable(TimeOfDay(0))
  column c30: Nullable(LocalDateTime(6))
  column c31: Nullable(LocalDateTime(3))
  column c32: Nullable(LocalDateTime(0))
  column c33: Nullable(DateTime64(3))
  column c34: Nullable(DateTime64(6))
  column c35: DateTime64(3)
  column c36: Nullable(Interval('YEAR TO MONTH'))
  column c37: Nullable(Interval('DAY(3) TO SECOND(6)'))
  column c38: Nullable(Interval('HOUR'))
  column c39: Optional(Array(Nullable(Int32)))
  column c40: Array(Int32)
  column c41: Optional(Array(Optional(Array(Nullable(String)))))
  column c42: Optional(Array(Nullable(Int32)))
  column c43: Array(Int32)
  column c44: Optional(Map(String, Optional(Tuple(a Nullable(Int32)))))
  column c45: Optional(Multiset(String))
  column c46: Optional(Multiset(String))
  column c47: Optional(Tuple(a Nullable(Int32), `b c` String, r Optional(Tuple(x Nullable(Float64)))))
  column c48: Optional(Tuple(a Nullable(Int32), b Nullable(String)))
  column c49: Nullable(Nothing)
  column c50: Nullable(Int32)
  engine: (none)
  dialect: flink
---- show create
CREATE TABLE `types` (
  `c1` CHAR(1),
  `c2` CHAR(3),
  `c3` STRING,
  `c4` VARCHAR(10),
  `c5` STRING,
  `c6` STRING,
  `c7` VARCHAR(7),
  `c8` BOOLEAN,
  `c9` BINARY(1),
  `c10` BINARY(3),
  `c11` VARBINARY(10),
  `c12` BYTES,
  `c13` BYTES,
  `c14` DECIMAL(10, 0),
  `c15` DECIMAL(5, 0),
  `c16` DECIMAL(5, 2),
  `c17` DECIMAL(38, 38),
  `c18` TINYINT,
  `c19` SMALLINT,
  `c20` INT,
  `c21` INT,
  `c22` BIGINT,
  `c23` FLOAT,
  `c24` DOUBLE,
  `c25` DOUBLE,
  `c26` DATE,
  `c27` TIME(0),
  `c28` TIME(3),
  `c29` TIME(0),
  `c30` TIMESTAMP(6),
  `c31` TIMESTAMP(3),
  `c32` TIMESTAMP(0),
  `c33` TIMESTAMP_LTZ(3),
  `c34` TIMESTAMP_LTZ(6),
  `c35` TIMESTAMP_LTZ(3) NOT NULL,
  `c36` INTERVAL YEAR TO MONTH,
  `c37` INTERVAL DAY(3) TO SECOND(6),
  `c38` INTERVAL HOUR,
  `c39` ARRAY<INT>,
  `c40` ARRAY<INT NOT NULL> NOT NULL,
  `c41` ARRAY<ARRAY<STRING>>,
  `c42` ARRAY<INT>,
  `c43` ARRAY<INT NOT NULL> NOT NULL,
  `c44` MAP<STRING, ROW<`a` INT>>,
  `c45` MULTISET<STRING>,
  `c46` MULTISET<STRING>,
  `c47` ROW<`a` INT, `b c` STRING NOT NULL, `r` ROW<`x` DOUBLE>>,
  `c48` ROW<`a` INT, `b` STRING>,
  `c49` NULL,
  `c50` INT
)
--------------------------------------------------------------------------------
CREATE TABLE t (a RAW('java.lang.Object', 'x'))
---- error
UNSUPPORTED_TYPE: The type RAW is not supported (line 1, column 19). Use BYTES; objects of a JVM class cannot be kept.
--------------------------------------------------------------------------------
CREATE TABLE t (a TIMESTAMP(3) WITH TIME ZONE)
---- error
UNSUPPORTED_TYPE: TIMESTAMP WITH TIME ZONE is not supported (line 1, column 28). Use TIMESTAMP_LTZ, an instant.
--------------------------------------------------------------------------------
CREATE TABLE t (a TIMESTAMP(9))
---- error
UNSUPPORTED_TYPE: TIMESTAMP(9) is not supported (line 1, column 28). Moments are kept in microseconds: write TIMESTAMP(6).
--------------------------------------------------------------------------------
CREATE TABLE t (a MAP<ARRAY<INT>, INT>)
---- error
UNSUPPORTED_TYPE: A MAP with keys of ARRAY<INT> is not supported (line 1, column 23).
