"""One streaming engine: sources, a transform, sinks, and the runtime that runs them on Spark."""
