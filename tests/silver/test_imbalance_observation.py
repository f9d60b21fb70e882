"""Kafka's ratios: six decimals in a JVM's locale up to 0.10.2, Java doubles later, to the bit."""

from pipeline.silver import imbalance_observation
from tests.rows import records_in

LINES = """
    [2026-11-21 00:00:01,000] TRACE [Controller 1]: leader imbalance ratio for broker 2 is 0,250000 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] TRACE [Controller id=1] Leader imbalance ratio for broker 3 is 0.9285714285714286 (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] TRACE [Controller id=1] Leader imbalance ratio for broker 4 is 9.5E-4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] TRACE [Controller id=1] Leader imbalance ratio for broker 5 is 1.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] TRACE [Controller id=1] Leader imbalance ratio for broker 6 is 1.5 (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] TRACE [Controller id=1] Leader imbalance ratio for broker 7 is -0.25 (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] TRACE [Controller id=1] Leader imbalance ratio for broker 8 is NaN (kafka.controller.KafkaController)
"""


def test_ratios_are_equal_as_doubles_and_what_is_no_share_is_none() -> None:
    found = imbalance_observation.build(records_in({(1, "controller"): LINES}))
    assert set(found.select("broker_id", "kafka_ratio").rows()) == {
        (2, 0.25),
        (3, 13 / 14),
        (4, 9.5e-4),
        (5, 1.0),
    }
