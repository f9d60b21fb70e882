"""Which lines of KRaft controllers that become active are of a term that they have."""

from polars import col

from pipeline.silver.term.stale_claims import without_stale_claims
from schemas.silver.controller_step import SPEC
from tests.frames import frame

ACTIVE, HEARD = "controller_active          | elected     ", "controller_observed_leader | observed    "
RENOUNCED, FAILED = "controller_renounce        | renounced   ", "controller_event_failed    | event_failed"
# By cluster what each node says: event and step, epoch, second.
STORIES: dict[str, list[tuple[int, str, int, float]]] = {
    "killed": [
        (1, ACTIVE, 1, 1),
        (2, ACTIVE, 2, 4),
        (1, ACTIVE, 1, 9),
        (1, FAILED, 1, 9.01),
        (1, HEARD, 2, 9.02),
    ],
    "killed, renounces": [(1, ACTIVE, 1, 1), (2, ACTIVE, 2, 4), (1, ACTIVE, 1, 9), (1, RENOUNCED, 1, 10)],
    "killed, back at once": [(1, ACTIVE, 1, 1), (1, ACTIVE, 1, 2), (1, FAILED, 1, 2.01), (2, ACTIVE, 2, 4)],
    "begun before the logs": [(2, HEARD, 7, 1), (1, ACTIVE, 6, 2), (1, HEARD, 7, 2.1)],
    "heard of first": [(2, HEARD, 6, 1), (1, ACTIVE, 6, 2), (1, RENOUNCED, 6, 3)],
    "wiped": [
        (1, ACTIVE, 1, 1),
        (2, ACTIVE, 2, 4),
        (1, ACTIVE, 1, 30),
        (1, HEARD, 2, 50),
        (3, ACTIVE, 2, 50),
    ],
    "wiped, short": [(1, ACTIVE, 1, 1), (2, ACTIVE, 5, 4), (1, ACTIVE, 1, 30), (1, HEARD, 2, 35)],
    "renounced late": [(1, ACTIVE, 1, 1), (2, ACTIVE, 2, 4), (1, RENOUNCED, 1, 30)],
}
KEPT = {
    "killed": [1, 4],
    "killed, renounces": [1, 4],
    "killed, back at once": [1, 4],
    "begun before the logs": [],
    "heard of first": [2],
    "wiped": [1, 4, 30, 50],
    "wiped, short": [1, 4, 30],
    "renounced late": [1, 4],
}


def test_a_term_is_not_taken_twice() -> None:
    lines = [
        f"{cluster} | {node} | {event} | {epoch} | {second} | {node} | {place}"
        for cluster, said in STORIES.items()
        for place, (node, event, epoch, second) in enumerate(said)
    ]
    heading = "cluster_id | node_id | event | step | controller_epoch | logged_at | file_id | byte_offset"
    events = frame(SPEC, "\n".join([heading, *lines]))
    kept = without_stale_claims(events)
    is_claim = col("event") == "controller_active"
    assert kept.filter(~is_claim).height == events.filter(~is_claim).height
    found: dict[str, list[int]] = {name: [] for name in STORIES}
    for cluster_id, logged_at in (
        kept.filter(is_claim).sort("logged_at").select("cluster_id", "logged_at").rows()
    ):
        found[cluster_id].append(logged_at.minute * 60 + logged_at.second)
    assert found == KEPT
