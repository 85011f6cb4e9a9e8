"""Tables and views as pipelines: pure data, without Spark."""

from sluice.plan.source import kafka_source, settings_of
from sluice.plan.spec import KafkaSource, PipelineSpec, ViewPlan

__all__ = ["KafkaSource", "PipelineSpec", "ViewPlan", "kafka_source", "settings_of"]
