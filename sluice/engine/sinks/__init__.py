"""Where rows are written: Delta tables, Kafka topics, dead letters."""
