"""Kafka as a source: startup positions, bounds, discovery, batch admission, decoding."""
