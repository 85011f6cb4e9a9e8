"""Tables and views as pipelines: pure data, without Spark."""
