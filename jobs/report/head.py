"""The head of a cluster on a page, in the order of the first screen: verdict, what is so, what is lost, what to do."""

from jobs.questions.finding_lines import Numbered
from jobs.questions.named.standing import nodes_text
from jobs.questions.nodes import KRAFT, last_controller_text, release_text
from jobs.report.elements import Markup, html_element, join_markup
from jobs.report.told import ClusterTold
from jobs.screen.first_things import first_step, loss_summary, now_texts
from jobs.screen.verdict import undecided_lines
from jobs.text import bounds_text, format_count, human_bytes, printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.reading.rows import Row

MODES = {KRAFT: "KRaft", "zookeeper": "ZooKeeper"}
TITLE = 120  # characters of a cluster's name


def head_part(told: ClusterTold, prefix: str, shown: list[Numbered]) -> Markup:
    """shown: the findings that the page tells."""
    undecided = [one.strip() for one in undecided_lines(told.facts)]
    return join_markup(
        [
            html_element("p", "Kafka controller audit", class_="product"),
            html_element("h1", shorten_line(told.cluster_id, TITLE)),
            html_element("p", told.verdict, class_=f"verdict {verdict_class(told)}"),
            *(html_element("p", one, class_="note") for one in undecided),
            html_element("dl", *head_items(told, prefix, shown), class_="now"),
            html_element("dl", *described_items(cluster_summary(told)), class_="about"),
        ]
    )


def head_items(told: ClusterTold, prefix: str, shown: list[Numbered]) -> list[Markup]:
    """What is so at the end of the data, what no restart brings back, and the first step with its finding."""
    end = told.facts.at_end
    said = [("at the end", end_of_data_text(told, end))] if end is not None else []
    lost, first = loss_summary(shown), first_step(shown)
    items = described_items([*said, *now_texts(told.facts), *([("lost", lost)] if lost else [])])
    if first:
        number, to_do = first
        link = html_element("a", f"F{number}", href=f"#{prefix}F{number}")
        items += [html_element("dt", "do first"), html_element("dd", f"{to_do} ", link)]
    return items


def described_items(said: list[tuple[str, str]]) -> list[Markup]:
    return [
        one
        for name, value in said
        for one in (html_element("dt", name), html_element("dd", printable_line(value)))
    ]


def verdict_class(told: ClusterTold) -> str:
    said = told.verdict
    if not said.startswith("NOT OK"):
        return "calm" if said.startswith("nothing") else "unsure"
    return "critical" if " critical" in said else "warning"


def cluster_summary(told: ClusterTold) -> list[tuple[str, str]]:
    facts, read = told.facts, told.facts.read
    mode = MODES.get(facts.mode or "", "mode unknown")
    release = f" {release_text(facts.releases, facts.releases_before, facts.mode)}" if facts.releases else ""
    nodes = [*map(str, read["nodes"])]
    whose = nodes_text(nodes, "node") if nodes else "nodes that are not known"
    counted = (
        f"{format_count(read['files'], 'file')}, {human_bytes(read['bytes'])}, {read['records'] or 0:,} records, "
        f"{read['understood'] or 0:,} understood"
    )
    shown = [("shown", window_text(told))] if told.window.is_bounded else []
    return [
        ("cluster", f"{mode}{release}, logs of {whose}"),
        ("data", data_span_text(told)),
        *shown,
        ("read", counted),
    ]


def end_of_data_text(told: ClusterTold, end: Row) -> str:
    facts = told.facts
    controller = last_controller_text(facts.terms, facts.findings, facts.in_office)
    is_told = facts.untold.is_end_read or facts.deleting
    deleting = (
        f"{format_count(len(facts.deleting), 'topic')} being deleted"
        if is_told
        else "topics being deleted: ?"
    )
    return f"{end_partitions_text(end)}{deleting}; controller {controller}"


def end_partitions_text(end: Row) -> str:
    """At the end of the data, with how many are not known: none of these is said to be healthy."""
    if not end["partitions"]:
        return "partitions: not enough evidence, "
    unknown = f" (of {end['unknown']:,} leader or replicas are not known)" if end["unknown"] else ""
    count = end["partitions"]
    offline = bounds_text(end["offline"], end["service_unknown"], count)
    elsewhere = bounds_text(end["elsewhere"], end["unknown"], count)
    partitions = format_count(count, "partition")
    return f"{offline} of {partitions} offline, {elsewhere} not led by the preferred leader{unknown}, "


def data_span_text(told: ClusterTold) -> str:
    first, last = told.facts.read["first_at"], told.facts.read["last_at"]
    return f"{day_clock(first)} to {day_clock(last)} UTC" if last else "no time on any record"


def window_text(told: ClusterTold) -> str:
    since, until = told.window.since, told.window.until
    bounds = [f"since {day_clock(since)}"] if since else []
    bounds += [f"until {day_clock(until)}"] if until else []
    return f"{' '.join(bounds)} UTC; judged by all that was read"
