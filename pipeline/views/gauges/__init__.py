"""The gauges of Kafka's controller over time."""
