"""The metrics of one engine as text, in the formats of Prometheus and OpenMetrics."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from prometheus_client import ProcessCollector

from sluice.engine.spark.jvm import usage
from sluice.system.background import Background
from sluice.system.prometheus import kafka_metrics, pipeline_metrics, server_metrics
from sluice.system.prometheus.family import Escaped, head
from sluice.system.prometheus.scrape import Scrape, Slow
from sluice.system.prometheus.slow import measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.engine.engine import Engine

PLAIN = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

FAMILIES = (
    *kafka_metrics.FAMILIES,
    *pipeline_metrics.FAMILIES,
    *server_metrics.FAMILIES,
)
"""All metrics, besides those of processes that prometheus_client has: `process_…`."""

JVM_PROCESS = "sluice_jvm"
"""Before the names of the metrics of the JVM's process: `sluice_jvm_process_…`."""

_SLOW_S = 30.0
_JVM_S, _JVM_PATIENCE_S, _JVM_LASTS_S = 1.0, 0.2, 60.0


class Metrics:
    """The metrics of one engine. To read them starts nothing and waits for nobody for long."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._slow = Background(lambda: measure(engine), Slow(), every=_SLOW_S)
        nothing: Mapping[str, Any] = {}
        self._jvm = Background(
            self._usage, nothing, every=_JVM_S, patience=_JVM_PATIENCE_S, lasts=_JVM_LASTS_S
        )
        self._process = ProcessCollector(registry=None)
        self._jvm_process = ProcessCollector(
            JVM_PROCESS, pid=lambda: engine.jvm_pid or 0, registry=None
        )

    def text(self, accept: str = "", connections: int | None = None) -> tuple[bytes, str]:
        """The metrics in the format that an Accept header asks for, and its content type.

        `connections` is how many HTTP connections there are, if there is a server.
        """
        started = self._engine.started_spark is not None
        jvm = self._jvm.value() if started else {}
        scrape = Scrape(self._engine, self._slow.value(), jvm, connections)
        openmetrics = OPENMETRICS.partition(";")[0] in accept
        lines = [*self._lines(scrape, openmetrics=openmetrics), "# EOF\n" if openmetrics else ""]
        return "".join(lines).encode(), OPENMETRICS if openmetrics else PLAIN

    def _lines(self, scrape: Scrape, *, openmetrics: bool) -> Iterator[str]:
        escaped = Escaped()
        for family in FAMILIES:
            yield from family.lines(scrape, escaped, openmetrics=openmetrics)
        processes = [self._process]
        if self._engine.jvm_pid is not None:
            processes.append(self._jvm_process)
        for metric in chain.from_iterable(each.collect() for each in processes):
            (sample,) = metric.samples
            kind, described = metric.type, metric.documentation
            yield head(sample.name, described, kind, openmetrics=openmetrics)
            yield f"{sample.name} {sample.value}\n"

    def _usage(self) -> Mapping[str, Any]:
        spark = self._engine.started_spark
        return {} if spark is None else usage(spark)
