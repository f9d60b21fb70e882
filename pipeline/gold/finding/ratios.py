"""Rules on what Kafka itself prints of leader imbalance."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import rule

NAMES_SHOWN = 3


def ratio_disagreement(imbalance_check: DataFrame) -> DataFrame:
    """Kafka printed another ratio than its own lines give, and all of them were read: ours, or its, is wrong. One
    finding per controller, term and broker.

    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    first = F.struct("checked_at", "kafka_ratio", "imbalance_ratio", "only_kafka", "evidence")
    found = (
        imbalance_check.where("is_equal = false")
        .groupBy("cluster_id", "term_id", "controller_id", "broker_id")
        .agg(F.min(first).alias("first"), F.max("checked_at").alias("until_at"), F.count("*").alias("lines"))
    )
    epoch = F.split("term_id", "-", 2)[1].cast("int")
    controller = F.format_string("controller %d (epoch %d)", "controller_id", epoch)
    names = F.concat_ws(", ", F.slice("first.only_kafka", 1, NAMES_SHOWN))
    also = F.when(
        F.size("first.only_kafka") > 0,
        F.concat(
            F.lit("; Kafka alone counts "), F.size("first.only_kafka").cast("string"), F.lit(": "), names
        ),
    ).otherwise("")
    said = (
        F.col("first.kafka_ratio").cast("string"),
        F.coalesce(F.col("first.imbalance_ratio").cast("string"), F.lit("none")),
    )
    sentence = F.format_string(
        "%s printed imbalance ratio %s for broker %d, its lines give %s (%d line(s) differ)%s",
        controller, said[0], "broker_id", said[1], "lines", also,
    )  # fmt: skip
    return found.select(
        "cluster_id", *rule("ratio_disagreement", "warning"), F.format_string("broker %d", "broker_id").alias("entity"),
        controller.alias("root_event"), "term_id", F.col("first.checked_at").alias("valid_from_at"),
        F.col("until_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), F.col("first.evidence").alias("evidence"),
    )  # fmt: skip
