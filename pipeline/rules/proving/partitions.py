"""Proves again what findings say of leaders and ratios, from the bytes of their records."""

import re

from pipeline.rules.proving.proof import ProofLine

PRINTED = re.compile(r"eader imbalance ratio for broker (\d+) is (\d[\d.,E-]*)")
NOBODY = re.compile(
    r"(?i)leader\"?[=:] ?-1\b|(?:to|state) (?:Offline|New)Partition\b|Current leader is -1\b|leader: \d+ -> -1\b"
    r"|failed to change state .*from OfflinePartition\b|initiated state change .*from OfflinePartition to \w+ failed\b"
)


def is_partition_named(line: ProofLine, topic: str, number: int) -> bool:
    return re.search(partition_name_pattern(topic, number), line.whole) is not None


def partition_name_pattern(topic: str, number: int) -> str:
    """As a regular expression."""
    end = rf"(?:-{number}\b|,\s?{number}\]|,partition={number}\b|, partition {number}\b)"
    return rf"(?<![\w.-]){re.escape(topic)}{end}"
