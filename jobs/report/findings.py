"""The findings on a page as the first screen has them: a line each, the worst first, alike ones together; what proves
one is folded behind its line."""

from collections.abc import Iterator, Sequence

from jobs.questions.finding_lines import SEVERITY, Numbered, by_rule, is_finding_since, worst_finding
from jobs.report.elements import Markup, Room, html_element, join_markup
from jobs.report.finding_details import SHORT, finding_details
from jobs.report.finding_filters import filter_attributes, outage_topics
from jobs.report.playbooks import to_do_part
from jobs.report.told import SHOWN_FINDINGS, ClusterTold
from jobs.screen.glance import MANY, alike, number_ranges
from jobs.text import clock_by, shorten_line
from pipeline.views.reading.rows import Row

SENTENCE = 1000


def shown_on_page(told: ClusterTold) -> list[Numbered]:
    """Those that go on in the time that is shown; what is known already stands last."""
    return [one for one in told.findings if is_finding_since(one[1], told.window.since)]


def findings_part(told: ClusterTold, shown: Sequence[Numbered], prefix: str, room: Room) -> Markup:
    """prefix: before the anchors, where another cluster on the page has F1, too."""
    if "gold.finding" not in told.built:
        return join_markup([html_element("p", "Not judged: the nightly job looks for findings.")])
    if not shown:
        return join_markup([html_element("p", "Nothing was found.")])
    return join_markup(listed_findings(told, shown, prefix, room))


def listed_findings(
    told: ClusterTold, shown: Sequence[Numbered], prefix: str, room: Room
) -> Iterator[Markup]:
    """Whole as far as they fit, then a line each, then how many more there are."""
    whole, short = Room(room.left * 4 // 5), Room(room.left // 5)
    steps_at: dict[str, str] = {}
    topics_of = outage_topics(told)
    told_count = 0
    for group in grouped_on_page(shown):
        lines: list[Markup] = []
        for number, finding in group:
            anchor = f"{prefix}F{number}"
            given = {"id": anchor, **filter_attributes(finding, topics_of)}
            line = finding_summary(told, number, finding)
            card = None
            if told_count + len(lines) < SHOWN_FINDINGS and whole.left:
                to_do = to_do_part(finding, steps_at.get(finding["rule"]))
                behind = finding_details(told, number, finding, anchor, to_do)
                card = html_element("details", line, behind, class_=finding_class(finding), **given)
            if card is not None and whole.takes(card):
                steps_at.setdefault(finding["rule"], anchor)
            else:
                card = html_element(
                    "p",
                    *line_parts(told, number, finding, SHORT),
                    class_=f"{finding_class(finding)} short",
                    **given,
                )
                if not short.takes(card):
                    break
            lines.append(card)
        told_count += len(lines)
        if lines:
            yield group_element(told, group, lines) if len(group) > 1 else lines[0]
        if len(lines) < len(group):
            yield html_element(
                "p", f"{len(shown) - told_count:,} more: {told.command('findings') or 'findings'}"
            )
            return


def grouped_on_page(shown: Sequence[Numbered]) -> list[list[Numbered]]:
    """Alike ones together, in the order of the worst of each; of what only is told, and what is known already, one."""
    asking = [one for one in shown if one[1]["suppressed_by"] is None and one[1]["severity"] != "info"]
    only_told = [one for one in shown if one[1]["suppressed_by"] is None and one[1]["severity"] == "info"]
    known = [one for one in shown if one[1]["suppressed_by"] is not None]
    return [*alike(asking, MANY), *filter(None, (only_told, known))]


def group_element(told: ClusterTold, group: Sequence[Numbered], lines: Sequence[Markup]) -> Markup:
    first = group[0][1]
    if first["suppressed_by"] is not None:
        words, said = "known", f"{len(group):,} known already"
    elif first["severity"] == "info":
        counted = by_rule([one for _, one in group]).replace("INFO ", "").replace("_", " ")
        words, said = SEVERITY["info"], counted
    else:
        worst = worst_finding([one for one in group if one[1]["valid_until_at"] is None] or group)
        at = clock_by(worst["valid_from_at"], told.facts.read["last_at"])
        words, said = (
            SEVERITY[first["severity"]],
            f"{len(group):,} alike, the worst: {at} {worst['sentence']}",
        )
    going_on = sum(one["valid_until_at"] is None for _, one in group)
    open_text = f"{going_on:,} OPEN" if going_on and words != "known" else ""
    class_ = "known" if first["suppressed_by"] is not None else first["severity"]
    summary = summary_parts(number_ranges(group).replace(",", ", "), words, "", open_text, said)
    return html_element("details", html_element("summary", *summary), *lines, class_=f"group {class_}")


def finding_summary(told: ClusterTold, number: int, finding: Row) -> Markup:
    return html_element("summary", *line_parts(told, number, finding))


def line_parts(told: ClusterTold, number: int, finding: Row, most: int = SENTENCE) -> list[Markup]:
    at = clock_by(finding["valid_from_at"], told.facts.read["last_at"])
    open_text = "OPEN" if finding["valid_until_at"] is None else ""
    sentence = shorten_line(finding["sentence"], most)
    return summary_parts(f"F{number}", SEVERITY[finding["severity"]], at, open_text, sentence)


def summary_parts(numbers: str, words: str, at: str, open_text: str, said: str) -> list[Markup]:
    spans = (("anchor", numbers), ("mark", words), ("at", at), ("open", open_text), ("said", said))
    return [
        html_element("span", f"{text} " if class_ != "said" else text, class_=class_)
        for class_, text in spans
        if text
    ]


def finding_class(finding: Row) -> str:
    known = finding["suppressed_by"] is not None
    return f"finding {'known' if known else finding['severity']} {finding['status']}"
