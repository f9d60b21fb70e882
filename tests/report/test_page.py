"""The page of a cluster: every finding with its lines, all text as text, hashes of what is let in, bounds of size."""

import base64
import hashlib
import re
import shlex
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from jobs.questions.finding_lines import SEVERITY
from jobs.questions.window import Window
from jobs.report import happened_table
from jobs.report.command import masking_of
from jobs.report.elements import Room, html_element
from jobs.report.finding_filters import filter_attributes
from jobs.report.happened_table import happenings_in_order
from jobs.report.inputs import masking_text
from jobs.report.page import cluster_section, html_page
from jobs.report.told import cluster_report
from jobs.text import printable_line, printable_lines
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.judged import count_moves
from pipeline.views.reading.rows import place_of_row
from tests.jobs.answering import answers_of
from tests.report.pages import AT, HOSTILE, altered, page_of
from tests.report.reading import Node, read

OURS = {
    "html", "head", "meta", "title", "style", "body", "main", "section", "nav", "footer", "h1", "h2", "h3",
    "h4", "p", "a", "strong", "span", "ul", "li", "dl", "dt", "dd", "figure", "figcaption", "pre", "div", "table",
    "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "g", "defs", "pattern", "path", "rect", "text", "script",
    "clippath", "ol", "code", "em", "br",
}  # fmt: skip


@pytest.fixture(scope="module")
def sample_page(sample_answers: Answers) -> str:
    return page_of(sample_answers)


@pytest.fixture(scope="module")
def sample(sample_page: str) -> Node:
    return read(sample_page)


def test_every_finding_is_there_with_its_lines(sample: Node, sample_answers: Answers) -> None:
    findings = sample_answers.findings()
    cards = sample.all("details", class_="finding")
    assert [one.attributes["id"] for one in cards] == [f"F{number}" for number in range(1, len(findings) + 1)]
    lines_of = sample_answers.lines([place for one in findings for place in one["evidence"]])
    for card, finding in zip(cards, findings, strict=True):
        heading = card.all("summary")[0]
        assert heading.text.endswith(printable_line(finding["sentence"]))
        assert SEVERITY[finding["severity"]] in heading.text and finding["certainty"] in card.text
        shown = [(one.all("figcaption")[0].text, one.all("pre")[0].text) for one in card.all("figure")]
        found = [lines_of[place_of_row(place)] for place in finding["evidence"]]
        assert shown == [
            (f"{one['near']}:{one['line']}", "\n".join(printable_lines(bytes(one["raw"]), width=1000)))
            for one in found
        ]


def test_the_head_says_what_is_so_what_is_lost_and_what_to_do_first(sample: Node) -> None:
    (now,) = sample.all("dl", class_="now")
    said = dict(zip((one.text for one in now.all("dt")), (one.text for one in now.all("dd")), strict=True))
    assert [*said] == ["at the end", "over the limit", "lost", "do first"]
    assert said["lost"] == "audit_log-0: records, nobody knows how many (F1)"
    assert said["do first"].endswith("F1") and said["over the limit"].startswith("broker 1 0.9")


def test_findings_are_folded_a_line_each_and_alike_ones_together(sample: Node) -> None:
    assert not [one for one in sample.all("details") if "open" in one.attributes]
    (part,) = sample.all("section", id="findings")
    lines = [
        one.all("summary")[0].text for one in part.children if isinstance(one, Node) and one.name == "details"
    ]
    assert [one[:12] for one in lines] == [
        *("F1 CRIT 08:5", "F2-F14 WARN ", "F15 WARN 08:", "F16 WARN 09:", "F17 WARN 08:", "F18 WARN 08:"),
        "F19-F24 INFO",
    ]
    assert lines[1].startswith(
        "F2-F14 WARN 13 alike, the worst: 08:59:33.439 broker 3 was gone: 13 partitions"
    )
    assert lines[-1] == "F19-F24 INFO 2 outage, 1 stuck deletion, 2 slow creation, 1 recreated at once"


def test_findings_know_what_they_are_narrowed_by(sample: Node) -> None:
    first, second = (sample.all("details", id=f"F{number}")[0].attributes for number in (1, 9))
    assert (first["data-rule"], first["data-nodes"], first["data-topics"]) == (
        "unclean_election",
        "1 3",
        "audit_log",
    )
    assert second["data-rule"] == "outage" and "audit_log" in str(second["data-topics"]).split()


def test_a_finding_with_more_than_an_attribute_holds_is_shown_for_each() -> None:
    """Cut, it would be hidden by the topics and brokers behind the cut."""
    facts = {"broker_ids": list(range(10_000, 11_000))}
    one = {"rule": "outage", "facts": facts, "valid_from_at": AT, "valid_until_at": None}
    found = filter_attributes(one, lambda _: [f"{number:0>100}" for number in range(40)])
    assert (found["data_nodes"], found["data_topics"]) == ("*", "*")
    few = filter_attributes(one | {"facts": {"broker_ids": [1, 2]}}, lambda _: ["a", "b"])
    assert (few["data_nodes"], few["data_topics"]) == ("1 2", "a b")


def test_what_lines_mean_and_where_to_go_on_stands_beside_them(sample: Node) -> None:
    (first,) = sample.all("details", id="F1")
    assert "The controller moved one partition to another state" in first.text
    commands = first.all("details")[-1]
    assert "kafka-controller-audit partition audit_log-0 --cluster lab-2.2.2" in commands.text


def test_its_parts_stand_in_order_and_links_lead_somewhere(sample: Node) -> None:
    titles = [one.text for one in sample.all("h2")]
    assert titles[:4] == ["Findings", "Over time", "What is not known", "Controllers by term"]
    assert titles[-1] == "What was read"
    (verdict,) = sample.all("p", class_="verdict")
    assert verdict.text.startswith("NOT OK: 1 critical") and "critical" in str(verdict.attributes["class"])
    ids = [one.attributes["id"] for name in OURS for one in sample.all(name) if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    links = {str(one.attributes["href"]) for one in sample.all("a")}
    assert links <= {f"#{one}" for one in ids} and "#F1" in links


def test_tables_tell_what_the_questions_tell(sample: Node, sample_answers: Answers) -> None:
    rows = {
        name: [
            [cell.text for cell in row.all("td")] for row in sample.all("details", id=name)[0].all("tr")[1:]
        ]
        for name in ("terms", "imbalance", "moves", "inputs", "reassignments", "deletions")
    }
    assert [row[1] for row in rows["terms"]] == [str(one["controller_id"]) for one in sample_answers.terms()]
    assert [row[5] for row in rows["imbalance"]] == ["0.923", "0.000", "0.000"]
    moves = {name: count for name, count in count_moves(sample_answers, None).items() if name != "normal"}
    assert {row[0].replace(" ", "_"): int(row[1].replace(",", "")) for row in rows["moves"]} == moves
    segments = sample_answers.segments
    assert {row[0] for row in rows["inputs"]} == set(segments["path"])
    assert len(rows["reassignments"]) == sample_answers.rows("gold.reassignment").height


def test_commands_can_be_pasted_whatever_a_cluster_is_called(sample_answers: Answers) -> None:
    hostile = Answers("$(id); 'x'", sample_answers.tables)
    told = cluster_report(hostile, Window(), "off", is_stored=True, options=["--warehouse", "a b"])
    words = shlex.split(told.command("show F1"))
    assert words == ["kafka-controller-audit", "show", "F1", "--cluster", "$(id); 'x'", "--warehouse", "a b"]


def test_what_happened_stands_in_order_with_its_lines(sample: Node, sample_answers: Answers) -> None:
    (table,) = sample.all("details", id="happened")
    rows = [[cell.text for cell in row.all("td")] for row in table.all("tr")[1:]]
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    elected = [row for row in rows if row[1].endswith("was elected controller")]
    assert len(elected) == len(sample_answers.terms())
    assert all(re.fullmatch(r"[0-9a-f]{16}:\d+", row[3]) and row[0][11:19] in row[4] for row in elected)
    assert any("without a leader" in row[1] for row in rows)


def test_of_too_much_that_happened_the_last_is_told(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = cluster_report(sample_answers, Window(), "off", is_stored=True)
    every, none = happenings_in_order(told)
    monkeypatch.setattr(happened_table, "MOST_READ", 100)
    last, unread_count = happenings_in_order(told)
    assert none == 0 and unread_count == 2 * (sample_answers.rows("gold.partition_outage").height - 100)
    assert [one.text for one in last[-20:]] == [one.text for one in every[-20:]]


def test_only_style_and_script_are_let_in_by_their_hashes(sample: Node) -> None:
    hashes = []
    for name in ("style", "script"):
        (one,) = sample.all(name)
        digest = base64.b64encode(hashlib.sha256(one.text.encode()).digest()).decode()
        hashes.append(f"{name}-src 'sha256-{digest}'")
    (policy,) = (
        str(one.attributes["content"]) for one in sample.all("meta") if "http-equiv" in one.attributes
    )
    assert policy == (
        f"default-src 'none'; {'; '.join(hashes)}; "
        "require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'"
    )
    script = sample.all("script")[0].text
    assert not re.findall(
        r"innerHTML|outerHTML|eval|document\.write|fetch|XMLHttp|import|https?:(?!//www.w3)", script
    )
    every = [one for name in OURS for one in sample.all(name)]
    assert not [one for one in every if {"style", "src", "onclick"} & one.attributes.keys()]
    assert not [one for one in every if "://" in (one.attributes.get("href") or "")]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_logs_say_stays_text(text: str, sample_answers: Answers) -> None:
    made = page_of(altered(sample_answers, text))
    root = read(made)
    names = {one.name for one in every_node(root)}
    assert names <= OURS and len(root.all("script")) == 1
    allowed = {"class", "id", "href", "title", "scope", "lang", "charset", "content", "name", "http-equiv"}
    attributes = {key for one in every_node(root) for key in one.attributes}
    allowed |= {"x", "y", "width", "height", "d", "transform", "text-anchor", "viewbox", "patternunits"}
    allowed |= {
        "value",
        "role",
        "data-rule",
        "data-nodes",
        "data-topics",
        "aria-label",
        "aria-hidden",
        "data-left",
        "data-right",
        "data-t",
    }
    assert attributes <= {*allowed, "data-from", "data-until", "data-sort"}
    assert {str(one.attributes["href"])[0] for one in root.all("a")} == {"#"}
    assert made.isprintable() or all(one.isprintable() or one == "\n" for one in made)
    (heading,) = root.all("h1")
    assert heading.text.rstrip("…") in printable_line(text) and len(heading.text) <= 120
    assert len(made) < 3_000_000


def every_node(node: Node) -> list[Node]:
    below = [one for one in node.children if isinstance(one, Node)]
    return [*below, *(each for one in below for each in every_node(one))]


def test_many_findings_are_cut_and_counted(sample_answers: Answers) -> None:
    rows = sample_answers.rows("gold.finding")
    numbers = pl.Series("number", range(20_000))
    many = (
        rows.head(1)
        .join(numbers.to_frame(), how="cross")
        .with_columns(finding_id=pl.col("number").cast(pl.String), sentence=pl.lit('é"<&' * 500))
    )
    tables = MemoryTables()
    assert isinstance(sample_answers.tables, MemoryTables)
    tables.rows = sample_answers.tables.rows | {"gold.finding": many.drop("number")}
    made = page_of(Answers("c", tables))
    assert len(made.encode()) < 5_000_000
    root = read(made)
    shown = len(root.all("details", class_="finding")) + len(root.all("p", class_="short"))
    assert f"{20_000 - shown:,} more: kafka-controller-audit findings --cluster c" in root.text


def test_many_clusters_share_the_room_and_have_anchors_of_their_own(sample_answers: Answers) -> None:
    """Of forty some: all are as large, but for the number in their anchors."""
    told = cluster_report(sample_answers, Window(), "off", is_stored=True)
    sections = [cluster_section(told, place, 40) for place in (1, 7, 40)]
    made = html_page(sections, AT)
    assert len(made.encode()) / len(sections) < 10_000_000 / 40
    ids = [str(one.attributes["id"]) for one in every_node(read(made)) if "id" in one.attributes]
    assert len(ids) == len(set(ids)) and {"c1", "c40", "c7-F1"} <= set(ids)


def test_a_window_keeps_the_numbers_of_show(sample_answers: Answers) -> None:
    since = datetime(2026, 11, 21, 9, tzinfo=UTC)
    root = read(page_of(sample_answers, Window(since, since + timedelta(minutes=5))))
    numbers = {one["finding_id"]: f"F{number}" for number, one in enumerate(sample_answers.findings(), 1)}
    late = [
        one
        for one in sample_answers.findings()
        if not one["valid_until_at"] or one["valid_until_at"] >= since
    ]
    shown = [one.attributes["id"] for one in root.all("details", class_="finding")]
    assert shown == [numbers[one["finding_id"]] for one in late] != [] and shown != ["F1"]
    assert "since 2026-11-21 09:00:00.000" in root.all("dl", class_="about")[0].text


def test_a_cluster_without_anything_is_a_page_too() -> None:
    root = read(page_of(answers_of()))
    (verdict,) = root.all("p", class_="verdict")
    assert verdict.text.startswith("not judged") and "Not judged" in root.text


def test_masking_is_told_without_its_key() -> None:
    assert masking_text(None) == masking_text({"kinds": [], "patterns": []}) == "off"
    stated = {"kinds": ["hosts"], "patterns": [{"name": "x"}], "key": "abc"}
    assert masking_text(stated) == "on (hosts; 1 patterns)"
    assert masking_of(answers_of()) is None


def test_a_room_that_is_full_takes_nothing_more() -> None:
    room = Room(20)
    taken = [room.takes(html_element("b", one)) for one in ("1", "1" * 20, "2")]
    assert taken == [True, False, False]
