"""By what the script of a page narrows its findings: severity by class, and rule, brokers, topics and time."""

from collections.abc import Callable

from polars import col, lit

from jobs.questions import outages
from jobs.report.elements import MOST
from jobs.report.table import page_time_millis
from jobs.report.told import ClusterTold
from jobs.screen.glance import OUTAGE
from pipeline.views.reading.rows import Row

NODES = (
    *(
        "broker_id",
        "controller_id",
        "node_id",
        "leader",
        "old_leader",
        "expected_leader",
        "other_id",
        "owner_node_id",
    ),
    *("replica_id", "suspect_id", "voter_id"),
)
NODE_LISTS = ("broker_ids", "asking_ids", "refused_ids", "refusing_ids", "unanswered_ids")
MOST_TOPICS = 50  # of a finding; one that has more is shown for each
ANY = "*"


def filter_attributes(finding: Row, topics_of: Callable[[Row], list[str]]) -> dict[str, str | int | None]:
    """Times as the script reads them: milliseconds."""
    facts = finding["facts"]
    nodes = {facts.get(name) for name in NODES}
    nodes |= {one for name in NODE_LISTS for one in facts.get(name) or ()}
    topics = topics_of(finding)
    return {
        "data_rule": finding["rule"],
        "data_nodes": words_or_any(list(map(str, sorted(one for one in nodes if one is not None)))),
        "data_topics": words_or_any(topics if len(topics) <= MOST_TOPICS else [ANY]),
        "data_from": page_time_millis(finding["valid_from_at"]),
        "data_until": page_time_millis(finding["valid_until_at"]),
    }


def words_or_any(words: list[str]) -> str | None:
    """As an attribute holds them whole: cut, they would hide the finding where it is asked for by a later one."""
    joined = " ".join(words)
    return (joined if len(joined) <= MOST else ANY) or None


def outage_topics(told: ClusterTold) -> Callable[[Row], list[str]]:
    """The topics of a finding: of an outage all that had no leader while it lasted."""
    if outages.TABLE not in told.built:
        return named_topic
    rows = told.within.rows(outages.TABLE, None, ("topic", "noticed_at", "ended_at")).lazy()

    def topics_of(finding: Row) -> list[str]:
        if finding["rule"] != OUTAGE:
            return named_topic(finding)
        begin, end = finding["valid_from_at"], finding["valid_until_at"]
        lasted = (col("ended_at") >= begin).fill_null(value=True)
        began = lit(value=True) if end is None else col("noticed_at") <= end
        found = rows.filter(lasted & began).select(col("topic").unique()).collect()
        return sorted({*named_topic(finding), *found["topic"].drop_nulls()})

    return topics_of


def named_topic(finding: Row) -> list[str]:
    topic = finding["facts"].get("topic")
    return [topic] if topic else []
