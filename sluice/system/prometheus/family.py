"""How a metric is declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.utils import floatToGoString

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from prometheus_client import Metric

    from sluice.engine.statistics import Histogram
    from sluice.system.prometheus.scrape import Pipeline, Scrape

    Values = Callable[[Scrape], Iterable[tuple[Any, ...]]]

GAUGE, COUNTER, HISTOGRAM, SUMMARY = "gauge", "counter", "histogram", "summary"

_MADE: dict[str, Callable[..., Any]] = {
    GAUGE: GaugeMetricFamily,
    COUNTER: CounterMetricFamily,
    HISTOGRAM: HistogramMetricFamily,
    SUMMARY: SummaryMetricFamily,
}


@dataclass(frozen=True, slots=True)
class Family:
    """A metric: its type, its name, what it measures, its labels, and where the values come from.

    `values` yields the values of the labels, in order, and what was measured: a number, the buckets
    and the sum of a histogram (`buckets`), or the count and the sum of a summary.
    """

    kind: str
    name: str
    help: str
    labels: str
    values: Values

    def metric(self, scrape: Scrape) -> Metric:
        """The metric with its values now."""
        made = _MADE[self.kind](self.name, self.help, labels=self.labels.split())
        for labels, *measured in self.values(scrape):
            made.add_metric(labels, *measured)
        found: Metric = made
        return found


def one(value: Callable[[Scrape], float | None]) -> Values:
    """The only value of a metric without labels; None if it is not known."""

    def values(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
        found = value(scrape)
        return [] if found is None else [((), found)]

    return values


def of_pipelines(value: Callable[[Pipeline], float | None]) -> Values:
    """A value of each pipeline that has it, labelled with the pipeline."""

    def values(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
        for pipeline in scrape.pipelines:
            found = value(pipeline)
            if found is not None:
                yield (pipeline.name,), found

    return values


def buckets(histogram: Histogram) -> tuple[Sequence[tuple[str, int]], float]:
    """The buckets of a histogram, and its sum."""
    counts, total = histogram.read()
    limits = [*map(floatToGoString, histogram.limits), "+Inf"]
    return list(zip(limits, counts, strict=True)), total
