"""The proof of failed_start, from its records alone."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from pipeline.rules.proving.proof import (
    UNDECIDED,
    Claim,
    ProofLine,
    proof_millis,
    require_proof,
    require_span,
)
from pipeline.rules.proving.starts import STARTED, shown_up

# What the line, or an exception below it, says where the start failed for that.
CAUSES = {
    "cause_bind_failed": r"Socket server failed to bind to \S+:\d+: ",
    "cause_lock_held": r"Failed to acquire lock on file \.lock in ",
    "cause_broker_id_taken": r"KeeperErrorCode = NodeExists|A broker is already registered on the path ",
    "cause_cluster_id": r"The Cluster ID \S+ doesn't match stored clusterId |Invalid cluster\.id in: ",
    "cause_broker_id_differs": r"doesn't match (?:stored (?:broker\.?Id|broker\.id|node\.id)|previous node id) ",
    "cause_voters_differ": r"Configured voter set: .* is different from the voter set read from the state file: ",
    "cause_not_formatted": r"No (?:`meta\.properties` found in|readable meta\.properties files found)",
    "cause_zk_unreachable": r"Unable to connect to zookeeper server |Timed out waiting for connection while in state: ",
    "cause_setting_refused": r"\.ConfigException: |IllegalArgumentException: requirement failed: ",
    "cause_out_of_memory": r"OutOfMemoryError: (?:Java heap space|GC overhead limit exceeded)",
    "cause_no_more_threads": r"OutOfMemoryError: unable to create (?:new )?native thread",
    "cause_too_many_files": r"Too many open files",
    "cause_map_failed": r"Map failed",
    "cause_disk_full": r"No space left on device",
    "cause_disk_read_only": r"Read-only file system",
    "cause_disk_error": r"Input/output error",
    "cause_disk_denied": r"\(Permission denied\)|AccessDeniedException: ",
    "cause_path_gone": r"NoSuchFileException: |\(No such file or directory\)|Not a directory",
    "cause_dir_unreadable": r"during broker startup|is not a readable log directory\.",
    "no_log_dir": r"none of the specified log dirs|all log dirs in .* have failed|the metadata log dir .* has failed",
    "fatal_fault": r"Encountered fatal fault: ",
    "registration_refused": r"unable to register with the controller quorum",
    "registration_timed_out": r"unable to register with the controller quorum",
    "id_not_generated": r"Failed to generate broker\.id",
    "migration_not_caught_up": r"when waiting to catch up with KRaft metadata log",
    "logs_not_loaded": r"error in one of the threads during logs loading",
    "wait_in_vain": r"Received a fatal error while waiting for |Timed out while waiting for ",
    "not_told": r"",
}
FAILED = re.compile(
    r"Fatal error during \w+ startup\. Prepare to shutdown|Exiting Kafka|Unable to start acceptor|SharedServer\b"
    r"|Unable to install metadata publishers"
)
START = re.compile(
    FAILED.pattern.replace("|Unable to start acceptor", "")
    + r"|\bstarting \(|Starting \w+ \(|Registered signal handlers"
)
OF_ITSELF = ("no_log_dir", "fatal_fault", "registration", "id_not", "migration", "logs_not", "wait_in")
WRITER = re.compile(r"\[(?:Kafka|Broker|Controller|Shared|KafkaRaft|Kafka )Server (?:id=|nodeId=)?(\d+)\]")
OWNER = re.compile(r"already exists and owner '(?:0x)?(-?[0-9a-f]+)'")
ESTABLISHED = re.compile(r"Session establishment complete .* session ?id = 0x([0-9a-f]+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Its first and its last start failed for that, it came up when it says, and that session held its id."""
    cause, node, count = claim.text("cause"), claim.known_number("node_id"), claim.number("failures_count")
    require_proof(cause in CAUSES, f"the lines of {cause} are not known here", UNDECIDED)
    failing = [line for line in lines if is_failed_start_line(line, cause)]
    require_proof(failing, f"no record says that a start failed for {cause}")
    require_proof({line_writer(line) for line in failing} <= {node, None}, "they are of other nodes")
    require_proof(any(START.search(line.text) for line in lines), "no record is of a start")
    first = min(line.at() for line in failing)
    failing_ms = claim.known_number("failing_ms") or 0
    last = next(
        (line.at() for line in failing if proof_millis(line.at()) - proof_millis(first) == failing_ms), None
    )
    require_proof(last, f"no record says that one failed {failing_ms} ms after the first")
    require_proof(count > 1 if failing_ms else count > 0, f"the records are of more starts than {count}")
    require_owner(claim, lines)
    lasted_ms, at_most_ms = claim.known_number("lasted_ms"), claim.known_number("at_most_ms")
    if at_most_ms is not None:
        shown = shown_up(lines, node, first + timedelta(milliseconds=at_most_ms))
        require_span(claim, first, shown, at_most_ms)
        return f"{count} start(s) failed since {first}, it was up by {shown}"
    if lasted_ms is None:
        require_span(claim, first, claim.valid_until_at and last)
        return f"{count} start(s) failed since {first}, up to {last}"
    up = came_up(lines, node, first + timedelta(milliseconds=lasted_ms))
    require_span(claim, first, up, lasted_ms)
    return f"{count} start(s) failed since {first}, it came up {up}"


def is_failed_start_line(line: ProofLine, cause: str) -> bool:
    """A line that says that a start failed, and that it did for that."""
    is_failure = FAILED.search(line.text) or cause.startswith(OF_ITSELF)
    said = [one for one, pattern in CAUSES.items() if pattern and re.search(pattern, line.whole)]
    return bool(is_failure) and (cause in said if CAUSES[cause] else not said)


def line_writer(line: ProofLine) -> int | None:
    found = WRITER.search(line.text)
    return int(found[1]) if found else line.record.node_id


def came_up(lines: Sequence[ProofLine], node: int | None, at: datetime) -> datetime | None:
    """That time, if its own start is complete then, or a controller names it."""
    for line in lines:
        own = STARTED.search(line.text)
        is_unnamed = own and line.record.node_id is None and None in (node, line_writer(line))
        heard = re.findall(r"\d+", line.text.partition("] ")[2]) if "roker" in line.text else ()
        is_it = is_unnamed or str(node) in ((own[1], own[2]) if own else heard)
        if is_it and proof_millis(line.at()) == proof_millis(at):
            return line.at()
    require_proof(False, f"no record says that it came up at {at}")
    return None


def require_owner(claim: Claim, lines: Sequence[ProofLine]) -> None:
    """The session that it says held the id, and it was of the node that it says."""
    session, node = claim.known("owner_session"), claim.known_number("owner_node_id")
    if session is not None:
        held = {found[1] for line in lines if (found := OWNER.search(line.text))}
        require_proof(session in held, f"no record says that session {session} held the id")
    if session is not None and node is not None:
        texts = {session, f"{int(session) % (1 << 64):x}" if session.lstrip("-").isdecimal() else session}
        of = {
            line.record.node_id
            for line in lines
            if (found := ESTABLISHED.search(line.text)) and found[1] in texts
        }
        require_proof(of, f"no record says that session {session} was established")
        require_proof(of <= {node, None}, f"session {session} is of node {of}")
