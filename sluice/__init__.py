"""Kafka topics as SQL tables, on Spark."""

__version__ = "0.1.0"
