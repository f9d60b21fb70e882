"""Which rule is proved how: a finding again from the bytes of its records alone."""

from collections.abc import Callable, Sequence

from jobs.verify.brokers import broker_fenced, broker_flapping, unclean_shutdown
from jobs.verify.disks import log_dir_failed
from jobs.verify.elections import last_known_leader, leader_choice, unclean_election
from jobs.verify.faults import fatal_fault, logged_fault
from jobs.verify.flapping import quorum_flapping
from jobs.verify.lives import controllers_apart, new_life, refused_registration
from jobs.verify.logs import not_understood
from jobs.verify.migrations import migration_waits
from jobs.verify.moves import discontinuity, illegal_move, refused_move, replay_disagreement
from jobs.verify.partitions import (
    outage,
    ratio_disagreement,
    standing_imbalance,
    stated_imbalance,
)
from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim, Line, Record, Unproved, line_of, require
from jobs.verify.quorum import quorum_without_leader
from jobs.verify.reasons import without_reasons
from jobs.verify.reassignments import (
    reassignment_failed,
    reassignment_skipped,
    replica_left_on_disk,
    stuck_reassignment,
)
from jobs.verify.starts import failed_start
from jobs.verify.terms import (
    controller_outlived,
    controller_powerless,
    deposed_controller_wrote,
    event_failed,
    failover_slow,
    no_controller,
)
from jobs.verify.topics import (
    deletion_disabled,
    recreated_at_once,
    slow_creation,
    stuck_deletion,
    topic_removed_by_hand,
    topic_vanished,
    topic_without_leader_since_creation,
)
from jobs.verify.unreached import quorum_not_reached
from jobs.verify.voters import voter_data, voter_out_of_touch, voter_refused

OLDER = "an older release wrote it, without the facts that are proved: a run has to judge it anew"


def verified(claim: Claim, records: Sequence[Record]) -> tuple[str, str]:
    """Outcome and why. Lines have to say what it claims; that others are missing no record shows: it is told then."""
    try:
        require(records, "no record stands behind it")
        require(claim.rule != "missing_logs", "that lines are missing no record shows", UNDECIDED)
        require(claim.rule in RULES, f"rule {claim.rule} is not known here", UNDECIDED)
        require(claim.facts is not None, OLDER, UNDECIDED)
        lines = without_reasons(claim, [line_of(one) for one in records])
        return CONFIRMED, RULES[claim.rule](claim, lines)
    except Unproved as problem:
        return problem.args[0], problem.args[1]


RULES: dict[str, Callable[[Claim, Sequence[Line]], str]] = {one.__name__: one for one in (
    illegal_move, refused_move, discontinuity, replay_disagreement, controller_outlived, no_controller,
    deposed_controller_wrote, controller_powerless, failover_slow, event_failed, leader_choice,
    unclean_election, last_known_leader, outage, stuck_reassignment, reassignment_failed,
    reassignment_skipped, replica_left_on_disk, standing_imbalance,
    stated_imbalance, ratio_disagreement, not_understood, quorum_without_leader, broker_flapping, unclean_shutdown,
    controllers_apart,
    broker_fenced, new_life, refused_registration, fatal_fault, logged_fault, failed_start, log_dir_failed,
    stuck_deletion, topic_without_leader_since_creation, slow_creation, topic_vanished, topic_removed_by_hand,
    deletion_disabled, recreated_at_once,
    quorum_flapping,
    voter_data, voter_refused, voter_out_of_touch, quorum_not_reached, migration_waits,
)}  # fmt: skip
