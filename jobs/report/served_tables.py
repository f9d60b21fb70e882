"""Tables of a page on what is served: partitions without a leader, and leaders that are not the preferred ones."""

from collections.abc import Iterator
from datetime import timedelta

from polars import col

from jobs.questions import outages
from jobs.questions.ask_text import limit_notes
from jobs.questions.broker_text import leads_text, ratio_texts
from jobs.questions.named.sources import partition_of
from jobs.questions.rows import Row
from jobs.report.table import MOST_ROWS, Cell, Line, Table, at, length, number, plain, ratio, said
from jobs.report.told import ClusterTold

BREACH = "gold.imbalance_breach"
UNSURE = "Undetermined: lines are missing in between, so it may have been shorter, or none; it is no finding."


def outage_tables(told: ClusterTold) -> Iterator[Table]:
    last = told.facts.read["last_at"]
    if outages.TABLE not in told.built or last is None:
        return
    columns = (*outages.COLUMNS, "old_leader", "new_leader")
    rows = told.lately("ended_at", told.within.rows(outages.TABLE, None, columns))
    asked = outages.asked(rows, last, shown=None)
    yield Table(
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
    yield Table(
        "partition-outages",
        "Outages by partition, the longest first",
        ("partition", "noticed, UTC", "ended", "how", "at least", "at most", "root", "leader", "certainty"),
        [outage_line(one) for one in every.head(MOST_ROWS).to_dicts()],
        all_count=every.height,
        more=told.command("outages"),
    )


def no_outage(told: ClusterTold) -> str:
    why = told.facts.beyond or told.facts.untold.leaders
    return (
        f"Not enough evidence: none was noticed, and {why}."
        if why
        else "No outage of 1 s or more was noticed."
    )


def event_line(one: Row) -> Line:
    cells = (
        at(one["noticed_at"]),
        said(f"{outages.event_of(one)}{outages.gone(one)}{' [undetermined]' if one['is_unsure'] else ''}"),
        number(one["partitions"]),
        number(one["outages"]),
        length(one["noticed_ms"]),
        length(one["longest_ms"]),
        number(one["open"]),
    )
    return Line(cells, one["noticed_at"], one["noticed_at"] + timedelta(milliseconds=one["longest_ms"]))


def outage_line(one: Row) -> Line:
    new = "none" if one["new_leader"] is None else one["new_leader"]
    cells = (
        said(partition_of(one)),
        at(one["noticed_at"]),
        at(one["ended_at"], "still open"),
        plain(one["ended_how"]) if one["ended_at"] else said(""),
        length(one["noticed_ms"]),
        length(one["most_ms"]),
        said(f"{outages.event_of(one)}{outages.gone(one | {'brokers': outages.broker_ids(one)})}"),
        said(f"{'?' if one['old_leader'] is None else one['old_leader']} to {new}"),
        said(one["certainty"]),
    )
    return Line(cells, one["noticed_at"], one["ended_at"])


def imbalance(told: ClusterTold) -> Iterator[Table]:
    if told.facts.brokers is None:
        return
    rows = told.facts.brokers
    yield Table(
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
    yield Table(
        "breaches",
        "Leader imbalance over its limit",
        ("broker", "from, UTC", "until", "for", "highest ratio", "limit", "why", "standing", "certainty"),
        [breach_line(one) for one in breaches.head(MOST_ROWS).to_dicts()],
        all_count=breaches.height,
        more=told.command("imbalance --format json"),
    )


def ratio_line(one: Row) -> Line:
    leads, cached = leads_text(one)
    preferred, elsewhere, its_ratio, _, breach = ratio_texts(one)
    return Line(
        (
            number(one["broker_id"]),
            said(leads, "number"),
            said(cached, "number"),
            said(preferred, "number"),
            said(elsewhere, "number"),
            Cell(its_ratio, one["imbalance_ratio"], "number"),
            ratio(one["threshold_ratio"]) if one["threshold_ratio"] is not None else said("no limit"),
            said(breach, "warning" if breach else None),
            said(one["certainty"]),
        )
    )


def breach_line(one: Row) -> Line:
    cells = (
        number(one["broker_id"]),
        at(one["breached_at"]),
        at(one["balanced_at"], "still so"),
        length(one["duration_ms"], "still so"),
        ratio(one["max_ratio"]),
        ratio(one["threshold_ratio"]),
        plain(one["why"]),
        said("standing" if one["is_standing"] else ""),
        said(one["certainty"]),
    )
    return Line(cells, one["breached_at"], one["balanced_at"])
