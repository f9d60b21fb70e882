"""Which files of a node's directory belong to its metadata log, and which are nobody's but its owner's."""

import re
from pathlib import PurePosixPath

FOLDER = "__cluster_metadata-0"
BOOTSTRAP = "bootstrap.checkpoint"
SEGMENT_NAME = re.compile(r"\d{20}\.log(?:\.gz|\.zst)?")
CHECKPOINT_NAME = re.compile(r"\d{20}-\d{10}\.checkpoint(?:\.gz|\.zst)?")
# What Kafka keeps in its directories beside the metadata log.
OF_DATA = re.compile(
    r"(?:\d{20}\.(?:log|index|timeindex|txnindex|snapshot)"
    r"|\d{20}-\d{10}\.checkpoint|\d{20}_[A-Za-z0-9_-]+\.(?:indexes|index))"
    r"(?:\.(?:deleted|cleaned|swap|part|gz|zst))?"
    r"|(?:bootstrap\.checkpoint|partition\.metadata|leader-epoch-checkpoint|quorum-state|meta\.properties"
    r"|recovery-point-offset-checkpoint|replication-offset-checkpoint|log-start-offset-checkpoint"
    r"|cleaner-offset-checkpoint|\.kafka_cleanshutdown|\.lock)"
)


def is_metadata_file(path: str) -> bool:
    """True of a segment or checkpoint of the metadata log by its name and that of its folder."""
    name = PurePosixPath(path).name
    if CHECKPOINT_NAME.fullmatch(name) or name == BOOTSTRAP:
        return True
    return bool(SEGMENT_NAME.fullmatch(name)) and PurePosixPath(path).parent.name.endswith(FOLDER)


def is_file_of_data(path: str) -> bool:
    """True of what Kafka keeps of its topics, which nothing here opens, and of what stands beside the metadata log."""
    return bool(OF_DATA.fullmatch(PurePosixPath(path).name)) and not is_metadata_file(path)
