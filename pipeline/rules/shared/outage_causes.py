"""What an outage began with, as gold.partition_outage has it, and the bounds of one stop."""

from datetime import timedelta

CHOSEN, SHUT_DOWN, LOST_DIR = "controlled", "planned stop", "log-dir failure"
# Brokers that are shut down so soon one after the other, while what the first led is without a leader, are one stop.
ONE_STOP = timedelta(minutes=1)
