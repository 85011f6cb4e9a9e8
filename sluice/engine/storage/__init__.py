"""Delta tables: the ledger, the log, compaction, locations."""
