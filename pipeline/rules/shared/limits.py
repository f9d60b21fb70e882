"""Limits that several rules go by."""

from pipeline.rules.rule import Limit

OVERLAP = Limit(
    "overlap_ms",
    1000,
    "ms",
    "Two controllers at once for less than this is counted, but no finding (both hear of a change within some ms).",
)
EVENT = Limit(
    "event_ms",
    10_000,
    "ms",
    "A controller that is busy with one event for longer is a warning: all others wait meanwhile.",
)
OUTAGE = Limit(
    "outage_ms",
    1000,
    "ms",
    "What one event left without a leader for less than this is counted, but no finding.",
)
NO_QUORUM_LEADER = Limit(
    "no_quorum_leader_ms",
    10_000,
    "ms",
    "A KRaft quorum without a leader for less than this is counted, but no finding: with a majority it elects within "
    "controller.quorum.fetch.timeout.ms (2000), election.timeout.ms (1000) and election.backoff.max.ms (1000), twice "
    "over where the votes are split.",
)
UNLED_TOPIC = Limit(
    "unled_topic_ms",
    60_000,
    "ms",
    "A topic created without a live replica is a finding once it has had no leader for this long.",
)
FLAPPING_DEPARTURES = Limit(
    "flapping_departures",
    3,
    "times",
    "A broker that left so often without having been shut down, each time within flapping_minutes of the last, is a "
    "finding; so is a KRaft quorum that elects so often without an order to stop.",
)
FLAPPING_MINUTES = Limit(
    "flapping_minutes",
    60,
    "minutes",
    "Departures, elections or time-outs that are further apart are not counted together by flapping_departures.",
)
