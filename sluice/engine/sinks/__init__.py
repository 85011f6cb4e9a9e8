"""Where rows go: Delta tables, Kafka topics, dead letters."""
