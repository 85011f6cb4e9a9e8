"""Configuration files: what the server's owner sets for every table."""

from sluice.config.configuration import Collection, Config, Layer, OpenLineage, Tls
from sluice.config.hosts import Hosts, check_url, check_urls
from sluice.config.load import load

__all__ = [
    "Collection",
    "Config",
    "Hosts",
    "Layer",
    "OpenLineage",
    "Tls",
    "check_url",
    "check_urls",
    "load",
]
