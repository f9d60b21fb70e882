"""Names that people give of findings, terms, topics and partitions, and what is said of those that cannot be."""

import argparse
import difflib
import re
from dataclasses import dataclass

from jobs.text import shorten_line
from pipeline.core.errors import InputProblem

FINDING = re.compile(r"[Ff]?\d+|[0-9a-f]{12,64}")
NODE = re.compile(r"(?:[A-Za-z][\w.-]*[ -])?([0-9]{1,9})")
TERM = re.compile(r"\d+(?:-\d+)?")


@dataclass(frozen=True)
class TopicPartition:
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{shorten_line(self.topic, 249)}-{self.partition}"


def topic_partition(text: str) -> TopicPartition:
    """'orders-eu-0' is partition 0 of orders-eu: the last dash parts them."""
    topic, dash, number = text.rpartition("-")
    if not (topic and dash and number.isascii() and number.isdigit()):
        raise argparse.ArgumentTypeError(
            f"expected TOPIC-N such as orders-0, found {shorten_line(text, 80)!r}"
        )
    return TopicPartition(topic, int(number))


def node_id(text: str) -> int:
    """As people name a broker: 3, broker-3, broker 3, kafka-3."""
    found = NODE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"expected the id of a broker such as 3, found {shorten_line(text, 80)!r}"
        )
    return int(found[1])


def finding_name(name: str) -> str:
    """The name as it is given. InputProblem: no finding is named so."""
    if FINDING.fullmatch(name):
        return name
    raise InputProblem(
        expected="a finding such as F1, or its finding_id of hexadecimal digits",
        found=shorten_line(name, 40),
        todo="take it from 'findings' or the first screen of the last run",
    )


def term_name(name: str) -> str:
    """The name as it is given. InputProblem: no term is named so."""
    if TERM.fullmatch(name):
        return name
    raise InputProblem(
        expected="a term: a controller epoch such as 7, or a term_id such as 1-7",
        found=shorten_line(name, 40),
        todo="take one of the first screen's TERM lines, or of 'terms'",
    )


def unknown_partition(asked: TopicPartition, counts: dict[str, int]) -> InputProblem:
    return InputProblem(
        expected=f"a partition {asked} in the logs read",
        found=near_topics(asked.topic, counts),
        todo="write topic, dash, number as Kafka does, e.g. orders-0",
    )


def unknown_topic(topic: str, counts: dict[str, int]) -> InputProblem:
    return InputProblem(
        expected=f"a topic {shorten_line(topic, 249)} in the logs read",
        found=near_topics(topic, counts),
        todo="write its whole name, without a partition, e.g. orders",
    )


def near_topics(topic: str, counts: dict[str, int]) -> str:
    near = [topic] if topic in counts else difflib.get_close_matches(topic, counts, 3)
    found = ", ".join(f"{shorten_line(one, 80)} with {counts[one]} partitions" for one in near)
    return found or f"{len(counts)} topics, none of a similar name"
