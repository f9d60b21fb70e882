"""Who was controller from when until when, how each term ended, and what was done after it was over."""

from schemas.end_reasons import OF_CONTROLLER, UNKNOWN_WHY
from schemas.spec import (
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    EVIDENCE_TYPE,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, map_of

ENDED_HOW = (
    "crashed",  # its process started anew, and it had not resigned
    "shutdown",
    "session_expired",  # with ZooKeeper: it said so, was gone, or was registered anew
    "znode_gone",  # /controller was deleted or rewritten, and it is registered as before
    "forced",  # it gave up, its requests were in an illegal state
    "startup_failed",
    "superseded_unseen",  # there is a next term, and no line of this one's end
    "open",
    "renounced",  # KRaft: it heard of another leader
    "event_failed",  # KRaft: it could not write
    "process_end",  # KRaft: its process started anew, and it had not renounced
)
ELECTION_REASONS = (
    "first_start",  # the first controller of the cluster
    "process_start",  # nobody was there that could have been elected, until a node started; KRaft: most of the quorum
    "shutdown",  # the last one was shut down
    "process_end",  # the process of the last one ended: its session, or the quorum's fetch, timed out
    "session_expired",  # the last one lived, and its session with ZooKeeper had expired
    "fetch_timeout",  # KRaft: the last one lived, and the others heard nothing of it
    "znode_gone",  # /controller was deleted or rewritten
    "resigned",  # the last one gave up
)
GAP_KINDS = (
    "handover",  # it resigned before the next election
    "session_timeout",  # it crashed: ZooKeeper waited for it
    "fetch_timeout",  # KRaft: its process ended, and the others waited for it
    "quorum_lost",  # KRaft: its process ended, and most of the quorum was down
    "sole_broker",  # it followed itself, or was shut down, and no other node was there that could have been elected
    "none",  # the next one was elected before it resigned
    "unknown",
)
OVERLAPS = (
    "resignation_tail",  # lines of its resignation only
    "zombie_harmless",  # it acted, and nothing that it did took effect
    "zombie_talked",  # it sent requests to brokers, or brokers refused some
    "zombie_wrote",  # it wrote leaders of partitions
)

SPEC = TableSpec(
    name="gold.controller_term",
    grain="One tenure of one controller.",
    key=("term_id",),
    fields=(
        CLUSTER_ID,
        required_field("term_id", STRING, "'<life>-<epoch>'."),
        required_field("life", INTEGER, "Ordinal of the life of the metadata, from 1."),
        required_field("controller_id", INTEGER, "The broker or KRaft controller elected."),
        required_field(
            "controller_epoch", INTEGER, "Its controller epoch; 0 or less: no line tells it (KRaft)."
        ),
        nullable_field(
            "epoch_zk_version", INTEGER, "Version of /controller_epoch that it wrote (2.1 to 3.9)."
        ),
        required_field(
            "mode", STRING, "How the cluster keeps its metadata.", accepted=("zookeeper", "kraft")
        ),
        nullable_field(
            "elected_at", TIMESTAMP, "When it was elected, UTC; null if no election line was seen."
        ),
        nullable_field(
            "election_reason",
            STRING,
            "Why the election was held; null: it, or the end of the term before it, was not seen.",
            accepted=ELECTION_REASONS,
        ),
        nullable_field("ready_at", TIMESTAMP, "When its start-up was finished, UTC."),
        nullable_field("ready_ms", LONG, "From election to ready, ms."),
        nullable_field(
            "serving_at",
            TIMESTAMP,
            "When its scheduler started, UTC; the last step of its start (up to 0.10.2 only with auto rebalance).",
        ),
        nullable_field(
            "steps",
            map_of(STRING, LONG),
            "Milliseconds by step of its start (steps of silver.controller_step), each until the line of the next.",
        ),
        nullable_field("last_step", STRING, "The last step that it began, if it never was ready."),
        nullable_field("superseded_at", TIMESTAMP, "When the next term that was seen began, UTC."),
        nullable_field("resigning_at", TIMESTAMP, "When it began to resign, UTC (from 0.9)."),
        nullable_field("resigned_at", TIMESTAMP, "When it had resigned, UTC."),
        required_field(
            "last_act_at",
            TIMESTAMP,
            "Last line of the term by the controller itself before it resigned, UTC; else by others.",
        ),
        nullable_field("ended_at", TIMESTAMP, "When it ended, UTC; null while open or where nothing tells."),
        nullable_field(
            "ended_how",
            STRING,
            "How it ended; null where the evidence does not decide (no controller.log of that node).",
            accepted=ENDED_HOW,
        ),
        nullable_field(
            "end_reason",
            STRING,
            "Why it ended, as server.log of its node says it; null: open, or not of its process (znode_gone, forced, "
            "startup_failed, event_failed: ended_how says why).",
            accepted=OF_CONTROLLER,
        ),
        nullable_field("end_reason_at", TIMESTAMP, "First line that says so, UTC; null: not known."),
        nullable_field(
            "end_detail",
            STRING,
            "The signal (and that it gave up its controlled shutdown), the error, the directory.",
        ),
        nullable_field(
            "end_unknown_why",
            STRING,
            "Why it is not known; null: it is, or not asked for.",
            accepted=UNKNOWN_WHY,
        ),
        nullable_field(
            "first_sign_at",
            TIMESTAMP,
            "Earliest line that shows it, UTC: of a peer that lost it, or its own; null: none is there.",
        ),
        nullable_field(
            "gap_ms",
            LONG,
            "From its end to the next election, ms (of a process that crashed or ended: from its last line, at most); "
            "below 0: two controllers at once. Null where the end or the next election was not seen.",
        ),
        nullable_field(
            "vacant_from_at",
            TIMESTAMP,
            "KRaft: when one first heard that nobody leads, UTC; from then until superseded_at there was none.",
        ),
        nullable_field("gap_kind", STRING, "Why there was a gap; null: no next term.", accepted=GAP_KINDS),
        nullable_field(
            "overlap",
            STRING,
            "What it came to that it wrote lines after superseded_at; null: none, or the evidence does not decide.",
            accepted=OVERLAPS,
        ),
        nullable_field(
            "acts_after_count",
            LONG,
            "Lines by it after superseded_at and before it resigned, requests to nobody left out; null: not known.",
        ),
        nullable_field(
            "writes_after_count",
            LONG,
            "Of them those that report a leader written; null: not known (no state-change.log at a level that has "
            "them, election of the next one not seen) or KRaft.",
        ),
        nullable_field("last_write_at", TIMESTAMP, "Last of these writes, UTC."),
        required_field(
            "refused_count",
            LONG,
            "Its requests that were refused for its epoch, as far as lines of brokers or answers say so.",
        ),
        required_field(
            "fenced_count",
            LONG,
            "Lines by which ZooKeeper refused its writes for its epoch (from 2.1).",
        ),
        nullable_field(
            "fenced_from_at", TIMESTAMP, "First of them, UTC: from then on it could write nothing."
        ),
        nullable_field(
            "fenced_until_at",
            TIMESTAMP,
            "End of that, UTC: of its term; null while open or not fenced.",
        ),
        CERTAINTY,
        EVIDENCE,
        required_field(
            "lines",
            map_of(STRING, EVIDENCE_TYPE),
            "Records by what they say: elected, ready, fenced (the first), still_fenced (its last line), "
            "wrote_after (first ones and last), ended, "
            "registration (before and after, or that it joined), vacant, next_elected, reason (why it ended), "
            "first_sign, election_reason.",
        ),
    ),
    checks=(
        Check("ends_after_it_begins", "ended_at IS NULL OR elected_at IS NULL OR ended_at >= elected_at"),
        Check(
            "reason_is_of_the_term",
            "end_reason_at IS NULL OR elected_at IS NULL OR end_reason_at >= elected_at",
        ),
        Check(
            "sign_is_of_the_term",
            "first_sign_at IS NULL OR elected_at IS NULL OR first_sign_at >= elected_at",
        ),
        Check(
            "a_reason_has_a_line", "(end_reason_at IS NULL) = (end_reason IS NULL OR end_reason = 'unknown')"
        ),
        Check(
            "open_has_no_end",
            "ended_how IS NULL OR ended_how <> 'open' OR "
            "(ended_at IS NULL AND superseded_at IS NULL AND resigning_at IS NULL AND end_reason IS NULL)",
        ),
    ),
)
