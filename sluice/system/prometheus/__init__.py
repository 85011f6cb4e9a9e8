"""The metrics of a server, for Prometheus: a file for each group, a row for each metric."""

from sluice.system.prometheus.metrics import FAMILIES, Metrics

__all__ = ["FAMILIES", "Metrics"]
