"""What Sluice asks of Kafka itself: topics, offsets, group commits, client settings."""

import logging

# What the client library says goes where the program sends it, never to the terminal by itself.
logging.getLogger(__name__).addHandler(logging.NullHandler())
