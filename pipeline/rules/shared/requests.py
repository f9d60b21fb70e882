"""What rules about requests to brokers say alike."""

from polars import col

# As Kafka's logs name the requests.
NAMES = {"LEADER_AND_ISR": "LeaderAndIsr", "UPDATE_METADATA": "UpdateMetadata", "STOP_REPLICA": "StopReplica"}
REQUEST_NAME = col("request").replace_strict(NAMES, default=None)
