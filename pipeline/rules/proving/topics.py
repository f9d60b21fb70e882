"""Proves again what findings say of the lives of topics, from the bytes of their records."""

import re
from collections.abc import Sequence
from datetime import datetime

from pipeline.rules.proving.proof import ProofLine, require_proof

QUEUED = re.compile(r"(?:deletion for topics|to be deleted:|deletions:) (.*?)(?:, initial| \(kafka|$)")
PUT_OFF = re.compile(
    r"(?:Not retrying deletion of topic|Halted deletion of topics) (\S+)"
    r"(?: at this time since it is marked ineligible| due to (?:offline replicas|replica deletion failure"
    r"|topic reassignment in progress)| \(kafka|$)"
)
DELETED = re.compile(r"Deletion of topic (\S+) successfully completed")
NEW = re.compile(r"New topics: \[(.*?)\], deleted topics: \[(.*?)\]")
LISTED = re.compile(r"urrent list of topics in the cluster: ?(.*?) \(kafka")
REPLAYED = re.compile(r"(?:Created topic|Replayed TopicRecord for topic) (\S+) with (?:topic )?ID")
NAME = re.compile(r"[^,\s()]+")


def times_topic_is_named(
    pattern: re.Pattern[str], lines: Sequence[ProofLine], topic: str, group: int = 1
) -> list[datetime]:
    """Times of the lines in which the pattern names the topic."""
    found = ((one, pattern.search(one.text)) for one in lines)
    return [one.at() for one, match in found if match and topic in NAME.findall(match[group] or "")]


def times_topic_is_missing(lines: Sequence[ProofLine], topic: str) -> list[datetime]:
    """Times of lists of topics that do not have it."""
    found = ((one, LISTED.search(one.text)) for one in lines)
    return [one.at() for one, match in found if match and topic not in NAME.findall(match[1])]


def topic_creation_time(lines: Sequence[ProofLine], topic: str) -> datetime:
    at = times_topic_is_named(NEW, lines, topic) + times_topic_is_named(REPLAYED, lines, topic)
    require_proof(at, f"no record creates topic {topic}")
    return min(at)
