"""Tables and views as pipelines: pure data, without Spark."""

from sluice.plan.arguments import settings_of, with_collection
from sluice.plan.explain import Explained, explain
from sluice.plan.source import check_create, kafka_source
from sluice.plan.spec import (
    SOURCE_VIEW,
    KafkaSource,
    PipelineSpec,
    TopicSink,
    TopicSource,
    ViewPlan,
    block_name,
)
from sluice.plan.topic_sink import flink_sink
from sluice.plan.topic_source import flink_source

__all__ = [
    "SOURCE_VIEW",
    "Explained",
    "KafkaSource",
    "PipelineSpec",
    "TopicSink",
    "TopicSource",
    "ViewPlan",
    "block_name",
    "check_create",
    "explain",
    "flink_sink",
    "flink_source",
    "kafka_source",
    "settings_of",
    "with_collection",
]
