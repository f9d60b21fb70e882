"""The proof of log_dir_failed, from its records alone."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.starts import shown_up

FAILS = re.compile(
    r"(?:Error|Exception) while|[Dd]isk error|Fail(?:ed)? to|Error writing|[Hh]alting|Stopping serving|failed log dir"
    r"|due to failure on log directory|ha(?:s|ve) failed|marked offline|as offline|log directory failure"
)
HERE = re.compile(
    r"(?:fetcher for partitions|Partitions|Logs for partitions|Mark replicas) (.*?)"
    r"(?: and stopped| are offline| because| on broker)"
)
MOVING = re.compile(r"(?:moving logs for|logs for future) partitions (.*?) (?:because|are offline)")
PARTITION = re.compile(r"[^\s,\[\]()]+-\d+")
BROKER = re.compile(r"\b[Bb]rokers?[ =](?:id=)?(\d+)")
STARTED = re.compile(r"\bstarted \(kafka\.server\.\w+\)|\], started\b")
JOINED = re.compile(r"Newly added brokers: ([\d, ]*)")
LOADS = re.compile(r"(?:recovery for all logs in|recovery of \d+ logs from|Recovering \d+ logs from) (\S+)")
IS_EMPTY = re.compile(r"No logs found to be loaded in|not found, creating it|No meta\.properties file")
HALTS = re.compile(
    r"[Hh]alting|Shutdown broker because|[Dd]isk error (?:while replicating|during)|Error writing"
)
FLAGS = (
    ("is_halted", "true", HALTS),
    ("is_controller_told", "false", re.compile(r"Unable to propagate|couldn't communicate")),
)
NAMED = 100  # so many partitions a finding names


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first record says that it failed, the last one when it was back; others what lay there."""
    broker, first = claim.text("broker_id"), lines[0]
    require_proof(FAILS.search(first.text), f"{first.place()} says of no failure")
    named = {one for line in lines for one in BROKER.findall(line.text)} | {str(first.record.node_id)}
    require_proof(broker in named, f"{first.place()} is not of broker {broker}")
    for name in ("log_dirs", "directory_ids"):
        for one in claim.texts(name):
            require_proof(any(one in line.text for line in lines), f"no record names {one}")
    require_cause(claim, lines)
    require_partitions(claim, lines)
    require_proof(claim.valid_from_at == first.at(), f"{first.place()} is of {first.at()}")
    for name, value, pattern in FLAGS:
        is_said = claim.known(name) == value and any(pattern.search(line.text) for line in lines)
        require_proof(claim.known(name) is None or is_said, f"no record says {name}")
    at_most_ms = claim.known_number("at_most_ms")
    if at_most_ms is not None:
        require_proof(claim.known("came_back") == "up", "a record of its end is not named")
        up_at = shown_up(lines, int(broker), first.at() + timedelta(milliseconds=at_most_ms))
        require_span(claim, first.at(), up_at, at_most_ms)
        return f"failed {first.at()}, its process was up by {up_at}"
    back_at = log_dir_return_time(claim, lines)
    require_span(claim, first.at(), back_at, claim.known_number("lasted_ms"))
    return f"failed {first.at()}, back {back_at or 'never, which no record shows'}"


def require_cause(claim: Claim, lines: Sequence[ProofLine]) -> None:
    name, message = claim.known("exception_class"), claim.known("exception_message")
    said = ": ".join(one for one in (name, message) if one)
    require_proof(any(said in line.whole for line in lines), f"no record has the exception {said}")


def require_partitions(claim: Claim, lines: Sequence[ProofLine]) -> None:
    """What its broker lists; where it lists nothing, what controllers mark."""
    own, marked = (
        [line for line in lines if ("Mark replicas" in line.text) is is_mark] for is_mark in (False, True)
    )
    here = partitions_in_lines(HERE, own) or partitions_in_lines(HERE, marked)
    require_proof(
        (claim.known_number("replicas_count") or 0) == len(here), f"{len(here)} replicas stand in records"
    )
    require_proof(claim.texts("partitions") == here[:NAMED], "records list other partitions")
    moving = partitions_in_lines(MOVING, own)
    require_proof(
        (claim.known_number("moving_count") or 0) == len(moving), f"{len(moving)} were moving there"
    )


def partitions_in_lines(pattern: re.Pattern[str], lines: Sequence[ProofLine]) -> list[str]:
    found = (match[1] for line in lines if (match := pattern.search(line.text)))
    return sorted({one for text in found for one in PARTITION.findall(text)})


def log_dir_return_time(claim: Claim, lines: Sequence[ProofLine]) -> datetime | None:
    """When a record says that the broker started, or registered with that directory."""
    directory_id = next(iter(claim.texts("directory_ids")), "")
    started = [line for line in lines if STARTED.search(line.text)]
    registered = [
        line
        for line in lines
        if (found := re.search(r"logDirs=\[([^\]]*)\]", line.text)) and directory_id in found[1]
    ]
    joined = [
        line
        for line in lines
        if (found := JOINED.search(line.text)) and claim.text("broker_id") in re.findall(r"\d+", found[1])
    ]
    back = started or registered or joined
    if claim.valid_until_at is None:
        require_proof(not back, "a record says that it was back")
        return None
    require_proof(back, "no record says that the broker was there again")
    dirs = claim.texts("log_dirs")
    is_loaded = any(found[1] in dirs for line in lines if (found := LOADS.search(line.text)))
    is_empty = any(IS_EMPTY.search(line.text) for line in lines)
    how = {"empty"} if is_empty else {"loaded"} if is_loaded or registered else {"left_out", "started"}
    require_proof(claim.text("came_back") in how, f"by the records it is {' or '.join(sorted(how))}")
    return back[-1].at()
