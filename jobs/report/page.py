"""The page as one file: what the tables of each cluster tell, with one style and one script and nothing else let in."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from jobs.questions.named.standing import nodes_text
from jobs.questions.nodes import KRAFT, last_controller_text, release_text
from jobs.report.drawing import draw_timeline, pattern_definitions
from jobs.report.elements import Markup, Room, html_element, join_markup, linked_heading
from jobs.report.findings import findings_part
from jobs.report.inputs import inputs_page_table, page_footer
from jobs.report.sources import read_page_source
from jobs.report.tables import page_tables
from jobs.report.told import ClusterTold
from jobs.report.unknown import unknown_part
from jobs.text import bounds_text, format_count, human_bytes, printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.reading.rows import Row

MOST_BYTES = 8_000_000  # of all clusters
MOST_OF_ONE = 4_500_000
MODES = {KRAFT: "KRaft", "zookeeper": "ZooKeeper"}
TITLE = 120  # characters of a cluster's name
UNKNOWN_TITLE = "What is not known"
# What takes which part of a cluster's room.
FINDINGS, DRAWING, TABLE, UNKNOWN = 0.35, 0.15, 0.03, 0.05


@dataclass(frozen=True)
class Section:
    """What is told of one cluster. place: from 1, its anchor is c<place>."""

    cluster_id: str
    place: int
    content: Markup


def html_page(sections: Sequence[Section], made_at: datetime) -> str:
    """Of clusters in this order."""
    style, script = (
        read_page_source("drawing.css") + read_page_source("page.css"),
        read_page_source("drawing.js") + read_page_source("page.js"),
    )
    names = [shorten_line(one.cluster_id, TITLE) for one in sections]
    title = f"Kafka controller audit: {', '.join(names[:5])}{' and more' if len(names) > 5 else ''}"
    head = html_element(
        "head",
        html_element("meta", charset="utf-8"),
        html_element(
            "meta", http_equiv="Content-Security-Policy", content=content_security_policy(style, script)
        ),
        html_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        html_element("meta", name="color-scheme", content="light dark"),
        html_element("meta", name="referrer", content="no-referrer"),
        html_element("title", title),
        html_element("style", Markup(style)),
    )
    body = html_element(
        "body",
        pattern_definitions(),
        cluster_links(sections),
        html_element("main", *(one.content for one in sections)),
        page_footer(made_at),
        html_element("script", Markup(script)),
        id="top",
    )
    return f"<!DOCTYPE html>\n{html_element('html', head, body, lang='en')}\n"


def content_security_policy(style: str, script: str) -> str:
    """Nothing is loaded, and nothing runs but these two; where a browser knows it, no text can be made markup."""
    return (
        f"default-src 'none'; style-src {hash_of(style)}; script-src {hash_of(script)}; "
        "require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'"
    )


def hash_of(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def cluster_links(sections: Sequence[Section]) -> Markup:
    """Of several clusters."""
    if len(sections) < 2:
        return join_markup([])
    links = (
        html_element("a", shorten_line(one.cluster_id, TITLE), href=f"#c{one.place}") for one in sections
    )
    return html_element("nav", "Clusters: ", join_markup(links, " · "), class_="clusters")


def cluster_section(told: ClusterTold, place: int = 1, count: int = 1) -> Section:
    """count: of the clusters on the page, that share its room; one alone has the plain anchors, such as F3."""
    prefix = f"c{place}-" if count > 1 else ""
    size = min(MOST_OF_ONE, MOST_BYTES // count)
    tables = [*page_tables(told, prefix), inputs_page_table(told)]
    drawn = draw_timeline(told, prefix, Room(int(size * DRAWING)))
    titles = {"unknown": UNKNOWN_TITLE, "time": "Over time", "findings": "Findings"} | {
        one.name: one.title for one in tables
    }
    unknown = unknown_part(told, Room(int(size * UNKNOWN)))
    content = html_element(
        "section",
        html_element("p", "Kafka controller audit", class_="product"),
        html_element("h1", shorten_line(told.cluster_id, TITLE)),
        html_element("p", told.verdict, class_=f"verdict {verdict_class(told)}"),
        html_element("dl", *cluster_summary(told)),
        parts_listed(titles, prefix),
        page_part("unknown", UNKNOWN_TITLE, unknown, prefix),
        page_part("time", "Over time", drawn, prefix),
        page_part("findings", "Findings", findings_part(told, prefix, Room(int(size * FINDINGS))), prefix),
        *(one.element(prefix, Room(int(size * TABLE))) for one in tables),
        class_="cluster",
        id=f"c{place}",
    )
    return Section(told.cluster_id, place, content)


def parts_listed(titles: Mapping[str, str], prefix: str) -> Markup:
    links = (html_element("a", title, href=f"#{prefix}{name}") for name, title in titles.items())
    return html_element("nav", join_markup(links, " · "), class_="parts")


def page_part(name: str, title: str, content: Markup, prefix: str) -> Markup:
    return html_element(
        "section", linked_heading(title, f"{prefix}{name}"), content, id=f"{prefix}{name}", class_="part"
    )


def verdict_class(told: ClusterTold) -> str:
    said = told.verdict
    if not said.startswith("NOT OK"):
        return "calm" if said.startswith("nothing") else "unsure"
    return "critical" if " critical" in said else "warning"


def cluster_summary(told: ClusterTold) -> list[Markup]:
    facts, read = told.facts, told.facts.read
    mode = MODES.get(facts.mode or "", "mode unknown")
    release = f" {release_text(facts.releases, facts.releases_before, facts.mode)}" if facts.releases else ""
    nodes = [*map(str, read["nodes"])]
    whose = nodes_text(nodes, "node") if nodes else "nodes that are not known"
    said = {"cluster": f"{mode}{release}, logs of {whose}", "data": data_span_text(told)}
    if told.window.is_bounded:
        said["shown"] = window_text(told)
    said["read"] = (
        f"{format_count(read['files'], 'file')}, {human_bytes(read['bytes'])}, {read['records'] or 0:,} records, "
        f"{read['understood'] or 0:,} understood"
    )
    end = facts.at_end
    if end is not None:
        controller = last_controller_text(facts.terms, facts.findings, facts.in_office)
        is_told = facts.untold.is_end_read or facts.deleting
        deleting = (
            f"{format_count(len(facts.deleting), 'topic')} being deleted"
            if is_told
            else "topics being deleted: ?"
        )
        said["at the end"] = f"{end_partitions_text(end)}{deleting}; controller {controller}"
    return [
        one
        for name, value in said.items()
        for one in (html_element("dt", name), html_element("dd", printable_line(value)))
    ]


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
