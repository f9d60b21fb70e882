"""Proves a finding again from the bytes of its records alone; knows nothing of what found it."""

import re
from collections.abc import Callable, Sequence

from jobs.proof import (
    CONFIRMED,
    HEAD,
    MOVE,
    NOT_CONFIRMED,
    THING,
    UNDECIDED,
    Claim,
    Line,
    Record,
    Unproved,
    dashed,
    line_of,
    require,
    require_span,
    said,
)
from jobs.verifying_brokers import broker_flapping, unclean_shutdown
from jobs.verifying_elections import (
    BROKER,
    ISR,
    LEADER,
    UNCLEAN,
    UNCLEAN_CHOICE,
    UNCLEAN_DIFF,
    last_known_leader,
    leader_choice,
    unclean_election,
)
from jobs.verifying_partitions import outage, ratio_disagreement
from jobs.verifying_terms import (
    ELECTED,
    RESIGNING,
    controller_outlived,
    controller_powerless,
    deposed_controller_wrote,
    failover_slow,
    no_controller,
)

# ReplicaStateMachine and PartitionStateMachine, 0.8.1 to 3.9: target state, and the states before it.
ALIVE = "NewReplica OnlineReplica OfflineReplica ReplicaDeletionIneligible"
LED = "NewPartition OnlinePartition OfflinePartition"
LEGAL = {
    "NewReplica": "NonExistentReplica", "OnlineReplica": ALIVE, "OfflineReplica": ALIVE,
    "ReplicaDeletionStarted": "OfflineReplica", "ReplicaDeletionSuccessful": "ReplicaDeletionStarted",
    "ReplicaDeletionIneligible": "ReplicaDeletionStarted", "NonExistentReplica": "ReplicaDeletionSuccessful",
    "NewPartition": "NonExistentPartition", "NonExistentPartition": "OfflinePartition",
    "OnlinePartition": LED, "OfflinePartition": LED,
}  # fmt: skip
LEGAL_FROM_2_3 = ("OfflineReplica", "ReplicaDeletionIneligible")  # KAFKA-8237

REFUSAL = re.compile(
    r"(?:IllegalStateException|AssertionError): .*?(?:Replica|Partition) "
    r"(?:\[Topic=(?P<topic>[^,]+),Partition=(?P<number>\d+),Replica=(?P<replica>\d+)\]|(?P<partition>\S+)) should be"
    r" in (?:the|one of) (?P<legal>\S+) states before moving to (?P<entered>\w+) state\. Instead it is in (?P<left>\w+)"
)
QUEUED = re.compile(r"(?:deletion for topics|to be deleted:|deletions:) (.*?)(?:, initial| \(kafka|$)")
PUT_OFF = re.compile(
    r"(?:Not retrying deletion of topic|Halted deletion of topics) (\S+) "
    r"(?:at this time since it is marked ineligible|due to (?:offline replicas|replica deletion failure))"
)
DELETED = re.compile(r"Deletion of topic (\S+) successfully completed")
KNOWN = (MOVE, ELECTED, RESIGNING, *UNCLEAN, UNCLEAN_CHOICE, UNCLEAN_DIFF, PUT_OFF, DELETED)
NAME = re.compile(r"[^,\s()]+")
# What findings say:
MOVES = re.compile(r"controller (\d+) .epoch (\w+)\) .* (\d+) \w+ move\(s\) (\w+) -> (\w+), first of (.+)")
WAITED = re.compile(r"completed after ([\d.]+) s")
IMBALANCE = re.compile(r"broker (\d+) leads too few: (\d+) of its (\d+) .* ratio ([\d.]+) over ([\d.]+)")
DISAGREE = re.compile(r"first (\S+)-(\d+)(?: replica (\d+))?: Kafka (\w+), replay (\w+)$")
NOT_READ = re.compile(r"(\d+) record\(s\) not understood: (\w+)")


def verified(claim: Claim, records: Sequence[Record]) -> tuple[str, str]:
    """Outcome and why. Lines have to say what it says; that others are missing no record shows: it is told then."""
    try:
        require(records, "no record stands behind it")
        require(claim["rule"] != "missing_logs", "that lines are missing no record shows", UNDECIDED)
        require(claim["rule"] in RULES, f"rule {claim['rule']} is not known here", UNDECIDED)
        return CONFIRMED, RULES[claim["rule"]](claim, [line_of(one) for one in records])
    except Unproved as problem:
        return problem.args[0], problem.args[1]


def counted(claim: Claim, moves: Sequence[Line]) -> str:
    controller, epoch, count, left, entered, first = said(MOVES, claim)
    require(0 < len(moves) <= int(count), f"{len(moves)} such records for {count} move(s)")
    for line in moves:
        require(line.move, f"{line.place()} is no move")
        is_of_it = line.move["id"] == controller and line.move["epoch"] in (None, epoch)
        require(is_of_it, f"{line.place()} is of controller {line.move['id']}, epoch {line.move['epoch']}")
        states = (line.move["left"], line.move["entered"])
        require(states == (left, entered), f"{line.place()} is another move")
        is_within = claim["valid_from_at"] <= line.at() <= (claim["valid_until_at"] or line.at())
        require(is_within, f"{line.place()} is of {line.at()}")
    require(moves[0].move["partition"] == first, f"the first record is of {moves[0].move['partition']}")
    return f"{len(moves)} of {count} move(s) stand in these records"


def illegal_move(claim: Claim, lines: Sequence[Line]) -> str:
    sentence = counted(claim, lines)
    *_, left, entered, _ = said(MOVES, claim)
    require(all(line.move["done"] for line in lines), "a record says that the move failed")
    require(entered in LEGAL and left not in LEGAL[entered].split(), "the move is legal in every release")
    is_told = (left, entered) != LEGAL_FROM_2_3 or not any(line.move["new"] for line in lines)
    require(is_told, "the move is legal from 2.3 on, and the lines do not tell the release", UNDECIDED)
    return f"{sentence}, done and not legal"


def refused_move(claim: Claim, lines: Sequence[Line]) -> str:
    sentence = counted(claim, lines)
    for line in lines:
        found = None if line.move["done"] else REFUSAL.search(line.whole)
        if found is None:
            raise Unproved(NOT_CONFIRMED, f"{line.place()} has no refusal")
        thing = dashed(found["partition"] or f"{found['topic']}-{found['number']}")
        refused = (thing, found["replica"], found["left"], found["entered"])
        wanted = tuple(line.move[name] for name in (*THING, "left", "entered"))
        require(refused == wanted, f"{line.place()} refuses another move")
        require(found["left"] not in found["legal"].split(","), f"{line.place()} calls the move legal")
    return f"{sentence}, each refused by the exception below it"


def discontinuity(claim: Claim, lines: Sequence[Line]) -> str:
    """Of each move two records: its own, then that of the last move of the same object."""
    moves, previous = lines[::2], lines[1::2]
    sentence = counted(claim, moves)
    require(len(moves) == len(previous), "a move has no record of the one before it")
    for line, last in zip(moves, previous, strict=True):
        is_same = last.move and all(last.move[name] == line.move[name] for name in (*THING, "id", "epoch"))
        require(is_same, f"{last.place()} is no move of the same object and epoch")
        in_file = last.record.path == line.record.path
        is_before = last.record.byte_offset < line.record.byte_offset if in_file else last.at() <= line.at()
        require(is_before, f"{last.place()} is not before {line.place()}")
        require(line.move["done"], f"{line.place()} says that the move failed")
        state = last.move["entered" if last.move["done"] else "left"]
        require(state != line.move["left"], f"{line.place()} leaves from the state entered before")
    is_trace = all(line.head and line.head[5] == "TRACE" for line in lines)
    require(is_trace, "lines above TRACE do not tell whether all moves were printed", UNDECIDED)
    return f"{sentence}, each after one into another state; that none is between them no record shows"


def blocked_deletion(claim: Claim, lines: Sequence[Line]) -> str:
    topic = claim["entity"].removeprefix("topic ")
    queued, put_off, deleted = (
        [one.at() for one in lines if (found := pattern.search(one.text)) and topic in NAME.findall(found[1])]
        for pattern in (QUEUED, PUT_OFF, DELETED)
    )
    require(put_off, f"no record puts off the deletion of topic {topic}")
    start, end = min(queued + put_off), max(deleted, default=None)
    require_span(claim, start, end, *(said(WAITED, claim) if end else ()))
    return f"begun {start}, put off {min(put_off)}, completed {end or 'never, which no record shows'}"


def standing_imbalance(claim: Claim, lines: Sequence[Line]) -> str:
    broker, elsewhere, preferred, ratio, limit = said(IMBALANCE, claim)
    exact = int(elsewhere) / max(int(preferred), 1)
    require(abs(exact - float(ratio)) <= 0.000051, f"{elsewhere} of {preferred} is {exact:.4f}")
    require(float(limit) - 0.005 < exact <= 1, f"{exact:.4f} is not over {limit}")
    stated = [(LEADER.search(one.text), ISR.search(one.text)) for one in lines]
    able = [isr[1] for leader, isr in stated if leader and isr and leader[1] != broker]
    is_able = broker in BROKER.findall(" ".join(able))
    require(is_able, f"no record has broker {broker} in the ISR of what another broker leads")
    raise Unproved(UNDECIDED, "others lead what it could; its counts rest on more records")


def not_understood(claim: Claim, lines: Sequence[Line]) -> str:
    count, reason = said(NOT_READ, claim)
    require(len(lines) <= int(count), f"{len(lines)} records for {count}")
    for line in lines:
        is_utf8 = reason == "bad_bytes" and line.whole.encode() == line.record.raw
        has_head = reason == "no_envelope" and HEAD.match(line.text)
        is_known = reason == "no_template" and any(one.search(line.text) for one in KNOWN)
        require(not (is_utf8 or has_head or is_known), f"{line.place()} is understood")
    require(reason in {"bad_bytes", "no_envelope"}, f"{reason} rests on wordings not known here", UNDECIDED)
    return f"{len(lines)} of {count} record(s) stand here"


def replay_disagreement(claim: Claim, lines: Sequence[Line]) -> str:
    topic, number, replica, theirs, ours = said(DISAGREE, claim)
    end = rf",Partition={number},Replica={replica}\]" if replica else rf"[-,]{number}\]?"
    require_span(claim, lines[0].at(), lines[0].at())
    is_said = re.search(rf"[\[=( ]{re.escape(topic)}{end} -> {theirs}\b", lines[0].whole)
    require(is_said, f"{lines[0].place()} does not say {theirs} of {topic}-{number}")
    own = [one.move for one in lines[1:] if one.move.get("partition") == f"{topic}-{number}"]
    has_ours = any(one["replica"] == replica and ours in {one["left"], one["entered"]} for one in own)
    require(has_ours, f"no move shows {ours}")
    return f"the dump says {theirs}, a move {ours}; that no other is between them no record shows"


RULES: dict[str, Callable[[Claim, Sequence[Line]], str]] = {one.__name__: one for one in (
    illegal_move, refused_move, discontinuity, replay_disagreement, controller_outlived, no_controller,
    deposed_controller_wrote, controller_powerless, failover_slow, leader_choice,
    unclean_election, last_known_leader, outage, blocked_deletion, standing_imbalance, ratio_disagreement,
    not_understood, broker_flapping, unclean_shutdown,
)}  # fmt: skip
