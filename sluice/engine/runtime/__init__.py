"""The runtime: supervised queries, the lifecycle of a batch, positions, status."""
