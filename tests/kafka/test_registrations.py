"""The machines of KRaft's registrations: every pair of the square is decided."""

import numpy as np

from pipeline.kafka.machines.registrations import (
    BROKER_REGISTRATION,
    PARTITION_REGISTRATION,
    registration_machines,
)

# Typed anew from ClusterControlManager and PartitionRegistration: rows from, columns to.
BROKERS = """
    . 1 . . . .
    . 1 1 . . 1
    . 1 1 1 . 1
    . 1 . 1 1 1
    . 1 . . 1 1
    . 1 . . . .
"""
PARTITIONS = """
    . 1 .
    1 1 1
    1 1 1
"""


def test_each_pair_is_decided() -> None:
    for kind, text in ((BROKER_REGISTRATION, BROKERS), (PARTITION_REGISTRATION, PARTITIONS)):
        rows = [[cell == "1" for cell in line.split()] for line in text.strip().splitlines()]
        assert np.array_equal(registration_machines()[kind].matrix, np.array(rows))
