"""The page as one file: what the tables of each cluster tell, with one style and one script and nothing else let in."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jobs.report.drawing import draw_timeline, pattern_definitions
from jobs.report.elements import Markup, Room, html_element, join_markup, linked_heading
from jobs.report.findings import findings_part, shown_on_page
from jobs.report.head import TITLE, head_part
from jobs.report.inputs import inputs_page_table, page_footer
from jobs.report.sources import read_page_source
from jobs.report.tables import page_tables
from jobs.report.told import ClusterTold
from jobs.report.unknown import unknown_part
from jobs.text import shorten_line

MOST_BYTES = 8_000_000  # of all clusters
MOST_OF_ONE = 4_500_000
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
        "".join(map(read_page_source, ("drawing.js", "filters.js", "page.js"))),
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
    shown = shown_on_page(told)
    unknown = unknown_part(told, Room(int(size * UNKNOWN)))
    found = findings_part(told, shown, prefix, Room(int(size * FINDINGS)))
    content = html_element(
        "section",
        head_part(told, prefix, shown),
        page_part("findings", "Findings", found, prefix),
        page_part("time", "Over time", drawn, prefix),
        page_part("unknown", UNKNOWN_TITLE, unknown, prefix),
        *(one.element(prefix, Room(int(size * TABLE))) for one in tables),
        class_="cluster",
        id=f"c{place}",
    )
    return Section(told.cluster_id, place, content)


def page_part(name: str, title: str, content: Markup, prefix: str) -> Markup:
    return html_element(
        "section", linked_heading(title, f"{prefix}{name}"), content, id=f"{prefix}{name}", class_="part"
    )
