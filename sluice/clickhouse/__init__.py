"""ClickHouse itself as the engine of SELECTs: stored tables as it reads them."""
