"""Every function of ClickHouse's dialect beside ClickHouse itself, over edge values."""
