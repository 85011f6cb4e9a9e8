"""What the dialects share: parsing, names, the driver that lowers queries, Spark SQL as a tree."""
