"""Proves a finding again from the bytes of its records alone; knows nothing of what found it."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from jobs.verifying_lines import (
    CONFIRMED,
    HEAD,
    MOVE,
    NOT_CONFIRMED,
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

THING = ("partition", "replica")
REFUSAL = re.compile(
    r"(?:IllegalStateException|AssertionError): .*?(?:Replica|Partition) "
    r"(?:\[Topic=(?P<topic>[^,]+),Partition=(?P<number>\d+),Replica=(?P<replica>\d+)\]|(?P<partition>\S+)) should be"
    r" in (?:the|one of) (?P<legal>\S+) states before moving to (?P<entered>\w+) state\. Instead it is in (?P<left>\w+)"
)
ELECTED = re.compile(r"(\d+) (?:successfully elected as|starting become controller)")
EPOCH = re.compile(r"(?:Epoch incremented|ncremented epoch) to (\d+)")
RESIGNING = re.compile(r"\]:? (?:Resigning|Controller resigning, broker id \d+)(?: \(|$)")
UNCLEAN = (
    re.compile(r"No broker in ISR is alive for (\S+)\. Elect leader (\d+) from live brokers"),
    re.compile(r"Setting new leader for topicId (\S+, partition \d+) to (\d+) using an unclean election"),
    re.compile(r"Changed partition (\S+) from .* with state .*?leader=(\d+).*leaderRecoveryState=RECOVERING"),
)
QUEUED = re.compile(r"(?:deletion for topics|to be deleted:|deletions:) (.*?)(?:, initial| \(kafka|$)")
PUT_OFF = re.compile(r"Not retrying deletion of topic (\S+) at this time since it is marked ineligible")
DELETED = re.compile(r"Deletion of topic (\S+) successfully completed")
LEADER = re.compile(r"(?i)leader\"?[=:] ?(-?\d+)")
ISR = re.compile(r"(?i)isr(?:WithBrokerEpoch)?\"?[=:] ?((?:List|BrokerState|broker\w+=|[-\d\[(, )])*)")
KNOWN = (MOVE, ELECTED, RESIGNING, *UNCLEAN, PUT_OFF, DELETED)
NAME = re.compile(r"[^,\s()]+")
BROKER = re.compile(r"(?<!Epoch=)(?<![-\d])\d+")
GIVEN = re.compile(r"to OnlinePartition with (?:leader (\d+)|state .*?leader=(-?\d+))")
LEADER_EPOCH = re.compile(r"(?i)leader_?epoch\"?[=:] ?(\d+)")
# What findings say:
MOVES = re.compile(r"controller (\d+) .epoch (\w+)\) .* (\d+) \w+ move\(s\) (\w+) -> (\w+), first of (.+)")
OUTLIVED = re.compile(r"controller (\d+) .epoch (\d+)\) resigned ([\d.]+) s after the next controller")
NOBODY = re.compile(r"controller for up to ([\d.]+) s after controller (\d+) .epoch (\d+)\)")
OUTSIDE = re.compile(r"unclean election: (.+) got leader (-?\d+) outside of its in-sync replicas")
CHOICE = re.compile(
    r"controller (\d+) .epoch (\w+)\) made (\d+) choice\(s\) of a leader .* first (\S+): leader (-?\d+),"
    r" prescribed (-?\d+), ISR \[([\d, ]*)\]$"
)
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


def elected(lines: Sequence[Line], epoch: int) -> tuple[int, datetime]:
    """Who was elected with that epoch, and when. Up to 2.0 the epoch stands on a later line of that controller."""
    for line in lines:
        if found := ELECTED.search(line.text):
            later = [one for one in lines if one.node_id() == int(found[1]) and one.at() >= line.at()]
            epochs = [number[1] for one in sorted(later, key=Line.at) if (number := EPOCH.search(one.text))]
            if epochs[:1] == [str(epoch)]:
                require(line.record.node_id in (None, int(found[1])), f"{line.place()} is of another node")
                return int(found[1]), line.at()
    is_named = any(re.search(rf"epoch(?:=| | to ){epoch}\b", line.text) for line in lines)
    raise Unproved(UNDECIDED if is_named else NOT_CONFIRMED, f"no record elects one with epoch {epoch}")


def controller_outlived(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch, seconds = said(OUTLIVED, claim)
    (own, own_at), (after, after_at) = elected(lines, int(epoch)), elected(lines, int(epoch) + 1)
    resigned = [one.at() for one in lines if RESIGNING.search(one.text) and one.node_id() == own]
    resigned_at = min(resigned, default=own_at)
    is_so = own == int(node_id) and own_at < after_at < resigned_at
    require(is_so, f"no record says that controller {node_id} resigned after {after_at}")
    require_span(claim, after_at, resigned_at, seconds)
    return f"elected {own_at}, controller {after} elected {after_at}, resigned {resigned_at}"


def no_controller(claim: Claim, lines: Sequence[Line]) -> str:
    seconds, node_id, epoch = said(NOBODY, claim)
    (own, own_at), (_, after_at) = elected(lines, int(epoch)), elected(lines, int(epoch) + 1)
    seen = [one.at() for one in lines if one.node_id() == own and own_at <= one.at() < after_at]
    require(seen and own == int(node_id), f"no record of controller {node_id} is before {after_at}")
    require_span(claim, max(seen), after_at, seconds)
    return f"last line {max(seen)}, next elected {after_at}; that none is between them no record shows"


def unclean_election(claim: Claim, lines: Sequence[Line]) -> str:
    """Kafka's own word, beside the election or alone; or the election after the ISR that was left without a leader."""
    partition, leader = said(OUTSIDE, claim)
    require_span(claim, lines[0].at(), lines[0].at())
    words = [next((one for pattern in UNCLEAN if (one := pattern.search(line.text))), None) for line in lines]
    for line, found in zip(lines, words, strict=True):
        told = (dashed(found[1]), found[2]) if found else chosen(line)
        require(told in {(partition, leader), None}, f"{line.place()} does not say so")
    if any(words):
        return "Kafka says itself that the leader is from outside of the ISR"
    require(chosen(lines[0]), f"{lines[0].place()} does not say so")
    before = [isr for line in lines[1:] if (isr := left_without(line, partition, lines[0]))]
    require(before, "no record says who was in sync before")
    require(all(leader not in isr for isr in before), f"{leader} was in sync before")
    return f"nobody led, in sync {', '.join(before[0])}, then {leader} with the next leader epoch"


def chosen(line: Line) -> tuple[str, str] | None:
    """Partition and leader of an election, null of another line."""
    found = GIVEN.search(line.text)
    return (line.move["partition"] or "", found[1] or found[2]) if line.move and found else None


def left_without(line: Line, partition: str, election: Line) -> list[str]:
    """Brokers in the ISR that the line says of a partition without a leader, just before the election."""
    leader, isr, epoch = (one.search(line.text) for one in (LEADER, ISR, LEADER_EPOCH))
    is_of_it = re.search(rf"(?<![\w.-]){re.escape(partition)}(?!\d)", line.text)
    require(is_of_it and leader and isr and epoch, f"{line.place()} says no ISR of {partition}")
    if not (leader and isr and epoch):
        return []
    after = LEADER_EPOCH.search(election.text)
    is_next = leader[1] == "-1" and after and int(after[1]) == int(epoch[1]) + 1
    require(is_next and line.at() <= election.at(), f"{line.place()} is not just before the election")
    return BROKER.findall(isr[1])


def leader_choice(claim: Claim, lines: Sequence[Line]) -> str:
    _, epoch, count, partition, leader, prescribed, in_sync = said(CHOICE, claim)
    require(0 < len(lines) <= int(count), f"{len(lines)} such records for {count} choice(s)")
    require(claim["valid_from_at"] == lines[0].at(), f"the first record is of {lines[0].at()}")
    require(chosen(lines[0]) == (partition, leader), f"{lines[0].place()} does not choose {leader}")
    require(lines[0].move["epoch"] == epoch, f"{lines[0].place()} is of epoch {lines[0].move['epoch']}")
    isr = ISR.search(lines[0].text)
    ids = BROKER.findall(isr[1]) if isr else BROKER.findall(in_sync)
    require(leader != prescribed and ids == BROKER.findall(in_sync), f"its ISR is {', '.join(ids)}")
    raise Unproved(UNDECIDED, "what the rule prescribes rests on more records")


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
    unclean_election, leader_choice, blocked_deletion, standing_imbalance, not_understood,
)}  # fmt: skip
