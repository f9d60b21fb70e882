"""Terms: how they began, how they ended, and what was done after they were over."""

from typing import Any

import polars as pl
import pytest
from polars import col

from schemas.gold.controller_term import ENDED_HOW, GAP_KINDS, OVERLAPS, SPEC
from tests.chain import built, built_of_many
from tests.frames import frame
from tests.gold.conftest import LOGS
from tests.gold.term_lines import active, event, observed
from tests.gold.term_start_stories import STEPS
from tests.gold.term_stories import STORIES, two
from tests.rows import records_in, same_rows


@pytest.fixture(scope="module")
def terms() -> pl.DataFrame:
    """First terms of the stories, one a cluster."""
    found: pl.DataFrame = built_of_many(STORIES | STEPS, "controller_term")["controller_term"]
    return found.filter(col("controller_epoch") == 1)


@pytest.fixture(scope="module")
def story() -> dict[str, Any]:
    return built(records_in(LOGS), "controller_term")


def test_terms(story: dict[str, Any]) -> None:
    expected = frame(
        SPEC,
        """
        term_id | controller_id | elected_at | ready_ms | superseded_at | ended_at | ended_how       | gap_ms | overlap
        1-1     | 1             | 1          | 100      | 29            | 31       | session_expired | -2000  | resignation_tail
        1-2     | 3             | 29         |          |               |          | open            |        |
        """,
    )
    columns = ("term_id", "controller_id", "elected_at", "ready_ms", "superseded_at", "ended_at", "ended_how")
    same_rows(story["controller_term"], expected, *columns, "gap_ms", "overlap")


ENDS = """
    cluster_id               | ended_how         | resigning_at | last_act_at | ended_at | gap_ms | gap_kind
    crashed                  | crashed           |              | 5           | 5        | 7000   | session_timeout
    crashed, shut down later | crashed           |              | 1.1         | 1.1      | 10900  | session_timeout
    crashed or resigned      | superseded_unseen |              | 5           |          |        | unknown
    shutdown                 | shutdown          | 10.001       | 10          | 10.001   | 1999   | handover
    shutdown at INFO         | shutdown          | 10.006       | 1.1         | 10.006   | 1994   | handover
    znode_gone at INFO       | znode_gone        | 10.005       | 1.1         | 10.005   | 1995   | handover
    session_expired          | session_expired   | 10           | 1.1         | 10       | 2000   | handover
    znode_gone               | znode_gone        | 10           | 1.1         | 10       | 2000   | handover
    next unseen              |                   | 10           | 1.1         | 10       |        | unknown
    forced                   | forced            | 10           | 9.9         | 9.9      | 2100   | handover
    startup_failed           | startup_failed    | 9.001        | 9           | 9        | 3000   | handover
    superseded_unseen        | superseded_unseen |              | 12.5        |          |        | unknown
    its end was not read     | superseded_unseen |              | 1.1         |          |        | unknown
    stopped later            | superseded_unseen |              | 20          |          |        | unknown
    1.0 stopped later        | superseded_unseen |              | 55          |          |        | unknown
    stopped, no next one     |                   |              | 20          |          |        |
    stopped, then started    | superseded_unseen |              | 10          |          |        | unknown
    stopped in office        | shutdown          | 20           | 20          | 20       | -8000  | none
    failed as it took over   | session_expired   | 10           | 1.1         | 10       | 2000   | handover
    open                     | open              |              | 1.1         |          |        |
    sole broker              | shutdown          | 2.001        | 2           | 2.001    | 48999  | sole_broker
    0.10 sole broker         | shutdown          | 10           | 1.05        | 10       | 41000  | sole_broker
    last one shut down       | shutdown          | 10.001       | 10          | 10.001   | 39999  | sole_broker
    0.10 shutdown            | shutdown          | 10           | 1.01        | 10       | 2000   | handover
    0.10 expired             | session_expired   | 10           | 9.999       | 10       | 2000   | handover
    0.8 restarted            |                   |              | 1.01        |          |        | unknown
"""
KRAFT = """
    cluster_id         | ended_how         | resigning_at | last_act_at | ended_at | gap_ms | gap_kind      | vacant_from_at
    renounced          | renounced         | 10           | 1           | 10       | 2000   | handover      |
    renounced late     | renounced         | 16           | 1           | 16       | -4000  | none          |
    event_failed       | event_failed      | 10           | 1           | 10       | 2000   | handover      |
    process_end        | process_end       |              | 5           | 5        | 7000   | fetch_timeout |
    claimed again      | process_end       |              | 5           | 5        | 7000   | fetch_timeout |
    sole controller    | process_end       |              | 5           | 5        | 16000  | sole_broker   |
    sole controller 4.0| process_end       |              | 5           | 5        | 16000  | sole_broker   |
    one of several     | process_end       |              | 5           | 5        | 16000  | fetch_timeout |
    quorum lost        | process_end       |              | 3           | 3        | 11000  | fetch_timeout | 4
    nobody since       |                   |              | 3           |          |        |               | 4
    shut down          |                   |              | 3           |          |        |               | 4
    next active unseen | renounced         | 10           | 1           | 10       |        | unknown       |
    none of its lines  |                   |              | 1.1         |          |        |               |
"""
DEEDS = """
    cluster_id        | gap_ms | overlap          | acts_after_count | writes_after_count | last_write_at | refused_count
    tail              | -4000  | resignation_tail | 0                | 0                  |               | 0
    harmless          | -4000  | zombie_harmless  | 2                | 0                  |               | 0
    talked            | -4000  | zombie_talked    | 2                | 0                  |               | 1
    wrote             | -4000  | zombie_wrote     | 3                | 2                  | 15.5          | 0
    deeds not printed | -4000  |                  | 1                |                    |               | 0
    clocks differ     | -4000  |                  | 2                | 1                  | 15            | 0
    znode_gone        | 2000   |                  | 0                |                    |               | 0
    next unseen       |        |                  |                  |                    |               | 0
"""
FENCED = """
    cluster_id      | epoch_zk_version | ended_how  | fenced_count | fenced_from_at | fenced_until_at
    powerless       | 2                | znode_gone | 2            | 4              | 10
    powerless still | 2                | open       | 1            | 4              |
    znode_gone      | 2                | znode_gone | 0            |                |
    wrote           |                  | session_expired | 0  |                |
"""


@pytest.mark.parametrize("text", [ENDS, KRAFT, DEEDS, FENCED])
def test_each_way(terms: pl.DataFrame, text: str) -> None:
    expected = frame(SPEC, text)
    names = [name.strip() for name in text.strip().splitlines()[0].split("|")]
    told = terms.join(expected, on="cluster_id", how="semi")
    same_rows(told, expected, *names)


def test_every_value_has_its_story(terms: pl.DataFrame) -> None:
    assert set(terms["ended_how"].drop_nulls()) == set(ENDED_HOW)
    assert set(terms["gap_kind"].drop_nulls()) == set(GAP_KINDS)
    assert set(terms["overlap"].drop_nulls()) == set(OVERLAPS)


def steps_of(rows: pl.DataFrame) -> dict[str, dict[str, int]]:
    entries = rows.select("cluster_id", entries=col("steps").map.entries()).rows()
    return {name: {one["key"]: one["value"] for one in some} for name, some in entries}


def test_last_step_of_a_start_that_failed(terms: pl.DataFrame) -> None:
    found = terms.filter(col("cluster_id") == "startup_failed")
    assert found.select("ready_at", "last_step").rows() == [(None, "initializing_context")]
    assert steps_of(found) == {"startup_failed": {"elected": 500, "registering_handlers": 100}}


def test_steps_by_release(terms: pl.DataFrame) -> None:
    found = terms.filter(col("cluster_id").is_in(STEPS))
    assert steps_of(found) == {
        "0.10": {"failover_started": 10, "epoch_incremented": 40, "context_loaded": 150, "ready": 100},
        "1.0": {"elected": 10, "failover_started": 10, "epoch_read": 20, "epoch_incremented": 160, "ready": 100},
        "2.0": {
            "elected": 10, "reading_epoch": 20, "incrementing_epoch": 10, "epoch_incremented": 10,
            "registering_handlers": 150, "ready": 100,
        },
        "2.1": {
            "elected": 0, "registering_handlers": 50, "initializing_context": 50, "context_loaded": 100,
            "ready": 100,
        },
    }  # fmt: skip
    assert set(found.select("last_step", "ready_ms").rows()) == {(None, 200)}


def test_evidence_is_the_election_the_resignation_and_the_next_election(story: dict[str, Any]) -> None:
    found = story["controller_term"].select(
        "term_id", col("evidence").list.eval(pl.element().struct.field("byte_offset"))
    )
    lines = dict(found.rows())
    told = story["log_record"].filter(col("event").is_in(["controller_elected", "controller_resigning"]))
    offsets = {
        (node, event): offset for node, event, offset in told.select("node_id", "event", "byte_offset").rows()
    }
    elected = [offsets[1, "controller_elected"], offsets[3, "controller_elected"]]
    assert lines["1-1"] == [elected[0], offsets[1, "controller_resigning"], elected[1]]
    assert lines["1-2"] == [offsets[3, "controller_elected"]]


def test_nobody_leads_is_heard_of_a_later_epoch() -> None:
    """Of an earlier election another controller may hear late; as the controller is elected it may not have heard."""
    late = observed(2, 1, 1, "(none)") + observed(2, 1, 2, "(none)")
    logs = two(active(1, 1, 1) + event(1, 3), late)
    found = built(records_in(logs), "controller_term")["controller_term"]
    assert found.select("ended_how", "vacant_from_at").rows() == [("open", None)]
