"""One file for each family of formats: `FORMATS`, and `SETTINGS` of the ClickHouse dialect."""
