"""Kafka clients: topics, offsets, group commits, client settings."""

import logging

# The client library logs where the program sends it, never to the terminal by itself.
logging.getLogger(__name__).addHandler(logging.NullHandler())
