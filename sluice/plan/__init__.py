"""Tables and views as pipelines: pure data, without Spark."""

from sluice.plan.arguments import settings_of, with_collection
from sluice.plan.source import kafka_source
from sluice.plan.spec import KafkaSource, PipelineSpec, ViewPlan

__all__ = [
    "KafkaSource",
    "PipelineSpec",
    "ViewPlan",
    "kafka_source",
    "settings_of",
    "with_collection",
]
