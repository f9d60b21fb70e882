"""What stands behind the line of a finding on a page: the lines that prove it, what these mean and what to do."""

import shlex

from jobs.questions.ask_text import IN_ANOTHER
from jobs.report.elements import Markup, html_element, html_list, join_markup, lines_joined
from jobs.report.told import SHOWN_RECORDS, ClusterTold
from jobs.text import command_to_see, format_count, printable_lines, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.reading.rows import Row, place_of_row

CERTAINTY = {
    "proved": "lines say so",
    "inferred": "follows from lines, none says it itself",
    "undetermined": "lines that would decide it are missing",
}
SHORT = 300
WIDTH = 1000  # of a line
LINES = 12  # of a record


def finding_details(told: ClusterTold, number: int, finding: Row, anchor: str, to_do: Markup) -> Markup:
    """anchor: of the finding, to be copied."""
    known = finding["suppressed_by"]
    notes = [f"known already: {shorten_line(known, SHORT)}"] if known else []
    until = finding["valid_until_at"]
    end = f"{day_clock(until)} UTC" if until else "the end: still open"
    begin = f"{day_clock(finding['valid_from_at'])} UTC"
    when = begin if begin == end else f"{begin} to {end}"
    return join_markup(
        [
            html_element(
                "p",
                f"{when} · {finding['status']} · {finding['entity']} · rule {finding['rule']} · ",
                html_element("strong", finding["certainty"]),
                f": {CERTAINTY.get(finding['certainty'], '')}",
                *(f" · {one}" for one in notes),
                html_element("a", href=f"#{anchor}", class_="self", aria_label=f"link to: F{number}"),
                class_="note",
            ),
            to_do,
            evidence_part(told, number, finding),
            meaning_part(told, finding),
            next_part(told, number, finding),
        ]
    )


def evidence_part(told: ClusterTold, number: int, finding: Row) -> Markup:
    places = finding["evidence"]
    parts = [record_part(told, place) for place in places[:SHOWN_RECORDS]]
    more = len(places) - SHOWN_RECORDS
    if more > 0:
        parts.append(
            html_element(
                "p", f"{format_count(more, 'more record')}: {show_command_text(told, number)}", class_="note"
            )
        )
    if not places:
        parts = [html_element("p", "No line proves it: it is known by what is missing.", class_="note")]
    return html_element("section", html_element("h4", "What proves it"), *parts)


def record_part(told: ClusterTold, place: Row) -> Markup:
    found = told.lines.get(place_of_row(place))
    if found is None or found["raw"] is None:
        said = f"file {place['file_id']}, byte {place['byte_offset']}: its text is not kept"
        return html_element("p", said, class_="note")
    raw = bytes(found["raw"])
    path = shorten_line(found["path"], WIDTH)
    is_file = path == found["path"] and not IN_ANOTHER.search(path)
    see = command_to_see(path, found["line"], raw.count(b"\n")) if is_file else None
    return html_element(
        "figure",
        html_element("figcaption", f"{shorten_line(found['near'], WIDTH)}:{found['line']}", title=see),
        html_element("pre", lines_joined(printable_lines(raw, LINES, WIDTH))),
    )


def meaning_part(told: ClusterTold, finding: Row) -> Markup:
    """Each meaning once."""
    places = (place_of_row(one) for one in finding["evidence"][:SHOWN_RECORDS])
    found = dict.fromkeys(told.meanings[one] for one in places if one in told.meanings)
    if not found:
        return join_markup([])
    return html_element("section", html_element("h4", "What these lines mean"), html_list([*found]))


def next_part(told: ClusterTold, number: int, finding: Row) -> Markup:
    """What the product has to go on with."""
    words = [show_command_text(told, number)]
    topic, partition = finding["facts"]["topic"], finding["facts"]["partition"]
    if told.is_stored:
        words += ["verify"] if finding["evidence"] else []
        if topic and partition is not None:
            words += [f"partition {quoted_topic_name(f'{topic}-{partition}')}"]
        elif topic:
            words += [f"outages --topic {quoted_topic_name(topic)}"]
        words += [f"term {finding['term_id']}"] if finding["term_id"] else []
        words += [f"ask what-happened --at {finding_time_argument(finding)}"]
    elif topic and partition is not None:
        words += [
            f"incident ... --ask {shlex.quote('why-leaderless ' + quoted_topic_name(f'{topic}-{partition}'))}"
        ]
    shown = (told.command(one) or f"kafka-controller-audit {one}" for one in words)
    return html_element(
        "details", html_element("summary", "Go on"), html_element("pre", lines_joined([*shown]))
    )


def quoted_topic_name(topic: str) -> str:
    return shlex.quote(shorten_line(topic, SHORT))


def finding_time_argument(finding: Row) -> str:
    return day_clock(finding["root_at"] or finding["valid_from_at"]).replace(" ", "T")


def show_command_text(told: ClusterTold, number: int) -> str:
    return f"show F{number}" if told.is_stored else f"incident ... --show F{number}"
