"""Proves again what findings say of brokers that came and went, from the bytes of their records."""

from pipeline.rules.proving.proof import ProofLine, gone_broker_ids, is_without


def is_broker_gone(line: ProofLine, broker: str) -> bool:
    """A list names it as gone or lacks it, or the controller of a KRaft cluster fences it."""
    return broker in gone_broker_ids(line) or is_without(line, broker)
