"""Pipelines on Spark: source, decoding, views, targets, the ledger, the supervisor."""
