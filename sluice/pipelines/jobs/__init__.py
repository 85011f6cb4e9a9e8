"""Jobs: Flink's INSERTs as queries of Spark's."""
