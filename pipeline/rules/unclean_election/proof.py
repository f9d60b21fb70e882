"""The proof of unclean_election, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.elections import (
    BROKER,
    ISR,
    LEADER,
    UNCLEAN,
    chosen_in_kraft,
    elected_leader,
    require_isr,
)
from pipeline.rules.proving.proof import (
    GONE,
    LIVE,
    UNDECIDED,
    Claim,
    ProofLine,
    dashed_partition_name,
    is_without,
    listed_ids,
    require_proof,
    require_span,
)

DIFF_ISR = re.compile(r"\bisr: \[([\d, ]*)\] -> ")
# Where the log of a broker ends: of one that begins to lead or to follow, from 2.6; up to 2.5, in server.log, of one
# that begins to lead, is loaded as its broker starts, or is cut off. How far the end is behind the offset that is told:
# the largest offset is the one before the end.
ENDS = tuple(
    (re.compile(pattern), sides, behind)
    for pattern, sides, behind in (
        (r"Leader (\S+) (?:with topic id \S+ )?starts at leader epoch \d+ from offset (\d+)", {"led"}, 0),
        (r"Follower (\S+) (?:with topic id \S+ )?starts at leader epoch \d+ from offset (\d+)", {"back"}, 0),
        (r"[]:] (\S+) starts at [Ll]eader [Ee]poch \d+ from offset (\d+)", {"led"}, 0),
        (r"\[Log partition=(\S+), .*Completed load of log with .*log end offset (\d+)", {"led", "back"}, 0),
        (r"Completed load of log (\S+) with .*log end offset (\d+)", {"led", "back"}, 0),
        (r"\[Log partition=(\S+), .*Truncating to offset (\d+)", {"led"}, 0),
        (r"Truncating log (\S+) to offset (\d+)", {"led"}, 0),
        (
            r"\[Log partition=(\S+), .*Truncating to \d+ has no effect as the largest offset.* is (\d+)",
            {"led"},
            1,
        ),
        (r"Truncating (\S+) to \d+ has no effect as the largest offset.* is (\d+)", {"led"}, 1),
    )
)
# What the leader writes itself, and up to 2.3 what it means to write.
OWN_ISR = re.compile(
    r"(?:broker=| on broker )(\d+)[]:] (?:ISR updated to \[?|(?:Shrinking|Expanding) ISR .*?from [\d,]* to )([\d,]+)"
)
# Each write of a partition's state has the next number.
NUMBER = re.compile(r"(?i)\b(?:zkVersion|partitionEpoch)[=:] ?(\d+)|version updated to \[?(\d+)")
LEADER_EPOCH = re.compile(r"(?i)leader_?epoch\"?[=:] ?(\d+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Kafka's own word, beside the election or alone; or the election after the ISR that was left without a leader."""
    partition, leader = claim.partition(), claim.text("leader")
    require_lost(claim, partition, lines)
    if in_kraft := [named for line in lines if (named := chosen_in_kraft(line, lines))]:
        require_proof(set(in_kraft) == {(partition, leader)}, "it is not what the records say")
        require_span(claim, min(line.at() for line in lines), min(line.at() for line in lines))
        said = {found[1] for line in lines if (found := DIFF_ISR.search(line.text))}
        in_sync = claim.known_broker_ids("isr_before")
        require_proof(
            in_sync is None or not said or ", ".join(in_sync) in said, "it is not the ISR of the records"
        )
        return "the controller says itself that the election is unclean"
    require_span(claim, lines[0].at(), lines[0].at())
    lines = [line for line in lines if stated_log_end(line) is None]
    words = [next((one for pattern in UNCLEAN if (one := pattern.search(line.text))), None) for line in lines]
    for line, found in zip(lines, words, strict=True):
        told = (dashed_partition_name(found[1]), found[2]) if found else elected_leader(line)
        is_so = told in {(partition, leader), None} or is_next(line, lines[0])
        require_proof(is_so, f"{line.place()} does not say so")
    if elected_leader(lines[0]):
        require_isr(lines[0], claim.known_broker_ids("isr"))
    if any(words):
        return "Kafka says itself that the leader is from outside of the ISR"
    require_proof(elected_leader(lines[0]), f"{lines[0].place()} does not say so")
    if any(LIVE.search(line.whole) for line in lines[1:]):
        return prove_leader_away(claim, leader, lines)
    before = [isr for line in lines[1:] if (isr := in_sync_before(claim, line, lines[0]))]
    require_proof(before, "no record says who was in sync before")
    require_proof(all(leader not in isr for isr in before), f"{leader} was in sync before")
    require_proof(
        claim.known_broker_ids("isr_before") in (None, *before), f"in sync was {', '.join(before[0])}"
    )
    is_certain = all(is_next(line, lines[0]) or not is_possibly_led(line) for line in lines[1:])
    require_proof(is_certain, "that nothing was written between rests on more records", UNDECIDED)
    return f"in sync were {', '.join(before[0])}, then {leader} was elected with nothing written between"


def stated_log_end(line: ProofLine) -> tuple[str, int, set[str]] | None:
    """Partition, offset at which its log ends, and whose that may be: the new leader's or one's that is back."""
    for pattern, sides, behind in ENDS:
        if found := pattern.search(line.text):
            return found[1], int(found[2]) + behind, sides
    return None


def require_lost(claim: Claim, partition: str, lines: Sequence[ProofLine]) -> None:
    """The records that it may have cost are the difference of the ends of two logs."""
    count = claim.known_number("records_at_risk")
    if not count:
        return
    ends = [found for line in lines if (found := stated_log_end(line)) and found[0] == partition]
    led, back = ([end for _, end, sides in ends if side in sides] for side in ("led", "back"))
    is_so = count in {each - one for each in back for one in led}
    require_proof(is_so, f"no two records are {count} records of {partition} apart")


def prove_leader_away(claim: Claim, leader: str, lines: Sequence[ProofLine]) -> str:
    """The new leader left, then the old one, and the new one was back only after that."""
    old, in_sync = claim.text("old_leader"), claim.broker_ids("isr_before")
    require_proof(leader not in in_sync, f"{leader} was in sync before")
    stated = [one for one in lines[1:] if says_isr(one, claim, old, in_sync)]
    require_proof(stated, f"no record says that {old} led with {', '.join(in_sync)} in sync")
    require_proof(
        all(one.at() <= lines[0].at() for one in stated), f"{stated[0].place()} is later than the election"
    )
    gone = [one.at() for one in lines[1:] if is_without(one, leader)]
    left = [one for one in lines[1:] if is_without(one, leader) or old in listed_ids(GONE, one)]
    dead = [one.at() for one in left if is_without(one, old)]
    back = [one.at() for one in lines[1:] if leader in listed_ids(LIVE, one)]
    in_turn = gone and dead and back and min(gone) < min(dead) <= max(back) <= lines[0].at()
    require_proof(in_turn, f"no record has {leader} away while {old} left")
    return (
        f"{leader} was away from {min(gone)} to {max(back)}, {old} left at {min(dead)}, "
        f"in sync was {', '.join(in_sync)}"
    )


def says_isr(line: ProofLine, claim: Claim, leader: str, in_sync: Sequence[str]) -> bool:
    """It says of the partition that these are in sync under that leader."""
    topic, number = claim.text("topic"), claim.text("partition")
    names = "|".join(re.escape(one) for one in (f"{topic}-{number}", f"[{topic},{number}]"))
    told, isr = LEADER.search(line.text), ISR.search(line.text)
    is_of_it = re.search(rf"(?<![\w.-])(?:{names})(?!\d)", line.text)
    return bool(is_of_it and told and isr and told[1] == leader and BROKER.findall(isr[1]) == [*in_sync])


def in_sync_before(claim: Claim, line: ProofLine, election: ProofLine) -> list[str]:
    """Brokers in the ISR that the line says of the partition, as of just before the election: of the write before it by
    their numbers, or nobody led and the leader epoch is the next one. Up to 2.3 what a leader writes has no number."""
    own, leader, isr, epoch = (one.search(line.text) for one in (OWN_ISR, LEADER, ISR, LEADER_EPOCH))
    partition = claim.partition()
    names = "|".join(map(re.escape, (partition, re.sub(r"^(.*)-(\d+)$", r"[\1,\2]", partition))))
    is_of_it = re.search(rf"(?<![\w.-])(?:{names})(?!\d)", line.text)
    led, in_sync = (own[1], own[2]) if own else (leader and leader[1], isr and isr[1])
    require_proof(is_of_it and led and in_sync is not None, f"{line.place()} says no ISR of {partition}")
    after = LEADER_EPOCH.search(election.text)
    is_next_epoch = bool(own) or bool(after and epoch and int(after[1]) == int(epoch[1]) + 1)
    is_just_before = is_next_epoch and (is_next(line, election) or led == "-1" or write_number(line) is None)
    is_same = led == (claim.known("old_leader") or "-1")
    is_so = is_just_before and is_same and line.at() <= election.at()
    require_proof(is_so, f"{line.place()} is not just before the election")
    return BROKER.findall(in_sync or "")


def is_possibly_led(line: ProofLine) -> bool:
    """False: the line says that nobody leads, so that nobody changes the SR."""
    leader = LEADER.search(line.text)
    return not leader or leader[1] != "-1"


def write_number(line: ProofLine) -> int | None:
    found = NUMBER.search(line.text)
    return int(found[1] or found[2]) if found else None


def is_next(line: ProofLine, election: ProofLine) -> bool:
    """The election is the write after that of the line."""
    before, after = write_number(line), write_number(election)
    return before is not None and before + 1 == after
