"""Tables of a page on what is served: partitions without a leader, and leaders that are not the preferred ones."""

from collections.abc import Iterator
from datetime import timedelta

from polars import col

from jobs.questions import outages
from jobs.questions.ask_text import limit_notes
from jobs.questions.broker_text import leads_text, ratio_texts
from jobs.questions.named import clients
from jobs.questions.named.sources import partition_of
from jobs.questions.outage_events import broker_ids, event_of, gone_brokers_text
from jobs.report.table import (
    MOST_ROWS,
    Cell,
    PageTable,
    TableLine,
    duration_cell,
    number_cell,
    ratio_cell,
    text_cell,
    time_cell,
    words_cell,
)
from jobs.report.told import ClusterTold
from pipeline.views.reading.rows import Row

BREACH = "gold.imbalance_breach"
UNSURE = "Undetermined: lines are missing in between, so it may have been shorter, or none; it is no finding."


def outage_tables(told: ClusterTold) -> Iterator[PageTable]:
    last = told.facts.read["last_at"]
    if outages.TABLE not in told.built or last is None:
        return
    columns = (*outages.COLUMNS, "old_leader", "new_leader")
    rows = told.lately("ended_at", told.within.rows(outages.TABLE, None, columns))
    asked = outages.worst_outages(rows, last, shown=None)
    yield PageTable(
        "outages",
        "Outages by event",
        ("noticed, UTC", "event", "partitions", "outages", "in total", "longest", "still open"),
        [event_line(one) for one in asked.events[:MOST_ROWS]],
        notes=(
            f"A partition had no leader that serves it for 1 s or more, from when a controller noticed. "
            f"Shorter ones ({asked.all['short'] + asked.all['unended']:,}) stand in the next table alone.",
            *([UNSURE] if asked.all["unsure_ms"] else []),
        ),
        all_count=asked.event_count,
        more=told.command("outages"),
        empty=no_outage(told),
    )
    every = outages.with_lasting(rows, last).sort(-col("noticed_ms"), "noticed_at", "topic", "partition")
    yield PageTable(
        "partition-outages",
        "Outages by partition, the longest first",
        ("partition", "noticed, UTC", "ended", "how", "at least", "at most", "root", "leader", "certainty"),
        [outage_line(one) for one in every.head(MOST_ROWS).to_dicts()],
        all_count=every.height,
        more=told.command("outages"),
    )


def client_table(told: ClusterTold) -> Iterator[PageTable]:
    """By audience and topic, the worst first."""
    if clients.TABLE not in told.built:
        return
    rows = told.lately("until_earliest_at", told.within.rows(clients.TABLE))
    every = clients.by_audience_and_topic(rows)
    yield PageTable(
        "clients",
        "What clients could feel, the worst first",
        (
            "who",
            "topic",
            "partitions",
            "what",
            "since, UTC",
            "at least",
            "at most",
            "refused appends",
            "certainty",
        ),
        [client_line(one) for one in every[:MOST_ROWS]],
        notes=(
            "The longest of each topic. Exposure, not requests that failed: only refused appends are counted.",
        ),
        all_count=len(every),
        more=told.command("ask who-felt-it"),
        empty="Nobody could feel anything, as far as lines tell.",
    )


def client_line(one: Row) -> TableLine:
    cells = (
        text_cell(clients.WHO[one["audience"]]),
        text_cell(one["topic"]),
        number_cell(len(one["partitions"])),
        text_cell("; ".join(clients.WHAT[kind] for kind in one["kinds"])),
        time_cell(one["begun_at"]),
        duration_cell(one["low_ms"], "goes on"),
        duration_cell(one["high_ms"], "not known"),
        number_cell(one["refused_count"]),
        text_cell(one["certainty"]),
    )
    return TableLine(cells, one["begun_at"], None if one["open_count"] else one["ended_at"])


def no_outage(told: ClusterTold) -> str:
    why = told.facts.beyond or told.facts.untold.leaders
    return (
        f"Not enough evidence: none was noticed, and {why}."
        if why
        else "No outage of 1 s or more was noticed."
    )


def event_line(one: Row) -> TableLine:
    cells = (
        time_cell(one["noticed_at"]),
        text_cell(f"{event_of(one)}{gone_brokers_text(one)}{' [undetermined]' if one['is_unsure'] else ''}"),
        number_cell(one["partitions"]),
        number_cell(one["outages"]),
        duration_cell(one["noticed_ms"]),
        duration_cell(one["longest_ms"]),
        number_cell(one["open"]),
    )
    return TableLine(cells, one["noticed_at"], one["noticed_at"] + timedelta(milliseconds=one["longest_ms"]))


def outage_line(one: Row) -> TableLine:
    new = "none" if one["new_leader"] is None else one["new_leader"]
    cells = (
        text_cell(partition_of(one)),
        time_cell(one["noticed_at"]),
        time_cell(one["ended_at"], "still open"),
        words_cell(one["ended_how"]) if one["ended_at"] else text_cell(""),
        duration_cell(one["noticed_ms"]),
        duration_cell(one["most_ms"]),
        text_cell(f"{event_of(one)}{gone_brokers_text(one | {'brokers': broker_ids(one)})}"),
        text_cell(f"{'?' if one['old_leader'] is None else one['old_leader']} to {new}"),
        text_cell(one["certainty"]),
    )
    return TableLine(cells, one["noticed_at"], one["ended_at"])


def imbalance_page_tables(told: ClusterTold) -> Iterator[PageTable]:
    if told.facts.brokers is None:
        return
    rows = told.facts.brokers
    yield PageTable(
        "imbalance",
        "Leader imbalance at the end",
        ("broker", "leads", "cached", "preferred", "led elsewhere", "ratio", "limit", "", "certainty"),
        [ratio_line(one) for one in rows[:MOST_ROWS]],
        notes=limit_notes(rows),
        all_count=len(rows),
        more=told.command("brokers"),
        empty="Not enough evidence.",
    )
    breaches = told.lately("balanced_at", told.within.rows(BREACH)).sort("breached_at", "broker_id")
    yield PageTable(
        "breaches",
        "Leader imbalance over its limit",
        ("broker", "from, UTC", "until", "for", "highest ratio", "limit", "why", "standing", "certainty"),
        [breach_line(one) for one in breaches.head(MOST_ROWS).to_dicts()],
        all_count=breaches.height,
        more=told.command("imbalance --format json"),
    )


def ratio_line(one: Row) -> TableLine:
    leads, cached = leads_text(one)
    preferred, elsewhere, its_ratio, _, breach = ratio_texts(one)
    return TableLine(
        (
            number_cell(one["broker_id"]),
            text_cell(leads, "number"),
            text_cell(cached, "number"),
            text_cell(preferred, "number"),
            text_cell(elsewhere, "number"),
            Cell(its_ratio, one["imbalance_ratio"], "number"),
            ratio_cell(one["threshold_ratio"])
            if one["threshold_ratio"] is not None
            else text_cell("no limit"),
            text_cell(breach, "warning" if breach else None),
            text_cell(one["certainty"]),
        )
    )


def breach_line(one: Row) -> TableLine:
    cells = (
        number_cell(one["broker_id"]),
        time_cell(one["breached_at"]),
        time_cell(one["balanced_at"], "still so"),
        duration_cell(one["duration_ms"], "still so"),
        ratio_cell(one["max_ratio"]),
        ratio_cell(one["threshold_ratio"]),
        words_cell(one["why"]),
        text_cell("standing" if one["is_standing"] else ""),
        text_cell(one["certainty"]),
    )
    return TableLine(cells, one["breached_at"], one["balanced_at"])
